import { useProject } from "../support/project.ts";

/* npm run db:check, as a DBA runs it: the findings for a change in migrations/current. */
const project = useProject();
const part = "migrations/current/990-change.sql";

afterEach(() => project.write(part, ""));

async function review(sql: string, ...args: string[]) {
  await project.write(part, sql);
  return project.db("check", ...args);
}

test("the migrations of this checkout pass, so that a refused migration fails npm test as well", async () => {
  const { status, output } = await project.db("check");
  expect(output).not.toContain("Refused:");
  expect(status).toBe(0);
});

test("a new column and a new foreign key pass, and the names of their fields are reported", async () => {
  const { status, output } = await review(`
    alter table app_public.posts add column subtitle text;
    comment on column app_public.posts.subtitle is 'The line below the headline.';
    alter table app_public.posts add column editor_id bigint references app_public.users;
    comment on column app_public.posts.editor_id is 'Who has read it first.';
    comment on constraint posts_editor_id_fkey on app_public.posts is '@foreignFieldName editedPosts';
    create index on app_public.posts (editor_id, listed_at desc, id desc);
    create index on app_public.posts (editor_id, updated_at desc, id desc);
    create index on app_public.posts (editor_id, title, id);`);
  expect(output).toContain("safe       Post.subtitle: String is new.");
  expect(output).toContain("The foreign key posts (editor_id) names the field Post.editor.");
  expect(output).toContain("The foreign key posts (editor_id) names the field User.editedPosts.");
  expect(output).toContain("The review passes.");
  expect(status).toBe(0);
});

const hideAvatar = "comment on column app_public.users.avatar is E'@behavior -*\\nA picture.';";

test("removing a published field is refused, with its type, its location and the two ways forward", async () => {
  const { status, output } = await review(`\n${hideAvatar}`);
  expect(output).toContain("refused    User.avatar: String is published, and this migration removes it.");
  expect(output).toContain(`Where: ${part}:2`);
  expect(output).toMatch(/Do: Either keep it, add @deprecated .*; or, .* --allow 'User.avatar'/);
  expect(output).toMatch(/Refused: User\.avatar\n$/);
  expect(status).toBe(1);
});

test("removing a field passes when --allow names it", async () => {
  const { status, output } = await review(hideAvatar, "--allow", "User.avatar");
  expect(output).toContain("Allowed with --allow.");
  expect(status).toBe(0);
});

test("locks, statements that fail on non-empty tables, and broken rules are reported with their location", async () => {
  const { status, output } = await review(`
create table app_public.reviews (
  id bigint generated always as identity primary key,
  post_id bigint not null references app_public.posts
);
grant select on app_public.reviews to :API_MEMBER;
create index on app_public.reviews (id);
create index on app_public.posts (content);
alter table app_public.posts add column weight int not null;
comment on column app_public.posts.weight is 'In grams.';
`);
  const found = (words: string, line: number) =>
    expect(output).toMatch(new RegExp(`${words}.*\n +Where: .*${part}:${line}\n`));
  found("refused .*NOT NULL", 9);
  found("dangerous .*index creation", 8);
  found("refused .*reviews breaks the rule “tables have row level security”", 2);
  found("refused .*reviews_post_id_fkey breaks the rule “foreign keys have an index”", 2);
  expect(status).toBe(1);
});

test("functions that do not fit or that the running version needs, edited fixtures that nothing includes, and lost rows are refused", async () => {
  const [edited, includedOne] = [
    "migrations/fixtures/functions/follows/feed.sql",
    "migrations/fixtures/functions/users/me.sql",
  ];
  for (const file of [edited, includedOne]) await project.write(file, `-- Edited.\n${await project.read(file)}`);
  const { status, output } = await review(`
--!include functions/users/me.sql
alter table app_public.comments rename text to body;
do $$ begin
  truncate app_public.follows;
end $$;
alter function app_private.is_verified rename to is_good;
`);
  await project.git("checkout", "--", edited, includedOne);
  expect(output).toContain(`refused    ${edited} has changed, and no new migration includes it.`);
  expect(output).not.toContain(`${includedOne} has changed`);
  expect(output).toMatch(
    /refused +app_public\.create_comment\(.*\) does not work: column "text" .*does not exist \(42703\)/,
  );
  expect(output).toMatch(/Where: migrations\/fixtures\/functions\/comments\/create_comment\.sql:\d+\n/);
  expect(output).toMatch(new RegExp(`refused +app_public.follows is truncated.\n +Where: ${part}:5\n`));
  expect(output).toMatch(new RegExp(`dangerous +Renaming a column.*\n +Where: ${part}:3\n`));
  expect(output).toMatch(
    /dangerous +The sample content cannot be loaded: column "text".*\n +Where: src\/migrations\/sample-content\.sql:\d+\n/,
  );
  expect(output).toMatch(
    /refused +app_private\.is_verified\(bigint\) is no longer there\. The running version .* uses it \(src\/rateLimits\/VerifiedUsers\.ts:\d+\)\./,
  );
  expect(output).toMatch(/Refused: .*feed\.sql, truncate, app_private\.is_verified, .*app_public\.create_comment/);
  expect(status).toBe(1);
});

test("two foreign keys that give a field the same name are refused, before the next start would fail", async () => {
  const { status, output } = await review(`
    alter table app_public.posts add column editor_id bigint references app_public.users;
    comment on column app_public.posts.editor_id is 'Who has read it first.';
    create index on app_public.posts (editor_id);`);
  expect(output).toContain(
    "refused    User.posts is the name of the foreign key posts (author_id) and of the foreign key posts (editor_id).",
  );
  expect(output).toContain("Why: The API's schema cannot be built.");
  expect(output).toMatch(/Do: .*comment on constraint … on posts is E'@fieldName …\\n@foreignFieldName …'/);
  expect(status).toBe(1);
});

test("a field that would get the values of another relation is refused", async () => {
  const { status, output } = await review(`
    alter table app_public.posts add column editor_id bigint references app_public.users;
    comment on column app_public.posts.editor_id is 'Who has read it first.';
    comment on constraint posts_editor_id_fkey on app_public.posts is E'@fieldName author\\n@foreignFieldName edited';
    comment on constraint posts_author_id_fkey on app_public.posts is '@fieldName writer';
    create index on app_public.posts (editor_id);`);
  expect(output).toContain(
    "refused    Post.author is the foreign key posts (author_id), and this migration makes it the foreign key posts (editor_id).",
  );
  expect(status).toBe(1);
});

test("dropping a view that analysts use is refused", async () => {
  const { status, output } = await review("drop view analytics.chat_by_day cascade;");
  expect(output).toMatch(/refused +analytics\.chat_by_day is published for analysts, and this migration removes it/);
  expect(status).toBe(1);
});

test("SQL that fails is reported with its error, without a stack trace", async () => {
  const { status, output } = await review("alter table app_public.postz add column subtitle text;");
  expect(output).toContain(`relation "app_public.postz" does not exist`);
  expect(output).not.toMatch(/\bat .*\.(js|ts):\d/);
  expect(status).toBe(1);
});

test("an unknown base commit is refused, with the way out", async () => {
  const { status, output } = await review("select 1;", "--base", "nowhere");
  expect(output).toMatch(/Cannot read .* as it was at nowhere.*npm run db:check -- --base origin\/main/s);
  expect(status).toBe(1);
});

test("the rename of a published column is refused, unless its comment keeps the name", async () => {
  const rename = (tags: string) => `
    alter table app_public.chats rename column created_at to opened_at;
    comment on column app_public.chats.opened_at is E'${tags}The time when the chat was created.';`;
  const kept = await review(rename("@name created_at\\n"));
  expect(kept.output).not.toContain("Chat.createdAt");
  expect(kept.output).not.toContain("Refused:");
  expect(kept.status).toBe(0);

  expect((await review(rename(""))).output).toMatch(/Refused: .*Chat\.createdAt/);
});

test("what changes its meaning is named with its line, in a part and in a migration that the base does not have", async () => {
  const found = (output: string) =>
    [...output.matchAll(/dangerous +(The .* changes its meaning: .*)\n +Where: (.*)\n/g)].map((match) =>
      match.slice(1),
    );
  const expectIn = (file: string, output: string, lines: number[]) =>
    expect(found(output)).toEqual([
      [
        "The function app_public.me() changes its meaning: it has another body; it is strict, and was called on null input.",
        `${file}:${lines[0]}`,
      ],
      [
        "The policy select_own on app_public.posts changes its meaning: it is using (author_id > 0), and was using " +
          "(author_id = ( SELECT app_hidden.viewer_id() AS viewer_id)).",
        `${file}:${lines[1]}`,
      ],
    ]);
  const { output } = await review(`
create or replace function app_public.me() returns app_public.users language sql stable strict
  return (select users from app_public.users where users.id = 1);
alter policy select_own on app_public.posts using (author_id > 0);`);
  expectIn(part, output, [2, 4]);

  const committed = await project.db("commit", "--message", "other meanings");
  const file = /(migrations\/committed\/\S+) is committed/.exec(committed.output)?.[1] ?? "";
  const text = (await project.read(file)).split("\n");
  const lineOf = (words: string) => text.findIndex((line) => line.startsWith(words)) + 1;
  expectIn(file, (await project.db("check")).output, [lineOf("create or"), lineOf("alter policy")]);
});
