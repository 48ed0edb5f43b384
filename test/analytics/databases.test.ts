import { rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../../src/database/migrations.ts";
import type { EmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { databaseUrl, onServer } from "../support/template.ts";

/* Two databases of this service on one server, of this file's own: the role analyst belongs to the whole server. */
const directory = temporaryDirectory("databases");
const closed = /permission denied for database "/;
let server: EmbeddedPostgres;

const urlOf = (database: string) => `postgres://owner:owned@127.0.0.1:${server.port}/${database}`;
const janeAt = (database: string) => `postgres://jane:janes@127.0.0.1:${server.port}/${database}`;
const asJane = (database: string) => onServer(janeAt(database), "select from analytics.totals_by_day");

async function migrateOne(): Promise<void> {
  await onServer(server.url, "create database one owner owner");
  await ensureRoles(urlOf("one"));
  await migrate(urlOf("one"));
  await migrateCurrent(urlOf("one"));
}

/** A clone has none of the rights on its original: the function that the migrations call closes it as they do. */
async function clone(database: string): Promise<void> {
  await onServer(server.url, `create database ${database} template one owner owner`);
  await onServer(urlOf(database), "select app_private.revoke_default_rights()");
}

/** The rights that the migrations of the previous release left. */
const reopen = (database: string) =>
  onServer(urlOf(database), `grant connect on database ${database} to public, analyst`);

/** @returns the warning */
async function admit(database: string, login: string): Promise<string> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  const warnings: string[] = [];
  client.on("notice", ({ message = "" }) => warnings.push(message));
  await client.connect();
  await client.query("select app_private.admit_analyst($1)", [login]);
  await client.end();
  return warnings.filter((message) => message.includes("may also connect")).join();
}

beforeAll(async () => {
  server = await startThrowAwayPostgres(join(directory, "postgres"));
  await onServer(server.url, "create role owner login createrole password 'owned'");
  await migrateOne();
  await clone("two");
  await onServer(urlOf("one"), "create role jane login password 'janes'");
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

test("an analyst of one database cannot connect to the other, nor to one that is created later", async () => {
  expect(await admit("one", "jane")).toBe("");
  await asJane("one");
  await expect(asJane("two")).rejects.toThrow(closed);
  await clone("three");
  await expect(asJane("three")).rejects.toThrow(closed);
});

test("a database of the previous release is named when somebody is admitted, and closed by close_database()", async () => {
  await reopen("two");
  await asJane("two");
  expect(await admit("one", "jane")).toBe("jane may also connect to: two");
  await onServer(urlOf("two"), "select app_private.revoke_default_rights()");
  await expect(asJane("two")).rejects.toThrow(closed);
  expect(await admit("one", "jane")).toBe("");
});

test("admitting somebody to the other opens it for nobody else", async () => {
  await onServer(urlOf("two"), "create role john login password 'johns'");
  await admit("two", "john");
  await onServer(janeAt("two").replace("jane:janes", "john:johns"), "select from analytics.totals_by_day");
  await expect(asJane("two")).rejects.toThrow(closed);
  await expect(
    onServer(databaseUrl(janeAt("one").replace("jane:janes", "john:johns"), "one"), "select"),
  ).rejects.toThrow(closed);
});

test("a login for monitoring and the API's logins connect to both", async () => {
  await onServer(server.url, "create role monitor login password 'm' in role pg_monitor");
  await onServer(server.url, "create role web login password 'w' in role api_login");
  for (const database of ["one", "two"]) {
    for (const login of ["monitor:m", "web:w"]) {
      await onServer(`postgres://${login}@127.0.0.1:${server.port}/${database}`, "select");
    }
    await onServer(await ensureRoles(urlOf(database)), "select");
  }
});
