import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { readCommitted } from "../../packages/migration-review/migrations/committed.ts";
import { fillPlaceholders } from "../../packages/migration-review/migrations/settings.ts";
import { hasCurrent, migrate, migrateCurrent, migrationsIn, projectMigrations } from "../../src/database/migrations.ts";
import { holdLock } from "../../tools/support/holdLock.ts";
import { useMigratedDatabase } from "../support/migratedDatabase.ts";
import { useMigrationsFolder } from "../support/migrationsFolder.ts";
import { createOwner, onServer } from "../support/template.ts";

/* Migrations under concurrency: several migrators, tables in use, and a migrator that is killed. */
const database = useMigratedDatabase();
const folder = useMigrationsFolder();
const migrateModule = new URL("../../src/database/migrations.ts", import.meta.url).href;

/** A migrator in this process. graphile-migrate keeps a pool per connection string, so each name has its own connections. */
function migrateAs(name: string): ReturnType<typeof migrate> {
  return migrate(`${database.url}?application_name=${name}`, folder.path);
}

/** A migrator in a process of its own, which can be killed. */
function startMigrator() {
  const script = `import { migrate } from ${JSON.stringify(migrateModule)}; await migrate(...process.argv.slice(1));`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script, database.url, folder.path], {
    stdio: "ignore",
  });
}

async function lastRun(): Promise<string | undefined> {
  const [last] = await database.query<{ filename: string }>(
    "select filename from graphile_migrate.migrations order by filename desc limit 1",
  );
  return last?.filename;
}

async function exists(table: string): Promise<boolean> {
  const [row] = await database.query<{ exists: boolean }>(`select to_regclass('${table}') is not null as exists`);
  return row?.exists === true;
}

test("three migrators that start together on an empty database all succeed, and each migration runs once", async () => {
  await database.empty();
  await folder.commit("create table app_hidden.counted as select pg_sleep(0.3)::text, txid_current()");
  await Promise.all([migrateAs("one"), migrateAs("two"), migrateAs("three")]);
  expect(await database.query("select count(*)::int as runs from app_hidden.counted")).toEqual([{ runs: 1 }]);
});

test("a migration that fails is rolled back, and the earlier migrations stay", async () => {
  const before = await lastRun();
  await folder.commit("create table app_hidden.half (); select 1 / 0");
  await expect(migrateAs("failing")).rejects.toThrow("division by zero");
  expect(await exists("app_hidden.half")).toBe(false);
  expect(await lastRun()).toBe(before);
});

test("a migration that fails is named, with its line where PostgreSQL gives a position, and what it says besides", async () => {
  const failing = async (sql: string) => {
    const file = await folder.commit(sql);
    const error = await migrateAs("failing").catch(({ message }: Error) => message);
    expect(error).toContain(`migrations/committed/${basename(file)}`);
    await rm(file);
    return String(error).replace(/^migrations.committed.\d+\.sql/, "");
  };
  expect(await failing("create table app_hidden.half ();\n\nselect nothing\nfrom app_hidden.half;")).toBe(
    ':6: column "nothing" does not exist\nThe change was rolled back.',
  );
  expect(await failing("do $$ begin\n  insert into app_public.posts (author_id) values (1);\nend $$;")).toMatch(
    /^: null value in column "\w+" .*\n {2}Detail: Failing row .*\n {2}Where: .*\n.*line 2 at SQL statement\nThe change/,
  );
  expect(await failing("alter table app_public.tags drop column name;")).toMatch(
    /^: cannot drop column name .*Hint: Where only triggers _200_validate depend on a column, add cascade/s,
  );
});

test("a migrator that is killed leaves no partial change, and the next one runs the whole migration", async () => {
  await folder.commit(
    "create table app_hidden.half (); select pg_advisory_xact_lock(707); insert into app_hidden.half default values",
  );
  const lock = await holdLock(database.url, "select pg_advisory_lock(707)");
  const killed = startMigrator();
  await lock.somebodyWaits();
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const next = migrateAs("next");
  await lock.release();
  await next;
  expect(await database.query("select count(*)::int as rows from app_hidden.half")).toEqual([{ rows: 1 }]);
});

test("a migration of a locked table says for whom it waits, times out, lets other queries run, and is retried", async () => {
  await folder.commit("set local lock_timeout = '50ms'; alter table app_public.posts add column subtitle text");
  const reader = await holdLock(database.url, "lock table app_public.posts in access share mode");
  const told = Promise.withResolvers<string>();
  const migrated = migrate(database.url, folder.path, undefined, told.resolve);
  await reader.somebodyWaits();
  expect(await told.promise).toMatch(/^Waiting for .* as postgres, pid \d+, in a transaction since \d\d:\d\d:\d\d$/);
  await reader.nobodyWaits();
  expect(await database.query("select count(*)::int as posts from app_public.posts")).toEqual([{ posts: 0 }]);
  await reader.release();
  await migrated;
  expect(await database.query("select subtitle from app_public.posts")).toEqual([]);
});

test("a migration that would take an invalid index for built is refused, with the command that builds it", async () => {
  const create = "create index if not exists posts_title_idx on app_public.posts (title)";
  await folder.commit(create);
  await database.query(create);
  await database.query(
    "update pg_index set indisvalid = false where indexrelid = 'app_public.posts_title_idx'::regclass",
  );
  await expect(migrateAs("invalid")).rejects.toThrow(
    /^The index app_public\.posts_title_idx is invalid: .* would take it for built\. First run: npm run db:index -- "reindex index concurrently app_public\.posts_title_idx"$/,
  );
  await database.query("reindex index app_public.posts_title_idx");
  await migrateAs("valid");
});

test("an extension that is there before the first migration is refused with what to do", async () => {
  await database.empty();
  await database.query("create extension pg_trgm");
  await expect(migrateAs("extension")).rejects.toThrow(
    /^migrations\/committed\/000001-.*: extension "pg_trgm" already exists\n {2}Hint: .* Let the extension's owner run in this database: drop extension …\n/,
  );
});

test("a migration that is the victim of a deadlock with a request is retried", async () => {
  await folder.commit(
    "alter table app_public.users add column mood text; alter table app_public.posts add column mood text",
  );
  const writer = await holdLock(database.url, "lock table app_public.posts in row exclusive mode");
  const migrated = migrateAs("waiting");
  await writer.somebodyWaits();
  // Only the migration looks for deadlocks, so it is the victim.
  await writer.run("set local deadlock_timeout = '1h'");
  await writer.run("select from app_public.users");
  await writer.release();
  await migrated;
  expect(await database.query("select mood from app_public.posts")).toEqual([]);
});

test("no statement waits for a lock for more than three seconds, or takes longer than a minute", async () => {
  const settings = ["lock_timeout", "statement_timeout"].map((name) => `current_setting('${name}') as ${name}`);
  await folder.commit(`create table app_hidden.seen as select ${settings}`);
  await migrateAs("any");
  expect(await database.query("select * from app_hidden.seen")).toEqual([
    { lock_timeout: "3s", statement_timeout: "1min" },
  ]);
  await folder.commit("set local statement_timeout = 1; select pg_sleep(60)");
  await expect(migrateAs("slow")).rejects.toThrow(
    /statement timeout\n {2}Hint: .*update_in_batches\(\), and .*db:index/,
  );
});

test("a committed file that was changed is refused, whether it has run or not", async () => {
  const file = await folder.commit("create table app_hidden.sealed ()");
  await folder.edit(file, (text) => text.replace("sealed ()", "sealed (id int)"));
  const refusal = /^migrations\/committed\/\d+\.sql has been changed after it was committed/;
  await expect(migrateAs("early")).rejects.toThrow(refusal);
  await folder.edit(file, (text) => text.replace("sealed (id int)", "sealed ()"));
  await migrateAs("sealed");
  await folder.edit(file, (text) => text.replace("sealed ()", "sealed (id int)"));
  await expect(migrateAs("late")).rejects.toThrow(refusal);
});

test("a database that has run another migration with the same number is refused", async () => {
  const file = await folder.commit("create table app_hidden.mine ()");
  await migrateAs("mine");
  await database.query(
    `update graphile_migrate.migrations set hash = 'sha1:theirs' where filename = '${await lastRun()}'`,
  );
  await expect(migrateAs("theirs")).rejects.toThrow(`has run another ${file.slice(-"000000.sql".length)} than`);
});

test("an owner that is no superuser comes from each migration to the next, and can include each fixture", async () => {
  const owner = `owner_${randomUUID().replaceAll("-", "")}`;
  await createOwner(process.env.TEST_SERVER_URL as string, owner);
  await database.empty();
  await database.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${owner}`);
  const url = Object.assign(new URL(database.url), { username: owner, password: "owner" }).href;
  const { settings } = migrationsIn();
  // As graphile-migrate does, before the first one.
  await onServer(url, "create schema graphile_migrate create table migrations (hash text, filename text)");
  for (const { body } of await readCommitted(projectMigrations)) {
    // Each has a session of its own: PostgreSQL loads the library of an extension when a session first uses it.
    await onServer(url, fillPlaceholders(body, settings, url));
  }
  const fixtures = globSync("fixtures/**/*.sql", { cwd: projectMigrations });
  const texts = fixtures.map((file) => fillPlaceholders(readFileSync(join(projectMigrations, file), "utf8"), settings));
  expect(texts.length).toBeGreaterThan(50);
  await expect(onServer(url, texts.join("\n"))).resolves.toBeUndefined();
  await database.empty();
  await onServer(process.env.TEST_SERVER_URL as string, `drop owned by ${owner}; drop role ${owner}`);
});

test("a database of the fifty migrations that the present ones replace is refused with the way over", async () => {
  await migrateAs("new");
  await database.query(
    "set session_replication_role = replica; update graphile_migrate.migrations set hash = 'sha1:ee1347aaa109a09977fc58c8a4c347dd7ac39ec2' where filename = '000001.sql'",
  );
  await expect(migrateAs("new")).rejects.toThrow(
    /^This database was made by the fifty migrations .* npm run export .* npm run import/,
  );
});

test("an older version of the service starts on a newer database", async () => {
  await migrateAs("old");
  await database.query("insert into graphile_migrate.migrations (hash, filename) values ('sha1:later', '999999.sql')");
  await expect(migrateAs("old")).resolves.toEqual([]);
});

test("today's migration may have an apostrophe between dollar quotes", async () => {
  await migrate(database.url, folder.path);
  const part = join(folder.path, "current", "990-notes.sql");
  await writeFile(
    part,
    "create table app_private.notes (id int);\ncomment on table app_private.notes is $$A reader's notes.$$;\n",
  );
  expect(await hasCurrent(folder.path)).toBe(true);
  await migrateCurrent(database.url, folder.path);
  expect(await exists("app_private.notes")).toBe(true);
  // Unchanged, it does not run again.
  await migrateCurrent(database.url, folder.path);
});

test("an include that is missing is refused by name, without a stack trace", async () => {
  const part = join(folder.path, "current", "991-missing.sql");
  await writeFile(part, "--!include functions/nowhere.sql\n");
  await expect(hasCurrent(folder.path)).rejects.toThrow(
    expect.objectContaining({ name: "OperatorError", message: expect.stringContaining("functions/nowhere.sql") }),
  );
  await rm(part);
});
