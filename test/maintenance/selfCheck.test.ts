import { rmSync } from "node:fs";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import type pg from "pg";
import { settingDefaults } from "pg-caller-pool";
import { pino } from "pino";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../../src/database/migrations.ts";
import type { EmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { runDb } from "../support/runDb.ts";
import { startHere } from "../support/startHere.ts";
import { databaseUrl, onServer } from "../support/template.ts";
import { until } from "../support/until.ts";

/* What is there and not right, for an owner without superuser rights, on a server of this file's own: roles belong to the whole server. */
const directory = temporaryDirectory("self-check");
const secret = "a secret of thirty-two bytes or more, for tests";
let server: EmbeddedPostgres;
/** Connection strings of the owner, who is no superuser, and of the superuser. */
let owner: string;
let superuser: string;
/** That of the service's login. */
let login: string;

beforeAll(async () => {
  server = await startThrowAwayPostgres(join(directory, "postgres"));
  await onServer(server.url, "create role owner login createrole createdb password 'owned'");
  await onServer(server.url, "create database one owner owner");
  owner = `postgres://owner:owned@127.0.0.1:${server.port}/one`;
  superuser = databaseUrl(server.url, "one");
  login = await ensureRoles(owner);
  await migrate(owner);
  await migrateCurrent(owner);
  await onServer(owner, "insert into app_public.users (name) values ('Ada'), ('Bob')");
  await onServer(
    owner,
    "insert into app_private.accounts (user_id, email) select id, name || '@example.com' from app_public.users",
  );
  await onServer(owner, "insert into app_public.posts (author_id, title, content) values (1, 'A title', 'Text.')");
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

const rowsOf = <Row extends pg.QueryResultRow>(url: string, sql: string) =>
  withClient(url, async (client) => (await client.query<Row>(sql)).rows);

/** Runs statements one by one, in one session: of the owner, if no other is given. */
const run = (sql: string, url = owner) =>
  withClient(url, async (client) => {
    for (const one of sql.split(/;\s*/)) await client.query(one);
  });

const problemsOf = (url: string) =>
  rowsOf<{ subject: string; problem: string; repair: string }>(
    url,
    `select subject, problem, repair from app_private.problems(${url !== login})`,
  );

/** Does what the column `repair` says: a command, or SQL as the owner, unless only a superuser may. */
async function repair(text: string): Promise<void> {
  const [, command, statement] = /^npm run db:(\w+) -- "(.*)"$/.exec(text) ?? [];
  if (command && statement) expect(await runDb(owner, [command, statement])).toMatchObject({ status: 0 });
  else await run(text, /^alter (system|role)|session_replication_role/.test(text) ? superuser : owner);
}

interface Fault {
  sql: string;
  isSuperuser?: boolean;
  subject: string;
  problem: string;
}

const unfit = (value: string) => `the setting is ${value}, on which the service does not work`;

const faults: Fault[] = [
  // A sequence behind its table, and one that has never been called.
  {
    sql: "select setval('app_public.users_id_seq', 1)",
    subject: "app_public.users_id_seq",
    problem: "the sequence is behind app_public.users.id, so new rows are refused",
  },
  {
    sql: "alter sequence app_public.posts_id_seq restart",
    subject: "app_public.posts_id_seq",
    problem: "the sequence is behind app_public.posts.id, so new rows are refused",
  },
  {
    sql: `create index posts_excerpt_idx on app_public.posts (excerpt);
          update pg_index set indisvalid = false where indexrelid = 'app_public.posts_excerpt_idx'::regclass`,
    isSuperuser: true,
    subject: "app_public.posts_excerpt_idx",
    problem: "the index is invalid: its build was not finished, and no query uses it",
  },
  {
    sql: "update pg_database set datcollversion = '0' where datname = 'one'",
    isSuperuser: true,
    subject: "The database one",
    problem: "its collation version was 0 and is 1, so indexes on text may be wrong",
  },
  {
    sql: "grant connect on database one to public",
    subject: "The database one",
    problem: "every login of the server may connect, so analysts of other databases read this one too",
  },
  {
    sql: "alter database one set session_replication_role = replica",
    isSuperuser: true,
    subject: "session_replication_role",
    problem: unfit("replica"),
  },
  {
    sql: "alter role api_login in database one set default_transaction_read_only = true",
    subject: "default_transaction_read_only",
    problem: unfit("true"),
  },
  {
    sql: "alter system set lo_compat_privileges = on; select pg_reload_conf()",
    isSuperuser: true,
    subject: "lo_compat_privileges",
    problem: unfit("on"),
  },
];

test("a database that is well has no problem", async () => {
  expect(await problemsOf(login)).toEqual([]);
});

test("each fault is a problem, for the owner and the login; the repairs end them", async () => {
  for (const { sql, isSuperuser } of faults) await run(sql, isSuperuser ? superuser : owner);
  const linesOf = (found: Pick<Fault, "subject" | "problem">[]) =>
    found.map(({ subject, problem }) => `${subject}: ${problem}`).sort();
  expect(linesOf(await problemsOf(login))).toEqual(linesOf(faults));
  const problems = await problemsOf(owner);
  expect(linesOf(problems)).toEqual(linesOf(faults));
  for (const problem of problems) await repair(problem.repair);
  await until(async () => (await problemsOf(login)).length === 0);
  expect(await problemsOf(owner)).toEqual([]);
  // The index was rebuilt, and not dropped.
  const sql = "select indisvalid from pg_index where indexrelid = to_regclass('app_public.posts_excerpt_idx')";
  expect(await rowsOf(owner, sql)).toEqual([{ indisvalid: true }]);
});

test("each trigger that is disabled is named, whatever its table, and each foreign key; the repairs enable them", async () => {
  const triggers = await rowsOf<{ table: string; name: string; is_stream: boolean }>(
    owner,
    `select tgrelid::regclass::text as table, quote_ident(tgname) as name, tgfoid = 'change_feed.tg__record_events'::regproc as is_stream
       from pg_trigger where not tgisinternal`,
  );
  const tables = [...new Set(triggers.map(({ table }) => table))];
  expect(tables.length).toBeGreaterThan(15);
  await run(tables.map((table) => `alter table ${table} disable trigger user`).join("; "));
  await run("alter table app_public.follows disable trigger all", superuser);
  const named = (await problemsOf(login)).filter(({ repair: text }) => text.startsWith("alter table"));
  expect(named.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining([
      ...triggers.filter(({ is_stream }) => !is_stream).map(({ table, name }) => `${table}: ${name}`),
      "app_public.follows: follows_follower_id_fkey",
    ]),
  );
  for (const { repair: text, problem } of named) await run(text, problem.includes("constraint") ? superuser : owner);
  // The change feed names its own.
  const streams = triggers.filter(({ is_stream }) => is_stream);
  await run(streams.map(({ table, name }) => `alter table ${table} enable trigger ${name}`).join("; "));
  expect(await problemsOf(owner)).toEqual([]);
});

test("it gives way to a migration that locks what it waits for, and what it holds", async () => {
  const tables = await rowsOf<{ name: string }>(
    owner,
    "select oid::regclass::text as name from pg_class where relnamespace = 'app_public'::regnamespace and relkind = 'r' order by oid desc",
  );
  await withClient(owner, async (migration) => {
    await migration.query("begin; lock table app_public.messages");
    const checking = problemsOf(login);
    try {
      for (const { name } of tables) await migration.query(`lock table ${name}`);
    } finally {
      await migration.query("rollback");
    }
    expect(await checking).toEqual([]);
  });
});

test("db:status names problems with their repair and exits with 1; derived data is among them", async () => {
  await run("delete from app_private.post_words");
  const { output, status } = await runDb(owner, ["status"]);
  expect(output).toContain(
    "app_private.post_words: 1 rows differ from what they are derived from, such as 1.\n" +
      "  Repair: select app_private.repair_derived_data()\n",
  );
  expect(status).toBe(1);
  await run("select app_private.repair_derived_data()");
  expect(await problemsOf(owner)).toEqual([]);
});

describe("a role that has another name", () => {
  test.each(["api_member", "api_anonymous", "api_login", "analyst"])("%s is not made again, empty", async (role) => {
    await run(`alter role ${role} rename to gone`, superuser);
    const repair = `alter role gone rename to ${role}`;
    const message = `The role ${role}: its rights in this database belong to gone, which has another name since`;
    const { output, status } = await runDb(owner, ["migrate"]);
    expect(output).toContain(`${message}. Repair: ${repair}`);
    expect(status).toBe(1);
    expect(await rowsOf(server.url, `select from pg_roles where rolname = '${role}'`)).toEqual([]);
    await run(repair, superuser);
  });

  test("and was made again for another database, empty, is named; its repair ends that", async () => {
    await run("alter role api_member rename to gone", superuser);
    await onServer(server.url, "create database two owner owner");
    await ensureRoles(owner.replace(/one$/, "two"));
    expect(await runDb(owner, ["migrate"])).toMatchObject({ status: 1 });
    const { output, status } = await runDb(owner, ["status"]);
    expect(status).toBe(1);
    expect(output).toContain("The role api_member: its rights in this database belong to gone");
    await onServer(server.url, "drop database two");
    for (const problem of await problemsOf(owner)) await run(problem.repair, superuser);
    expect(await problemsOf(login)).toEqual([]);
  });
});

describe("a running service", () => {
  const lines: { msg: string; subject?: string }[] = [];
  let service: Awaited<ReturnType<typeof startHere>>;
  let token: string;
  beforeAll(async () => {
    await run("select setval('app_public.posts_id_seq', 1, false)");
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
    service = await startHere(
      { DATABASE_URL: owner, DATA_DIR: directory, JWT_SECRET: secret, DATABASE_POOL_SIZE: "2" },
      log,
      { selfCheck: true },
    );
    token = (await createTokenSigner({ secret })?.("1"))?.token ?? "";
  });
  afterAll(async () => service?.[Symbol.asyncDispose]());

  const readiness = async () => {
    const response = await fetch(service.url.replace("graphql", "readyz"));
    return ((await response.json()) as { reason?: string }).reason;
  };
  const becomes = (reason?: RegExp) =>
    until(async () => {
      const given = await readiness();
      return reason ? reason.test(given ?? "") : given === undefined;
    });
  const cut = () =>
    onServer(server.url, "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'api_login'");

  test("logs what it finds at its start, and a metric counts it", async () => {
    await until(() => lines.some(({ subject }) => subject === "app_public.posts_id_seq"));
    const metrics = await (await fetch(service.url.replace("graphql", "metrics"))).text();
    expect(metrics).toContain("\ndatabase_problems 1\n");
    await run("select setval('app_public.posts_id_seq', 1)");
  });

  test.each<[string, string, string, RegExp, "owner" | "superuser"]>([
    [
      "members’ role is gone",
      "alter role api_member rename to gone",
      "alter role gone rename to api_member",
      /^requests of members fail: role "api_member" does not exist/,
      "owner",
    ],
    [
      "members’ role is empty",
      "alter role api_member rename to gone; create role api_member; grant api_member to api_login",
      "drop role api_member; alter role gone rename to api_member",
      /^requests of members fail: permission denied for schema app_hidden/,
      "owner",
    ],
    [
      "visitors’ role is empty",
      "alter role api_anonymous rename to gone; create role api_anonymous; grant api_anonymous to api_login",
      "drop role api_anonymous; alter role gone rename to api_anonymous",
      /^requests of visitors fail: permission denied for schema app_hidden/,
      "owner",
    ],
    [
      "the login has lost a role",
      "revoke api_member from api_login",
      "grant api_member to api_login",
      /^requests of members fail: permission denied to set role "api_member"/,
      "owner",
    ],
    [
      "the login has lost its rights",
      "revoke usage on schema app_private from api_login",
      "grant usage on schema app_private to api_login",
      /^the database refuses the service's login/,
      "owner",
    ],
    [
      "members may not read",
      "revoke usage on schema app_public from api_member",
      "grant usage on schema app_public to api_member",
      /^requests of members fail: permission denied for schema app_public/,
      "owner",
    ],
    [
      "triggers do not run",
      "alter database one set session_replication_role = replica",
      "alter database one reset session_replication_role",
      /^triggers do not run: session_replication_role is replica/,
      "superuser",
    ],
    [
      "writes are stopped",
      "alter database one set default_transaction_read_only = on",
      "set default_transaction_read_only = off; alter database one reset default_transaction_read_only",
      /^the database is read-only/,
      "owner",
    ],
  ])("is not ready while %s", async (_what, sql, undo, reason, by) => {
    const url = by === "owner" ? owner : superuser;
    await run(sql, url);
    await cut();
    await becomes(reason);
    await run(undo, url);
    await cut();
    await becomes();
  });

  test("is ready while a table is locked", async () => {
    await withClient(owner, async (client) => {
      await client.query("begin; lock table app_public.users, app_public.posts, app_public.comments");
      expect(await readiness()).toBeUndefined();
    });
  });

  test("has PostgreSQL's default of each setting that changes results, whatever the database and the login have", async () => {
    const settings = await rowsOf<{ name: string; value: string; other: string; context: string }>(
      login,
      `select name, context, boot_val as value,
              case vartype when 'bool' then case boot_val when 'on' then 'off' else 'on' end
                           when 'enum' then (select one from unnest(enumvals) as one where one <> boot_val limit 1)
                           when 'integer' then (boot_val::int + 1)::text end as other
         from pg_settings where context = 'user'`,
    );
    const ours = await settingDefaults(login);
    const changed = settings.filter(({ name, other }) => other !== null && name in ours);
    expect(changed.length).toBeGreaterThan(15);
    const given = [
      ...changed.map(({ name, other }) => [name, other]),
      ["DateStyle", "German, DMY"],
      ["TimeZone", "Asia/Tokyo"],
    ];
    await run(given.map(([name, other]) => `alter role api_login in database one set ${name} = '${other}'`).join("; "));
    await cut();
    await becomes();
    const title = String.raw`A back\slash`;
    const query = "mutation($input: CreatePostInput!) { createPost(input: $input) { title tags { name } createdAt } }";
    const response = await fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables: { input: { title, content: "Text.", tags: ["one"] } } }),
    });
    const today = new Date().toISOString().slice(0, 10);
    expect(await response.json()).toEqual({
      data: { createPost: { title, tags: [{ name: "one" }], createdAt: today } },
    });
    await run(given.map(([name]) => `alter role api_login in database one reset ${name}`).join("; "));
  });
});
