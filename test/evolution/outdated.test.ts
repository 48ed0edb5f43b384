import type { GraphQLEnumType, GraphQLObjectType } from "graphql";
import { type Answer, type Person, useService } from "../support/service.ts";

/*
 * A migration has changed or removed what requests use, and the service has not heard of it: nothing has sent `notify
 * schema_changed`. The first request that fails for this reason makes the service follow, and is answered by the new schema.
 */
const service = useService();
const ofEngine = useService({ compileQueries: false });
const followed = "the schema has been rebuilt from the database";

const unforeseen = () => service.logged.filter(({ level }) => level === 50);
const rebuilds = () => service.logged.filter(({ msg }) => msg === followed).length;
afterEach(() => expect(unforeseen()).toHaveLength(0));

const ask = (query: string, as: Person = "ada"): Promise<Answer> => service.ask(query, { as });

async function refusalOf(query: string) {
  const { errors } = await ask(query);
  return errors?.map(({ message, extensions }) => [extensions?.code, message]);
}

beforeAll(async () => {
  await service.database.query(`
    alter table app_public.users add column motto text default 'Onwards.', add column points int default 7;
    create function app_public.greet(name text) returns text language sql volatile return 'Hello, ' || name;
    create function app_public.answer() returns int language sql stable return 42;
    create table app_public.shelves (id bigint primary key);
    insert into app_public.shelves values (1);
    create type app_public.mood as enum ('CALM', 'LOUD');
    create table app_public.rooms (id bigint primary key, seats int not null default 5, price int default 5, rows int2 default 5, is_open boolean default true,
      area float8 default 1.5, mood app_public.mood not null default 'CALM', name text not null default 'Hall', walls text[] default '{a}');
    insert into app_public.rooms values (1);
    create function app_public.add_room() returns app_public.rooms language sql volatile
      as 'insert into app_public.rooms (id) values (2) on conflict (id) do update set id = 2 returning *';
    grant select on app_public.rooms to api_anonymous, api_member;
    grant insert, update on app_public.rooms to api_member;
    grant select on app_public.shelves to api_anonymous, api_member;
    grant execute on all functions in schema app_public to api_anonymous, api_member`);
  await service.app.rebuild();
});

test("a column that was renamed in SQL only is answered", async () => {
  const query = `{ user(id: "1") { motto } }`;
  const expected = { data: { user: { motto: "Onwards." } } };
  expect(await ask(query)).toEqual(expected);
  await service.database.query(`alter table app_public.users rename motto to maxim;
    comment on column app_public.users.maxim is '@name motto'`);
  expect(await ask(query)).toEqual(expected);
});

test("so is a mutation that was renamed, once", async () => {
  const query = `mutation { greet(name: "Ada") other: greet(name: "Bob") }`;
  const expected = { data: { greet: "Hello, Ada", other: "Hello, Bob" } };
  expect(await ask(query)).toEqual(expected);
  await service.database.query(`alter function app_public.greet(text) rename to welcome;
    comment on function app_public.welcome(text) is '@name greet'`);
  expect(await ask(query)).toEqual(expected);
});

test("a column whose type has changed is filtered by the new type", async () => {
  const query = `{ shelf(id: "1") { id } }`;
  expect(await ask(query)).toEqual({ data: { shelf: { id: "1" } } });
  await service.database.query("alter table app_public.shelves alter id type text");
  expect(await ask(query)).toEqual({ data: { shelf: { id: "1" } } });
});

/* Compiled statements write JSON. They fail where the database has what the served schema does not allow. */
test.each([
  ["an Int that is text now", "rows", 5, "alter rows type text using 'five'", "five", "String"],
  ["an Int that is digits now", "seats", 5, "alter seats type text using '6'", "6", "String!"],
  ["an Int that has decimals now", "price", 5, "alter price type numeric using 6.5", "6.5", "BigFloat"],
  ["a Boolean that is text now", "isOpen", true, "alter is_open type text using 'maybe'", "maybe", "String"],
  ["a Float that is text now", "area", 1.5, "alter area type text using '2.5'", "2.5", "String"],
  ["a list of text that has numbers now", "walls", ["a"], "alter walls type int[] using '{1}'", [1], "[Int]"],
  ["a value that may be null now", "name", "Hall", "alter name drop not null", null, "String"],
])("%s is read by the new schema", async (_what, field, before, change, after, type) => {
  const query = `{ room(id: "1") { ${field} } }`;
  expect(await ask(query)).toEqual({ data: { room: { [field]: before } } });
  const column = field === "isOpen" ? "is_open" : field;
  await service.database.query(`alter table app_public.rooms alter ${column} drop default, ${change}`);
  if (after === null) await service.database.query("update app_public.rooms set name = null");
  expect(await ask(query)).toEqual({ data: { room: { [field]: after } } });
  const room = service.app.schema.getType("Room") as GraphQLObjectType;
  expect(String(room.getFields()[field]?.type)).toBe(type);
});

test("so is a value of an enum that was added, by a query and by a mutation", async () => {
  const query = `{ room(id: "1") { mood } }`;
  const values = () => (service.app.schema.getType("Mood") as GraphQLEnumType).getValues().map(({ name }) => name);
  const mutation = "mutation { addRoom { id mood } }";
  await service.database.query("alter table app_public.rooms alter seats set default 1, alter name set default 'Hall'");
  expect(await ask(query)).toEqual({ data: { room: { mood: "CALM" } } });
  expect(await ask(mutation)).toEqual({ data: { addRoom: { id: "2", mood: "CALM" } } });
  await service.database.query("alter type app_public.mood add value 'ODD'");
  await service.database.query("update app_public.rooms set mood = 'ODD'");
  expect(await ask(query)).toEqual({ data: { room: { mood: "ODD" } } });
  expect(values()).toEqual(["CALM", "LOUD", "ODD"]);
  await service.database.query("alter type app_public.mood add value 'EVEN'");
  await service.database.query("update app_public.rooms set mood = 'EVEN'");
  expect(await ask(mutation)).toEqual({ data: { addRoom: { id: "2", mood: "EVEN" } } });
  expect(values()).toEqual(["CALM", "LOUD", "ODD", "EVEN"]);
});

describe("in the engine", () => {
  beforeAll(async () => {
    await ofEngine.database.query(`
      create type app_public.mood as enum ('CALM');
      create table app_public.rooms (
        id bigint primary key, rows int, name text not null default 'Hall', mood app_public.mood not null default 'CALM');
      insert into app_public.rooms values (1, 5);
      grant select on app_public.rooms to api_anonymous, api_member`);
    await ofEngine.app.rebuild();
  });

  test.each([
    ["an Int that is text now", "rows", 5, "five", ["alter table app_public.rooms alter rows type text using 'five'"]],
    [
      "a value that may be null now",
      "name",
      "Hall",
      null,
      ["alter table app_public.rooms alter name drop not null", "update app_public.rooms set name = null"],
    ],
    [
      "a value of an enum that was added",
      "mood",
      "CALM",
      "ODD",
      ["alter type app_public.mood add value 'ODD'", "update app_public.rooms set mood = 'ODD'"],
    ],
  ])("%s is read by the new schema", async (_what, field, before, after, changes) => {
    const query = `{ room(id: "1") { id ${field} } }`;
    expect(await ofEngine.ask(query)).toEqual({ data: { room: { id: "1", [field]: before } } });
    for (const change of changes) await ofEngine.database.query(change);
    expect(await ofEngine.ask(query)).toEqual({ data: { room: { id: "1", [field]: after } } });
    expect(ofEngine.logged.filter(({ level }) => level === 50)).toEqual([]);
  });
});

test("what is gone is an error of its requests, not of the service, and many of them at once cause one rebuild or two", async () => {
  const gone = [
    [`{ user(id: "1") { name points } }`, "points"],
    ["{ answer }", "answer"],
    [`mutation { greet(name: "A") }`, "greet"],
    ["{ shelves { id } }", "shelves"],
    ...Array.from({ length: 20 }, (_, n) => [`{ user(id: "1") { name alias${n}: motto } }`, "motto"]),
  ] as const;
  for (const [query] of gone.slice(0, 5)) expect((await ask(query)).errors).toBeUndefined();
  await service.database.query(`
    alter table app_public.users drop column points, drop column maxim;
    drop function app_public.answer(), app_public.welcome(text);
    drop table app_public.shelves`);
  const before = rebuilds();
  const refusals = await Promise.all(gone.map(([query]) => refusalOf(query)));
  expect(refusals).toEqual(
    gone.map(([, name]) => [
      ["GRAPHQL_VALIDATION_FAILED", expect.stringMatching(new RegExp(`^Cannot query field "${name}" on type`))],
    ]),
  );
  expect(rebuilds() - before).toBeLessThanOrEqual(2);
});

test("a database that makes no schema is tried once, and a function that does not work is an internal error", async () => {
  const query = "mutation { broken }";
  await service.database.query(`
    create function app_public.broken() returns int language plpgsql volatile as $$ begin return missing(); end $$;
    grant execute on function app_public.broken() to api_member`);
  await service.app.rebuild();
  await service.database.query(
    "revoke select on pg_catalog.pg_language from public; comment on table app_public.users is 'A user.'",
  );
  for (let n = 0; n < 3; n++) expect(await refusalOf(query)).toEqual([["INTERNAL_SERVER_ERROR", expect.anything()]]);
  const said = unforeseen().map(({ msg }) => msg);
  expect(said.filter((msg) => msg !== "unforeseen error")).toHaveLength(1);
  expect(said.filter((msg) => msg === "unforeseen error")).toHaveLength(3);
  service.logged.length = 0;
});
