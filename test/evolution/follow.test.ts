import { expect, test } from "@jest/globals";
import { type Answer, type Person, useService } from "../support/service.ts";

/*
 * The API of a running service follows migrations, without a restart. Each test notifies the service in the way of
 * migrations/hooks/tell_services.sql.
 */
const service = useService();

const followed = "the schema is the database's again";
const refused = "the changed database makes no schema; the one before stays";

/** Runs SQL as a migration, and waits until the service has logged the result. */
async function migrate(sql: string, said = followed): Promise<void> {
  const told = service.told(said);
  await service.database.query(`begin; ${sql}; notify schema_changed; commit`);
  await told;
}

async function ask(query: string, as: Person = "nobody"): Promise<Answer["data"]> {
  const { data, errors } = await service.ask(query, { as });
  expect(errors).toBeUndefined();
  return data;
}

async function refusalOf(query: string): Promise<string | undefined> {
  const { errors } = await service.ask(query);
  return errors?.[0]?.message;
}

test("a new column is a field", async () => {
  expect(await refusalOf(`{ user(id: "1") { motto } }`)).toMatch(/^Cannot query field "motto"/);
  await migrate(`
    alter table app_public.users add column motto text not null default 'Onwards.';
    comment on column app_public.users.motto is 'Words to live by.'`);
  expect(await ask(`{ user(id: "1") { motto } }`)).toEqual({ user: { motto: "Onwards." } });
});

test("a new table with a foreign key adds a field, a list, and relations in both directions", async () => {
  await migrate(`
    create table app_public.badges (
      id bigint generated always as identity primary key,
      holder_id bigint not null references app_public.users,
      title text not null
    );
    create index on app_public.badges (holder_id);
    alter table app_public.badges enable row level security;
    create policy select_all on app_public.badges for select to api_anonymous, api_member using (true);
    grant select on app_public.badges to api_anonymous, api_member;
    insert into app_public.badges (holder_id, title) values (1, 'First of all')`);
  expect(
    await ask(`{ badge(id: "1") { title } badges { holder { name } } user(id: "1") { badges(limit: 1) { title } } }`),
  ).toEqual({
    badge: { title: "First of all" },
    badges: [{ holder: { name: "Ada" } }],
    user: { badges: [{ title: "First of all" }] },
  });
});

test("a new relation between existing tables adds a field to both", async () => {
  await migrate(`
    alter table app_public.users add column mentor_id bigint references app_public.users;
    -- The backward relation needs an index.
    create index on app_public.users (mentor_id);
    comment on constraint users_mentor_id_fkey on app_public.users is E'@foreignFieldName mentees';
    update app_public.users set mentor_id = 1 where id = 2`);
  expect(await ask(`{ bob: user(id: "2") { mentor { name } } ada: user(id: "1") { mentees { name } } }`)).toEqual({
    bob: { mentor: { name: "Ada" } },
    ada: { mentees: [{ name: "Bob" }] },
  });
});

test("a new view adds a list, and with a key also a field", async () => {
  await migrate(`
    create view app_public.initials as select id as user_id, left(name, 1) as letter from app_public.users;
    comment on view app_public.initials is E'@primaryKey user_id\\nHow each name begins.';
    grant select on app_public.initials to api_anonymous, api_member`);
  expect(await ask(`{ initial(userId: "2") { letter } initials(limit: 2) { letter } }`)).toEqual({
    initial: { letter: "B" },
    initials: [{ letter: "A" }, { letter: "B" }],
  });
});

test("a new enum value can be written and read", async () => {
  await migrate(`create type app_public.mood as enum ('CALM');
    alter table app_public.users add column mood app_public.mood`);
  // In a migration of its own: PostgreSQL cannot use an enum value in the transaction that adds it.
  await migrate(`alter type app_public.mood add value 'WILD'`);
  await service.database.query(`update app_public.users set mood = 'WILD' where id = 1`);
  expect(await ask(`{ user(id: "1") { mood } __type(name: "Mood") { enumValues { name } } }`)).toEqual({
    user: { mood: "WILD" },
    __type: { enumValues: [{ name: "CALM" }, { name: "WILD" }] },
  });
});

test("a function of a row is a computed field", async () => {
  await migrate(`
    create function app_public.users_greeting(users app_public.users) returns text
    language sql stable return 'Hello, ' || users.name;
    grant execute on function app_public.users_greeting(app_public.users) to api_anonymous, api_member`);
  expect(await ask(`{ user(id: "1") { greeting } }`)).toEqual({ user: { greeting: "Hello, Ada" } });
});

test("a volatile function is a mutation with its own signature", async () => {
  await migrate(`
    create function app_public.shout(words text, times int default 1) returns text
    language sql volatile return repeat(upper(words) || '!', times);
    grant execute on function app_public.shout(text, int) to api_member`);
  expect(await ask(`mutation { once: shout(words: "so") twice: shout(words: "so", times: 2) }`, "ada")).toEqual({
    once: "SO!",
    twice: "SO!SO!",
  });
});

test("a deprecated column is marked so, and keeps its values", async () => {
  await migrate(`comment on column app_public.users.motto is E'@deprecated Use bio.\\nWords to live by.'`);
  const query = `{ user(id: "1") { motto } __type(name: "User") { fields(includeDeprecated: true) { name deprecationReason } } }`;
  const { user, __type } = await ask(query);
  expect(user).toEqual({ motto: "Onwards." });
  expect(__type.fields).toContainEqual({ name: "motto", deprecationReason: "Use bio." });
});

test("a renamed column can keep its old name, deprecated", async () => {
  await migrate(`
    alter table app_public.users rename column motto to maxim;
    comment on column app_public.users.maxim is 'Words to live by.';
    create function app_public.users_motto(users app_public.users) returns text
    language sql stable return users.maxim;
    comment on function app_public.users_motto(app_public.users) is E'@deprecated Use maxim.\\nWords to live by.';
    grant execute on function app_public.users_motto(app_public.users) to api_anonymous, api_member`);
  const query = `{ user(id: "1") { motto maxim } __type(name: "User") { fields(includeDeprecated: true) { name deprecationReason } } }`;
  const { user, __type } = await ask(query);
  expect(user).toEqual({ motto: "Onwards.", maxim: "Onwards." });
  expect(__type.fields).toContainEqual({ name: "motto", deprecationReason: "Use maxim." });
});

test("a column that changes its type works on connections that have prepared statements for the old type", async () => {
  await migrate(`alter table app_public.badges add column points int not null default 7`);
  const query = `{ badges { points } }`;
  expect(await ask(query)).toEqual({ badges: [{ points: 7 }] });
  await migrate(`alter table app_public.badges alter column points type text using 'seven'`);
  expect(await ask(query)).toEqual({ badges: [{ points: "seven" }] });
});

test("a dropped column is no longer a field", async () => {
  await migrate(`alter table app_public.badges drop column points`);
  expect(await refusalOf(`{ badges { points } }`)).toMatch(/^Cannot query field "points"/);
});

test("a database that gives no valid schema is logged, and the previous schema stays in use", async () => {
  await migrate(`comment on table app_public.badges is '@listOrder nowhere'`, refused);
  expect(service.logged.at(-1)).toMatchObject({ level: 50, err: { message: expect.stringContaining("nowhere") } });
  expect(await ask(`{ badge(id: "1") { title } }`)).toEqual({ badge: { title: "First of all" } });
  await migrate(`comment on table app_public.badges is 'What one is given for something.'`);
  expect(await ask(`{ __type(name: "Badge") { description } }`)).toEqual({
    __type: { description: "What one is given for something." },
  });
});

test("a running request finishes on the schema that it started with", async () => {
  await migrate(`
    create function app_public.wait_for_key() returns int
    language plpgsql volatile as 'begin perform pg_advisory_xact_lock_shared(606); return 1; end';
    grant execute on function app_public.wait_for_key() to api_anonymous`);
  const held = await service.database.hold("select pg_advisory_lock(606)");
  const answer = ask("mutation { waitForKey }");
  await held.somebodyWaits();
  await migrate("drop function app_public.wait_for_key()");
  await held.release();
  expect(await answer).toEqual({ waitForKey: 1 });
  expect(await refusalOf("mutation { waitForKey }")).toMatch(/^Cannot query field "waitForKey"/);
});

test("a listener that loses its connection reconnects, and catches up with missed changes", async () => {
  const told = service.told(followed);
  await service.database.query(`
    alter table app_public.badges add column colour text not null default 'blue';
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like '%listening for migrations'`);
  await told;
  expect(await ask(`{ badges { colour } }`)).toEqual({ badges: [{ colour: "blue" }] });
});
