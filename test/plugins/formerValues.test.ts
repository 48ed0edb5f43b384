import { buildSchema, type GraphQLSchema } from "graphql";
import { compareSchemas } from "../../src/dba/check/compareSchemas.ts";
import { printApi } from "../../src/graphql/schema/printApi.ts";
import { useService } from "../support/service.ts";

/* A client that knows only the former name of an enum's value notices nothing. */
const service = useService();
let before: GraphQLSchema;

beforeAll(async () => {
  await service.database.query(`
    create type app_public.mood as enum ('CALM', 'WILD');
    comment on type app_public.mood is E'@describe CALM At ease.\\nHow one feels.';
    create table app_public.days (
      id bigint primary key,
      mood app_public.mood not null default 'CALM',
      night app_public.mood,
      moods app_public.mood[] not null default '{CALM,WILD}'
    );
    comment on column app_public.days.mood is '@listFilter eq in';
    create function app_public.feel(mood app_public.mood, moods app_public.mood[] default '{}') returns app_public.mood
    language sql volatile return coalesce(moods[1], mood);
    grant select on app_public.days to api_anonymous;
    grant execute on function app_public.feel(app_public.mood, app_public.mood[]) to api_anonymous;
    insert into app_public.days values (1, 'CALM', null), (2, 'WILD', 'CALM')`);
  await service.app.rebuild();
  before = buildSchema(printApi(service.app.schema));
});

async function ask(query: string, variables = {}) {
  const { data, errors } = await service.ask(query, { variables });
  expect(errors).toBeUndefined();
  return data;
}

async function expectAll(): Promise<void> {
  const days = [
    { mood: "CALM", night: null, moods: ["CALM", "WILD"] },
    { mood: "WILD", night: "CALM", moods: ["CALM", "WILD"] },
  ];
  expect(await ask("{ days { mood night moods } }")).toEqual({ days });
  // Without the list of values, the query is compiled.
  expect(await ask("{ days { mood night } }")).toMatchObject({ days: [{ mood: "CALM" }, { night: "CALM" }] });
  expect(await ask("{ days(mood: CALM) { id } }")).toEqual({ days: [{ id: "1" }] });
  const list = "query ($moods: [Mood!]) { days(moodIn: $moods) { id mood } }";
  expect(await ask(list, { moods: ["CALM"] })).toEqual({ days: [{ id: "1", mood: "CALM" }] });
  const feel = "mutation ($mood: Mood!) { feel(mood: $mood) other: feel(mood: WILD, moods: [CALM]) }";
  expect(await ask(feel, { mood: "CALM" })).toEqual({ feel: "CALM", other: "CALM" });
}

test("before the rename", expectAll);

test("after it: the former name is accepted, and answered", async () => {
  await service.database.query(`
    alter type app_public.mood rename value 'CALM' to 'SERENE';
    comment on type app_public.mood is E'@formerValue SERENE CALM\\n@describe SERENE At ease.\\nHow one feels.'`);
  await service.app.rebuild();
  await expectAll();
  expect(compareSchemas(before, service.app.schema).filter(({ level }) => level === "refused")).toEqual([]);
});

test("the new name is accepted as well, and the schema says which one to use", async () => {
  expect(await ask("{ days(mood: SERENE) { id mood } }")).toEqual({ days: [{ id: "1", mood: "CALM" }] });
  expect(await ask("mutation { feel(mood: SERENE) }")).toEqual({ feel: "CALM" });
  const { __type } = await ask(
    `{ __type(name: "Mood") { enumValues(includeDeprecated: true) { name description deprecationReason } } }`,
  );
  expect(__type.enumValues).toEqual([
    { name: "SERENE", description: "At ease.", deprecationReason: null },
    { name: "WILD", description: null, deprecationReason: null },
    { name: "CALM", description: "At ease.", deprecationReason: "Use SERENE." },
  ]);
});

test("without the tag, answers have the new name", async () => {
  await service.database.query("comment on type app_public.mood is 'How one feels.'");
  await service.app.rebuild();
  expect(await ask("{ days { mood } }")).toEqual({ days: [{ mood: "SERENE" }, { mood: "WILD" }] });
});

test.each(["@formerValue SERENE", "@formerValue LOUD QUIET", "@formerValue SERENE WILD", "@formerValue SERENE a b"])(
  "%s: no schema can be built",
  async (tag) => {
    await service.database.query(`comment on type app_public.mood is '${tag}'`);
    expect(await service.app.rebuild()).toBe(false);
    expect(JSON.stringify(service.logged.at(-1))).toMatch(/formerValue|WILD/);
  },
);
