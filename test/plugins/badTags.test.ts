import { randomUUID } from "node:crypto";
import { type GraphQLSchema, isObjectType } from "graphql";
import { makePgService } from "postgraphile/adaptors/pg";
import preset, { makeSchema, type UnmappedObject, unmappedObjectsOf } from "postgraphile-compiled-preset";
import { databaseUrl, onServer } from "../support/template.ts";

/*
 * A smart tag that says something impossible is ignored, and listed with the object and the word. All else is in the schema. What the
 * service logs of it, and that it serves on, is in test/feed/comments.
 */
const serverUrl = process.env.TEST_SERVER_URL as string;
const name = `test_${randomUUID().replaceAll("-", "")}`;
const url = databaseUrl(serverUrl, name);

/** One line of a comment each, and its reason. */
const wrong = [
  ["column odd.crates.size", "@listFilter like", "crates.size: “like” is none of eq, gt, gte, lt, lte, in, isNull"],
  ["column odd.crates.weight", "@listFilter isNull:", "crates.weight: “isNull:” is none of"],
  ["column odd.crates.label", "@listFilter eq eq", "crates has two filters with the name label"],
  ["column odd.crates.packed_at", "@timestampFormat WEEK", "the format is DATE"],
  ["column odd.crates.id", "@nodeIdOf word", "there is no such column"],
  ["table odd.makers", "@listOrder name", "@listOrder of makers: one line has no name, and all others have one"],
  ["table odd.crates", "@listOrder FUNNY: jokes desc, id", "@listOrder of crates: “jokes desc” is not a column"],
  ["table odd.crates", "@listOrder FUNNY: size upwards", "@listOrder of crates: “size upwards” is not a column"],
  ["table odd.crates", "@firstRows odd.first_crates word", "@firstRows of crates: there is no column word"],
  ["table odd.crates", "@totalCount odd.count_crates word", "@totalCount of crates: there is no column word"],
  ["table odd.crates", "@name", ""],
  ["table odd.crates", "@behavior +", "Invalid value for behavior"],
  ["table odd.crates", "@manyToMany", "@manyToMany: crates needs two foreign keys"],
  ["table odd.crates", "@foreignKey nonsense", "Invalid @foreignKey syntax"],
  ["table odd.crates", "@foreignKey (id) references odd.nowhere (id)", "referenced non-existent table"],
  ["table odd.crates", "@unique word", "referenced non-existent attribute"],
  ["table odd.crates", "@refVia x", "@refVia without matching @ref is invalid"],
  ["table odd.crates", "@interface mode:x", "Unsupported (or not provided) @interface mode"],
  ["table odd.crates", "@implements Nobody", ""],
  ["table odd.crates", "@nodeIdCodec words", "Could not find Node ID codec"],
] as const;

/** Right lines of the same comments. */
const right: Record<string, string[]> = {
  "table odd.makers": ["@listOrder id"],
  "table odd.crates": ["@listOrder LARGEST: size desc, id", "@unique label"],
  "column odd.crates.size": ["@deprecated Use weight."],
};

let neighbours: GraphQLSchema;
let schema: GraphQLSchema;
let leftOut: readonly UnmappedObject[];

// All are in one schema: it is made once, and one more time for each.
beforeAll(async () => {
  await onServer(serverUrl, `create database ${name}`);
  await onServer(
    url,
    `create schema odd;
    create table odd.makers (id int primary key, name text not null);
    create table odd.crates (
      id int primary key, maker_id int references odd.makers, size int not null, weight int, label text, packed_at timestamptz)`,
  );
  await comment(right);
  neighbours = await build();
  expect(unmappedObjectsOf(neighbours)).toEqual([]);
  const all = structuredClone(right);
  for (const [object, line] of wrong) all[object] = [...(all[object] ?? []), line];
  await comment(all);
  schema = await build();
  leftOut = unmappedObjectsOf(schema);
});

afterAll(() => onServer(serverUrl, `drop database ${name}`));

async function comment(lines: Record<string, string[]>): Promise<void> {
  for (const [object, all] of Object.entries(lines)) {
    await onServer(url, `comment on ${object} is '${all.join("\n")}'`);
  }
}

async function build(): Promise<GraphQLSchema> {
  const pgServices = [makePgService({ connectionString: url, schemas: ["odd"] })];
  try {
    return (await makeSchema({ extends: [preset], pgServices })).schema;
  } finally {
    for (const { release } of pgServices) await release?.();
  }
}

test.each(wrong)("%s: %s", (object, line, reason) => {
  const of = leftOut.find(({ message }) => message === `The smart tag ${line} of the ${object} is ignored.`);
  expect(of?.reason).toContain(reason);
});

test("no other tag is ignored, and no field is lost", () => {
  expect(leftOut).toHaveLength(wrong.length);
  expect(fieldsOf(schema)).toEqual(fieldsOf(neighbours));
});

function fieldsOf(made: GraphQLSchema): string[] {
  return Object.values(made.getTypeMap())
    .flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
    )
    .sort();
}
