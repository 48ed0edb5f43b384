import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PgBouncer, pgBouncer, untracked } from "../../tools/support/PgBouncer.ts";
import { type Person, type TestService, useService } from "../support/service.ts";

/* The service behind PgBouncer. Skipped where it is not installed, and one route where it is older than 1.21. */
const folder = new URL("../operations/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const operations = readdirSync(folder)
  .filter((file) => file.endsWith(".graphql"))
  .map((file) => file.replace(/\.graphql$/, ""))
  .sort();

/** A service whose requests go through PgBouncer, and whose notifications do not. Few server connections serve many clients. */
function usePooledService(settings: Record<string, string | number>): TestService & { pooler: PgBouncer } {
  const service = useService({ poolSize: 10 }, async ({ apiUrl }) => {
    pooled.pooler = await PgBouncer.start([apiUrl], { default_pool_size: 3, ...settings });
    return { apiDatabaseUrl: pooled.pooler.through(apiUrl), listenDatabaseUrl: apiUrl };
  });
  const pooled = service as TestService & { pooler: PgBouncer };
  afterAll(() => pooled.pooler?.[Symbol.asyncDispose]());
  return pooled;
}

const routes = [
  {
    mode: "transaction mode with prepared statements",
    settings: {},
    runs: pgBouncer.isInstalled && pgBouncer.tracksStatements,
  },
  { mode: "transaction mode without prepared statements", settings: untracked, runs: pgBouncer.isInstalled },
];

for (const { mode, settings, runs } of routes) {
  (runs ? describe : describe.skip)(mode, () => {
    const service = usePooledService(settings);
    beforeAll(() => service.database.query(read("content.sql")));

    test.each(operations)("answers %s as without a pooler", async (name) => {
      const source = read(`${name}.graphql`);
      const as = (/^# as (\w+)/m.exec(source)?.[1] ?? "nobody") as Person;
      const variables = JSON.parse(/^# with (.*)/m.exec(source)?.[1] ?? "{}");
      expect(await service.ask(source, { variables, as })).toEqual(JSON.parse(read(`${name}.json`)));
    });
  });
}
