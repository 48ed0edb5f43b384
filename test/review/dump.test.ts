import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { createRoles, ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../../src/database/migrations.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { loadSampleContent } from "../../src/migrations/sampleContent.ts";
import { post } from "../../tools/support/post.ts";
import { describeWithMachineServer, useMachineServer } from "../support/machineServer.ts";
import { type Ended, runDb } from "../support/runDb.ts";
import { testSecret, testSettings } from "../support/service.ts";
import { databaseUrl, onServer } from "../support/template.ts";

/*
 * A database is dumped and restored, with what pg_dump leaves out. On the machine's PostgreSQL, because the embedded one has
 * no pg_dump, and an older pg_dump cannot read it.
 */
const directory = mkdtempSync(join(tmpdir(), "content-service-dump-"));
afterAll(() => rmSync(directory, { recursive: true }));

const rowsOf = (url: string, sql: string): Promise<unknown[]> =>
  withClient(url, async (client) => (await client.query(sql)).rows);

/** Everything that a restored database must have: rows, rights of every kind, settings and roles. */
function stateOf(url: string): Promise<Record<string, unknown>> {
  return withClient(url, async (client) => {
    const select = async <Row>(sql: string): Promise<Row[]> => (await client.query(sql)).rows;
    const tables = await select<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relpersistence = 'p'
          and relnamespace::regnamespace::text in ('app_public', 'app_private', 'graphile_migrate') order by 1`,
    );
    const rows: Record<string, unknown> = {};
    for (const { name } of tables) {
      rows[name] = await select(`select count(*), md5(string_agg(t::text, ',' order by t::text)) from ${name} as t`);
    }
    return {
      rows,
      rights: await select(
        `select kind, name, (select array_agg(one::text order by one::text) from unnest(acl) as one) as acl from (
           select 'relation', relname::text, relacl from pg_class
            where oid >= 16384 and relacl <> acldefault((case relkind when 'S' then 's' else 'r' end)::"char", relowner)
            union all select 'column', attrelid::regclass || '.' || attname, attacl from pg_attribute where attrelid >= 16384
            union all select 'function', oid::regprocedure::text, proacl from pg_proc
            union all select 'schema', nspname::text, nspacl from pg_namespace
            union all select 'default', defaclobjtype::text, defaclacl from pg_default_acl
            union all select 'database', 'this', datacl from pg_database where datname = current_database()
         ) as rights (kind, name, acl) where acl is not null order by 1, 2, 3`,
      ),
      policies: await select("select * from pg_policies order by schemaname, tablename, policyname"),
      analysts: await select("select * from app_private.analysts order by login"),
      settings: await select(
        `select setrole::regrole::text as role, setting from pg_db_role_setting, unnest(setconfig) as setting
          where setdatabase = (select oid from pg_database where datname = current_database()) order by 1, 2`,
      ),
    };
  });
}

describeWithMachineServer("on the machine's PostgreSQL", () => {
  const machine = useMachineServer();
  const dump = join(directory, "content");
  let original: Awaited<ReturnType<typeof stateOf>>;
  const on = (name: string, login = "postgres") => {
    const url = new URL(databaseUrl(machine.url, name));
    return login === "postgres" ? url.href : Object.assign(url, { username: login, password: login }).href;
  };
  const outputOf = (ended: Ended) => {
    expect(ended).toMatchObject({ status: 0 });
    return ended.stdout;
  };
  const refusalOf = (ended: Ended) => {
    expect(ended).toMatchObject({ status: 1 });
    return ended.stderr;
  };
  // The server's own programs: those of the machine's PATH may be older.
  const run = (url: string, command: string[]) => runDb(url, command, { PATH: `${machine.bin}:${process.env.PATH}` });
  const db = (name: string, ...command: string[]) => run(on(name), command);

  beforeAll(async () => {
    await onServer(machine.url, "create database content");
    await withClient(on("content"), createRoles);
    await migrate(on("content"));
    await migrateCurrent(on("content"));
    await loadSampleContent(on("content"));
    await onServer(
      on("content"),
      `create role "Jane Doe" login; select app_private.admit_analyst('Jane Doe', '10 minutes');
       create role reader; grant connect on database content to reader;
       revoke connect on database content from public; grant connect on database content to api_login;
       alter database content set work_mem = '8MB'; alter database content set search_path = app_public, "$user"`,
    );
    original = await stateOf(on("content"));
  });

  test("db:dump writes a directory that only its owner can read, once", async () => {
    expect(outputOf(await db("content", "dump", dump))).toContain("It contains secrets.");
    expect(statSync(dump).mode & 0o777).toBe(0o700);
    expect(refusalOf(await db("content", "dump", dump))).toContain("is not empty. Name a new directory.");
  });

  test("db:restore into a new database gives the same rows, rights, policies, analysts and settings, and creates roles that the server lacks, without any power and without a password", async () => {
    const runs = "select from change_feed.server_runs";
    expect(await rowsOf(on("content"), runs)).toHaveLength(1);
    await onServer(on("content"), `drop owned by "Jane Doe"; drop owned by reader`);
    await onServer(machine.url, `drop role "Jane Doe"; drop role reader`);
    expect(outputOf(await db("copy", "restore", dump))).toContain("copy is restored");
    expect(await stateOf(on("copy"))).toEqual(original);
    // Another run of the server: transaction ids of the former one mean nothing here.
    expect(await rowsOf(on("copy"), runs)).toEqual([]);
    expect(original["analysts"]).toEqual([expect.objectContaining({ login: "Jane Doe", is_read_only: true })]);
    expect(
      await rowsOf(
        machine.url,
        `select rolname, rolcanlogin, rolpassword, rolconnlimit, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as is_powerful
           from pg_authid where rolname in ('Jane Doe', 'reader') order by 1`,
      ),
    ).toEqual([
      { rolname: "Jane Doe", rolcanlogin: true, rolpassword: null, rolconnlimit: 5, is_powerful: false },
      { rolname: "reader", rolcanlogin: false, rolpassword: null, rolconnlimit: -1, is_powerful: false },
    ]);
    expect(await rowsOf(on("copy"), "select login, statement_timeout::text from app_private.analysts")).toEqual([
      { login: "Jane Doe", statement_timeout: "00:10:00" },
    ]);
    expect(outputOf(await db("copy", "status"))).toContain("Every committed migration has run.");
  });

  test("a service works on the restored database", async () => {
    const apiDatabaseUrl = await ensureRoles(on("copy"));
    const app = await startApp({ ...testSettings, poolSize: 2, apiDatabaseUrl }, pino({ level: "silent" }));
    const token = await createTokenSigner({ secret: testSecret })?.("1");
    const query = `mutation { createPost(input: { title: "Restored", content: "Text.", status: PUBLISHED }) { slug } }`;
    const answer = await post(`${app.url}/graphql`, query, { authorization: `Bearer ${token?.token}` });
    await app.close();
    expect(answer).toEqual({ data: { createPost: { slug: "restored" } } });
  });

  test("db:restore overwrites a database with content only when it is named", async () => {
    expect(refusalOf(await db("copy", "restore", dump))).toMatch(
      /This drops the database copy on .* with all its rows .*npm run db:restore -- .*content --erase copy/s,
    );
    expect(refusalOf(await db("copy", "restore", dump, "--erase", "content"))).toContain(
      "This drops the database copy",
    );
    expect(await rowsOf(on("copy"), "select from app_public.posts where slug = 'restored'")).toHaveLength(1);
  });

  test("a named one is overwritten; another owner without superuser rights restores it as its own", async () => {
    await onServer(machine.url, "create role other login createdb createrole password 'other'");
    await onServer(machine.url, "create database others owner other");
    await onServer(on("others", "other"), "create table former ()");
    outputOf(await run(on("others", "other"), ["restore", dump, "--erase", "others"]));
    expect(await rowsOf(on("others"), "select to_regclass('former') as former")).toEqual([{ former: null }]);
    const owners = await rowsOf(
      on("others"),
      "select distinct relowner::regrole::text as owner from pg_class where oid >= 16384",
    );
    expect(owners).toEqual([{ owner: "other" }]);
    const { rows, policies } = original;
    expect(await stateOf(on("others"))).toMatchObject({ rows, policies });
    // A function that a later migration creates is still nobody's until it is granted.
    await onServer(on("others", "other"), "create function app_public.later() returns int language sql return 1");
    expect(
      await rowsOf(on("others"), "select has_function_privilege('reader', 'app_public.later()', 'execute') as may"),
    ).toEqual([{ may: false }]);
  });

  test("a directory without a dump is refused, and so is a missing argument", async () => {
    expect(refusalOf(await db("copy", "restore", directory))).toContain("has no dump of npm run db:dump");
    const { status, stderr } = await db("copy", "dump");
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("It takes a new directory.") });
  });
});
