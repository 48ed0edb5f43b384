import { readdirSync } from "node:fs";
import { useProject } from "../support/project.ts";
import { onServer } from "../support/template.ts";

/* npm run db:drift: what somebody has changed by hand. */
const project = useProject({ isMigrated: true });
const byHand = (sql: string) => onServer(project.environment.DATABASE_URL as string, sql);

test("a database as its migrations make it has none", async () => {
  expect(await project.db("drift")).toMatchObject({
    status: 0,
    output: "The database is as its migrations make it.\n",
  });
});

test("each change by hand is named, and a new table by one line", async () => {
  await byHand(`
    create table app_private.notes_of_jane (id bigint primary key, text text);
    create index by_jane on app_public.posts (title);
    drop index app_public.posts_is_public_title_id_idx;
    alter table app_public.users alter column bio set default 'None yet';
    alter policy select_public on app_public.posts using (true);
    grant select on app_private.accounts to public;
    select conventions.add_tag('app_public.posts', '@listOrder BY_JANE: title, id');
    alter type app_public.post_status add value 'ARCHIVED';
    create or replace function app_public.me() returns app_public.users language sql stable strict
      return (select users from app_public.users where users.id = 1);`);
  const { status, output } = await project.db("drift");
  expect(output.split("\n")).toEqual([
    "The column app_public.users.bio: it is default 'None yet'::text, and was without default.",
    "The enum app_public.post_status: it is 'DRAFT', 'PUBLISHED', 'SUBMITTED', 'TRASHED', 'ARCHIVED', and was 'DRAFT', 'PUBLISHED', 'SUBMITTED', 'TRASHED'.",
    "The function app_public.me(): it has another body; it is strict, and was called on null input.",
    "No migration makes the index app_public.by_jane on app_public.posts.",
    "The database lacks the index app_public.posts_is_public_title_id_idx on app_public.posts.",
    "The policy select_public on app_public.posts: it is using true, and was using is_public.",
    "The table app_private.accounts: public may select.",
    "No migration makes the table app_private.notes_of_jane.",
    "The table app_public.posts: its comment has the line “@listOrder BY_JANE: title, id”.",
    "",
  ]);
  expect(status).toBe(1);
});

test("a database that has not run every migration is named first", async () => {
  const newest = readdirSync(new URL("../../migrations/committed/", import.meta.url))
    .toSorted()
    .at(-1);
  await byHand(`delete from graphile_migrate.migrations where filename like '${newest?.slice(0, 6)}%'`);
  const { status, output } = await project.db("drift");
  expect(output).toBe(`The database has not run ${newest}: npm run db:migrate. Then look again.\n`);
  expect(status).toBe(1);
});
