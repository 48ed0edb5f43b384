import { Agent } from "node:http";
import { postJson } from "../../tools/support/post.ts";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * Somebody holds a lock, in psql or by a long transaction, or a function is slow. Requests for the same wait for it: not for long, and not on all
 * connections. Everybody else is served.
 */
const impatient = useService({ poolSize: 4, lockTimeoutMs: 1, drainTimeoutMs: 500 });
const busy = useService({
  poolSize: 8,
  lockTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
  trustProxy: "loopback",
  drainTimeoutMs: 500,
});

beforeAll(async () => {
  for (const { database } of [impatient, busy]) {
    await database.query(`
      create table app_public.things (id bigint generated always as identity primary key, name text not null);
      create table app_public.parts (id bigint generated always as identity primary key, thing_id bigint not null references app_public.things);
      insert into app_public.things (name) select 'A' from generate_series(1, 5);
      alter table app_public.things enable row level security;
      alter table app_public.parts enable row level security;
      create policy select_all on app_public.things for select to api_anonymous, api_member using (true);
      create policy select_all on app_public.parts for select to api_anonymous, api_member using (true);
      grant select on app_public.things, app_public.parts to api_anonymous, api_member;
      create index on app_public.parts (thing_id);
      create function app_public.touch(id bigint) returns int language sql volatile security definer
        set search_path = pg_catalog, pg_temp as 'update app_public.users set bio = bio where users.id = touch.id returning 1';
      create table app_private.gate ();
      grant usage on schema app_private to api_anonymous;
      grant select on app_private.gate to api_anonymous;
      create table app_public.gated_things (id bigint generated always as identity primary key);
      insert into app_public.gated_things default values;
      alter table app_public.gated_things enable row level security;
      create policy select_gated on app_public.gated_things for select to api_anonymous using (not exists (select from app_private.gate));
      grant select on app_public.gated_things to api_anonymous;
      create function app_public.slow() returns int language sql stable security definer
        set search_path = pg_catalog, pg_temp as 'select count(*)::int from app_private.gate';
      create function app_public.sleepy() returns int language sql stable as 'select 1 from pg_sleep(1.5)';
      create function app_public.guarded(n int) returns int language sql volatile security definer
        set search_path = pg_catalog, pg_temp as 'select 1 from pg_advisory_xact_lock(61)';
      grant execute on all functions in schema app_public to api_anonymous, api_member`);
  }
  for (const { app } of [impatient, busy]) await app.rebuild();
});

const holdRow = "update app_public.users set bio = 'held' where id = 1";
const touch = 'mutation { touch(id: "1") }';

test("a writer that waits for too long is told so, and has written nothing", async () => {
  const lock = await impatient.database.hold(holdRow);
  for (const query of [touch, `mutation { touch(id: "1") other: touch(id: "1") }`]) {
    const { errors } = await impatient.ask(query, { as: "bob" });
    expect(errors?.[0]).toMatchObject({
      message: "Another change came in between. Try again.",
      extensions: { code: "CONFLICT" },
    });
  }
  await lock.release();
  expect(await impatient.ask(touch, { as: "bob" })).toEqual({ data: { touch: 1 } });
});

test("so is a reader of a table that is locked, at once", async () => {
  const lock = await impatient.database.hold("lock table app_public.tags in access exclusive mode");
  const { errors } = await impatient.ask("{ tagsConnection { nodes { name } } }");
  expect(errors).toMatchObject([{ extensions: { code: "CONFLICT" } }]);
  await lock.release();
});

const user = "{ user(id: 2) { name } }";
const tags = "{ tagsConnection { nodes { name } } }";
const posts = "{ posts(limit: 5) { title } }";
const parts = "{ partsConnection { nodes { id } } }";
const things = "{ thingsConnection { nodes { name } } }";
const thingsWithParts = "{ thingsConnection { nodes { parts { id } } } }";
const gated = "{ gatedThingsConnection { nodes { id } } }";
const thingFields = [things, "{ thing(id: 1) { name } }", "{ thingsConnection { totalCount } }", thingsWithParts];
const guarded = ["mutation { guarded(n: 1) }", "mutation { guarded(n: 2) }"];

const agent = new Agent({ keepAlive: true });
let asked = 0;
afterAll(() => agent.destroy());

/** Sends a request from an address of its own. */
async function send(query: string) {
  const headers = { "x-forwarded-for": `198.51.${Math.floor(++asked / 250)}.${asked % 250}` };
  const { text, status, headers: given } = await postJson(busy.url, agent, JSON.stringify({ query }), { headers });
  const { errors } = JSON.parse(text);
  return errors ? { status, code: errors[0].extensions.code, retryAfter: given["retry-after"] } : { status };
}
const waits = async () =>
  (
    await busy.database.query(
      "select from pg_stat_activity where datname = current_database() and application_name = 'content-service' and wait_event_type = 'Lock'",
    )
  ).length;
const answered = { status: 200 };
const refused = { status: 503, code: "SERVICE_UNAVAILABLE", retryAfter: "1" };

type Case = {
  lock: string;
  ask: [string, ...string[]];
  most: number;
  others: string[];
};

/** What is locked, who asks for it, how many of the eight connections they may have, and who asks for something else. */
test.each<Case>`
  kind                            | lock                                                 | ask                  | most | others
  ${"a table"}                    | ${"lock app_public.posts in access exclusive mode"}  | ${[posts]}           | ${4} | ${[user, things]}
  ${"a table, by several fields"} | ${"lock app_public.things in access exclusive mode"} | ${thingFields}       | ${7} | ${[user, tags, parts]}
  ${"a table that rows refer to"} | ${"lock app_public.parts in access exclusive mode"}  | ${[thingsWithParts]} | ${4} | ${[things, user]}
  ${"a row"}                      | ${holdRow}                                           | ${[touch]}           | ${2} | ${['mutation { touch(id: "2") }', user]}
  ${"an advisory lock"}           | ${"select pg_advisory_lock(61)"}                     | ${guarded}           | ${4} | ${[touch, user]}
  ${"what a function reads"}      | ${"lock app_private.gate in access exclusive mode"}  | ${["{ slow }"]}      | ${4} | ${[user, tags]}
  ${"what a policy reads"}        | ${"lock app_private.gate in access exclusive mode"}  | ${[gated]}           | ${4} | ${[things, user]}
`(
  "$kind: those that wait have a part of the connections, and the next are refused",
  async ({ lock, ask, most, others }) => {
    const held = await busy.database.hold(lock);
    await using ends = new AsyncDisposableStack();
    ends.defer(() => held.release());
    const waiting = Array.from({ length: 40 }, (_, index) => send(ask[index % ask.length] as string));
    await held.somebodyWaits();
    for (let count = 0; count < 20; count++)
      expect(await send(others[count % others.length] as string)).toEqual(answered);
    // All but those with a connection are refused, once they have waited for a while.
    let ended = 0;
    for (const one of waiting) void one.then(() => ended++);
    await until(async () => ended + (await waits()) === 40);
    expect(await waits()).toBeLessThanOrEqual(most);
    expect(await send(ask[0])).toEqual(refused);
    expect((await fetch(new URL("/readyz", busy.url))).status).toBe(200);
    for (const query of others) expect(await send(query)).toEqual(answered);
    await held.release();
    const outcomes = await Promise.all(waiting);
    const done = outcomes.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThanOrEqual(most);
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual(Array(40 - done.length).fill(refused));
    for (const query of ask) expect(await send(query)).toEqual(answered);
  },
);

test("a slow function has a part of the connections", async () => {
  const slow = Array.from({ length: 20 }, () => send("{ sleepy }"));
  const sleeping = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  await until(async () => (await busy.database.query(sleeping)).length === 4);
  for (let count = 0; count < 20; count++) expect(await send(user)).toEqual(answered);
  const outcomes = await Promise.all(slow);
  expect(outcomes.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4);
  for (const outcome of outcomes) if (outcome.status !== 200) expect(outcome).toEqual(refused);
});

test("a service of which no request gets a connection is not ready", async () => {
  const tables = [
    "tags",
    "users",
    "posts",
    "comments",
    "things",
    "parts",
    "gated_things",
    "follows",
    "notifications",
    "chats",
  ];
  const held = await busy.database.hold(
    `lock ${tables.map((table) => `app_public.${table}`).join()}, app_private.gate in access exclusive mode`,
  );
  await using ends = new AsyncDisposableStack();
  ends.defer(() => held.release());
  const comment = "{ comment(id: 1) { text } }";
  const slug = '{ postBySlug(slug: "a") { author { name } } }';
  const followers = "{ user(id: 1) { followersConnection { totalCount } } }";
  const queries = [user, tags, posts, things, parts, gated, thingsWithParts, "{ slow }", comment, slug, followers];
  const waiting = queries.map(send);
  const readiness = async () => {
    const response = await fetch(new URL("/readyz", busy.url));
    const { reason } = (await response.json()) as { reason?: string };
    return { status: response.status, reason };
  };
  await until(async () => (await readiness()).status === 503);
  expect(await readiness()).toMatchObject({ status: 503, reason: "no request gets a connection" });
  await held.release();
  await Promise.all(waiting);
  expect(await readiness()).toMatchObject({ status: 200 });
});
