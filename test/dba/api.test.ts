import type { GraphQLSchema } from "graphql";
import { compareSchemas } from "../../src/dba/check/compareSchemas.ts";
import type { Finding } from "../../src/dba/check/finding.ts";
import { keepNames } from "../../src/dba/check/keepNames.ts";
import { reviewApi } from "../../src/dba/check/reviewApi.ts";
import { service } from "../../src/dba/service.ts";
import { useDatabase } from "../support/database.ts";

/* What the API leaves out or cannot have: the findings of db:check and db:watch name it, with the reason and the next step. */
const database = useDatabase();
let undo = "";

afterEach(() => database.query(undo));

async function review(create: string, drop: string): Promise<{ isBuilt: boolean; findings: Finding[] }> {
  undo = drop;
  await database.query(create);
  const { schema, findings } = await reviewApi(service, database.ownerUrl, database.apiUrl);
  return { isBuilt: schema !== undefined, findings };
}

const queryFunction = (signature: string) => `create function app_public.${signature} language sql stable return 1`;
const granted = "grant execute on all functions in schema app_public to api_member";

test("the API of this checkout has no findings", async () => {
  expect(await review("select 1", "select 1")).toEqual({ isBuilt: true, findings: [] });
});

test("a function without its grant", async () => {
  const { findings } = await review(queryFunction("one(a int) returns int"), "drop function app_public.one");
  expect(findings).toEqual([
    {
      level: "dangerous",
      name: "app_public.one",
      message: "app_public.one(integer) is not in the API.",
      reason: "No role of the API may execute it.",
      advice: expect.stringContaining("grant execute on function app_public.one(integer) to :API_MEMBER"),
    },
  ]);
});

test.each<Record<string, string>>`
  what                               | create                                                                                                | drop                                                                       | message                                                                                                                   | reason
  ${"a function of two signatures"}  | ${`${queryFunction("one(a int) returns int")}; ${queryFunction("one(a text) returns int")}`}          | ${"drop function app_public.one(int); drop function app_public.one(text)"} | ${"app_public.one(integer) is not in the API."}                                                                           | ${"Another function is called app_public.one as well."}
  ${"a table that no role may read"} | ${"create table app_public.things (id int primary key)"}                                              | ${"drop table app_public.things"}                                          | ${"app_public.things is not in the API."}                                                                                 | ${"No role of the API may read it."}
  ${"a function and a table's row"}  | ${queryFunction("post(a int) returns int")}                                                           | ${"drop function app_public.post"}                                         | ${"Query.post is the name of the table app_public.posts and of the function app_public.post."}                            | ${"Only one of them is in the API."}
  ${"a computed field and a column"} | ${queryFunction("posts_title(posts app_public.posts) returns int")}                                   | ${"drop function app_public.posts_title"}                                  | ${"Post.title is the name of the function app_public.posts_title and of the column app_public.posts.title."}              | ${"The API's schema cannot be built."}
  ${"two columns"}                   | ${'alter table app_public.posts add "createdAt" text'}                                                | ${'alter table app_public.posts drop "createdAt"'}                         | ${'Post.createdAt is the name of the column app_public.posts.created_at and of the column app_public.posts."createdAt".'} | ${"The API's schema cannot be built."}
  ${"two types"}                     | ${"create table app_public.post (id int primary key); grant select on app_public.post to api_member"} | ${"drop table app_public.post"}                                            | ${"Post is the name of two things in the API: table type for post and table type for posts."}                             | ${"The API's schema cannot be built."}
  ${"a tag that names nothing"}      | ${"comment on table app_public.follows is '@listOrder nowhere'"}                                      | ${"comment on table app_public.follows is '@manyToMany'"}                  | ${"nowhere"}                                                                                                              | ${"The API's schema cannot be built."}
`("$what", async ({ create = "", drop = "", message = "", reason = "" }) => {
  const { isBuilt, findings } = await review(`${create}; ${granted}`, drop);
  const finding = findings.find((found) => found.message.includes(message));
  expect(finding ?? findings).toMatchObject({ reason: expect.stringContaining(reason) });
  expect(finding?.advice).toBeDefined();
  expect(isBuilt).toBe(!reason.includes("cannot be built"));
});

test("a renamed column or foreign key: the finding says how the names in the API stay", async () => {
  const rename = (from: string, to: string) => `alter table app_public.comments rename ${from} to ${to}`;
  undo = `${rename("writer_id", "author_id")}; ${rename("body", "text")}`;
  const before = (await reviewApi(service, database.ownerUrl, database.apiUrl)).schema as GraphQLSchema;
  await database.query(`${rename("author_id", "writer_id")}; ${rename("text", "body")}`);
  const { schema, sources } = await reviewApi(service, database.ownerUrl, database.apiUrl);
  const after = schema as GraphQLSchema;
  const findings = keepNames(compareSchemas(before, after), before, after, sources);
  const adviceFor = (name: string) =>
    findings.find((found) => found.level === "refused" && found.name === name)?.advice;
  expect(adviceFor("Comment.author")).toMatch(
    /^If it has .*: comment on constraint … on comments is '@fieldName author'\. Either/,
  );
  expect(adviceFor("Comment.text")).toMatch(
    /^If it has .*: comment on column app_public\.comments\.body is '@name text'\. Either/,
  );
});

test("a function that its comment hides has no finding", async () => {
  const create = `${queryFunction("one(a int) returns int")}; comment on function app_public.one is E'@behavior -*\\nHidden.'`;
  expect((await review(create, "drop function app_public.one")).findings).toEqual([]);
});
