import { service } from "../../../src/dba/service.ts";
import { useProject } from "../../../test/support/project.ts";
import { measureLocks } from "../check/rows/measureLocks.ts";
import { readMigrationSql } from "../check/sql/migrationSql.ts";

/* npm run db:check -- --rows N: which locks the change holds, measured on a shadow database with rows. */
const project = useProject();
const part = "migrations/current/990-change.sql";

test("the locks of tables in use are reported with the statements that rewrite them; those of new tables are not", async () => {
  await project.write(
    "migrations/fixtures/functions/odd.sql",
    "-- An index, which PostgreSQL builds before anybody writes again.\ncreate index on app_public.posts (title);\n",
  );
  await project.write(
    part,
    `
alter table app_public.notifications alter column read_at type timestamptz(3);
--!include functions/odd.sql
create table app_public.notes (id bigint primary key);
grant select on app_public.notes to :API_MEMBER;
create index on app_public.notes (id);
`,
  );
  const { output } = await project.db("check", "--rows", "300");
  const held = (table: string, mode: string, place: string) =>
    expect(output).toMatch(
      new RegExp(`${table} is locked \\(${mode}\\) for \\d+ ms with 300 rows: .*wait\\.\n +Where: ${place}\n`),
    );
  held("app_public.notifications", "AccessExclusive", `${part}:2`);
  held("app_public.posts", "Share", `migrations/fixtures/functions/odd.sql:2, included by ${part}:3`);
  expect(output).toMatch(new RegExp(`Why: ${part}:2 takes \\d+ ms and rewrites app_public.notifications`));
  expect(output).not.toContain("app_public.notifications is locked (Share)");
  expect(output).not.toContain("notes is locked");
  // Every table of the sample content has been filled.
  const notFilled = /Not filled: .*/.exec(output)?.[0].match(/app_public\.\w+/g);
  expect(notFilled?.toSorted()).toEqual(["app_public.bans", "app_public.post_revisions", "app_public.reports"]);
});

test("a change that fails on the rows is reported as a danger, so that the review goes on", async () => {
  await project.write(
    part,
    `alter table app_public.posts add constraint posts_short_check check (char_length(content) < 10);
     comment on constraint posts_short_check on app_public.posts is 'Too long.';
--!include functions/odd.sql
`,
  );
  const shadowUrl = project.environment.SHADOW_DATABASE_URL as string;
  const sql = await readMigrationSql(project.directory, "HEAD");
  const findings = await measureLocks(shadowUrl, project.directory, "HEAD", sql, 10, service);
  expect(findings).toContainEqual(
    expect.objectContaining({
      severity: "dangerous",
      message: expect.stringMatching(/^Fails on the generated rows: check constraint "posts_short_check"/),
    }),
  );
  expect(findings.filter(({ severity }) => severity === "refused")).toEqual([]);
});

test("a number of rows is required", async () => {
  expect((await project.db("check", "--rows", "many")).output).toContain("--rows takes a number of rows");
});
