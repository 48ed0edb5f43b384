import { beforeEach, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { rawPost, sendRaw } from "../support/rawHttp.ts";
import { useService } from "../support/service.ts";

/* What an operator sees of each request: its id, a line in the log. */
const service = useService();
const query = JSON.stringify({ query: "query Count { postsCount }" });

beforeEach(() => {
  service.logged.length = 0;
});

const ask = async (body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close", ...headers },
    body,
  });
  await response.text();
  return response;
};
const idOf = async (given: string) => (await ask(query, { "x-request-id": given })).headers.get("x-request-id");

/** The lines about requests, as soon as there are as many: they are written when the connection is done with. */
async function lines(count = 1): Promise<Record<string, unknown>[]> {
  for (;;) {
    const found = service.logged.filter(({ msg }) => msg === "request");
    if (found.length >= count) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("X-Request-Id", () => {
  test.each([
    "abc",
    "4f5c7d1e-9b1a-4c7e-8a59-6d2f0f3a1b2c",
    "Root=1-67891233-abcdef012345678912345678",
    "x".repeat(128),
  ])("%s is taken and comes back", async (given) => expect(await idOf(given)).toBe(given));

  test.each(["", "a b", "x".repeat(129), '{"json":1}', "<script>", "a;b", "é"])(
    "%s is not taken, another one is given",
    async (given) => expect(await idOf(given)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
  );

  test("two at once are none", async () => {
    const { headers } = await sendRaw(service.url, rawPost(query, ["X-Request-Id: a", "X-Request-Id: b"]));
    expect(headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
  });

  test("comes with refusals as well", async () => {
    const { headers } = await ask("{", { "x-request-id": "mine" });
    expect(headers.get("x-request-id")).toBe("mine");
  });
});

describe("the log", () => {
  test("has one line a request: which, whose, how long, how it ended", async () => {
    await ask(query, { ...(await service.headersOf("ada")), "x-request-id": "mine" });
    expect(await lines()).toEqual([
      {
        level: 30,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        msg: "request",
        requestId: "mine",
        method: "POST",
        path: "/graphql",
        status: 200,
        ms: expect.any(Number),
        operation: "Count",
        type: "query",
        userId: "1",
      },
    ]);
  });

  test.each([
    ["{ nothing }", { codes: ["GRAPHQL_VALIDATION_FAILED"], status: 200 }],
    [`{ user(id: "404") { id } }`, { codes: ["NOT_FOUND"], operation: "anonymous" }],
    [
      `mutation Gone { deletePost(id: "1") { success } }`,
      { codes: ["UNAUTHORIZED"], operation: "Gone", type: "mutation" },
    ],
  ])("names the codes of %s", async (text, expected) => {
    await ask(JSON.stringify({ query: text }));
    expect((await lines())[0]).toMatchObject(expected);
  });

  test("has neither variables nor tokens nor texts", async () => {
    const headers = await service.headersOf("ada");
    const variables = { input: { title: "s3cret title", content: "s3cret content" } };
    const text = `mutation Write($input: CreatePostInput!) { createPost(input: $input) { id } user(id: "s3cret") { id } }`;
    await ask(JSON.stringify({ query: text, variables }), headers);
    await ask(
      JSON.stringify({ query: `mutation Write { createPost(input: {title: "s3cret", content: "x"}) { id } }` }),
      headers,
    );
    const written = JSON.stringify(await lines(2));
    expect(written).toContain("Write");
    expect(written).not.toContain("s3cret");
    expect(written).not.toContain(headers.authorization?.slice(7));
  });

  test("tells of a client that hung up", async () => {
    const controller = new AbortController();
    const blocker = new pg.Client({ connectionString: service.database.ownerUrl });
    await blocker.connect();
    await blocker.query("begin; lock app_public.posts in access exclusive mode");
    const hungUp = fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: query,
      signal: controller.signal,
    }).catch((error) => error.name);
    const isWaiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    while ((await service.database.query(isWaiting)).length === 0);
    controller.abort();
    expect(await hungUp).toBe("AbortError");
    const [line] = await lines();
    expect(line).toMatchObject({ status: 499, path: "/graphql" });
    await blocker.end();
  });
});
