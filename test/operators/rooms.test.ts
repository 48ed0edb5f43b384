import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { tableRows } from "@content-service/support/markdownTable.ts";
import { WebhookReceiver } from "@content-service/testing/WebhookReceiver.ts";
import { applicationNameOf, type Room, roomsOf } from "../../src/database/rooms.ts";
import { MailServer } from "../../tools/support/MailServer.ts";
import { readEvents } from "../support/readEvents.ts";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * Each kind of work has connections of its own. Whatever happens to the connections of one kind, all the others go on; and
 * afterwards that one does. docs/connections.md lists them.
 */
const mailServer = new MailServer();
const endpoint = new WebhookReceiver();
const service = useService(
  { webhooks: true, webhookAddresses: ["127.0.0.1"], maintenanceMinutes: 1, rateLimitSignIn: 1_000, poolSize: 4 },
  async () => {
    await mailServer.start();
    await endpoint.start();
    const mail = {
      smtpUrl: mailServer.url,
      from: "hello@example.com",
      directory: "mails",
      appUrl: "https://example.com",
    };
    return { mail };
  },
);
const { database } = service;
afterAll(async () => {
  await mailServer.stop();
  await endpoint.stop();
});

/** What each kind of work does, to its end. */
const work = {
  requests: async () =>
    expect(await service.ask("{ user(id: 2) { name } }")).toEqual({ data: { user: { name: "Bob" } } }),
  // On a busy machine, one probe may take longer than it may.
  probes: () => until(async () => (await fetch(new URL("/readyz", service.url))).status === 200),
  checks: async () => {
    const counted = "select coalesce(sum(points), 0)::int as points from app_private.rate_limited_calls";
    const [before] = await database.query<{ points: number }>(counted);
    const signIn = `mutation { signIn(email: "${randomUUID()}@example.com", password: "wrong") { userId } }`;
    // Refused in each case: for the password, or where requests have no connection.
    expect((await service.ask(signIn)).errors).toHaveLength(1);
    expect(await database.query(counted)).toEqual([{ points: (before?.points ?? 0) + 1 }]);
  },
  upkeep: async () => {
    const [post] = await database.query<{ id: string }>(
      `insert into app_public.posts (author_id, title, content, publish_at) values (1, 'Due', 'Text', now()) returning id`,
    );
    const isPublished = "select from app_public.posts where id = $1 and status = 'PUBLISHED'";
    await until(async () => (await database.query(isPublished, [post?.id])).length === 1);
  },
  webhooks: async () => {
    const [user] = await database.query<{ id: string }>(
      "insert into app_public.users (name) values ('Eve') returning id",
    );
    await until(() => endpoint.messages.some(({ type, data }) => /users/.test(type) && data.id === user?.id));
  },
  mails: async () => {
    mailServer.mails.length = 0;
    await putMail();
    await until(() => mailServer.mails.length > 0);
  },
  listener: async () => {
    const query = 'subscription { commentAdded(postId: "1") { text } }';
    const headers = { "content-type": "application/json" };
    const stream = await readEvents(service.url, { method: "POST", headers, body: JSON.stringify({ query }) });
    try {
      await comment("told");
      for (let event = ""; !event.includes("told"); ) event = await stream.events.next();
    } finally {
      stream.close();
    }
  },
};
type Kind = keyof typeof work;
const kinds = Object.keys(work) as Kind[];

const comment = (text: string) =>
  database.query("insert into app_public.comments (post_id, author_id, text) values (1, 1, $1)", [text]);
const putMail = () =>
  database.query(`
    insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
    values ('RESET_PASSWORD', 1, 'ada@example.com', 'abcdef0123456789', now() + interval '1 hour'); notify mail_outbox`);
const doAll = (chosen: readonly Kind[]) => Promise.all(chosen.map((kind) => work[kind]()));
const others = (kind: Kind) => kinds.filter((other) => other !== kind);

/** After a fault, the pool may have a connection that is gone. */
const succeeds = (kind: Kind) =>
  work[kind]().then(
    () => true,
    () => false,
  );

/** How many connections of a kind run or wait for a statement. */
async function busy(kind: Kind): Promise<number> {
  const text = `select from pg_stat_activity where datname = current_database() and application_name = $1 and state = 'active'`;
  return (await database.query(text, [applicationNameOf(kind)])).length;
}

beforeAll(async () => {
  await database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'One', 'Text', 'PUBLISHED');
    create table app_public.locked_things (id int generated always as identity primary key, name text not null);
    create table app_public.slow_things (like app_public.locked_things including all);
    alter table app_public.locked_things enable row level security;
    alter table app_public.slow_things enable row level security;
    create policy select_all on app_public.locked_things for select to api_anonymous using (true);
    create policy select_slowly on app_public.slow_things for select to api_anonymous using ((select pg_sleep(2)) is not null);
    grant select on app_public.locked_things, app_public.slow_things to api_anonymous`);
  for (const table of ["users", "locked_things", "locked_things", "slow_things", "slow_things"]) {
    const name = `${table} ${Math.random()}`;
    const [made] = await database.query<{ secret: string }>(
      "select change_feed.webhook($1, $2::regclass, '{added}', $3, 'api_anonymous') as secret",
      [name, `app_public.${table}`, endpoint.url],
    );
    endpoint.secret = made?.secret ?? "";
  }
});

test("docs/connections.md lists them with their bounds, and PostgreSQL shows no others", async () => {
  const page = readFileSync(new URL("../../docs/connections.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Rooms\n([\s\S]*?)^## /m.exec(page) ?? [];
  const listed = tableRows(section).slice(2);
  // Numbers that no bound has stand for the settings.
  const [poolSize, lockTimeoutMs, statementTimeoutMs] = [-1, -2, -3];
  const settings = {
    [poolSize]: "DATABASE_POOL_SIZE",
    [lockTimeoutMs]: "LOCK_TIMEOUT_MS",
    [statementTimeoutMs]: "STATEMENT_TIMEOUT_MS",
  };
  const written = (ms: number) => settings[ms] ?? `${ms / 1_000} s`;
  const given = { apiDatabaseUrl: "", poolTimeoutMs: 0, poolSize, lockTimeoutMs, statementTimeoutMs };
  const rooms = Object.entries(roomsOf(given) as Record<string, Room>).map(([name, room]) => [
    applicationNameOf(name),
    settings[room.size] ?? String(room.size),
    `${written(room.lockTimeoutMs)}, ${written(room.statementTimeoutMs)}`,
  ]);
  const bounds = listed.map(([name, , size = "", times]) => [name, size.split(",")[0], times?.replaceAll("`", "")]);
  expect(bounds.filter(([name]) => name !== applicationNameOf("listener"))).toEqual(rooms);
  expect(listed.map(([name]) => name)).toEqual(kinds.map(applicationNameOf));

  await doAll(kinds);
  const shown = await database.query<{ name: string; count: number }>(`
    select application_name as name, count(*)::int from pg_stat_activity
     where datname = current_database() and usename = 'api_login' and application_name <> '' group by application_name`);
  expect(shown.map(({ name }) => name).sort()).toEqual(kinds.map(applicationNameOf).sort());
  for (const [name, , size = ""] of listed) {
    const most = Number(size.split(",")[0]?.replace("DATABASE_POOL_SIZE", "4"));
    expect(shown.find((one) => one.name === name)?.count).toBeLessThanOrEqual(most);
  }
});

test.each(kinds)("%s gone: the others go on, and so does it", async (kind) => {
  await doAll([kind]);
  const gone = await database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = $1",
    [applicationNameOf(kind)],
  );
  expect(gone.length).toBeGreaterThan(0);
  await doAll(others(kind));
  // The pool has noticed by now, or tells the next one.
  await until(() => succeeds(kind));
});

/** What locks the tables of a kind, and what then waits on more connections than it has. */
const locks: Record<Exclude<Kind, "probes">, { table: string; causes(): unknown; waiting: number }> = {
  requests: {
    table: "app_public.tags",
    causes: () => Array.from({ length: 6 }, () => service.ask("{ tagsConnection { nodes { name } } }")),
    waiting: 1,
  },
  checks: {
    table: "app_private.rate_limited_calls",
    causes: () =>
      Array.from({ length: 8 }, () => service.ask('mutation { signIn(email: "a", password: "b") { userId } }')),
    waiting: 2,
  },
  upkeep: { table: "app_private.inbox_changes", causes: () => undefined, waiting: 1 },
  webhooks: {
    table: "app_public.locked_things",
    causes: () => database.query("insert into app_public.locked_things (name) select 'x' from generate_series(1, 20)"),
    waiting: 1,
  },
  mails: { table: "app_private.mail_outbox", causes: () => database.query("notify mail_outbox"), waiting: 1 },
  listener: { table: "app_public.comments", causes: () => undefined, waiting: 0 },
};

test.each(Object.keys(locks) as (keyof typeof locks)[])(
  "%s locked and full: the others go on; after it, so does it",
  async (kind) => {
    const { table, causes, waiting } = locks[kind];
    await causes();
    const lock = await database.hold(`lock ${table} in access exclusive mode`);
    void causes();
    await until(async () => (await busy(kind)) >= waiting);
    // Webhooks of other tables are others, too.
    await doAll(
      kind === "webhooks" ? kinds : others(kind).filter((other) => other !== "checks" || kind !== "listener"),
    );
    await lock.release();
    await until(() => succeeds(kind));
  },
);

test("a table that is locked is no reason to be not ready", async () => {
  const lock = await database.hold("lock app_public.users in access exclusive mode");
  await work.probes();
  await lock.release();
});

/** A function of each kind, with its arguments as they are declared and as they are passed, and its result. */
const functions = {
  probes: ["app_private", "request_problem", "", "", "text"],
  checks: [
    "app_private",
    "count_rate_limited_calls",
    "key text, calls int",
    "key, calls",
    "out points int, out ms_left bigint",
  ],
  upkeep: ["app_hidden", "publish_due_posts", "", "", "out published int, out wait_ms int"],
  mails: [
    "app_private",
    "settle_mail",
    "mail_id bigint, attempt int, refusal text, again_in interval",
    "mail_id, attempt, refusal, again_in",
    "void",
  ],
} as const;

test.each(Object.keys(functions) as (keyof typeof functions)[])("%s slow: the others go on", async (kind) => {
  const [schema, name, given, passed, result] = functions[kind];
  const outs = result.startsWith("out ") ? [given, result].filter(Boolean).join(", ") : given;
  const returns = result.startsWith("out ") ? "record" : result;
  await database.query(`
    alter function ${schema}.${name} rename to ${name}_at_once;
    create function ${schema}.${name}(${outs}) returns ${returns} language sql
      as 'select ${result.startsWith("out ") ? "slow.*" : "slow"} from pg_sleep(2), ${schema}.${name}_at_once(${passed}) as slow';
    grant execute on function ${schema}.${name} to api_login`);
  if (kind === "mails") await putMail();
  if (kind === "probes") {
    const response = await fetch(new URL("/readyz", service.url));
    expect([response.status, await response.json()]).toMatchObject([503, { reason: "the database does not answer" }]);
  } else {
    if (kind === "checks") void succeeds(kind);
    await until(async () => (await busy(kind)) > 0);
  }
  await doAll(others(kind));
  await database.query(`
    drop function ${schema}.${name}; alter function ${schema}.${name}_at_once rename to ${name}`);
  await until(() => succeeds(kind));
});

test("webhooks slow: those of others go on, and the slow ones arrive", async () => {
  await database.query("insert into app_public.slow_things (name) select 'x' from generate_series(1, 3)");
  await until(async () => (await busy("webhooks")) > 0);
  await doAll(kinds);
  await until(() => endpoint.messages.some(({ type }) => /slow_things/.test(type)));
});
