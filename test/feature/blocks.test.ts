import { readFileSync } from "node:fs";
import { withClient } from "@content-service/support/withClient.ts";
import type { ClientBase } from "pg";
import { useDatabase } from "../support/database.ts";

/* The statements of migrations/README.md that are no part of its walk, each as it stands, on the table that the page speaks of. */
const page = readFileSync(new URL("../../migrations/README.md", import.meta.url), "utf8");
const [, afterWalk = ""] = page.split("## Write migrations that can run again");
const blocks = [...afterWalk.matchAll(/```sql\n([^`]+)```/g)].map(([, sql = ""]) => sql);
/** A part of a function's body. */
const isFragment = (sql: string) => sql.startsWith("  ");
const database = useDatabase();

const notes = `create table app_public.notes (
    id bigint generated always as identity primary key, post_id bigint not null references app_public.posts, text text, unit text, words int,
    created_at timestamptz not null default now(), constraint notes_unit_check check (unit <> 'ell'));
  select conventions.apply_to('app_public.notes', '{}');
  insert into app_public.users (name) values ('Ada');
  insert into app_public.posts (author_id, title, content, status) select id, 'A title', 'Words.', 'PUBLISHED' from app_public.users;
  insert into app_public.notes (post_id, text, created_at)
    select (select min(id) from app_public.posts), 'two words', now() - days * interval '60 days' from generate_series(1, 3) as days`;

/** Runs statements on the notes, and forgets them. */
async function onNotes<Result>(sql: string, look: (client: ClientBase) => Promise<Result>): Promise<Result> {
  return withClient(database.ownerUrl, async (client) => {
    await client.query(`begin; ${notes}`);
    await client.query(sql.replaceAll(":API_ANONYMOUS", "api_anonymous").replaceAll(":API_MEMBER", "api_member"));
    return look(client);
  });
}

test("the page has its statements", () => {
  expect(blocks.length).toBeGreaterThan(12);
  expect(blocks.filter(isFragment)).toHaveLength(1);
});

test.each(blocks.filter((sql) => !isFragment(sql)))("%s", async (sql) => {
  const jobs = await onNotes(sql, async (client) => {
    const { rows } = await client.query<{ statement: string }>(
      "select statement from app_private.jobs where name in ('old_notes', 'note_words')",
    );
    for (const { statement } of rows) await client.query(statement, [100]);
    const { rows: left } = await client.query("select words from app_public.notes order by id");
    return rows.length > 0 ? left.map(({ words }) => words) : undefined;
  });
  expect(jobs).toEqual(sql.includes("old_notes") ? [null] : sql.includes("note_words") ? [2, 2, 2] : undefined);
});
