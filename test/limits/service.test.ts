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
