import { readFile } from "node:fs/promises";
import { changeConnection, checkConnectionString } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type pg from "pg";
import { pino } from "pino";
import { installChangeFeed } from "postgraphile-change-feed";
import { type App, startApp } from "../../src/app.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate } from "../../src/database/migrations.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { type ReplicatedServer, ReplicatedServers } from "../../tools/support/ReplicatedServers.ts";
import { Listener } from "../../tools/torture/Listener.ts";
import { people, testSecret, testSettings, untilListening } from "../support/service.ts";
import { until } from "../support/until.ts";

/* A primary and a standby, which take turns. The service knows both. */
let servers: ReplicatedServers;
let primary: ReplicatedServer;
let standby: ReplicatedServer;
let app: App;
let token: string;

beforeAll(async () => {
  servers = await ReplicatedServers.start({ standbys: 1 });
  [primary, standby] = servers.servers as [ReplicatedServer, ReplicatedServer];
  const url = checkConnectionString(servers.url);
  const apiDatabaseUrl = await ensureRoles(url);
  await migrate(url);
  await primary.query(await readFile(new URL("../support/people.sql", import.meta.url), "utf8"));
  app = await startApp({ ...testSettings, apiDatabaseUrl }, pino({ level: "silent" }));
  token = (await createTokenSigner({ secret: testSecret })?.(people.ada))?.token ?? "";
});
afterAll(async () => {
  await app?.close();
  await servers?.[Symbol.asyncDispose]();
});

async function ask(query: string) {
  const response = await fetch(`${app.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { data, errors = [] } = (await response.json()) as { data: any; errors?: any[] };
  return { data, codes: errors.map(({ extensions }) => extensions.code) };
}

async function setSynchronous(isOn: boolean): Promise<void> {
  for (const server of servers.servers) {
    await server.query(`alter system set synchronous_standby_names = '${isOn ? "ANY 1 (*)" : ""}'`);
    await server.query("select pg_reload_conf()");
  }
}

const waiting = (type: string) =>
  primary.query<{ pid: number }>(
    `select pid from pg_stat_activity where wait_event = '${type}' and usename = 'api_login'`,
  );

/** Crashes the primary. The standby takes its place. */
async function failOver(): Promise<void> {
  await primary.stop("immediate");
  await standby.promote();
  [primary, standby] = [standby, primary];
}

const openChat = async () =>
  (await ask(`mutation { createChat(memberIds: ["${people.bob}"]) { id } }`)).data.createChat.id;
const send = (chatId: string, text: string) =>
  ask(`mutation { sendMessage(chatId: "${chatId}", text: "${text}") { id } }`);
const written = async (chatId: string) =>
  (
    await primary.query<{ id: string }>("select id from app_public.messages where chat_id = $1 order by number", [
      chatId,
    ])
  ).map(({ id }) => id);

async function listen(chatId: string, followsInbox = false): Promise<Listener> {
  const before = app.subscriptions;
  const listener = new Listener(`${app.url.replace("http", "ws")}/graphql`, token, chatId, followsInbox);
  await untilListening(before + (followsInbox ? 2 : 1), app);
  return listener;
}

async function received(listener: Listener, count: number): Promise<string[]> {
  await until(() => listener.ids.length >= count);
  return listener.ids;
}

test("under load with a synchronous standby, no acknowledged message is lost, and each arrives once and in order", async () => {
  await setSynchronous(true);
  const chatId = await openChat();
  const listener = await listen(chatId, true);
  const acknowledged: string[] = [];
  let isOver = false;
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { data, codes } = await send(chatId, "Hello");
      if (codes.length === 0) acknowledged.push(data.sendMessage.id);
    }
  });
  const sent = async (count: number) => {
    await until(() => acknowledged.length >= count);
  };
  await sent(20);
  await primary.query("select app_hidden.record_inbox_changes()");
  await failOver();
  await standby.follow(primary);
  await sent(acknowledged.length + 20);
  isOver = true;
  await Promise.all(writers);
  const ids = await written(chatId);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(await received(listener, ids.length)).toEqual(ids);
  await until(async () => {
    await primary.query("select app_hidden.record_inbox_changes()");
    return listener.newestInInbox === ids.at(-1);
  });
  expect(listener.changes).toEqual(listener.changes.map((_, place) => Number(listener.changes[0]) + place));
  expect(listener.changes.length).toBeGreaterThan(1);
  expect(listener.closes).toBe(0);
  await listener.stop();
});

test("a commit for which PostgreSQL stops waiting for the standby is OUTCOME_UNKNOWN", async () => {
  await setSynchronous(true);
  await standby.stop("immediate");
  for (const end of ["pg_cancel_backend", "pg_terminate_backend"]) {
    const answer = ask(`mutation { createPost(input: {title: "${end}", content: "x"}) { id author { email } } }`);
    await until(async () => (await waiting("SyncRep")).length > 0);
    await primary.query(`select ${end}(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
    expect(await answer).toEqual({ data: { createPost: null }, codes: ["OUTCOME_UNKNOWN"] });
  }
  await standby.start();
});

test("a standby that has just received the feed's tables records events when it is the primary", async () => {
  await setSynchronous(true);
  await primary.query("create database fresh");
  const inFresh = (use: (client: pg.Client) => Promise<unknown>) =>
    withClient(changeConnection(primary.url, { database: "fresh" }), use);
  await inFresh(async (client) => {
    const roles = { login: "api_login", anonymous: "api_anonymous", member: "api_member" };
    await installChangeFeed(client, { roles });
    await client.query("create table notes (id bigint primary key, room_id bigint not null)");
    await client.query("select change_feed.stream('notes', 'room_id', kinds => '{added}')");
  });
  await failOver();
  await standby.follow(primary);
  await inFresh((client) => client.query("insert into notes values (1, 1)"));
});

/** The standby receives nothing more: it has all that was written before, and a promotion loses what is written from now on. */
async function stopReplication(): Promise<void> {
  const [written] = await primary.query<{ lsn: string }>("select pg_current_wal_lsn() as lsn");
  await until(
    async () => (await standby.query("select where pg_last_wal_replay_lsn() >= $1", [written?.lsn])).length > 0,
  );
  await standby.query("alter system set primary_conninfo = ''");
  await standby.query("select pg_reload_conf()");
  await until(async () => (await primary.query("select from pg_stat_replication")).length === 0);
}

test("a promotion that loses messages tells those who had them, and gives numbers and transaction ids again that hide no message from others", async () => {
  await setSynchronous(false);
  const chatId = await openChat();
  const listener = await listen(chatId);
  const sendOne = async (text: string) => expect((await send(chatId, text)).codes).toEqual([]);
  await sendOne("Both have it");
  await received(listener, 1);
  // The service is not to come back before the new primary has messages. The former primary still lets it open connections:
  // the pool may have a single one, which the delivery of one message can occupy while the next is sent.
  await primary.query("alter role api_login connection limit 0");
  await stopReplication();
  await primary.query("alter role api_login connection limit -1");
  await primary.query("do $$ begin for i in 1 .. 100 loop perform pg_current_xact_id(); commit; end loop; end $$");
  for (const text of ["Lost", "Lost too", "The third one"]) await sendOne(text);
  await received(listener, 4);
  const [horizon] = await primary.query<{ xid: string }>("select pg_snapshot_xmin(pg_current_snapshot()) as xid");
  await primary.stop("immediate");
  // Requested with the horizon of the former primary.
  const late = new Listener(`${app.url.replace("http", "ws")}/graphql`, token, chatId);
  await late.opened;
  // Answered after the subscription has arrived.
  await ask("{ __typename }");
  await standby.promote();
  [primary, standby] = [standby, primary];
  const insert = "insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'New') returning id, xmin";
  const first = await primary.query<{ id: string; xmin: string }>(insert, [chatId]);
  const second = await primary.query<{ id: string; xmin: string }>(insert, [chatId]);
  const news = [...first, ...second].map(({ id }) => id);
  expect(Number(second[0]?.xmin)).toBeLessThan(Number(horizon?.xid));
  await primary.query("alter role api_login connection limit -1");
  expect(await received(late, 2)).toEqual(news);
  await until(() => listener.errors.length > 0);
  expect(listener.errors).toMatchObject([[{ extensions: { code: "POSITION_LOST" } }]]);
  expect(await primary.query("select problem from change_feed.problems()")).toEqual([
    { problem: expect.stringMatching(/^followers had events up to number 4 of key /) },
  ]);
  await listener.stop();
  await late.stop();
});
