import { Random } from "@content-service/testing/Random.ts";
import { type GraphQLArgument, isRequiredArgument, lexicographicSortSchema } from "graphql";
import { type Comparison, compareAnswers, newComparison, someCursors } from "../../tools/fuzz/compareAnswers.ts";
import { readSql } from "../../tools/fuzz/fuzzedService.ts";
import { oddRequest, plainRequest, type RandomRequest } from "../../tools/fuzz/plainRequest.ts";
import { everyPath } from "../../tools/leaks/paths.ts";
import { writeOperation } from "../../tools/leaks/writeOperation.ts";
import { readOperations } from "../../tools/support/readOperations.ts";
import { people, useService } from "../support/service.ts";
import { planAtLeisure } from "./planAtLeisure.ts";

/*
 * Each operation is answered by the compiled statement and by the engine, for four viewers. The engine is the oracle: what
 * clients parse is the same, the order of keys and each digit included. A long version is `npm run fuzz -- answers`.
 */
const service = useService();
const viewers = ["", people.ada, people.bob, people.admin];

beforeAll(() => service.database.query(readSql("everything.sql")));

async function compare(
  requests: Iterable<RandomRequest>,
  summary = newComparison(),
  askedAs = viewers,
): Promise<Comparison> {
  planAtLeisure(service);
  await compareAnswers(service.app.pipeline, requests, askedAs, summary);
  return summary;
}

/** The schema's fields have another order in each build. Sorted, the same seed gives the same requests. */
const sortedSchema = () => lexicographicSortSchema(service.app.schema);

async function plainRequests(count: number, random: Random): Promise<RandomRequest[]> {
  const { pipeline } = service.app;
  const schema = sortedSchema();
  const cursors = await someCursors(pipeline, people.admin);
  return Array.from({ length: count }, () => plainRequest(random, schema, cursors));
}

test("the operations of the specification have the same answers both ways", async () => {
  const queries = readOperations().filter(({ isMutation }) => !isMutation);
  const requests = queries.map(({ query, variables }) => ({ query, variables: () => variables }));
  const { differences, compiled } = await compare(requests);
  expect(differences).toEqual([]);
  // All but many rows by their nodeIds, and the preview, whose token is not there. A visitor is refused the inbox, the trash and, twice, notifications; all but the admin, reports.
  expect(compiled).toBe((requests.length - 2) * viewers.length - 4 - (viewers.length - 1));
});

test("each path of the schema has the same answers both ways", async () => {
  const guesses: Record<string, string> = { name: '"food"', slug: '"on-bread"' };
  const guess = (_field: unknown, argument: GraphQLArgument) =>
    guesses[argument.name] ?? (isRequiredArgument(argument) ? '"1"' : undefined);
  const { paths } = everyPath(service.app.schema, 2, guess);
  const queries = paths.filter((_, i) => i % 2 === 0).map((_, i) => writeOperation(paths.slice(2 * i, 2 * i + 2)));
  const asked = queries.map((query) => ({ query, variables: () => ({}) }));
  // As an author and as an admin: visitors and others are refused, or see less of the same.
  const { differences, compiled, requests } = await compare(asked, newComparison(), [people.ada, people.admin]);
  expect(differences).toEqual([]);
  expect(requests).toBeGreaterThan(80);
  expect(compiled / requests).toBeGreaterThan(0.6);
});

test("random queries have the same answers both ways, and most of them are compiled", async () => {
  const random = new Random(9);
  const plain = await compare(await plainRequests(25, random));
  expect(plain.differences).toEqual([]);
  expect(plain.compiled / plain.requests).toBeGreaterThan(0.4);
  // The engine words the answer of the others that are compiled: a row is missing, or a value is refused.
  expect((plain.compiled + plain.fellBack) / plain.requests).toBeGreaterThan(0.5);
  const schema = sortedSchema();
  const { differences } = await compare(Array.from({ length: 8 }, () => oddRequest(random, schema, 0)));
  expect(differences).toEqual([]);
});

test("the answers are the same after the schema has changed", async () => {
  const summary = newComparison();
  const before = `{ posts(limit: 3) { id excerpt } tagsConnection { nodes { name } } }`;
  await compare([{ query: before, variables: () => ({}) }], summary);
  await service.database.query(`
    alter table app_public.posts add column subtitle text, add column score int not null default 2147483647;
    update app_public.posts set subtitle = title where id % 2 = 0;
    comment on column app_public.posts.score is '@listFilter';
    create function app_public.posts_reading_minutes(posts app_public.posts) returns int
      language sql stable return nullif(char_length(posts.content) / 20, 0);
    grant execute on function app_public.posts_reading_minutes(app_public.posts) to api_anonymous, api_member;
    alter table app_public.tags rename column name to word;`);
  // The statements of the old schema fail now; the engine's do, too.
  await compare([{ query: before, variables: () => ({}) }], summary);
  await service.database.query(`alter table app_public.tags rename column word to name;`);
  expect(await service.app.rebuild()).toBe(true);
  const after = `{ posts(limit: 3, score: 2147483647) { subtitle score readingMinutes tags { name postsConnection { nodes { score } } } } }`;
  await compare([{ query: after, variables: () => ({}) }], summary);
  await compare(await plainRequests(12, new Random(8)), summary);
  expect(summary.differences).toEqual([]);
  // Of random records, most are missing for most viewers.
  expect(summary.compiled / summary.requests).toBeGreaterThan(0.3);
});

test("pages far behind have the same answers both ways", async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status)
    select 1 + n % 2, 'Post ' || n % 50, 'Text', (array['PUBLISHED', 'PUBLISHED', 'DRAFT'])[1 + n % 3]::app_public.post_status
      from generate_series(1, 400) n`);
  const lists = ["NEWEST", "OLDEST", "UPDATED", "TITLE"].flatMap((order) => [
    `posts(limit: 5, offset: 200, orderBy: ${order}) { id title author { name } }`,
    `posts(limit: 5, offset: 120, orderBy: ${order}, status: PUBLISHED, authorId: "2") { id status }`,
    `user(id: "1") { posts(limit: 5, offset: 100, orderBy: ${order}) { id } }`,
  ]);
  const requests = lists.map((list) => ({ query: `{ ${list} }`, variables: () => ({}) }));
  const { differences, compiled } = await compare(requests);
  expect(differences).toEqual([]);
  expect(compiled).toBe(requests.length * viewers.length);
});
