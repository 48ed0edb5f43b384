import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type Person, useService } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";

/*
 * Each operation of the specification: name.graphql is the request, name.json its answer, name.sql the SQL it ran. The
 * first line says who asks (`# as ada`), a second one its variables (`# with {…}`). They run in the order of their names,
 * on content.sql. `npm run snapshots` writes the answers; here they are only compared.
 */
const folder = new URL("./", import.meta.url);
const isWriting = process.env.WRITE_SNAPSHOTS === "1";
const service = useService();
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".graphql"))
  .map((file) => file.replace(/\.graphql$/, ""))
  .sort();

beforeAll(() => service.database.query(read("content.sql")));

describe.each(names)("%s", (name) => {
  const source = read(`${name}.graphql`);
  const person = (/^# as (\w+)/m.exec(source)?.[1] ?? "nobody") as Person;
  const variables = JSON.parse(/^# with (.*)/m.exec(source)?.[1] ?? "{}");

  test(`answers ${person} as its .json says, with the SQL of its .sql`, async () => {
    let answer: unknown;
    const statements = await statementsOf(async () => {
      answer = await service.ask(source, { variables, as: person });
    });
    const found = { json: `${JSON.stringify(answer, null, 2)}\n`, sql: `${statements.join("\n\n")}\n` };
    if (isWriting) {
      writeFileSync(new URL(`${name}.json`, folder), found.json);
      writeFileSync(new URL(`${name}.sql`, folder), found.sql);
    }
    expect(found.json).toBe(read(`${name}.json`));
    expect(found.sql).toBe(read(`${name}.sql`));
    // One statement for each field of Query. Mutations read what they answer with after they have written.
    if (!source.includes("mutation")) expect(statements).toHaveLength(rootFields(source));
  });
});

function read(file: string): string {
  return readFileSync(new URL(file, folder), "utf8");
}

/** `# statements 2` where a query has more than one field of Query. */
function rootFields(source: string): number {
  return Number(/^# statements (\d+)/m.exec(source)?.[1] ?? 1);
}
