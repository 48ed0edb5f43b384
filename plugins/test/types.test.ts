import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import pg from "pg";
import preset from "../index.ts";
import { serve, useShop } from "./support.ts";

/*
 * Each type of PostgreSQL, its domain and its array, nullable and not: a compiled operation has the engine's result, to the letter, in one
 * statement, or the engine executes it alone. No statement fails first.
 */
const url = await useShop();
const owner = new pg.Client({ connectionString: url });
await owner.connect();

/** A value of each base type, in SQL. A type that PostgreSQL adds needs one here. */
const samples: Record<string, string[]> = {
  bool: ["true", "false"],
  bytea: ["\\x00ff"],
  char: ["x"],
  name: ["a name"],
  int8: ["9223372036854775807", "0"],
  int2: ["-32768"],
  int4: ["2147483647"],
  text: ["null", 'it\'s \\ "quoted" …'],
  oid: ["7"],
  tid: ["(1,2)"],
  xid: ["7"],
  cid: ["7"],
  json: ['{"big":12345678901234567890.5,"f":1.10,"n":null}', '"null"'],
  jsonb: ['{"big":12345678901234567890.5,"f":1.10,"n":null}', "[null, 1.0]"],
  xml: ["<a/>"],
  xid8: ["18446744073709551615"],
  point: ["(1.5,2)"],
  lseg: ["[(1,2),(3,4)]"],
  path: ["[(1,2),(3,4)]"],
  box: ["(3,4),(1,2)"],
  polygon: ["((1,2),(3,4))"],
  line: ["{1,2,3}"],
  circle: ["<(1,2),3>"],
  float4: ["1.5", "0.1"],
  float8: ["0.1", "-12.5"],
  money: ["12.34"],
  macaddr: ["08:00:2b:01:02:03"],
  macaddr8: ["08:00:2b:01:02:03:04:05"],
  inet: ["10.0.0.1", "10.0.0.0/8"],
  cidr: ["10.0.0.0/8"],
  aclitem: ["=r/postgres"],
  bpchar: ["ab   "],
  varchar: ["null"],
  date: ["2020-02-29", "infinity"],
  time: ["24:00:00", "12:34:56.7"],
  timestamp: ["2020-02-29 12:34:56.789"],
  timestamptz: ["2020-02-29 12:34:56.789+02"],
  interval: ["1 mon 2 days 03:04:05"],
  timetz: ["12:34:56+02"],
  bit: ["1"],
  varbit: ["101"],
  numeric: ["12345678901234567890.50", "NaN"],
  refcursor: ["c"],
  uuid: ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  tsvector: ["'a':1 'b'"],
  tsquery: ["'a' & 'b'"],
  gtsvector: [],
  txid_snapshot: ["10:20:10,14,15"],
  pg_snapshot: ["10:20:10,14,15"],
  pg_lsn: ["16/B374D848"],
  jsonpath: ["$.a[*]"],
  regproc: ["now"],
  regprocedure: ["abs(int4)"],
  regoper: ["pg_catalog.||/"],
  regoperator: ["+(int4,int4)"],
  regclass: ["pg_class"],
  regcollation: ["pg_catalog.default"],
  regtype: ["int4"],
  regrole: ["shop_visitor"],
  regnamespace: ["shop"],
  regconfig: ["simple"],
  regdictionary: ["simple"],
  regdatabase: ["postgres"],
  int2vector: ["1 2"],
  oidvector: ["1 2"],
  pg_node_tree: [],
  pg_ndistinct: [],
  pg_dependencies: [],
  pg_mcv_list: [],
  pg_brin_bloom_summary: [],
  pg_brin_minmax_multi_summary: [],
  // Ranges, and types of the schema.
  int4range: ["[1,5)", "empty"],
  int8range: ["[1,)"],
  numrange: ["[1.50,2]"],
  tsrange: ["[2020-01-01,2021-01-01)"],
  tstzrange: ["[2020-01-01,2021-01-01)"],
  daterange: ["[2020-01-01,2021-01-01)"],
  int4multirange: ["{[1,5),[7,9)}"],
  int8multirange: ["{}"],
  nummultirange: ["{[1.5,2]}"],
  tsmultirange: ["{}"],
  tstzmultirange: ["{}"],
  datemultirange: ["{[2020-01-01,2021-01-01)}"],
  "shop.size": ["LARGE"],
  "shop.mood": ["so so"],
  "shop.pair": ["(1,two)"],
};

await owner.query(`
  create type shop.mood as enum ('so so', 'fine');
  create type shop.pair as (one int, two text);
  grant usage on type shop.mood, shop.pair to shop_visitor`);
const { rows: types } = await owner.query<{ name: string }>(`
  select case when typnamespace = 'shop'::regnamespace then 'shop.' else '' end || typname as name
    from pg_type where typtype in ('b', 'r', 'm') and typcategory not in ('A', 'Z') and typnamespace = 'pg_catalog'::regnamespace
      or oid in ('shop.size'::regtype, 'shop.mood'::regtype, 'shop.pair'::regtype)
   order by 1`);

/** The tables: one for each type that has a value. */
const tables: string[] = [];
for (const { name } of types) {
  const values = samples[name];
  assert.ok(values, `No value of ${name}`);
  const [first] = values;
  if (first === undefined) continue;
  const type = name.includes(".") ? name : `pg_catalog."${name}"`;
  const plain = name.replace(".", "_");
  const hasArray = !["int2vector", "oidvector"].includes(name);
  const given = [
    `given ${type}`,
    `needed ${type} not null`,
    `own shop.own_${plain}`,
    `own_needed shop.own_${plain} not null`,
  ];
  if (hasArray) given.push(`many ${type}[]`, `many_needed ${type}[] not null`);
  await owner.query(`create domain shop.own_${plain} as ${type};
    create table shop.of_${plain} (id int primary key, ${given.join(", ")})`);
  const insert = (id: number, value: string, optional: string) => {
    const arrays = hasArray ? [optional === "null" ? "null" : `array[${value}, null]`, `array[${value}]`] : [];
    return owner.query(
      `insert into shop.of_${plain} values (${[id, optional, value, optional, value, ...arrays].join(", ")})`,
    );
  };
  const literals = values.map((value) => `${pg.escapeLiteral(value)}::${type}`);
  for (const [id, literal] of literals.entries()) await insert(id, literal, literal);
  await insert(99, literals[0] ?? "", "null");
  tables.push(plain);
}
await owner.query("grant select on all tables in schema shop to shop_visitor");
await owner.end();

const compiled = await serve(url, preset);
const engine = await serve(url, { extends: [preset], disablePlugins: ["CompiledOperationsPlugin"] });

/** The fields of each type, with what is selected of them. */
async function readFields(): Promise<Map<string, { name: string; type: any; selects: string }[]>> {
  const { data } = await compiled.ask(`{ __schema { types { name fields {
    name type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`);
  const named = (type: any): any => (type.ofType ? named(type.ofType) : type);
  const selects = (name: string, type: any) => (named(type).kind === "OBJECT" ? `${name} { __typename }` : name);
  return new Map(
    data.__schema.types.map(({ name: typeName, fields }: any) => [
      typeName,
      (fields ?? []).map(({ name, type }: any) => ({ name, type, selects: selects(name, type) })),
    ]),
  );
}

/** The types of which the engine executes each operation, by the form of their columns. */
const left: Record<string, Set<string>> = { plain: new Set(), domains: new Set(), arrays: new Set() };
const done: typeof left = { plain: new Set(), domains: new Set(), arrays: new Set() };
const forms = { plain: ["given", "needed"], domains: ["own", "ownNeeded"], arrays: ["many", "manyNeeded"] };

test("each type, in a row and in a list", async (t) => {
  const fieldsOf = await readFields();
  const roots = fieldsOf.get("Query") ?? [];
  for (const plain of tables) {
    const row = roots.find(({ name }) => name.toLowerCase() === `of${plain.replaceAll("_", "")}`);
    const type = row?.type.name;
    const list = roots.find((each) => each.type.ofType?.ofType?.name === type);
    assert.ok(row && list, plain);
    const fields = fieldsOf.get(type) ?? [];
    for (const [form, names] of Object.entries(forms)) {
      const selects = fields.flatMap((field) => (names.includes(field.name) ? field.selects : [])).join(" ");
      if (!selects) continue;
      const query = `{ ${list.name}(limit: 5) { id ${selects} } one: ${row.name}(id: 0) { ${selects} } none: ${row.name}(id: 99) { ${selects} } }`;
      await t.test(`${plain}: ${form}`, async () => {
        const [expected, found] = [await engine.ask(query), await compiled.ask(query)];
        assert.equal(found.text, expected.text);
        const isCompiled = /row_to_json/.test(compiled.statements[0] ?? "");
        if (isCompiled) assert.equal(compiled.statements.length, 1, compiled.statements.join("\n"));
        (isCompiled ? done : left)[form]?.add(plain.replace("_", "."));
      });
    }
  }
});

test("compiled/README.md lists the types that are left to the engine", async () => {
  const page = await readFile(new URL("../compiled/README.md", import.meta.url), "utf8");
  const listed = (names: Set<string> | undefined) => [...(names ?? [])].toSorted().join(", ");
  const rows = [
    `| columns | ${listed(left["plain"])} |`,
    `| arrays | all but those of ${listed(done["arrays"])} |`,
    `| domains | ${done["domains"]?.size === 0 ? "all" : listed(left["domains"])} |`,
  ];
  for (const row of rows) assert.ok(page.includes(row), row);
});
