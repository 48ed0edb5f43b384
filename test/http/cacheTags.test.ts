import { WebhookReceiver } from "@content-service/testing/WebhookReceiver.ts";
import { readContent, readOperations } from "../../tools/support/readOperations.ts";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* A response that caches keep names the rows and lists that it shows, and a webhook names what is outdated. */
const plain = useService();
const cached = useService({ cacheSeconds: 3_600, webhooks: true, webhookAddresses: ["127.0.0.1"] });
const otherHeader = useService({
  cacheSeconds: 3_600,
  cacheTagHeader: "Surrogate-Key",
  queryLimits: { selections: 300 },
});

beforeAll(async () => {
  for (const { database } of [plain, cached, otherHeader]) await database.query(readContent());
});

async function get(url: string, query: string, variables: object = {}) {
  const response = await fetch(`${url}?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`);
  return { response, body: await response.text() };
}
async function tagsOf(query: string, url = cached.url, header = "cache-tag") {
  const { response, body } = await get(url, query);
  return { tags: response.headers.get(header)?.split(/[, ]/).toSorted(), data: JSON.parse(body).data };
}

test.each([
  ["a row, and one that it refers to", `{ post(id: 1) { title author { name } } }`, ["posts:1", "users:1"]],
  [
    "by another name, in fragments",
    `query { a: post(id: 1) { ...P } ...Q } fragment P on Post { t: title } fragment Q on Query { b: user(id: 2) { name } }`,
    ["posts:1", "users:2"],
  ],
  [
    "that is asked for by nodeId",
    `{ node(nodeId: "WyJQb3N0IiwiMSJd") { __typename ... on Post { title } } }`,
    ["posts:1"],
  ],
  ["a list stands for its rows", `{ posts(limit: 2) { title author { id } } }`, ["posts", "users:1", "users:2"]],
  ["a list of a row", `{ post(id: 1) { comments { text } } }`, ["comments", "posts:1"]],
  ["a connection", `{ post(id: 1) { commentsConnection(first: 1) { nodes { text } } } }`, ["comments", "posts:1"]],
  ["a list through a join table", `{ post(id: 1) { tags { name } } }`, ["post_tags", "posts:1", "tags"]],
  ["an empty list", `{ posts(limit: 2, offset: 1000) { title } }`, ["posts"]],
  ["a computed value", `{ postsCount }`, ["computed"]],
])("%s", async (_, query, expected) => {
  const { tags, data } = await tagsOf(query);
  expect(tags).toEqual(expected.map((name) => (name === "computed" ? name : `app_public.${name}`)).toSorted());
  expect(data).toEqual((await plain.ask(query)).data);
});

test("more rows than a header holds are named by their tables", async () => {
  await otherHeader.database.query(
    "insert into app_public.users (name) select 'User ' || n from generate_series(1, 120) n",
  );
  const ids = await otherHeader.database.query<{ id: string }>("select id from app_public.users order by id limit 101");
  const query = (count: number) =>
    `{ ${ids
      .slice(0, count)
      .map(({ id }) => `u${id}: user(id: ${id}) { name }`)
      .join(" ")} }`;
  expect((await tagsOf(query(100), otherHeader.url, "surrogate-key")).tags).toHaveLength(100);
  expect((await tagsOf(query(101), otherHeader.url, "surrogate-key")).tags).toEqual(["app_public.users"]);
});

test("neither errors, nor what a client with a token gets, nor a POST is tagged", async () => {
  const { response } = await get(cached.url, `{ post(id: 999) { title } }`);
  expect(response.headers.get("cache-tag")).toBeNull();
  const query = `{ post(id: 1) { title } }`;
  const headers = await cached.headersOf("ada");
  const asAda = await fetch(`${cached.url}?${new URLSearchParams({ query })}`, { headers });
  const posted = await fetch(cached.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  for (const each of [asAda, posted]) expect(each.headers.get("cache-tag")).toBeNull();
});

test("another header separates its tags by spaces", async () => {
  const { response } = await get(otherHeader.url, `{ post(id: 1) { title author { name } } }`);
  expect(response.headers.get("surrogate-key")?.split(" ")).toHaveLength(2);
});

describe("no response is another one for its tags", () => {
  const queries = readOperations().filter(({ isMutation }) => !isMutation);
  test.each(queries)("$name", async ({ query, variables }) => {
    const [tagged, other] = await Promise.all([cached, plain].map(({ url }) => get(url, query, variables)));
    // The keys of an object have an order, and PostgreSQL writes a space after some commas.
    const printed = (body = "") => JSON.stringify(JSON.parse(body));
    expect(printed(tagged?.body)).toBe(printed(other?.body));
  });
});

test("a webhook names a row and its table as the response does, whatever they are called", async () => {
  await using receiver = await new WebhookReceiver().start();
  await cached.database.query(`
    create table app_public."odd, named: things" (id int primary key, name text not null);
    comment on table app_public."odd, named: things" is '@name odd_thing';
    grant select on app_public."odd, named: things" to api_anonymous;
    notify schema_changed`);
  const [hook] = await cached.database.query<{ secret: string }>(
    `select change_feed.webhook('cache', 'app_public."odd, named: things"', '{added,updated,deleted}', $1, null) as secret`,
    [receiver.url],
  );
  receiver.secret = hook?.secret ?? "";
  await cached.database.query(`insert into app_public."odd, named: things" values (7, 'One')`);
  await until(() => receiver.messages.length === 1);
  const [{ cacheTags = [], data, isVerified } = {}] = receiver.messages;
  expect({ data, isVerified }).toEqual({ data: { id: "7", key: "7" }, isVerified: true });
  const [table, row, computed] = cacheTags;
  expect(computed).toBe("computed");
  await until(async () => (await tagsOf(`{ __type(name: "OddThing") { name } }`)).data.__type !== null);
  expect((await tagsOf(`{ oddThing(id: 7) { name } }`)).tags).toEqual([row]);
  expect((await tagsOf(`{ oddThings(limit: 1) { name } }`)).tags).toEqual([table]);
});
