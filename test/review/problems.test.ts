import { withClient } from "@content-service/support/withClient.ts";
import { loadModule } from "libpg-query";
import { compareProblems, readProblems } from "../../packages/migration-review/check/catalogue/problems.ts";
import type { Finding } from "../../packages/migration-review/check/finding.ts";
import { locateText, readStatements } from "../../packages/migration-review/check/sql/statements.ts";
import { schemasOf } from "../../packages/migration-review/schemas.ts";
import { project as reviewed } from "../../src/commands/project.ts";
import { useDatabase } from "../support/database.ts";
import { runDb } from "../support/runDb.ts";

/* Streams of the change feed that a change breaks: db:check refuses it, and db:status names them with their repair. */
const [changed, broken] = [useDatabase(), useDatabase()];

const change = `-- Something else.
comment on column app_public.messages.text is 'The text.';
alter function app_private.chat_reading(bigint, bigint) rename to chat_readers;
alter table app_public.comments
  rename column post_id to article_id;
alter table app_public.notifications disable trigger _900_stream_user_id_insert;
comment on column app_public.comments.text is 'The text.';
`;

describe("db:check refuses a change that takes a stream", () => {
  let findings: Finding[];
  beforeAll(async () => {
    await loadModule();
    const statements = readStatements(change.split("\n").map((text, i) => ({ text, place: `change:${i + 1}` })));
    await withClient(changed.ownerUrl, async (owner) => {
      await owner.query("begin");
      const before = await readProblems(owner, reviewed.problems);
      await owner.query(change);
      const after = await readProblems(owner, reviewed.problems);
      const schemas = await schemasOf(owner, reviewed);
      findings = compareProblems(before, after, (text) => locateText(text, statements, schemas));
    });
  });

  test.each([
    ["the function that says who may read", "app_public.messages chat_id added", 3],
    ["its key column", "app_public.comments post_id deleted", 4],
    ["its trigger", "app_public.notifications user_id added", 6],
  ])("%s, and names the statement", (_, stream, line) => {
    const finding = findings.find(({ object }) => object === stream);
    expect(finding).toMatchObject({ rule: "new-problem", severity: "refused", location: `change:${line}` });
  });

  test("and finds nothing wrong with a stream that works on", () => {
    expect(findings.map(({ object }) => object).join()).not.toContain("app_public.inbox_entries");
  });
});

test("db:status names a stream that cannot be followed, with its repair, and its exit status is 1", async () => {
  await broken.query("alter table app_public.comments disable trigger _900_stream_post_id_insert");
  const { status, output } = await runDb(broken.ownerUrl, ["status"]);
  expect(output).toContain(
    "app_public.comments post_id added: app_public.comments has no enabled trigger after insert",
  );
  expect(output).toContain("\n  Repair: Call change_feed.stream('app_public.comments', 'post_id', …) again.\n");
  expect(output).toMatch(
    /^Not tried, because no row has a key: the streams .*\bapp_public\.reports queue updated\b.*\.$/m,
  );
  expect(status).toBe(1);
});
