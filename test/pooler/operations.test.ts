import { readdirSync, readFileSync } from "node:fs";
import { describeTransactionMode } from "../support/pooler.ts";
import { type Person, useService } from "../support/service.ts";

/* The operations of test/operations, through PgBouncer. */
const folder = new URL("../operations/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".graphql"))
  .map((file) => file.replace(/\.graphql$/, ""))
  .sort();

describeTransactionMode((startPooler) => {
  const service = useService({ poolSize: 10 }, async (database) => {
    const pooler = await startPooler(database);
    return { apiDatabaseUrl: pooler.through(database.apiUrl), listenDatabaseUrl: database.apiUrl };
  });
  beforeAll(() => service.database.query(read("content.sql")));

  test.each(names)("answers %s as without a pooler", async (name) => {
    const source = read(`${name}.graphql`);
    const as = (/^# as (\w+)/m.exec(source)?.[1] ?? "nobody") as Person;
    const variables = JSON.parse(/^# with (.*)/m.exec(source)?.[1] ?? "{}");
    expect(await service.ask(source, { variables, as })).toEqual(JSON.parse(read(`${name}.json`)));
  });
});
