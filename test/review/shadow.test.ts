import { randomUUID } from "node:crypto";
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import type { Context } from "graphile-migrate-review";
import { calculateHash } from "../../packages/migration-review/migrations/graphileMigrate.ts";
import { resetShadow, withShadow } from "../../packages/migration-review/shadow.ts";
import { project as served } from "../../src/commands/project.ts";
import { migrationsIn, projectMigrations } from "../../src/database/migrations.ts";
import { createOwner, databaseUrl, onServer } from "../support/template.ts";

/* The shadow database is a clone of its template, as long as nothing has changed that its content follows from. */
const serverUrl = process.env.TEST_SERVER_URL as string;
const id = randomUUID().replaceAll("-", "");
const [shadow, template] = [`test_${id}_shadow`, `test_${id}_shadow_template`];
const ownerUrl = Object.assign(new URL(serverUrl), { username: `owner_${id}`, password: "owner" }).href;
const [shadowUrl, templateUrl] = [databaseUrl(ownerUrl, shadow), databaseUrl(ownerUrl, template)];
let folder: string;

const one = "create table one ();";
const grant = "do $$ begin execute format('grant temporary on database %I to api_member', current_database()); end $$;";

beforeAll(() => createOwner(serverUrl, `owner_${id}`));
afterAll(() => onServer(serverUrl, `drop owned by owner_${id}; drop role owner_${id}`));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "content-service-shadow-"));
  await cp(join(projectMigrations, "hooks"), join(folder, "hooks"), { recursive: true });
  await commit(one, grant);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  for (const name of [shadow, template]) await onServer(serverUrl, `drop database if exists ${name}`);
});

/** Writes the committed migrations: these and no other ones. */
async function commit(...migrations: string[]): Promise<void> {
  await rm(join(folder, "committed"), { recursive: true, force: true });
  await mkdir(join(folder, "committed"));
  let previous: string | null = null;
  for (const [index, sql] of migrations.entries()) {
    const hash: string = calculateHash(`${sql}\n`, previous);
    const file = join(folder, "committed", `${String(index + 1).padStart(6, "0")}.sql`);
    await writeFile(file, `--! Previous: ${previous ?? "-"}\n--! Hash: ${hash}\n\n${sql}\n`);
    previous = hash;
  }
}

function select(url: string, sql: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query({ text: sql, rowMode: "array" })).rows.flat());
}

const tables =
  "select relname::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1";

/** Resets the shadow database. @returns its tables */
async function reset(keep = false): Promise<unknown[]> {
  await resetShadow(shadowUrl, { migrations: migrationsIn(folder), project: served }, keep);
  return select(shadowUrl, tables);
}

/** Gives the template a table that no migration creates. */
const mark = () => onServer(templateUrl, "create table marked ()");

test("it is cloned, with the rights on the database and its comment", async () => {
  expect(await reset()).toEqual(["one"]);
  await mark();
  expect(await reset()).toEqual(["marked", "one"]);
  const rights = (name: string) => select(serverUrl, `select datacl::text from pg_database where datname = '${name}'`);
  expect(await rights(shadow)).toEqual(await rights(template));
  expect(await rights(shadow)).toEqual([expect.stringContaining("api_member=T/")]);
  expect(
    await select(
      serverUrl,
      `select shobj_description(oid, 'pg_database') from pg_database where datname = '${shadow}'`,
    ),
  ).toEqual(["The shadow database of graphile-migrate-review. Its commands drop and rebuild it."]);
});

test("further migrations run on the clone, and become part of the template when they are to be kept", async () => {
  await reset();
  await mark();
  await commit(one, grant, "create table two ();");
  expect(await reset()).toEqual(["marked", "one", "two"]);
  expect(await select(templateUrl, tables)).toEqual(["marked", "one"]);
  expect(await reset(true)).toEqual(["marked", "one", "two"]);
  expect(await select(templateUrl, tables)).toEqual(["marked", "one", "two"]);
});

test.each<[string, () => Promise<void>]>([
  ["another migration of the same number", () => commit("create table one (id int);")],
  ["a migration less", () => commit(one)],
  ["an edited hook", () => writeFile(join(folder, "hooks/tell_services.sql"), "notify schema_changed, 'edited';")],
  ["an owner with other rights", () => onServer(serverUrl, `alter role owner_${id} createrole`)],
])("%s: all migrations run", async (_title, change) => {
  await reset();
  await mark();
  await change();
  expect(await reset()).toEqual(["one"]);
});

test("a committed file that was edited is refused", async () => {
  await reset();
  await appendFile(join(folder, "committed/000002.sql"), "select 1;\n");
  await expect(reset()).rejects.toThrow("committed/000002.sql has been changed after it was committed");
});

test("a database with settings, which a clone would not have, is migrated each time", async () => {
  await commit("do $$ begin execute format('alter database %I set work_mem = %L', current_database(), '8MB'); end $$;");
  for (const attempt of [1, 2]) {
    await reset();
    expect([attempt, ...(await select(shadowUrl, "show work_mem"))]).toEqual([attempt, "8MB"]);
  }
});

test("a clone whose command was killed is dropped; a template with the content of others is not", async () => {
  await reset();
  await onServer(ownerUrl, `comment on database ${shadow} is null`);
  expect(await reset()).toEqual(["one"]);
  await onServer(ownerUrl, `drop database ${template}`);
  await onServer(ownerUrl, `create database ${template}`);
  await mark();
  await expect(reset()).rejects.toThrow(`the database ${template} has content and is not marked`);
  expect(await select(templateUrl, tables)).toEqual(["marked"]);
});

test("commands that use the same shadow database take turns", async () => {
  const waiting = Promise.withResolvers<string>();
  const context = { databases: { shadowUrl }, output: { error: waiting.resolve } } as unknown as Context;
  let second: Promise<unknown> | undefined;
  await withShadow(context, async () => {
    second = withShadow(context, () => reset());
    expect(await waiting.promise).toBe("Waiting for another command to finish with the shadow database.");
    expect(await reset()).toEqual(["one"]);
  });
  expect(await second).toEqual(["one"]);
});
