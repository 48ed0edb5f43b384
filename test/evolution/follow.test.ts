import { useAnalyst } from "../support/analyst.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { securityInvoker } from "../support/securityInvoker.ts";
import { type Answer, type Person, useService } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";

/*
 * The service runs, a migration comes in, the API follows: no TypeScript, no restart. Each change is told as
 * migrations/hooks/tell_services.sql tells it.
 */
const service = useService();
const jane = useAnalyst(service.database);

const followed = "the schema has been rebuilt from the database";
const refused = "the schema cannot be built from the database; the previous one stays";

/** Runs SQL as a migration does, and waits until the service has said what it makes of it. */
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

test("a new table with a foreign key is a field, a list, and a relation both ways", async () => {
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

test("a new relation between tables that were there is a field of each", async () => {
  await migrate(`
    alter table app_public.users add column mentor_id bigint references app_public.users;
    -- Without it, there is no way back.
    create index on app_public.users (mentor_id);
    comment on constraint users_mentor_id_fkey on app_public.users is E'@foreignFieldName mentees';
    update app_public.users set mentor_id = 1 where id = 2`);
  expect(await ask(`{ bob: user(id: "2") { mentor { name } } ada: user(id: "1") { mentees { name } } }`)).toEqual({
    bob: { mentor: { name: "Ada" } },
    ada: { mentees: [{ name: "Bob" }] },
  });
});

test("a new view is a list; with a key it is a field as well", async () => {
  await migrate(`
    create view app_public.initials ${await securityInvoker(service.database)} as select id as user_id, left(name, 1) as letter from app_public.users;
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
  // A statement of its own: no value is used in the transaction that adds it.
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

test("a deprecated column says so, and answers as before", async () => {
  await migrate(`comment on column app_public.users.motto is E'@deprecated Use bio.\\nWords to live by.'`);
  const query = `{ user(id: "1") { motto } __type(name: "User") { fields(includeDeprecated: true) { name deprecationReason } } }`;
  const { user, __type } = await ask(query);
  expect(user).toEqual({ motto: "Onwards." });
  expect(__type.fields).toContainEqual({ name: "motto", deprecationReason: "Use bio." });
});

test("a renamed column keeps its old name for a while, deprecated", async () => {
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

test("a column that changes its type answers on connections that knew the old one", async () => {
  await migrate(`alter table app_public.badges add column points int not null default 7`);
  const query = `{ badges { points } }`;
  expect(await ask(query)).toEqual({ badges: [{ points: 7 }] });
  await migrate(`alter table app_public.badges alter column points type text using 'seven'`);
  expect(await ask(query)).toEqual({ badges: [{ points: "seven" }] });
});

test("what is dropped is a field no more", async () => {
  await migrate(`alter table app_public.badges drop column points`);
  expect(await refusalOf(`{ badges { points } }`)).toMatch(/^Cannot query field "points"/);
});

test("a database that makes no schema is logged, and the schema before goes on answering", async () => {
  await migrate(`comment on table app_public.badges is '@listOrder nowhere'`, refused);
  expect(service.logged.at(-1)).toMatchObject({ level: 50, err: { message: expect.stringContaining("nowhere") } });
  expect(await ask(`{ badge(id: "1") { title } }`)).toEqual({ badge: { title: "First of all" } });
  await migrate(`comment on table app_public.badges is 'What one is given for something.'`);
  expect(await ask(`{ __type(name: "Badge") { description } }`)).toEqual({
    __type: { description: "What one is given for something." },
  });
});

test("a request under way finishes on the schema that it began with", async () => {
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

test("a thousand notifications of an analyst cause no rebuild, and as much work as two", async () => {
  const rebuilds = () => service.logged.filter(({ msg }) => msg === followed).length;
  const before = rebuilds();
  const statements = await statementsOf(async () => {
    await jane.ask("select count(pg_notify('schema_changed', number::text)) from generate_series(1, 1000) as number");
    await migrate("comment on column app_public.badges.title is 'Words on the badge.'");
  });
  expect(rebuilds() - before).toBe(1);
  // One check each: at the first notification, for all others, for the migration, and within the rebuild.
  expect(statements.filter((text) => text.includes("xmin")).length).toBeLessThanOrEqual(4);
});

test("a notification without a change rebuilds nothing", async () => {
  const rebuilds = () => service.logged.filter(({ msg }) => msg === followed).length;
  const before = rebuilds();
  await service.database.query("notify schema_changed; analyze app_public.badges");
  await migrate("comment on column app_public.badges.title is 'The words on the badge.'");
  expect(rebuilds() - before).toBe(1);
});

describe("the connection that listens", () => {
  const ownConnections = `select pid from pg_stat_activity where datname = current_database()
    and usename = 'api_login' and application_name <> 'content-service'`;
  const say = "insert into app_public.messages (chat_id, text) values (1, 'Hello')";
  let socket: RawSocket;

  beforeAll(async () => {
    await service.database.query(`insert into app_public.chats default values;
      insert into app_public.chat_members (chat_id, user_id) values (1, 1)`);
    socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
    await socket.messages.next();
    const query = `subscription { messageAdded(chatId: "1") { text } }`;
    socket.say({ type: "subscribe", id: "1", payload: { query } });
    while (service.app.subscriptions !== 1) await service.database.query("select");
  });
  afterAll(() => socket.destroy());

  async function messageArrives(): Promise<void> {
    const hello = { type: "next", payload: { data: { messageAdded: { text: "Hello" } } } };
    expect(await socket.messages.next()).toMatchObject(hello);
  }

  test("is one for migrations and messages; when it is lost, another one catches up with both", async () => {
    const before = await service.database.query(ownConnections);
    expect(before).toHaveLength(1);
    await migrate(`comment on table app_public.badges is 'Badges.'; ${say}`);
    await messageArrives();

    const told = service.told(followed);
    // Without a notification that could arrive: the connection ends first, and the hook of migrations has not run.
    await service.database.query(`begin;
      alter table app_public.badges add column colour text not null default 'blue';
      ${say};
      select pg_terminate_backend(pid) from (${ownConnections}) as listening;
      commit`);
    await messageArrives();
    await told;
    expect(await ask(`{ badges { colour } }`)).toEqual({ badges: [{ colour: "blue" }] });
    const after = await service.database.query(ownConnections);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);

    await migrate(`alter table app_public.badges drop column colour; ${say}`);
    await messageArrives();
    expect(await refusalOf("{ badges { colour } }")).toMatch(/^Cannot query field "colour"/);
  });

  test("follows migrations while messages cannot be read, and reads them as soon as they can be", async () => {
    const before = await service.database.query(ownConnections);
    const isListening = async () =>
      (await (await fetch(`${service.app.url}/metrics`)).text()).includes("messages_listening 1\n");
    const signature = "(int[], text[], bigint[], int)";
    await service.database.query(`alter function change_feed.read_streams${signature} rename to hidden; ${say}`);
    while (await isListening());
    await migrate("alter table app_public.badges add column weight int not null default 3");
    expect(await ask("{ badges { weight } }")).toEqual({ badges: [{ weight: 3 }] });
    await service.database.query(`alter function change_feed.hidden${signature} rename to read_streams`);
    await messageArrives();
    expect(await isListening()).toBe(true);
    expect(await service.database.query(ownConnections)).toEqual(before);
  });
});
