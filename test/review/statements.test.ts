import { loadModule } from "libpg-query";
import { locate, readStatements, type SqlStatement } from "../../packages/migration-review/check/sql/statements.ts";
import { lintLocks } from "../../packages/migration-review/check/statements/lintLocks.ts";
import { lintStatements } from "../../packages/migration-review/check/statements/lintStatements.ts";

/* What the review reads in the text of a migration: statements that lose rows or change rights, each with its own line. */
beforeAll(() => loadModule());

function statements(sql: string): SqlStatement[] {
  return readStatements(sql.split("\n").map((text, i) => ({ text, place: `part.sql:${i + 1}` })));
}

/** The findings on a database that has the table app.a with the column b. */
function findings(sql: string): string[] {
  const found = lintStatements(
    statements(sql),
    (table) => table === "app.a",
    (column) => (column === "app.a.b" ? "text" : undefined),
  );
  return found.map(({ severity, rule }) => `${severity} ${rule}`);
}

describe.each<{ sql: string; expected: string[] }>`
  sql                                                                                              | expected
  ${"truncate app.a"}                                                                              | ${["refused truncate"]}
  ${"delete from app.a"}                                                                           | ${["refused delete-all-rows"]}
  ${"delete from app.a where true"}                                                                | ${["refused delete-all-rows"]}
  ${"delete from app.a where id = 1"}                                                              | ${[]}
  ${"with x as (delete from app.a returning *) select * from x"}                                   | ${["refused delete-all-rows"]}
  ${"update app.a set b = 1"}                                                                      | ${["dangerous update-all-rows"]}
  ${"update app.a set b = 1 where b is null"}                                                      | ${[]}
  ${"insert into app.a values (1) on conflict (id) do update set b = 1"}                           | ${[]}
  ${"revoke x from y"}                                                                             | ${["dangerous revoke"]}
  ${"alter default privileges revoke all on tables from x"}                                        | ${[]}
  ${"revoke usage on schema app from x"}                                                           | ${["dangerous revoke"]}
  ${"grant select on app.a to x"}                                                                  | ${[]}
  ${"create table app.new (id int); truncate app.new; update app.new set id = 1"}                  | ${[]}
  ${"drop table if exists app.a; create table app.a (id int); truncate app.a"}                     | ${["refused truncate"]}
  ${"alter table app.a add column if not exists b int, add column if not exists c int, add b int"} | ${["dangerous column-exists"]}
  ${"do $$ begin truncate app.a; end $$"}                                                          | ${["refused truncate"]}
  ${"do $$ begin if true then execute 'delete from app.a'; end if; end $$"}                        | ${["refused delete-all-rows"]}
  ${"do $$ begin execute format('truncate %I.%I', 'app', 'a'); end $$"}                            | ${["refused truncate"]}
  ${"do $$ declare t text; begin execute 'truncate ' || t; end $$"}                                | ${["refused truncate"]}
  ${"do $$ declare t text; begin execute t; end $$"}                                               | ${["dangerous unreadable-sql"]}
  ${"do $$ begin perform app.f(); update app.a set b = 1 where id = 1; end $$"}                    | ${[]}
  ${"create function app.g() returns void language plpgsql as $$ begin truncate app.a; end $$"}    | ${[]}
`("$sql", ({ sql, expected }) => {
  test("has the expected findings", () => expect(findings(sql)).toEqual(expected));
});

test("an empty migration has no statement", () => {
  expect(["", "\n", "-- Nothing.", "--! split: 1-current.sql\n"].flatMap(statements)).toEqual([]);
});

const text = `-- Übung: truncate app.a;
/* two
   lines */ create table app.b (
  id int primary key,
  "Title" text
);
comment on table app.b is $$Not; a
truncate app.a;$$;

truncate
  app.a;
do $do$
begin
  -- é
  if true then update app.a set b = 1; end if;
  execute
    'alter table app.a add column weight int not null';
end $do$; create index on app.a (b);
alter table app.a
  add column subtitle text;
`;

test("findings have the line of their own statement", () => {
  const change = statements(text);
  const places = [
    ...lintStatements(
      change,
      () => false,
      () => undefined,
    ),
    ...lintLocks(change, []),
  ].map(({ rule, location }) => `${rule} ${location}`);
  expect(places).toEqual([
    "truncate part.sql:10",
    "update-all-rows part.sql:15",
    "adding-required-field part.sql:16",
    "require-concurrent-index-creation part.sql:18",
  ]);
});

test("a table that is rewritten is refused, at the statement that does it", () => {
  const change = statements("alter table app.b add a int;\nalter table app.b alter column a type bigint;\nselect 1;");
  const found = lintLocks(change, ["app.b", "app.c"]).map(({ rule, object, severity, location }) => [
    rule,
    object,
    severity,
    location,
  ]);
  expect(found).toEqual([
    ["rewrite", "app.b", "refused", "part.sql:2"],
    ["rewrite", "app.c", "refused", undefined],
  ]);
  expect(lintLocks(change, [])).toEqual([]);
});

test("an index that goes is what the finding is about, so that it alone can be allowed", () => {
  const change = statements("drop index if exists app.a_b_idx;\nalter index app.c rename to d;");
  expect(lintLocks(change, []).map(({ rule, object }) => `${rule}:${object}`)).toEqual([
    "require-concurrent-index-deletion:app.a_b_idx",
  ]);
});

test.each<[string, string | undefined]>([
  ["App.subtitle", "part.sql:20"],
  ["app.b", "part.sql:3"],
  ["Mutation.truncate", "part.sql:10"],
  ["Nothing.atAll", undefined],
])("%s is found at %s, in the first statement that names it", (name, place) => {
  expect(locate(name, statements(text), ["app"])).toBe(place);
});

test.each<[string, string | undefined]>([
  ['app."dOCS"', "part.sql:3"],
  ["app.größe", "part.sql:4"],
  ['app."🙂"', "part.sql:5"],
  ['app."a b".c', "part.sql:7"],
  ["app.docs", "part.sql:6"],
])("%s is found at %s: names in quotes, in all letters, and before a view that reads them", (name, place) => {
  const change = statements(
    `create view app.papers as
  select * from app.docs;
create table app."dOCS" (id int);
create table app."größe" (id int);
create table app."🙂" (id int);
create table app.docs (id int);
create table app."a b" (b int, c int);`,
  );
  expect(locate(name, change, ["app"])).toBe(place);
});
