import assert from "node:assert/strict";
import test from "node:test";
import type { Change, Feed } from "../Feed.ts";
import { FeedWork, type Shared } from "../FeedWork.ts";
import type { ListeningConnection } from "../ListeningConnection.ts";

/* When a connection is lost depends on timing. This test chooses it, without a database. */
test("a row is found to be unchanged, although the look-ups before it are given up while they are under way", async () => {
  const underWay = Promise.withResolvers<boolean[]>();
  const answers = [underWay.promise, Promise.resolve([true])];
  const sql = { checkUnchanged: () => answers.shift() } as unknown as Shared["sql"];
  const work = new FeedWork({ id: 1 } as Feed, { sql, statements: 0, wake: () => {} } as unknown as Shared);
  const connection = {} as ListeningConnection;
  const serve = () => work.serve({ asked: connection, listener: connection });

  const former = work.isUnchanged({ key: "1", rowId: "1" } as Change);
  const serving = serve();
  work.failChecks();
  const later = work.isUnchanged({ key: "1", rowId: "2" } as Change);
  underWay.resolve([false]);
  await serving;
  assert.equal(await former, false);
  await serve();
  assert.equal(await later, true);
});
