import { readFileSync } from "node:fs";
import { Random } from "@content-service/testing/Random.ts";
import { type GraphQLSchema, getNamedType, isLeafType, isObjectType, printSchema } from "graphql";
import { unmappedObjectsOf } from "postgraphile-compiled-preset";
import { readSchema } from "../../src/commands/readSchema.ts";
import { answer } from "../../tools/fuzz/compareAnswers.ts";
import { addObjects, lostFields } from "../../tools/fuzz/fuzzSchemas.ts";
import { oddObjects } from "../../tools/fuzz/oddObjects.ts";
import { useDatabase } from "../support/database.ts";
import { type Answer, useService } from "../support/service.ts";

/* Schemas that nobody here would write. Each object is served or named, and none takes the API away. */
const odd = readFileSync(new URL("schema.sql", import.meta.url), "utf8");

describe("an odd schema", () => {
  const service = useService({}, async ({ query }) => {
    await query(odd);
    return {};
  });

  async function inEngine(query: string): Promise<Answer> {
    const { pipeline } = service.app;
    const { served } = pipeline;
    const { text } = await answer(pipeline, { ...served, compiled: undefined }, query, {}, "");
    pipeline.serve(served);
    return JSON.parse(text);
  }

  test("starts, serves the publication as before, and lists at once what is left out and renamed", async () => {
    const { leftOut } = service.logged.find(({ level }) => level === 40) as { leftOut: string[] };
    expect(leftOut.length).toBeGreaterThan(70);
    expect(leftOut.filter((line) => /cannot be made/.test(line))).toEqual([]);
    expect(await service.ask('{ user(id: "1") { name } }')).toEqual({ data: { user: { name: "Ada" } } });
  });

  test("serves or lists each object", async () => {
    const objects = await service.database.query<{ name: string; own: string }>(`
      select c.oid::regclass::text as name, c.relname as own from pg_class c
       where relnamespace = 'app_public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition
      union all
      select p.oid::regproc::text, p.proname from pg_proc p where pronamespace = 'app_public'::regnamespace
         and prorettype <> 'trigger'::regtype and not exists (select from pg_type t where t.typname = p.proname and t.typtype in ('r', 'm'))
         and prokind in ('f', 'p')`);
    expect(objects.length).toBeGreaterThan(150);
    const { schema } = service.app;
    const listed = unmappedObjectsOf(schema).map(({ message }) => message);
    const shown = printSchema(schema).toLowerCase();
    const lost = objects.filter(({ own }) => {
      const plain = own.replace(/_/g, "").toLowerCase();
      const word = plain.replace(/ies$/, "").replace(/s$/, "");
      return (
        !shown.includes(word) &&
        !listed.some((line) => line.includes(own)) &&
        !shown.includes(plain.replace(/^[a-z]+/, ""))
      );
    });
    // Join tables show what they join.
    expect(lost.map(({ own }) => own).filter((own) => !["sides", "more_sides"].includes(own))).toEqual([]);
  });

  test("is answered alike by both executors, field by field", async () => {
    const all = [...queries(service.app.schema)];
    expect(all.length).toBeGreaterThan(80);
    for (const query of all) {
      const [{ data }, { data: expected }] = [await service.ask(query), await inEngine(query)];
      expect({ query, data }).toEqual({ query, data: expected });
    }
  });

  test("tells the arguments of a function from those of its page", async () => {
    const query =
      "{ one: limited(limitArgument: 0, offsetArgument: 0, offset: 1) { id } two: limited(limitArgument: 1, offsetArgument: 0, limit: 1) { id } }";
    const expected = { data: { one: [{ id: 2 }], two: [{ id: 2 }] } };
    expect([await service.ask(query), await inEngine(query)]).toEqual([expected, expected]);
    expect(await service.ask("{ sameArgs(aB: 1, aBArgument: 2) }")).toEqual({ data: { sameArgs: 1 } });
  });

  test("has the era of a date and the end of a day, both ways", async () => {
    const query = "{ datesTables(limit: 1) { d t tz s z day: z(format: DATE) whole: z(format: DATE_TIME) } }";
    const expected = {
      data: {
        datesTables: [
          {
            d: "0044-03-15 BC",
            t: "24:00:00.000000",
            tz: "24:00:00.000000+05:30",
            s: "0044-03-15T12:00:00.000000 BC",
            z: "0044-03-15 BC",
            day: "0044-03-15 BC",
            whole: "0044-03-15T12:00:00.000000+00:00 BC",
          },
        ],
      },
    };
    expect([await service.ask(query), await inEngine(query)]).toEqual([expected, expected]);
  });

  test("has the text of types that the engine does not know", async () => {
    const types = "{ types(limit: 1) { aMultirange multiranges aXid aLsn aCube } }";
    expect(await service.ask(types)).toEqual({
      data: {
        types: [
          { aMultirange: "{[1,3),[5,8)}", multiranges: ["{[1,3)}", "{}"], aXid: "7", aLsn: "0/10", aCube: "(1, 2)" },
        ],
      },
    });
  });
});

function* queries(schema: GraphQLSchema): Generator<string> {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    if (field.args.some(({ type }) => String(type).endsWith("!"))) continue;
    const type = getNamedType(field.type);
    if (isLeafType(type)) yield `{ ${field.name} }`;
    if (!isObjectType(type) || type.name.endsWith("Connection")) continue;
    const leaves = Object.values(type.getFields()).filter(
      (each) => isLeafType(getNamedType(each.type)) && each.args.length === 0,
    );
    if (leaves.length > 0) yield `{ ${field.name} { ${leaves.map(({ name }) => name).join(" ")} } }`;
  }
}

describe("objects that are added at random", () => {
  const database = useDatabase();

  test("take no field away", async () => {
    const { schema: before } = await readSchema(database.apiUrl);
    expect(await addObjects(database.query, oddObjects(new Random(41), 120))).toBeGreaterThan(50);
    const { schema: after, leftOut } = await readSchema(database.apiUrl);
    expect(leftOut.length).toBeGreaterThan(10);
    expect(lostFields(before, after)).toEqual([]);
  });
});
