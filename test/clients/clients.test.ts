import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { Defer20220824Handler } from "@apollo/client/incremental";
import { BatchHttpLink } from "@apollo/client/link/batch-http";
import { Client, fetchExchange } from "@urql/core";
import { GraphQLClient } from "graphql-request";
import { createClient } from "graphql-sse";
import { useService } from "../support/service.ts";

/* The documented responses through common HTTP clients. */
const service = useService();
const input = { title: "By a client", content: "Some content.", tags: ["one"] };

beforeAll(() =>
  service.database.query(
    `insert into app_public.posts (author_id, title, content, status) values (1, 'Hello', 'World.', 'PUBLISHED')`,
  ),
);

describe("curl", () => {
  const curl = async (...args: string[]) => (await promisify(execFile)("curl", ["-s", ...args])).stdout;

  test("gets a feed", async () => {
    const body = JSON.stringify({ query: "{ feed(limit: 1) { title author { name } } }" });
    const text = await curl(service.url, "-H", "Content-Type: application/json", "-d", body);
    expect(JSON.parse(text)).toEqual({ data: { feed: [{ title: "Hello", author: { name: "Ada" } }] } });
  });

  test("gets 405 for PUT", async () => {
    const text = await curl("-X", "PUT", "-o", "/dev/null", "-w", "%{http_code} %header{allow}", service.url);
    expect(text).toBe("405 GET, HEAD, POST");
  });
});

describe("Apollo Client's HttpLink", () => {
  test("queries, and writes with a token", async () => {
    const headers = await service.headersOf("ada");
    const client = new ApolloClient({ link: new HttpLink({ uri: service.url, headers }), cache: new InMemoryCache() });
    const read = await client.query({
      query: gql`query One($id: ID!) { post(id: $id) { title } }`,
      variables: { id: "1" },
    });
    expect(read.data).toMatchObject({ post: { title: "Hello" } });
    const mutation = gql`mutation Write($input: CreatePostInput!) { createPost(input: $input) { slug status } }`;
    const written = await client.mutate({ mutation, variables: { input } });
    expect(written.data).toMatchObject({
      createPost: { slug: expect.stringMatching(/^by-a-client-\d+$/), status: "DRAFT" },
    });
    client.stop();
  });

  test("tells an expired or bad token from a network fault", async () => {
    const link = new HttpLink({ uri: service.url, headers: { authorization: "Bearer no.such.token" } });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const failure = await client.query({ query: gql`{ postsCount }` }).catch((error) => error);
    expect(CombinedGraphQLErrors.is(failure)).toBe(true);
    expect(failure.errors[0].extensions).toEqual({ code: "UNAUTHORIZED", reason: "TOKEN_INVALID" });
    client.stop();
  });
});

describe("Apollo Client's subscriptions over multipart HTTP", () => {
  test("are refused with a sentence that says what to do", async () => {
    const client = new ApolloClient({ link: new HttpLink({ uri: service.url }), cache: new InMemoryCache() });
    const answer = await new Promise<{ error?: Error }>((resolve) => {
      client.subscribe({ query: gql`subscription { messageAdded(chatId: "1") { id } }` }).subscribe(resolve);
    });
    expect(answer.error?.message).toBe("A subscription needs WebSocket, or the header Accept: text/event-stream.");
    client.stop();
  });
});

describe("Apollo Client's batches and @defer", () => {
  test("are refused with a sentence that says what to do", async () => {
    const batching = new BatchHttpLink({ uri: service.url, batchMax: 1 });
    const client = new ApolloClient({ link: batching, cache: new InMemoryCache() });
    const batch = await client.query({ query: gql`query Batched { postsCount }` }).catch((error) => error);
    expect(batch.bodyText).toContain("A batch is not supported. Send each operation as a request of its own.");
    client.stop();
    const deferring = new ApolloClient({
      link: new HttpLink({ uri: service.url }),
      cache: new InMemoryCache(),
      incrementalHandler: new Defer20220824Handler(),
    });
    const query = gql`query Deferred { post(id: "1") { title ... @defer { content } } }`;
    const deferred = await deferring.query({ query }).catch((error) => error);
    expect(deferred.message).toContain("@defer is not supported: a response comes as a whole.");
    deferring.stop();
  });
});

describe("urql with its defaults", () => {
  test("queries by GET, writes by POST, and gets errors", async () => {
    const fetchOptions = { headers: await service.headersOf("ada") };
    const client = new Client({ url: service.url, exchanges: [fetchExchange], fetchOptions });
    const before = service.logged.length;
    const read = await client.query(`query Read($id: ID!) { post(id: $id) { title } }`, { id: "1" });
    expect(read.data).toMatchObject({ post: { title: "Hello" } });
    const write = `mutation Write($input: CreatePostInput!) { createPost(input: $input) { status } }`;
    expect((await client.mutation(write, { input })).data).toMatchObject({ createPost: { status: "DRAFT" } });
    const failed = await client.query(`query Fail { post(id: "404") { title } }`, {});
    expect(failed.error?.graphQLErrors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
    const requests = service.logged.slice(before).filter(({ msg }) => msg === "request");
    expect(requests.map(({ operation, method }) => [operation, method])).toEqual([
      ["Read", "GET"],
      ["Write", "POST"],
      ["Fail", "GET"],
    ]);
  });
});

describe("graphql-sse with its defaults", () => {
  test("queries, and gets the errors of a request", async () => {
    const client = createClient({ url: service.url });
    const results = async (query: string) => {
      const found: unknown[] = [];
      for await (const result of client.iterate({ query })) found.push(result);
      return found;
    };
    expect(await results("{ post(id: 1) { title } }")).toEqual([{ data: { post: { title: "Hello" } } }]);
    expect(await results("{ nothing }")).toMatchObject([
      { errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }] },
    ]);
    client.dispose();
  });
});

describe("graphql-request", () => {
  test("queries with variables, and gets partial answers with their errors", async () => {
    const client = new GraphQLClient(service.url, { errorPolicy: "all" });
    const answer = await client.rawRequest(
      `query Some($limit: Int!) { posts(limit: $limit) { title } user(id: "1") { name email } }`,
      {
        limit: 5,
      },
    );
    expect(answer.data).toEqual({ posts: [{ title: "Hello" }], user: { name: "Ada", email: null } });
    expect(answer.errors).toMatchObject([
      { path: ["user", "email"], extensions: { code: "UNAUTHORIZED", reason: "NOT_SIGNED_IN" } },
    ]);
  });

  test("throws the errors of the response", async () => {
    const client = new GraphQLClient(service.url);
    const failure = await client.request(`mutation { deletePost(id: "1") { success } }`).catch((error) => error);
    expect(failure.response.errors[0].extensions.code).toBe("UNAUTHORIZED");
  });
});
