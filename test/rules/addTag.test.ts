import { useDatabase } from "../support/database.ts";

const database = useDatabase();

beforeAll(() =>
  database.query(`
    create table app_public.notes (id int primary key, heading text);
    comment on table app_public.notes is E'@name remarks\\n@listOrder A: id\\nNotes.';
    create view app_public.short_notes as select id from app_public.notes;
    create function app_public.shout(word text) returns text language sql immutable as 'select upper(word)'`),
);

const comments = async () =>
  (
    await database.query<Record<string, string>>(`
      select obj_description('app_public.notes'::regclass) as "table", col_description('app_public.notes'::regclass, 2) as "column",
        obj_description('app_public.short_notes'::regclass) as "view", obj_description('app_public.shout(text)'::regprocedure) as "function",
        (select obj_description(oid, 'pg_constraint') from pg_constraint where conname = 'notes_pkey') as "constraint"`)
  )[0] ?? {};

test("adds one tag to what has none, and leaves the rest of a comment", async () => {
  await database.query(`
    comment on column app_public.notes.heading is 'It''s a "line".';
    select conventions.add_tag('app_public.notes', '@listOrder B: id desc');
    select conventions.add_tag('app_public.notes', '@name words', on_column => 'heading');
    select conventions.add_tag('app_public.notes', '@code TAKEN', on_constraint => 'notes_pkey');
    select conventions.add_tag('app_public.short_notes', '@primaryKey id');
    select conventions.add_function_tag('app_public.shout(text)', '@notNull')`);
  expect(await comments()).toEqual({
    table: "@name remarks\n@listOrder A: id\n@listOrder B: id desc\nNotes.",
    column: `@name words\nIt's a "line".`,
    view: "@primaryKey id",
    function: "@notNull",
    constraint: "@code TAKEN",
  });
});

test("replaces the tag of that name; of one that stands several times, the one with the same next word", async () => {
  await database.query(`
    select conventions.add_tag('app_public.notes', '@name posts');
    select conventions.add_tag('app_public.notes', '@listOrder A: id desc');
    select conventions.add_tag('app_public.notes', '@listOrder A: id desc')`);
  expect((await comments())["table"]).toBe("@name posts\n@listOrder A: id desc\n@listOrder B: id desc\nNotes.");
});

test.each([
  ["a line without a tag", "select conventions.add_tag('app_public.notes', 'name x')", /A tag is one line/],
  ["two lines", "select conventions.add_tag('app_public.notes', E'@name x\\n@y')", /A tag is one line/],
  [
    "a column that is not there",
    "select conventions.add_tag('app_public.notes', '@name x', on_column => 'y')",
    /column "y"/,
  ],
  [
    "a constraint that is not there",
    "select conventions.add_tag('app_public.notes', '@name x', on_constraint => 'y')",
    /constraint "y"/,
  ],
])("refuses %s", async (_, sql, message) => {
  await expect(database.query(sql)).rejects.toThrow(message);
});
