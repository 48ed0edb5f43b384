import { withClient } from "@content-service/support/withClient.ts";
import type { Api } from "graphile-migrate-review";
import type { GraphQLSchema } from "graphql";
import { compareSchemas } from "../../packages/migration-review/check/api/compareSchemas.ts";
import { reviewApi } from "../../packages/migration-review/check/api/reviewApi.ts";
import { keepNames } from "../../packages/migration-review/check/api/sources.ts";
import type { Finding } from "../../packages/migration-review/check/finding.ts";
import { project } from "../../src/commands/project.ts";
import { migrationsIn } from "../../src/database/migrations.ts";
import { useDatabase } from "../support/database.ts";

/* What the API leaves out or cannot have: the findings of db:check and db:watch name it, with the reason and the next step. */
const database = useDatabase();
let undo = "";

afterEach(() => database.query(undo));

const readApi = () =>
  withClient(database.ownerUrl, (client) =>
    reviewApi(project.api as Api, client, database.ownerUrl, {}, migrationsIn().settings),
  );

async function review(create: string, drop: string): Promise<{ isBuilt: boolean; findings: Finding[] }> {
  undo = drop;
  await database.query(create);
  const { schema, findings } = await readApi();
  return { isBuilt: schema !== undefined, findings };
}

const queryFunction = (signature: string) => `create function app_public.${signature} language sql stable return 1`;
const granted = "grant execute on all functions in schema app_public to api_member";

test("what the API leaves out, and the name of two things of which it has one; nothing else, and not what a comment hides", async () => {
  const create = [
    queryFunction("half(a int) returns int"),
    queryFunction("one(a int) returns int"),
    queryFunction("one(a text) returns int"),
    queryFunction("post(a int) returns int"),
    queryFunction("hidden(a int) returns int"),
    "comment on function app_public.hidden is E'@behavior -*\\nHidden.'",
    "create table app_public.things (id int primary key)",
    "create function app_public.touch() returns void language sql volatile as 'select 1'",
    "create type app_public.odd as enum ('a b')",
    "alter table app_public.tags add odd app_public.odd",
    granted,
    "revoke execute on function app_public.half from api_member",
  ];
  const drop =
    "drop function app_public.half, app_public.one(int), app_public.one(text), app_public.post, app_public.hidden, app_public.touch";
  const { isBuilt, findings } = await review(
    create.join("; "),
    `${drop}; drop table app_public.things; alter table app_public.tags drop odd; drop type app_public.odd`,
  );
  expect(isBuilt).toBe(true);
  const leftOut = (name: string, signature: string, reason: string, advice: string) => ({
    rule: "left-out",
    object: `app_public.${name}`,
    severity: "dangerous",
    message: `app_public.${signature} is not in the API.`,
    reason,
    advice: expect.stringContaining(advice),
  });
  expect(findings).toEqual([
    leftOut("one", "one", "Another function has the same name. The API leaves out both.", "rename"),
    {
      rule: "left-out",
      object: "app_public.post",
      severity: "dangerous",
      message: "The function app_public.post is Query.postFunction in the API.",
      reason: "Query.post is the name of the table app_public.posts.",
      advice: expect.stringContaining("comment on function app_public.post is '@name …'"),
    },
    leftOut("touch", "touch", "It returns void.", "Return a value"),
    {
      rule: "left-out",
      object: "app_public.odd",
      severity: "dangerous",
      message: 'The value "a b" of app_public.odd is a_b in the API.',
      reason: "GraphQL can have no value of that name.",
      advice: expect.stringContaining("alter type app_public.odd rename value"),
    },
    leftOut(
      "half",
      "half(integer)",
      "No role of the API may execute it.",
      "grant execute on function app_public.half(integer) to :API_MEMBER",
    ),
    leftOut("things", "things", "No role of the API may read it.", "grant select on app_public.things to :API_MEMBER"),
  ]);
});

describe("of two things with one name, one has another name in the API", () => {
  const editor = "alter table app_public.posts add editor_id bigint references app_public.users";
  const create = [
    queryFunction("posts_title(posts app_public.posts) returns int"),
    'alter table app_public.posts add "createdAt" text',
    `${editor}; create index on app_public.posts (editor_id)`,
    "create table app_public.post (id int primary key); grant select on app_public.post to api_member",
    granted,
  ];
  let reviewed: Awaited<ReturnType<typeof review>>;
  beforeAll(async () => {
    reviewed = await review(create.join("; "), "");
  });
  afterAll(() =>
    database.query(`drop function app_public.posts_title; drop table app_public.post;
      alter table app_public.posts drop "createdAt", drop editor_id`),
  );

  test.each<{ message: string; reason: string }>`
    what                               | message                                                                                           | reason
    ${"a computed field and a column"} | ${"The function app_public.posts_title is Post.postsTitleFunction in the API."}                   | ${"Post.title is the name of the column app_public.posts.title."}
    ${"two columns"}                   | ${'The column app_public.posts."createdAt" is Post.createdAtColumn in the API.'}                  | ${"Post.createdAt is the name of the column app_public.posts.created_at."}
    ${"two foreign keys"}              | ${"The foreign key posts_editor_id_fkey on app_public.posts is User.postsByEditorId in the API."} | ${"User.posts is the name of the foreign key posts_author_id_fkey on app_public.posts."}
    ${"two types"}                     | ${"The table app_public.post is PostTable in the API."}                                           | ${"Post is the name of the table app_public.posts."}
  `("$what", ({ message, reason }) => {
    expect(reviewed.isBuilt).toBe(true);
    const finding = reviewed.findings.find((found) => found.message === message);
    expect(finding ?? reviewed.findings).toMatchObject({ reason, advice: expect.any(String) });
    if (message.includes("foreign key")) {
      expect(finding?.advice).toMatch(
        /comment on constraint posts_editor_id_fkey on app_public.posts is '@foreignFieldName …'/,
      );
    }
  });
});

test("a tag that names nothing keeps the API from being built", async () => {
  const comment = (tag: string) => `comment on table app_public.follows is '${tag}'`;
  const { isBuilt, findings } = await review(comment("@listOrder nowhere"), comment("@manyToMany"));
  expect(findings).toEqual([
    expect.objectContaining({
      message: expect.stringContaining("nowhere"),
      reason: expect.stringContaining("The API's schema cannot be built."),
      advice: expect.any(String),
    }),
  ]);
  expect(isBuilt).toBe(false);
});

test("a renamed column or foreign key: the finding says how the names in the API stay", async () => {
  const rename = (from: string, to: string) => `alter table app_public.comments rename ${from} to ${to}`;
  undo = `${rename("writer_id", "author_id")}; ${rename("body", "text")}`;
  const { schema: built, findings: none } = await readApi();
  const before = built as GraphQLSchema;
  // The API of this checkout.
  expect(none).toEqual([]);
  await database.query(`${rename("author_id", "writer_id")}; ${rename("text", "body")}`);
  const { schema, sources } = await readApi();
  const after = schema as GraphQLSchema;
  const findings = keepNames(compareSchemas(before, after), before, after, sources);
  const adviceFor = (name: string) =>
    findings.find((found) => found.severity === "refused" && found.object === name)?.advice;
  expect(adviceFor("Comment.author")).toMatch(
    /^If it has .*: comment on constraint … on comments is '@fieldName author'\. Either/,
  );
  expect(adviceFor("Comment.text")).toMatch(
    /^If it has .*: comment on column app_public\.comments\.body is '@name text'\. Either/,
  );
});
