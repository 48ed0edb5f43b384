import { type GraphQLSchema, isObjectType } from "graphql";
import { readSchema } from "../../src/commands/readSchema.ts";
import { useService } from "../support/service.ts";

/* A smart tag that says something impossible is ignored, and the log names the object and the word. Everything else is served on. */
const service = useService();

const column = (comment: string) => `comment on column app_public.tags.name is '${comment}'`;
const table = (comment: string) => `comment on table app_public.tags is E'${comment}'`;
let first: GraphQLSchema;
beforeAll(() => {
  first = service.app.schema;
});

/** Replaces what the test before has left. In one change, so that the schema is made once. */
const standing = `${column("The keyword.")}; ${table("@listOrder name\\nA keyword for posts.")}`;

test.each([
  [column("@listFilter like"), "tags.name: “like” is none of eq, gt, gte, lt, lte, in, isNull"],
  [column("@listFilter isNull:"), "tags.name: “isNull:” is none of"],
  [column("@listFilter eq eq"), "tags has two filters with the name name"],
  [table("@listOrder name\\n@listOrder id"), "@listOrder of tags: one line has no name, and all others have one"],
  [table("@listOrder FUNNY: jokes desc, id"), "@listOrder of tags: “jokes desc” is not a column"],
  [table("@listOrder FUNNY: name upwards"), "@listOrder of tags: “name upwards” is not a column"],
  [table("@firstRows app_hidden.first_tags word"), "@firstRows of tags: there is no column word"],
  [table("@totalCount app_hidden.count_tags word"), "@totalCount of tags: there is no column word"],
  [table("@name"), "is ignored"],
  [table("@behavior +"), "Invalid value for behavior"],
  [table("@manyToMany"), "@manyToMany: tags needs exactly two foreign keys"],
  [table("@foreignKey nonsense"), "Invalid @foreignKey syntax"],
  [table("@foreignKey (id) references app_public.nowhere (id)"), "referenced non-existent table"],
  [table("@unique word"), "referenced non-existent attribute"],
  [table("@refVia x"), "@refVia without matching @ref is invalid"],
  [table("@interface mode:x"), "Unsupported (or not provided) @interface mode"],
  [table("@implements Nobody"), "The smart tag @implements Nobody of the table app_public.tags is ignored."],
  [table("@nodeIdCodec words"), "Could not find Node ID codec"],
  [column("@timestampFormat WEEK"), "the format is DATE"],
  [column("@nodeIdOf word"), "there is no such column"],
])("%s", async (comment, message) => {
  await service.database.query(`${standing}; ${comment}`);
  await service.app.rebuild();
  const { leftOut } = service.logged.findLast(({ level }) => level === 40) as { leftOut: string[] };
  expect(leftOut.join("\n")).toContain(message);
  expect(leftOut.join("\n")).toContain("The smart tag @");
  const lost = fieldsOf(first).filter((field) => !fieldsOf(service.app.schema).includes(field));
  expect(lost).toEqual([]);
  expect(await service.ask("{ postsCount }")).toEqual({ data: { postsCount: 0 } });
});

test("several wrong tags are found each, among right ones", async () => {
  await service.database.query(
    `${column("@listFilter like\\n@deprecated Use id.".replace("\\n", "\n"))}; ${table("@listOrder name\\n@unique word\\n@foreignKey nonsense")}`,
  );
  await service.app.rebuild();
  const { leftOut } = service.logged.findLast(({ level }) => level === 40) as { leftOut: string[] };
  expect(leftOut.filter((line) => line.startsWith("The smart tag")).map((line) => line.split(" of ")[0])).toEqual(
    expect.arrayContaining([
      "The smart tag @listFilter like",
      "The smart tag @unique word",
      "The smart tag @foreignKey nonsense",
    ]),
  );
  expect(leftOut.join()).not.toMatch(/@deprecated|@listOrder name/);
  await expect(readSchema(service.database.apiUrl)).rejects.toThrow(/@/);
});

function fieldsOf(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
  );
}
