import { randomUUID } from "node:crypto";
import pg from "pg";
import { roles } from "../../src/database/roles.ts";
import { useDatabase } from "../support/database.ts";
import { onServer } from "../support/template.ts";

/*
 * A login that may create temporary objects makes types of PostgreSQL's names, whose checks call a function of its own. Functions of the
 * service that look up types there would run it with the owner's rights.
 */
const database = useDatabase();
let mallory: pg.Client;
const login = `mallory_${randomUUID().replaceAll("-", "")}`;
const password = randomUUID();

const traps = ["date", "text", "timestamptz", "jsonb", "bytea", "name", "regclass", "regtype", "uuid"];

beforeAll(async () => {
  await database.query(`create role ${login} with login password '${password}'`);
  database.ends.defer(() => onServer(database.ownerUrl, `drop owned by ${login}; drop role ${login}`));
  await database.query("select app_private.admit_analyst($1)", [login]);
  const name = new URL(database.ownerUrl).pathname.slice(1);
  await database.query(`grant temporary on database ${pg.escapeIdentifier(name)} to ${login}`);
  await database.query(`grant ${roles.anonymous}, ${roles.member} to ${login}`);

  mallory = new pg.Client({
    connectionString: Object.assign(new URL(database.ownerUrl), { username: login, password }).href,
  });
  await mallory.connect();
  database.ends.defer(() => mallory.end());
  await mallory.query("set default_transaction_read_only = off");
  await mallory.query(`
    create temporary table runs_as (role pg_catalog.name);
    grant select, insert on runs_as to public;
    create function pg_temp.note() returns boolean language plpgsql as $$
    begin
      insert into pg_temp.runs_as values (current_user);
      return true;
    end $$;
    ${traps.map((type) => `create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.note())`).join(";")}`);
});
beforeEach(() => mallory.query("delete from pg_temp.runs_as"));

/** The roles with whose rights the login's function has run, besides those that the login has. */
async function gained(): Promise<string[]> {
  const { rows } = await mallory.query<{ role: string }>(
    "select distinct role from pg_temp.runs_as where role <> all ($1)",
    [[login, roles.member]],
  );
  return rows.map(({ role }) => role);
}

test("the trap works for the login itself", async () => {
  await mallory.query("select '2026-01-01'::pg_temp.date");
  expect((await mallory.query("select role from pg_temp.runs_as")).rows).toEqual([{ role: login }]);
});

test("no analysts' view runs the function of a temporary type as the owner", async () => {
  const views = await database.query<{ name: string }>(
    "select format('analytics.%I', viewname) as name from pg_catalog.pg_views where schemaname = 'analytics'",
  );
  expect(views.length).toBeGreaterThan(15);
  for (const { name } of views) await mallory.query(`select * from ${name}`);
  expect(await gained()).toEqual([]);
});

const createPost =
  "app_public.create_post(row ('Title', 'Text.', '{a,b}', null, 'PUBLISHED', null)::app_public.create_post_input)";

test.each([
  ["create_user", "select app_public.create_user('Eve', 'eve@example.com', 'a long password')"],
  ["request_password_reset", "select app_public.request_password_reset('eve@example.com')"],
  ["search", "select app_public.search('post')"],
  ["posts_count", "select app_public.posts_count()"],
  ["create_post", `select ${createPost}`],
  ["create_comment", `select app_public.create_comment(((${createPost}).id, 'Text.', null))`],
  ["follow_user", "select app_public.follow_user(1)"],
])("%s does not run the function of a temporary type as the owner", async (_, call) => {
  await mallory.query(`begin; set local role ${roles.member}; set local app.viewer_id = '2'`);
  try {
    await mallory.query(call);
    expect(await gained()).toEqual([]);
  } finally {
    await mallory.query("rollback");
  }
});
