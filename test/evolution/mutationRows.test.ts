import { type Person, useService } from "../support/service.ts";

/* The row that a mutation returns, and its computed fields, while a migration runs and before the service has followed it. */
const service = useService();

beforeAll(async () => {
  await service.database.query(`
    create type app_public.home as (city text, since timestamptz);
    alter table app_public.users
      add column home app_public.home default '("Rome, ""Centro""",2020-01-01 12:00Z)',
      add column homes app_public.home[] default '{"(Oslo,)",NULL,"(Bari,infinity)"}',
      add column large bigint default 9007199254740993,
      add column fraction double precision default 0.1,
      add column notes json default '{"b": 1, "a": 2}';
    create function app_public.home_loud(home app_public.home) returns text
    language sql stable return upper(home.city);
    create function app_public.users_text(users app_public.users) returns text
    language sql stable return concat_ws(' ', users.large, users.fraction, users.notes, users.home, users.homes);
    create function app_public.users_neighbours(users app_public.users, above bigint default 0) returns setof app_public.users
    language sql stable as 'select * from app_public.users as others where others.id > above and others.id <> users.id order by id';
    create function app_public.wake() returns setof app_public.users
    language sql volatile security definer as 'select * from app_public.users where id < 3 order by id';
    create function app_public.wake_all() returns app_public.users[]
    language sql volatile security definer as 'select array_agg(u order by id) from app_public.users as u where id < 3';
    create function app_public.move() returns app_public.home language sql volatile as 'select home from app_public.users where id = 1';
    create function app_public.nobody() returns app_public.users language sql volatile as 'select null::app_public.users';
    grant execute on all functions in schema app_public to api_anonymous, api_member`);
  await service.app.rebuild();
});

async function ask(query: string, as: Person = "ada") {
  const { data, errors } = await service.ask(query, { as });
  expect(errors).toBeUndefined();
  return data;
}

const text = `9007199254740993 0.1 {"b": 1, "a": 2} ("Rome, ""Centro""","2020-01-01 12:00:00+00") {"(Oslo,)",NULL,"(Bari,infinity)"}`;
const home = { city: 'Rome, "Centro"', since: "2020-01-01T12:00:00.000000+00:00", loud: 'ROME, "CENTRO"' };
const homes = [{ city: "Oslo", loud: "OSLO" }, null, { city: "Bari", loud: "BARI" }];

let count = 0;
async function expectAll(): Promise<void> {
  const email = `zoe${count++}@example.com`;
  expect(
    await ask(
      `mutation { createUser(name: "Zoë", email: "${email}") { email name followers { count } home { city since loud } homes { city loud } neighbours(limit: 1, above: 1) { name email } } }`,
      "admin",
    ),
  ).toEqual({
    createUser: {
      email,
      name: "Zoë",
      followers: { count: 0 },
      home,
      homes,
      neighbours: [{ name: "Bob", email: "bob@example.com" }],
    },
  });
  const users = [
    { name: "Ada", email: "ada@example.com", home: { loud: home.loud } },
    { name: "Bob", email: "bob@example.com", home: { loud: home.loud } },
  ];
  expect(await ask("mutation { wake { name email home { loud } } }", "admin")).toEqual({ wake: users });
  expect(await ask("mutation { wakeAll { name email home { loud } } }", "admin")).toEqual({ wakeAll: users });
  expect(await ask("mutation { move { city loud } nobody { text email } }")).toEqual({
    move: { city: home.city, loud: home.loud },
    nobody: null,
  });
}

test("before a migration, with values that JSON could change", async () => {
  await expectAll();
  expect(await ask("mutation { wake { text } }")).toEqual({ wake: [{ text }, { text }] });
});

test("after columns were added to the table and to a type in it", async () => {
  await service.database.query(`
    alter table app_public.users add column motto text default 'Onwards.';
    alter type app_public.home add attribute street text cascade;
    alter type app_public.follow_summary add attribute rank int`);
  await expectAll();
});

test("after columns that nobody asks for were dropped and changed their type", async () => {
  await service.database.query(`
    drop function app_public.users_text(app_public.users);
    alter type app_public.home drop attribute street cascade;
    alter table app_public.users drop column large, drop column motto, alter column fraction type text using 'half'`);
  await expectAll();
});

test("when a column is added after the mutation's commit", async () => {
  // The first statement after the mutation waits here, so the migration commits in between.
  await service.database.query(`
    create function app_public.users_late(users app_public.users) returns text
    language plpgsql stable as $$ begin perform pg_advisory_xact_lock_shared(707); return users.name; end $$;
    grant execute on function app_public.users_late(app_public.users) to api_member`);
  await service.app.rebuild();
  const held = await service.database.hold("select pg_advisory_lock(707)");
  const answer = ask("mutation { wake { late email } }", "admin");
  await held.somebodyWaits();
  await service.database.query("alter table app_public.users add column late_motto text");
  await held.release();
  expect(await answer).toMatchObject({ wake: [{ late: "Ada" }, { late: "Bob" }] });
});

// The migration adds a column to the table while the mutation waits for its lock.
test.each([
  [
    `mutation { createPost(input: { title: "In flight", content: "Text." }) { title } }`,
    "posts",
    { createPost: { title: "In flight" } },
  ],
  [
    `mutation { createUser(name: "Waiting", email: "waiting@example.com") { name } }`,
    "users",
    { createUser: { name: "Waiting" } },
  ],
])("%s is answered once the migration has ended", async (query, table, expected) => {
  // The connections have plans for the columns of before.
  await service.ask(query.replace("waiting@", "before@"), { as: "ada" });
  const migration = await service.database.hold(`alter table app_public.${table} add column mood text`);
  const answer = service.ask(query, { as: "ada" });
  await migration.somebodyWaits();
  await migration.commit();
  expect(await answer).toEqual({ data: expected });
  expect(
    await service.database.query(
      `select from app_public.${table} where ${table === "posts" ? "title = 'In flight'" : "name = 'Waiting'"}`,
    ),
  ).toHaveLength(2);
});
