import { findRoute } from "@content-service/support/route.ts";
import { PgBouncer, pgBouncer, untracked } from "../../tools/support/PgBouncer.ts";
import { useDatabase } from "../support/database.ts";
import { describeWithPgBouncer } from "../support/pooler.ts";

/* Where a connection string leads is found out at the start, without a setting. */
const database = useDatabase();

test("PostgreSQL itself is a direct route", async () => {
  expect(await findRoute(database.apiUrl)).toBe("direct");
});

describeWithPgBouncer("through PgBouncer", () => {
  test.each([
    ["session", { pool_mode: "session" }],
    ["transaction", untracked],
    [pgBouncer.tracksStatements ? "tracking" : "transaction", {}],
  ])("the route is %s with %j", async (route, settings) => {
    await using pooler = await PgBouncer.start([database.apiUrl], settings);
    expect(await findRoute(pooler.through(database.apiUrl))).toBe(route);
  });

  test("statement mode is refused with a sentence", async () => {
    await using pooler = await PgBouncer.start([database.apiUrl], { pool_mode: "statement" });
    await expect(findRoute(pooler.through(database.apiUrl))).rejects.toThrow(/is in statement mode/);
  });
});
