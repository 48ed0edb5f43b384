import { rm } from "node:fs/promises";
import { join } from "node:path";
import { printFindings } from "../../packages/migration-review/check/report.ts";
import { measureLocks } from "../../packages/migration-review/check/rows/measureLocks.ts";
import { openBase } from "../../packages/migration-review/check/sql/git.ts";
import { readMigrationSql } from "../../packages/migration-review/check/sql/migrationSql.ts";
import { project as reviewed } from "../../src/commands/project.ts";
import { migrationsIn } from "../../src/database/migrations.ts";
import type { Ended } from "../../tools/support/runCommand.ts";
import { useProject } from "../support/project.ts";

/* npm run db:check, as a DBA runs it: the findings for a change in migrations/current, and for one committed since. */
const project = useProject();
const part = "migrations/current/990-change.sql";

afterEach(() => project.write(part, ""));

async function review(sql: string, ...args: string[]) {
  await project.write(part, sql);
  return project.db("check", ...args);
}

/** The number of the first line that begins with these words. */
const lineOf = (words: string, sql: string) => sql.split("\n").findIndex((line) => line.startsWith(words)) + 1;

describe("the locks on generated rows", () => {
  const fixture = "migrations/fixtures/functions/odd.sql";
  let output: string;
  beforeAll(async () => {
    await project.write(
      fixture,
      "-- An index, which PostgreSQL builds before anybody writes again.\ncreate index on app_public.posts (title);\n",
    );
    await project.write(
      part,
      `
alter table app_public.notifications alter column read_at type timestamptz(3);
--!include functions/odd.sql
create table app_public.notes (id bigint primary key);
create index on app_public.notes (id);
`,
    );
    const shadowUrl = project.environment.SHADOW_DATABASE_URL as string;
    const migrations = migrationsIn(join(project.directory, "migrations"));
    const base = openBase(project.directory, undefined);
    const { migrations: lines } = await readMigrationSql(migrations, base);
    // A later migration, which fails.
    lines.push([{ text: "alter table app_public.chats add column weight int not null;", place: `${part}:9` }]);
    const context = { migrations, project: reviewed };
    output = printFindings("Locks", await measureLocks(shadowUrl, context, base, { migrations: lines }, 300));
    await rm(join(project.directory, fixture));
  });

  test("those of tables in use are reported with the statements that rewrite them; those of new tables are not", () => {
    const held = (table: string, mode: string, place: string) =>
      expect(output).toMatch(
        new RegExp(`${table} is locked \\(${mode}\\) for \\d+ ms with 300 rows: .*wait\\.\n +Where: ${place}\n`),
      );
    held("app_public.notifications", "AccessExclusive", `${part}:2`);
    held("app_public.posts", "Share", `${fixture}:2, included by ${part}:3`);
    expect(output).toMatch(new RegExp(`Why: ${part}:2 takes \\d+ ms and rewrites app_public.notifications`));
    expect(output).not.toContain("app_public.notifications is locked (Share)");
    expect(output).not.toContain("notes is locked");
    // Every table of the sample content has been filled.
    const notFilled = /Not filled: .*/.exec(output)?.[0].match(/app_public\.\w+/g);
    expect(notFilled?.toSorted()).toEqual([
      "app_public.bans",
      "app_public.blocks",
      "app_public.post_revisions",
      "app_public.previews",
      "app_public.report_reasons",
      "app_public.reports",
      "app_public.review_notes",
      "app_public.trashed_posts",
      "app_public.working_copies",
    ]);
  });

  test("a change that fails on rows is a danger, and others are measured", () => {
    expect(output).toMatch(
      /dangerous +Fails on the generated rows: column "weight" of relation "chats" contains null values\n +Where: .*:9\n/,
    );
  });

  test("--rows needs a number", async () => {
    expect((await review("", "--rows", "many")).output).toContain("--rows takes a number of rows");
  });
});

test("an unknown base commit is refused, with the way out", async () => {
  const { status, output } = await review("select 1;", "--base", "nowhere");
  expect(output).toMatch(/There is no commit nowhere.*npm run db:check -- --base origin\/main/s);
  expect(status).toBe(1);
});

const passing = `-- allow: User.avatar because nobody has one
alter table app_public.posts add column subtitle text;
comment on column app_public.posts.subtitle is 'The line below the headline.';
alter table app_public.posts add column editor_id bigint references app_public.users;
comment on column app_public.posts.editor_id is 'Who has read it first.';
comment on constraint posts_editor_id_fkey on app_public.posts is '@foreignFieldName editedPosts';
create index on app_public.posts (editor_id, listed_at desc, id desc);
create index on app_public.posts (editor_id, updated_at desc, id desc);
create index on app_public.posts (editor_id, title, id);
comment on column app_public.users.avatar is E'@behavior -*\\nA picture.';
select conventions.rename_column('app_public.chats', 'created_at', 'opened_at');
create or replace function app_public.me() returns app_public.users language sql stable strict as $$
  select users from app_public.users where users.id = 1 $$;
alter policy select_own on app_public.posts using (author_id > 0);
-- allow: broken-function:app_hidden.odd because nothing calls it yet
create function app_hidden.odd() returns int language plpgsql as $$ begin return nowhere from app_public.nothing; end $$;
-- allow: everything_is_commented because it is odd
`;
let passed: Ended;
let committed: string;

describe("a change that passes, and is committed", () => {
  beforeAll(async () => {
    await project.write(part, passing);
    const rules = ["change-behaviour", "alter-policy", "exposed", "rows-shown", "app_public.posts", "sample-content"];
    const options = rules.flatMap((name) => ["--allow", `${name} because it is meant`]);
    passed = await project.db("commit", "--all", "--message", "posts have editors", ...options);
    committed = /(migrations\/committed\/\S+) is committed/.exec(passed.output)?.[1] ?? "";
  });

  test("a new column and a new foreign key pass, and the names of their fields are reported", () => {
    expect(passed.output).toContain("safe       Post.subtitle: String is new, readable without a token.");
    expect(passed.output).toContain("The foreign key posts (editor_id) names the field Post.editor.");
    expect(passed.output).toContain("The foreign key posts (editor_id) names the field User.editedPosts.");
    expect(passed.output).toContain("The review passes.");
    expect(passed.status).toBe(0);
  });

  test("an allowance stands in the committed file with its reason, for its own object only", async () => {
    expect(passed.output).toMatch(/ allowed +User\.avatar: .* removes it\.\n +Where: .*:10\n +Why: nobody has one\n/);
    const text = await project.read(committed);
    expect([...text.matchAll(/^-- allow: .*$/gm)].map(String)).toEqual([
      "-- allow: rows-shown:app_public.posts because it is meant",
      "-- allow: rows-shown:app_public.post_tags because it is meant",
      "-- allow: change-behaviour:app_public.me because it is meant",
      "-- allow: alter-policy:select_own on app_public.posts because it is meant",
      "-- allow: exposed:app_public.posts.editor_id because it is meant",
      "-- allow: exposed:app_public.posts.subtitle because it is meant",
      "-- allow: adding-foreign-key-constraint:app_public.posts because it is meant",
      "-- allow: require-concurrent-index-creation:app_public.posts because it is meant",
      "-- allow: sample-content:src/migrations/sample-content.sql because it is meant",
      "-- allow: User.avatar because nobody has one",
      "-- allow: broken-function:app_hidden.odd because nothing calls it yet",
      "-- allow: everything_is_commented because it is odd",
    ]);
  });

  test("the rename of a published column by conventions.rename_column() changes nothing", () => {
    expect(passed.output).not.toContain("Chat.createdAt");
  });
});

describe("a change that is refused, after a committed one that the base does not have", () => {
  const [edited, included] = [
    "migrations/fixtures/functions/follows/feed.sql",
    "migrations/fixtures/functions/users/users_email.sql",
  ];
  const change = `
comment on column app_public.users.bio is E'@behavior -*\\nA text.';
comment on column app_public.chats.opened_at is 'The time when the chat was created.';
comment on constraint posts_editor_id_fkey on app_public.posts is E'@fieldName author\\n@foreignFieldName edited';
comment on constraint posts_author_id_fkey on app_public.posts is '@fieldName writer';
create table app_public.reviews (
  id bigint generated always as identity primary key,
  post_id bigint not null references app_public.posts
);
grant select on app_public.reviews to :API_MEMBER;
create index on app_public.reviews (id);
create index on app_public.bans (reason);
alter table app_public.chats add column weight int not null;
comment on column app_public.chats.weight is 'In grams.';
drop view analytics.totals_by_day cascade;
--!include functions/users/users_email.sql
alter table app_public.review_notes rename note to words;
alter table app_public.comments rename text to body;
do $$ begin
  truncate app_public.follows;
end $$;
alter function app_private.is_verified rename to is_good;
alter table app_public.tags add column code uuid not null default gen_random_uuid();
comment on column app_public.tags.code is 'A code.';
create function app_public.email_of(id bigint) returns text language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select email from app_private.accounts where user_id = id $$;
comment on function app_public.email_of is 'An email address.';
grant execute on function app_public.email_of to :API_ANONYMOUS, :API_MEMBER;
alter table app_public.notifications disable trigger _900_stream_user_id_insert;
`;
  let output: string;
  let status: number | null;
  let refused: string[];

  beforeAll(async () => {
    for (const file of [edited, included]) await project.write(file, `-- Edited.\n${await project.read(file)}`);
    ({ output, status } = await review(change, "--all"));
    await project.git("checkout", "--", edited, included);
    refused = /\nRefused: (.*)\n$/.exec(output)?.[1]?.split(", ") ?? [];
  });

  /** Expects a finding, located at the line of the change that begins with these words. */
  const found = (finding: string, words: string) =>
    expect(output).toMatch(new RegExp(`${finding}.*\n +Where: (.*, )?${part}:${lineOf(words, change)}\n`));

  test("each is named at the end", () => {
    expect(refused).toEqual(
      expect.arrayContaining([
        `fixture-not-included:${edited}`,
        "truncate:app_public.follows",
        "running-version:app_private.is_verified",
        "broken-function:app_public.return_post",
        "field-removed:User.bio",
      ]),
    );
    expect(status).toBe(1);
  });

  test("removing a published field, with its type, its location and the two ways forward", () => {
    found(
      "refused    User.bio: String is published, and this migration removes it.",
      "comment on column app_public.users",
    );
    expect(output).toMatch(
      new RegExp(
        `allowed +User.avatar: String is published, and .*\n +Where: ${committed}:\\d+\n +Why: nobody has one`,
      ),
    );
    expect(output).toMatch(/Do: Either keep it, add @deprecated .*; or, .* --allow 'User.bio'/);
  });

  test("the rename of a published column whose comment does not keep the name", () => {
    expect(refused).toContain("field-removed:Chat.createdAt");
  });

  test("a field that would get the values of another relation", () => {
    expect(output).toContain(
      "refused    Post.author is the foreign key posts (author_id), and this migration makes it the foreign key posts (editor_id).",
    );
  });

  test("locks, statements that fail on non-empty tables, and broken rules, with their location", () => {
    found("refused .*NOT NULL", "alter table app_public.chats");
    found("dangerous .*index creation", "create index on app_public.bans");
    found("refused .*reviews breaks the rule “tables have row level security”", "create table");
    found("refused .*reviews_post_id_fkey breaks the rule “foreign keys have an index”", "create table");
  });

  test("a table that is rewritten, and who reads what is new", () => {
    found("refused +All rows of app_public.tags are written anew.", "alter table app_public.tags");
    found(
      "dangerous +app_public.email_of\\(bigint\\) runs with its owner's rights, may be called without a token, and reads " +
        "app_private.accounts.email, app_private.accounts.user_id.",
      "create function app_public.email_of",
    );
    expect(output).toContain("safe       Query.emailOf: String is new, readable without a token.");
    found("dangerous +app_public.tags.code is readable without a token, and is new.", "alter table app_public.tags");
  });

  test("taking its trigger from a stream that the API follows", () => {
    found("refused +app_public.notifications user_id added: .*", "alter table app_public.notifications");
  });

  test("dropping a view that analysts use", () => {
    expect(output).toMatch(/refused +analytics\.totals_by_day is published, and this migration removes it/);
  });

  test("functions that do not fit or that the running version needs, edited fixtures that nothing includes, and lost rows", () => {
    expect(output).toContain(`refused    ${edited} has changed, and no new migration includes it.`);
    expect(output).not.toContain(`${included} has changed`);
    expect(output).toMatch(
      /refused +app_public\.return_post\(.*\) does not work: column "note" .*does not exist \(42703\)/,
    );
    expect(output).toMatch(/Where: migrations\/fixtures\/functions\/review\/return_post\.sql:\d+\n/);
    found("refused +app_public.follows is truncated.", "  truncate");
    found("dangerous +Renaming a column", "alter table app_public.comments");
    expect(output).toMatch(
      /allowed +The sample content cannot be loaded: column "text".*\n +Where: src\/migrations\/sample-content\.sql:\d+\n/,
    );
    expect(output).toMatch(
      /refused +app_private\.is_verified\(bigint\) is no longer there\. The running version uses it \(src\/rateLimits\/RateLimits\.ts:\d+\)\./,
    );
  });

  test("what changes its behaviour is named with its line, in a part and in a committed migration", async () => {
    const findings = (from: string) =>
      [...from.matchAll(/(?:dangerous|allowed) +(The .* changes its behaviour: .*)\n +Where: (.*)\n/g)].map((match) =>
        match.slice(1),
      );
    const expected = (file: string, sql: string) => [
      [
        "The function app_public.me() changes its behaviour: it has another body; it is strict, and was called on null input.",
        `${file}:${lineOf("create or", sql)}`,
      ],
      [
        "The policy select_own on app_public.posts changes its behaviour: it is using (author_id > 0), and was using " +
          "((author_id = ( SELECT app_hidden.viewer_id() AS viewer_id)) AND (status IS DISTINCT FROM 'TRASHED'::app_public.post_status)).",
        `${file}:${lineOf("alter policy", sql)}`,
      ],
    ];
    expect(findings(passed.output)).toEqual(expected(part, passing));
    expect(findings(output)).toEqual(expect.arrayContaining(expected(committed, await project.read(committed))));
  });
});
