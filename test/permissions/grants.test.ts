import { markdownTable } from "@content-service/support/markdownTable.ts";
import pg from "pg";
import { useDatabase } from "../support/database.ts";
import { grantedLines, schemas } from "./grantedLines.ts";
import { actsBelow, permissions } from "./ways.ts";

/* The grants of the API's roles are exactly those in migrations/permissions.md. */
const database = useDatabase();

test("the acts and grants of the page are read", () => {
  expect(actsBelow("## Reading").length).toBeGreaterThan(20);
  expect(actsBelow("## Writing").length).toBeGreaterThan(40);
  expect(markdownTable(permissions, "## Grants").length).toBeGreaterThan(50);
});

test("the roles have the grants of migrations/permissions.md, and no others", async () => {
  const listed = markdownTable(permissions, "## Grants").map((cells) => `| ${cells.join(" | ")} |`);
  // Each difference is a line of the page: + is missing there, - is to be removed.
  expect((await grantedLines(database)).sort()).toEqual(listed.sort());
});

test("every table and function that the API's roles may use has an act", async () => {
  const acts = [...actsBelow("## Reading"), ...actsBelow("## Writing")].map(({ sql }) => sql).join("\n");
  const used = markdownTable(permissions, "## Grants").flatMap(
    ([object = ""]) => /^app_public\.\w+/.exec(object) ?? [],
  );
  expect([...new Set(used)].filter((name) => !new RegExp(`${name}\\b`).test(acts))).toEqual([]);
});

test.each(["api_anonymous", "api_member"])(
  "%s has access to the schemas app_hidden, app_public and conventions only",
  async (role) => {
    const entered = await database.query(
      `select nspname from pg_namespace where nspname ${schemas} and has_schema_privilege($1, oid, 'USAGE')
      order by nspname`,
      [role],
    );
    expect(entered).toEqual([{ nspname: "app_hidden" }, { nspname: "app_public" }, { nspname: "conventions" }]);
  },
);

test.each([
  "set role postgres",
  "set role analyst",
  "set session authorization postgres",
  "alter role api_login superuser",
  "grant analyst to api_login",
  "create schema mine",
  "create table app_public.mine ()",
  "create table public.mine ()",
  "create function app_hidden.viewer_id() returns bigint return 3",
  "alter table app_public.posts disable row level security",
  "create policy mine on app_public.posts using (true)",
  "set session_replication_role = replica",
  "copy (select 1) to program 'true'",
  "select pg_read_file('PG_VERSION')",
  "select * from app_public.users",
  "select * from pg_catalog.pg_authid",
])("the login’s password is not enough for: %s", async (statement) => {
  const login = new pg.Client({ connectionString: database.apiUrl });
  await login.connect();
  try {
    await expect(login.query(statement)).rejects.toMatchObject({ code: "42501" });
    await login.query("begin; set local role api_member");
    await expect(login.query(statement.replace("app_public.users", "app_private.accounts"))).rejects.toMatchObject({
      code: "42501",
    });
  } finally {
    await login.end();
  }
});

test("the login is a member of the API’s two roles only", async () => {
  const roles = await database.query<{ rolname: string }>(
    "select rolname from pg_roles where pg_has_role('api_login', oid, 'MEMBER') order by rolname",
  );
  expect(roles.map(({ rolname }) => rolname)).toEqual(["api_anonymous", "api_login", "api_member"]);
});
