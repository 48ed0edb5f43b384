import { loadModule } from "libpg-query";
import { lintLocks } from "../../packages/migration-review/check/lintLocks.ts";
import { lintStatements } from "../../packages/migration-review/check/lintStatements.ts";
import { locate, readStatements, type SqlStatement } from "../../packages/migration-review/check/statements.ts";

/* What the review reads in the text of a migration: statements that lose rows or change rights, each with its own line. */
beforeAll(() => loadModule());

function statements(sql: string, file = "part.sql"): SqlStatement[] {
  return readStatements(sql.split("\n").map((text, i) => ({ file, line: i + 1, text })));
}

const earlier = `
  create table app.a (id int, b int);
  create policy p on app.a using (true);
  create function app.f() returns int return 1;`;

function findings(sql: string): string[] {
  return lintStatements(statements(sql), statements(earlier)).map(({ level, name }) => `${level} ${name}`);
}

describe.each<{ sql: string; expected: string[] }>`
  sql                                                                                                                 | expected
  ${"truncate app.a"}                                                                                                 | ${["refused truncate"]}
  ${"delete from app.a"}                                                                                              | ${["refused delete-all-rows"]}
  ${"delete from app.a where true"}                                                                                   | ${["refused delete-all-rows"]}
  ${"delete from app.a where id = 1"}                                                                                 | ${[]}
  ${"with x as (delete from app.a returning *) select * from x"}                                                      | ${["refused delete-all-rows"]}
  ${"update app.a set b = 1"}                                                                                         | ${["dangerous update-all-rows"]}
  ${"update app.a set b = 1 where b is null"}                                                                         | ${[]}
  ${"insert into app.a values (1) on conflict (id) do update set b = 1"}                                              | ${[]}
  ${"drop policy p on app.a"}                                                                                         | ${["dangerous drop-policy"]}
  ${"drop policy if exists p on app.a; create policy p on app.a using (false)"}                                       | ${["dangerous drop-policy", "dangerous create-policy"]}
  ${"drop policy if exists new on app.a; create policy new on app.a using (true)"}                                    | ${["dangerous create-policy"]}
  ${"alter policy p on app.a using (false)"}                                                                          | ${["dangerous alter-policy"]}
  ${"create policy new on app.a using (true); alter policy new on app.a to x"}                                        | ${["dangerous create-policy"]}
  ${"create table app.new (id int); create policy new on app.new using (true)"}                                       | ${[]}
  ${"alter table app.a disable row level security"}                                                                   | ${["refused disable-row-level-security"]}
  ${"revoke select on app.a from x"}                                                                                  | ${["dangerous revoke"]}
  ${"revoke all on function app.f() from public"}                                                                     | ${["dangerous revoke"]}
  ${"revoke x from y"}                                                                                                | ${["dangerous revoke"]}
  ${"create function app.g() returns int return 1; revoke all on function app.g() from public"}                       | ${[]}
  ${"alter default privileges revoke all on tables from x"}                                                           | ${[]}
  ${"grant select on app.a to x"}                                                                                     | ${[]}
  ${"drop table app.a"}                                                                                               | ${["dangerous drop-table"]}
  ${"drop table if exists app.new; create table app.new (id int)"}                                                    | ${[]}
  ${"create table app.new (id int); truncate app.new; update app.new set id = 1"}                                     | ${[]}
  ${"alter table app.a drop column b"}                                                                                | ${["dangerous drop-column"]}
  ${"alter table app.a drop column if exists c; alter table app.a add c int"}                                         | ${[]}
  ${"alter table app.a alter b drop default"}                                                                         | ${["dangerous change-default"]}
  ${"alter table app.a alter b set default 2"}                                                                        | ${["dangerous change-default"]}
  ${"alter table app.a add c int; alter table app.a alter c set default 2"}                                           | ${[]}
  ${"alter table app.a add constraint k check (b < 9) not valid"}                                                     | ${["dangerous add-constraint"]}
  ${"alter table app.a add c int; alter table app.a add constraint k check (c < 9)"}                                  | ${[]}
  ${"alter table app.a add c int; alter table app.a add constraint k check (c is not null) not valid"}                | ${["dangerous add-constraint"]}
  ${"alter table app.a add c int; alter table app.a add foreign key (c) references app.a"}                            | ${[]}
  ${"alter table app.a add unique (b)"}                                                                               | ${["dangerous add-constraint"]}
  ${"alter table app.a drop constraint k"}                                                                            | ${["dangerous drop-constraint"]}
  ${"alter table app.a drop constraint if exists k; alter table app.a add constraint k check (b < 9)"}                | ${["dangerous drop-constraint", "dangerous add-constraint"]}
  ${"create trigger t before insert on app.a for each row execute function app.f()"}                                  | ${["dangerous create-trigger"]}
  ${"create table app.new (id int); create trigger t before insert on app.new for each row execute function app.f()"} | ${[]}
  ${"drop trigger t on app.a"}                                                                                        | ${["dangerous drop-trigger"]}
  ${"alter table app.a disable trigger user"}                                                                         | ${["dangerous drop-trigger"]}
  ${"do $$ begin truncate app.a; end $$"}                                                                             | ${["refused truncate"]}
  ${"do $$ begin if true then execute 'drop policy p on app.a'; end if; end $$"}                                      | ${["dangerous drop-policy"]}
  ${"do $$ begin execute format('truncate %I.%I', 'app', 'a'); end $$"}                                               | ${["refused truncate"]}
  ${"do $$ declare t text; begin execute 'truncate ' || t; end $$"}                                                   | ${["refused truncate"]}
  ${"do $$ declare t text; begin execute t; end $$"}                                                                  | ${["dangerous unreadable-sql"]}
  ${"do $$ begin perform app.f(); update app.a set b = 1 where id = 1; end $$"}                                       | ${[]}
  ${"create function app.g() returns void language plpgsql as $$ begin truncate app.a; end $$"}                       | ${[]}
`("$sql", ({ sql, expected }) => {
  test("has the expected findings", () => expect(findings(sql)).toEqual(expected));
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
  const places = [...lintStatements(change, []), ...lintLocks(change)].map(
    ({ name, location }) => `${name} ${location}`,
  );
  expect(places).toEqual([
    "truncate part.sql:10",
    "update-all-rows part.sql:15",
    "adding-required-field part.sql:16",
    "require-concurrent-index-creation part.sql:18",
  ]);
});

test.each<[string, string | undefined]>([
  ["App.subtitle", "part.sql:20"],
  ["app.b", "part.sql:3"],
  ["Mutation.truncate", "part.sql:10"],
  ["Nothing.atAll", undefined],
])("%s is found at %s, in the first statement that names it", (name, place) => {
  expect(locate(name, statements(text))).toBe(place);
});
