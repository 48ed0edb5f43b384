import { type Answer, type Person, useService } from "../support/service.ts";

/*
 * A migration has changed or removed what requests use, and the service has not heard of it: nothing has sent `notify
 * schema_changed`. The first request that fails for this reason makes the service follow, and is answered by the new schema.
 */
const service = useService();
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
  await service.database.query("comment on table app_public.users is '@listOrder nowhere'");
  for (let n = 0; n < 3; n++) expect(await refusalOf(query)).toEqual([["INTERNAL_SERVER_ERROR", expect.anything()]]);
  const said = unforeseen().map(({ msg }) => msg);
  expect(said.filter((msg) => msg !== "unforeseen error")).toHaveLength(1);
  expect(said.filter((msg) => msg === "unforeseen error")).toHaveLength(3);
  service.logged.length = 0;
});
