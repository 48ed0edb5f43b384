import { rawPost, sendRaw } from "../support/rawHttp.ts";
import { useService } from "../support/service.ts";

/* Each request has an id and a line in the log. */
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

/** Waits for `count` lines about requests, which are logged after the response is sent. */
async function lines(count = 1): Promise<Record<string, unknown>[]> {
  for (;;) {
    const found = service.logged.filter(({ msg }) => msg === "request");
    if (found.length >= count) return found;
    await service.told("request");
  }
}

describe("X-Request-Id", () => {
  test.each([
    "abc",
    "4f5c7d1e-9b1a-4c7e-8a59-6d2f0f3a1b2c",
    "Root=1-67891233-abcdef012345678912345678",
    "x".repeat(128),
  ])("%s is used and returned", async (given) => expect(await idOf(given)).toBe(given));

  test.each(["", "a b", "x".repeat(129), '{"json":1}', "<script>", "a;b", "é"])(
    "%s is replaced by a new id",
    async (given) => expect(await idOf(given)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
  );

  test("two headers are replaced by a new id", async () => {
    const { headers } = await sendRaw(service.url, rawPost(query, ["X-Request-Id: a", "X-Request-Id: b"]));
    expect(headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
  });

  test("is returned with refusals as well", async () => {
    const { headers } = await ask("{", { "x-request-id": "mine" });
    expect(headers.get("x-request-id")).toBe("mine");
  });
});

describe("the log", () => {
  test("has one line per request with operation, user, duration and status", async () => {
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
  ])("has the error codes of %s", async (text, expected) => {
    await ask(JSON.stringify({ query: text }));
    expect((await lines())[0]).toMatchObject(expected);
  });

  test("has neither variables nor tokens nor texts of documents", async () => {
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

  test("has a line for a client that disconnected", async () => {
    const controller = new AbortController();
    const lock = await service.database.hold("lock app_public.posts in access exclusive mode");
    const hungUp = fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: query,
      signal: controller.signal,
    }).catch((error) => error.name);
    await lock.somebodyWaits();
    controller.abort();
    expect(await hungUp).toBe("AbortError");
    const [line] = await lines();
    expect(line).toMatchObject({ status: 499, path: "/graphql" });
    await lock.release();
  });
});
