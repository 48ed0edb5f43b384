import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Person, useService } from "../support/service.ts";
import { planShape } from "../support/planShape.ts";
import { recordStatements } from "../support/statements.ts";

/*
 * The operations of the specification. name.graphql is the request, name.json its answer, name.plan the shape of the
 * plan of each statement that it ran. The line `# as ada` names the caller, `# with {…}` gives the variables. The
 * operations run in the order of their names, on content.sql. `npm run snapshots` writes .json and .plan; without it
 * they are only compared.
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

  test(`answers ${person} as its .json says, with the plans of its .plan`, async () => {
    let answer: unknown;
    const recorded = await recordStatements(async () => {
      answer = await service.ask(source, { variables, as: person });
    });
    const statements = recorded.filter(({ application }) => application === "content-service");
    const plans = await Promise.all(statements.map((statement) => planShape(service.database.login, statement)));
    const found = { json: `${JSON.stringify(answer, null, 2)}\n`, plan: `${plans.join("\n\n")}\n` };
    if (isWriting) {
      writeFileSync(new URL(`${name}.json`, folder), found.json);
      writeFileSync(new URL(`${name}.plan`, folder), found.plan);
    }
    expect(found.json).toBe(read(`${name}.json`));
    expect(found.plan).toBe(read(`${name}.plan`));
    // A query takes one statement for each of its root fields. A mutation reads its answer after it has written.
    if (!source.includes("mutation")) expect(statements).toHaveLength(rootFields(source));
  });
});

function read(file: string): string {
  return readFileSync(new URL(file, folder), "utf8");
}

/** `# statements 2` in the request of a query with more than one root field. */
function rootFields(source: string): number {
  return Number(/^# statements (\d+)/m.exec(source)?.[1] ?? 1);
}
