import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import type { Finding } from "../../packages/migration-review/check/finding.ts";
import { lintFunctions } from "../../packages/migration-review/check/functions/lintFunctions.ts";
import { project } from "../../src/commands/project.ts";
import { useDatabase } from "../support/database.ts";

/* The review finds the functions that do not fit their tables, on every branch, without a call. */
const database = useDatabase();
const fixtures = new URL("../../migrations/fixtures/functions/", import.meta.url);
const files = readdirSync(fixtures, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".sql"))
  .map((name) => ({
    file: `migrations/fixtures/functions/${name}`,
    text: readFileSync(new URL(name, fixtures), "utf8"),
  }));

/**
 * The findings after `sql`, which is rolled back. A session keeps the types of the functions that it has compiled, so each review has its own.
 *
 * @param found findings whose functions are checked, by default all functions
 */
async function review(sql: string, found?: Finding[]): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await client.query(`begin; ${sql}`);
    return await lintFunctions(client, project, files, () => true, found);
  } finally {
    await client.end();
  }
}

const refusedIn = (findings: Finding[]) =>
  findings.filter(({ severity }) => severity === "refused").map(({ message }) => message);

test("a renamed column: the finding names the function, the error, the line, and what to do", async () => {
  // A migration is followed by the last line (migrations/hooks).
  const findings = await review(`
    alter table app_public.posts rename content to body;
    alter table app_public.comments rename text to body;
    select conventions.renew_validators()`);
  expect(new Set(findings.filter(({ severity }) => severity === "refused").map(({ object }) => object))).toEqual(
    new Set([
      "analytics.engagement_of_posts",
      "app_hidden.preview_of",
      "app_hidden.tg_posts__find_words",
      "app_hidden.tg_posts__prepare",
      "app_hidden.trash_post",
      "app_hidden.words_of",
      "app_private.repair_derived_data",
      "app_private.views_of_hidden_posts",
      "app_public.posts_plain_text",
      "app_public.working_copies_content",
      "conventions.searched_texts",
    ]),
  );
  expect(findings).toContainEqual({
    rule: "broken-function",
    object: "app_hidden.trash_post",
    severity: "refused",
    message: 'app_hidden.trash_post(bigint) does not work: record "v_post" has no field "content" (42703).',
    location: `migrations/fixtures/functions/trash/trash_post.sql:${lineOf("trash/trash_post.sql", "insert into app_public.trashed_posts")}`,
    reason: "Each call that reaches this line fails.",
    advice: "Edit it, and include it in this migration: --!include functions/trash/trash_post.sql",
  });
  expect(findings).toContainEqual(
    expect.objectContaining({
      message:
        'app_hidden.tg_posts__prepare() does not work on app_public.posts: record "old" has no field "content" (42703).',
      location: `migrations/fixtures/functions/posts/tg_posts__prepare.sql:${lineOf("posts/tg_posts__prepare.sql", "if new.excerpt is null")}`,
    }),
  );
});

function lineOf(fixture: string, words: string): number {
  const text = readFileSync(new URL(fixture, fixtures), "utf8");
  return text.slice(0, text.indexOf(words)).split("\n").length;
}

describe("in one change", () => {
  let findings: Finding[];
  const messages = (words: string) => refusedIn(findings).filter((message) => message.includes(words));

  beforeAll(async () => {
    findings = await review(`
      alter table app_public.post_tags drop constraint post_tags_post_id_position_key;
      create function app_public.drafts() returns bigint language plpgsql as $$ begin
        return (select count(*) from app_public.posts where status = 'DRAFT');
      end $$;
      alter type app_public.post_status rename value 'DRAFT' to 'SKETCH';
      create function app_public.unseen() returns void language plpgsql as $$ begin execute 'truncate x'; end $$;
      create table app_public.shelves (id bigint primary key, label text);
      create table app_public.racks (id bigint primary key, title text);
      create function app_hidden.tg() returns trigger language plpgsql as $$ begin
        perform title from added;
        if tg_table_name = 'racks' then perform new.title; end if;
        return null;
      end $$;
      create trigger _500_one after insert on app_public.shelves referencing new table as added execute function app_hidden.tg();
      create trigger _500_one after insert on app_public.racks referencing new table as added execute function app_hidden.tg()`);
  });

  test("a dropped constraint that a function defers", () => {
    expect(messages("constraint")).toEqual([
      expect.stringContaining('does not work: constraint "post_tags_post_id_position_key" does not exist (42704).'),
    ]);
  });

  test("a renamed value of an enum that a function names", () => {
    expect(messages("app_public.drafts")).toEqual([
      expect.stringMatching(/^app_public\.drafts\(\) does not work: invalid input value for enum .*"DRAFT" \(22P02\)/),
    ]);
  });

  test("the functions that cannot be checked in full are named", () => {
    const unseen = findings.find(({ rule }) => rule === "unseen");
    // plpgsql_check sees into most of them.
    if (unseen)
      expect(unseen).toMatchObject({ severity: "safe", message: expect.stringContaining("app_public.unseen") });
  });

  test("a trigger's function is checked for each of its tables, with their transition tables", () => {
    expect(messages("app_hidden.tg(")).toEqual([
      'app_hidden.tg() does not work on app_public.shelves: column "title" does not exist (42703).',
    ]);
  });
});

const body = (declare: string, statements: string, result = "void") =>
  `create function app_public.f(num int, shelf app_public.shelves) returns ${result} language plpgsql as $$
   declare ${declare} begin ${statements} end $$`;
const sql = (text: string, result: string) =>
  `create function app_public.f() returns ${result} language sql stable as $$ ${text} $$`;
const atomic = (text: string, result: string) =>
  `create function app_public.f() returns ${result} language sql stable begin atomic ${text}; end`;

// The function's body, and the part of the error that names the cause; "" for none.
const rows = [
  ["sql", sql("select label from app_public.shelves", "setof text"), "label"],
  [
    "sql, its result",
    sql("select * from app_public.shelves", "table (id bigint, label text, size int)"),
    "return type mismatch",
  ],
  [
    "begin atomic, its result",
    atomic("select shelves.* from app_public.bins as shelves", "setof app_public.bins"),
    "return type mismatch",
  ],
  ["an insert", body("", "insert into app_public.shelves (label) values ('a');"), "label"],
  ["an update", body("", "update app_public.shelves set label = 'a';"), "label"],
  ["a delete", body("", "delete from app_public.shelves where label = 'a';"), "label"],
  [
    "a branch",
    body("", "if num > 3 then null; elsif num > 2 then perform label from app_public.shelves; end if;"),
    "label",
  ],
  [
    "a condition",
    body("", "while exists (select from app_public.shelves where label = '') loop null; end loop;"),
    "label",
  ],
  ["a case with a selector", body("", "case shelf.label when 'a' then null; else null; end case;"), "label"],
  ["the default of a variable", body("v text := (select max(label) from app_public.shelves);", "null;"), "label"],
  ["a cursor", body("c cursor for select label from app_public.shelves;", "open c;"), "label"],
  ["an assignment from a field", body("v text;", "v := shelf.label;"), "label"],
  ["an assignment to a field", body("v app_public.shelves;", "v.label := 'a';"), "label"],
  ["an argument with the function's name", body("", "perform f.shelf.label;"), "label"],
  [
    "a variable with its block's label",
    body("", "<<part>> declare v app_public.shelves; begin perform part.v.label; end;"),
    "label",
  ],
  [
    "a field of a loop's record",
    body("r record;", "for r in select * from app_public.shelves loop perform r.label; end loop;"),
    "label",
  ],
  [
    "a field of a selected record",
    body("r record;", "select * into r from app_public.shelves; perform r.label;"),
    "label",
  ],
  [
    "a variable that hides another",
    body("v text;", "v := 'a'; declare v app_public.shelves; begin perform v.label; end;"),
    "label",
  ],
  [
    "a handler of errors",
    body("", "begin null; exception when others then perform label from app_public.shelves; end;"),
    "label",
  ],
  ["a message", body("", "raise exception '%', shelf.label;"), "label"],
  ["return", body("", "return shelf.label;", "text"), "label"],
  ["return of a row", body("", "return (1::bigint, 'a');", "app_public.bins"), "bins"],
  [
    "return query",
    body("", "return query select id, label from app_public.bins;", "setof app_public.bins"),
    "structure of query",
  ],
  ["the type of a variable", body("v app_public.shelves.label%type;", "null;"), "(label|%)"],
  ["a type", body("", "perform 1 from app_public.shelves where size = num;"), "operator does not exist"],
  ["a table", body("", "perform 1 from app_public.racks;"), "racks"],
  ["a function that it calls", body("", "perform app_public.g(num);"), "app_public.g"],
  [
    "a temporary table of its own",
    body(
      "",
      "create temporary table t as select id from app_public.shelves; perform label from app_public.shelves, t;",
    ),
    "label",
  ],
  ["a temporary table of its own", body("", "create temporary table t (a text); insert into t values ('a');"), ""],
  [
    "a table that a handler says may be missing",
    body("", "begin perform 1 from nowhere; exception when undefined_table then null; end;"),
    "",
  ],
  ["a record that fits any row", body("r record;", "r := shelf; return r;", "app_public.shelves"), ""],
  ["arguments by number", body("", "perform $1, $2.id; return;"), ""],
  [
    "a polymorphic argument",
    "create function app_public.f(a anyelement, variadic b anyarray) returns anyelement language plpgsql as $$ begin return a; end $$",
    "",
  ],
  [
    "output arguments",
    "create function app_public.f(out a int, inout b text) language plpgsql as $$ begin a := 1; b := a; end $$",
    "",
  ],
  [
    "a procedure",
    "create procedure app_public.f(inout b text) language plpgsql as $$ begin b := 1; commit; end $$",
    "",
  ],
  [
    "a result table",
    "create function app_public.f() returns table (a int) language plpgsql as $$ begin a := 1; return next; return query select 1; end $$",
    "",
  ],
  ["a refusal of the domain's own", body("", "perform app_hidden.refuse_unauthorized();"), ""],
  [
    "a name from its search_path",
    "create function app_public.f() returns void language plpgsql set search_path = app_public as $$ begin perform 1 from shelves; end $$",
    "",
  ],
  [
    "an ambiguous name that an option settles",
    "create function app_public.f(size int) returns void language plpgsql as $$ #variable_conflict use_column\nbegin perform size from app_public.shelves; end $$",
    "",
  ],
].map(([what = "", created = "", error = ""], i) => ({
  what,
  created: created.replace(/\bf\b/g, `f${i}`),
  name: `f${i}`,
  error,
  outcome: error === "" ? "is accepted" : "that does not fit is refused",
}));

describe("after a change of the tables", () => {
  let before: Finding[];
  let after: Finding[];

  beforeAll(async () => {
    await database.query(`
      create table app_public.shelves (id bigint primary key, label text, size int);
      create table app_public.bins (id bigint primary key, label text);
      create table app_public.racks (id bigint primary key);
      create function app_public.g(a int) returns int language sql return a;
      ${rows.map(({ created }) => created).join(";")}`);
    before = await review("select 1");
    await database.query(`
      alter table app_public.shelves drop column label;
      alter table app_public.shelves alter column size type text;
      alter table app_public.bins add column width int;
      drop table app_public.racks;
      drop function app_public.g`);
    const own = rows.map(({ name }) => ({ object: `app_public.${name}` }) as Finding);
    after = await review("select 1", own);
  });

  test("before it, those of this checkout and those below work", () => {
    expect(refusedIn(before)).toEqual([]);
  });

  test.each(rows)("$what $outcome", ({ name, error }) => {
    expect(refusedIn(after.filter(({ object }) => object === `app_public.${name}`))).toEqual(
      error === ""
        ? []
        : [expect.stringMatching(new RegExp(`^app_public\\.${name}\\(.*\\) does not work: .*${error}`))],
    );
  });
});
