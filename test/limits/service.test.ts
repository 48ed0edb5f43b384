import { readFileSync } from "node:fs";
import { type LimitName, limitNames } from "@content-service/errors/limitError.ts";
import { markdownTable } from "@content-service/support/markdownTable.ts";
import { type Answer, useService } from "../support/service.ts";

/* The limits as a client of the running service meets them. */
const service = useService();

const doublings = Array.from({ length: 30 }, (_, i) => `fragment F${i} on User { ...F${i + 1} ...F${i + 1} }`);

describe("is refused before anything is planned, with the limit, its value and what was asked", () => {
  test.each([
    [
      "a billion selections in 30 fragments",
      `{ users { ...F0 } } ${doublings.join(" ")} fragment F30 on User { id }`,
      "selections",
    ],
    ["300 aliases", `{ ${Array.from({ length: 300 }, (_, i) => `a${i}: postsCount`).join(" ")} }`, "selections"],
    [
      "depth",
      `{ users { posts { author { posts { author { posts { author { posts { author { posts { id } } } } } } } } } } }`,
      "depth",
    ],
    [
      "a million nodes",
      `{ posts(limit: 100) { comments(limit: 100) { author { posts(limit: 100) { id } } } } }`,
      "nodes",
    ],
    ["tokens", `{ ${"a ".repeat(6_000)} }`, "tokens"],
  ])("%s", async (_what, query, limit) => {
    const { data, errors } = await service.ask(query);
    expect(data).toBeUndefined();
    const refusals = errors?.filter(({ extensions }) => extensions.limit?.name === limit);
    expect(refusals).toEqual([
      expect.objectContaining({
        extensions: expect.objectContaining({
          code: "VALIDATION_ERROR",
          limit: { name: limit, max: expect.any(Number), asked: expect.any(Number) },
        }),
      }),
    ]);
  });
});

test("a client that asks is told what its request costs", async () => {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "{ users(limit: 10) { posts(limit: 5) { id } } }", extensions: { cost: true } }),
  });
  const answer = (await response.json()) as { extensions: unknown };
  expect(answer.extensions).toEqual({ cost: expect.objectContaining({ nodes: 60, depth: 3 }) });
});

test("variables of any depth are refused, not choked on", async () => {
  const deep = `${"[".repeat(30)}${"]".repeat(30)}`;
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"query": "query Q($status: PostStatus) { postsCount(status: $status) }", "variables": {"status": ${deep}}}`,
  });
  const { errors } = (await response.json()) as Answer;
  expect(errors?.[0]?.extensions.limit).toMatchObject({ name: "variableDepth", max: 20 });
});

describe("the table of docs/errors.md", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const table = markdownTable(page, "### Of one request").map(([name = "", , max = ""]) => ({
    name: name.replace(/^`(\w+)` \*$/, "$1"),
    max: Number(max.replaceAll(",", "")),
  }));
  const times = (count: number, text: string) => text.repeat(count);
  /** A request beyond each limit, and within the others that are looked at before. */
  const beyond: Record<LimitName, object> = {
    queryBytes: { query: `{ postsCount } #${times(20_480, "x")}` },
    tokens: { query: `{ ${times(5_119, "a ")}}` },
    brackets: { query: `{ a(b: ${times(249, "[")}${times(249, "]")}) }` },
    depth: { query: `{ ${times(10, "a { ")} a ${times(10, "}")} }` },
    selections: { query: `{ ${times(201, "postsCount ")}}` },
    mutations: { query: `mutation { ${times(6, "a ")}}` },
    nodes: { query: "{ posts(limit: 100) { comments(limit: 100) { id } } }" },
    cost: { query: "{ posts(limit: 10) { author { posts(limit: 1, offset: 9999) { id } } } }" },
    introspection: { query: "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }" },
    variableValues: { query: "query ($a: ID!) { user(id: $a) { id } }", variables: { a: times(2_000, "1").split("") } },
    variableDepth: {
      query: "query ($a: ID!) { user(id: $a) { id } }",
      variables: { a: JSON.parse(`${times(21, "[")}${times(21, "]")}`) },
    },
    // Ten times a megabyte.
    responseBytes: {
      query: `{ ${[..."abcdefghij"].map((name) => `${name}: posts(limit: 10) { content }`).join(" ")} }`,
    },
  };

  beforeAll(() =>
    service.database.query(`
      insert into app_public.posts (author_id, title, content, status)
      select 1, 'Long ' || n, repeat('x', 100000), 'PUBLISHED' from generate_series(1, 10) n`),
  );

  test("has each limit once", () => {
    expect(table.map(({ name }) => name).sort()).toEqual([...limitNames].sort());
  });

  test.each(limitNames)("has the number of %s", async (name) => {
    const row = table.find((one) => one.name === name);
    const response = await fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(beyond[name]),
    });
    const { errors } = (await response.json()) as Answer;
    const limit = errors?.map(({ extensions }) => extensions.limit).find((one) => one?.name === name);
    expect(limit).toBeDefined();
    if (name !== "introspection") expect(limit.max).toBe(row?.max);
  });
});
