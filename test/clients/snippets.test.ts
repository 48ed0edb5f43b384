import { readdirSync, readFileSync } from "node:fs";
import { mock } from "node:test";
import { gql, type TypedDocumentNode } from "@apollo/client";
import { fetchExchange, Client as UrqlClient } from "@urql/core";
import { buildSchema, isScalarType, isSpecifiedScalarType } from "graphql";
import type { Client } from "graphql-ws";
import { WebSocket } from "ws";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { clockSkewSeconds } from "../../src/identity/verifyJwt.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { Queue } from "../support/Queue.ts";
import { testSecret, untilListening, useService } from "../support/service.ts";
import { apolloClient } from "./snippets/apollo.ts";
import { eventClient, followByEvents } from "./snippets/chatBySse.ts";
import { followBySocket, socketClient } from "./snippets/chatByWebSocket.ts";
import { myData } from "./snippets/myData.ts";
import { allPosts, newPosts } from "./snippets/pages.ts";
import { presign, requestUpload } from "./snippets/pictures.ts";
import { ApiErrors, Session } from "./snippets/session.ts";
import { urqlClient } from "./snippets/urql.ts";

/* docs/libraries.md links to these programs. They run here, with the clients as npm installs them. */
const service = useService();
const sign = createTokenSigner({ secret: testSecret });
const password = "a password of some length";
let session: Session;
let chatId: string;

beforeAll(async () => {
  await service.database.query(
    `insert into app_public.posts (author_id, title, content, status)
      select 1, 'Post ' || n, 'Content.', 'PUBLISHED' from generate_series(1, 5) as n`,
  );
  session = new Session(service.url);
  await session.signUp("Eve", "eve@example.com", password);
  const { createChat } = await session.ask<{ createChat: { id: string } }>(
    `mutation Open { createChat(title: "Of Eve", memberIds: ["2"]) { id } }`,
  );
  chatId = createChat.id;
});
afterEach(() => untilListening(0, service.app));

const say = async (text: string): Promise<string> => {
  const sql = "insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2) returning id";
  return (await service.database.query(sql, [chatId, text]))[0]?.["id"];
};

const folder = new URL("snippets/", import.meta.url);
test.each(readdirSync(folder))("docs/libraries.md has a link to %s", (name) => {
  const page = readFileSync(new URL("../../docs/libraries.md", import.meta.url), "utf8");
  expect(page).toContain(`(../test/clients/snippets/${name})`);
});

test("the code generators’ configurations on the page name each scalar of the schema, and no other", () => {
  const page = readFileSync(new URL("../../docs/libraries.md", import.meta.url), "utf8");
  const schema = buildSchema(readFileSync(new URL("../../schema.graphql", import.meta.url), "utf8"));
  const own = Object.values(schema.getTypeMap()).filter((type) => isScalarType(type) && !isSpecifiedScalarType(type));
  const mapped = [...page.matchAll(/"(?:scalars|customScalarTypes)": (\{.*?\})/g)].map(([, json = ""]) =>
    JSON.parse(json),
  );
  expect(mapped).toEqual(Array(2).fill(Object.fromEntries(own.map(({ name }) => [name, "string"]))));
});

describe("fetch", () => {
  test("signs in, refreshes once for many requests, and goes on", async () => {
    const before = await session.accessToken();
    await Promise.all([session.refresh(), session.refresh(), session.refresh()]);
    expect(await session.accessToken()).not.toBe(before);
    expect(await session.ask("query Me { me { name } }")).toEqual({ me: { name: "Eve" } });
  });

  test("refreshes once for five requests whose token has expired in spite of this device's clock", async () => {
    const { fetch } = globalThis;
    const expired = (await sign?.("2", -clockSkewSeconds - 1))?.token as string;
    const refreshed = () => service.logged.filter(({ operation }) => operation === "Refresh").length;
    // The answer to the sign-in, with a token of an hour ago.
    const late = mock.method(
      globalThis,
      "fetch",
      async (...request: Parameters<typeof fetch>) =>
        new Response(
          (await (await fetch(...request)).text()).replace(/"accessToken":"[^"]+"/, `"accessToken":"${expired}"`),
        ),
    );
    const other = new Session(service.url);
    await other.signIn("eve@example.com", password);
    late.mock.restore();
    const before = refreshed();
    const answers = await Promise.all(Array.from({ length: 5 }, () => other.ask("query Me { me { name } }")));
    expect(answers).toEqual(Array(5).fill({ me: { name: "Eve" } }));
    expect(refreshed()).toBe(before + 1);
  });

  test("reads errors", async () => {
    const failure = await session
      .ask(`mutation { createPost(input: { title: "", content: " " }) { id } }`)
      .catch((error): ApiErrors => error);
    expect(failure).toBeInstanceOf(ApiErrors);
    expect((failure as ApiErrors).errors[0]?.extensions).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ field: "content" }, { field: "title" }],
    });
  });

  test("signs in again", async () => {
    const other = new Session(service.url);
    await other.signIn("eve@example.com", password);
    expect(await other.ask("query Me { me { name } }")).toEqual({ me: { name: "Eve" } });
  });

  test("a reload and another tab find the session in the storage; it ends for all", async () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
    await new Session(service.url, storage).signIn("eve@example.com", password);
    const [tab, other] = [new Session(service.url, storage), new Session(service.url, storage)];
    expect(await tab.ask("query Me { me { name } }")).toEqual({ me: { name: "Eve" } });
    await Promise.all([tab.refresh(), other.refresh()]);
    expect(await other.ask("query Me { me { name } }")).toEqual({ me: { name: "Eve" } });
    const token = await tab.accessToken();
    await other.signOut();
    expect([token, await tab.accessToken()]).toEqual([expect.any(String), undefined]);
    // Ended elsewhere.
    await tab.signIn("eve@example.com", password);
    await tab.ask("mutation Everywhere { signOutEverywhere { success } }");
    await expect(tab.refresh()).rejects.toBeInstanceOf(ApiErrors);
    expect(kept.size).toBe(0);
    // It was the end of this session, too.
    await session.signIn("eve@example.com", password);
  });

  test("two sessions with one refresh token, as in two tabs, both go on", async () => {
    const tokens = `mutation In($password: String!) { signIn(email: "eve@example.com", password: $password) { refreshToken } }`;
    const { data } = await service.ask(tokens, { variables: { password } });
    const refresh = `mutation Again($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { refreshToken } }`;
    const answers = await Promise.all([1, 2].map(() => service.ask(refresh, { variables: data.signIn })));
    const [one, other] = answers.map((answer) => answer.data.refreshSession.refreshToken);
    expect(one).toBe(other);
  });

  test("pages", async () => {
    const titles: string[] = [];
    for await (const { title } of allPosts(session, 2)) titles.push(title);
    expect(titles.toSorted()).toEqual(["Post 1", "Post 2", "Post 3", "Post 4", "Post 5"]);
  });

  test("new posts above the feed, without a hole, and each once", async () => {
    const { feedConnection } = await session.ask<any>(
      "query Feed { feedConnection(first: 2) { pageInfo { startCursor } } }",
    );
    let above = await newPosts(session, feedConnection.pageInfo.startCursor);
    expect(above).toMatchObject({ posts: [], hasMore: false });
    const publish = (from: number, to: number) =>
      service.database.query(
        `insert into app_public.posts (author_id, title, content, status, published_at)
         select 1, 'New ' || n, 'x', 'PUBLISHED', now() + n * interval '1 ms' from generate_series($1::int, $2::int) n`,
        [from, to],
      );
    await publish(1, 3);
    above = await newPosts(session, above.before);
    expect(above).toMatchObject({
      posts: [{ title: "New 3" }, { title: "New 2" }, { title: "New 1" }],
      hasMore: false,
    });
    await publish(4, 25);
    above = await newPosts(session, above.before);
    expect([above.posts.length, above.posts.at(-1)?.title, above.hasMore]).toEqual([20, "New 4", true]);
    expect((await newPosts(session, above.before)).posts.map(({ title }) => title)).toEqual(["New 25", "New 24"]);
    await service.database.query("delete from app_public.posts where title like 'New%'");
  });
});

test("one's own data are the profile and all that one has written, of every page, and nothing of others", async () => {
  const own = new Session(service.url);
  await own.signUp("Fay", "fay@example.com", password);
  const [{ id } = { id: "" }] = await service.database.query<{ id: string }>(`
    with fay as (select id from app_public.users where name = 'Fay'), posts as (
      insert into app_public.posts (author_id, title, content) select id, 'Draft ' || n, 'x' from fay, generate_series(1, 12) n
    ), comments as (
      insert into app_public.comments (post_id, author_id, text) select 1, id, 'Comment ' || n from fay, generate_series(1, 101) n
    ), chat as (insert into app_public.chats default values returning id), members as (
      insert into app_public.chat_members (chat_id, user_id) select chat.id, users.id from chat, (table fay union values (2)) users
    ) select id from chat`);
  await service.database.query(
    `insert into app_public.messages (chat_id, sender_id, text)
     select $1, users.id, 'Of ' || name from app_public.users, generate_series(1, 60) where name in ('Fay', 'Bob')`,
    [id],
  );
  const counts: Record<string, number> = {};
  const texts = new Set<string>();
  for await (const line of myData(own)) {
    const { kind, text } = JSON.parse(line);
    counts[kind] = (counts[kind] ?? 0) + 1;
    texts.add(text);
  }
  expect(counts).toEqual({ profile: 1, post: 12, comment: 101, message: 60 });
  expect(texts).not.toContain("Of Bob");
  expect(texts).toContain("Of Fay");
});

describe("pictures", () => {
  const bucket = {
    url: "https://examplebucket.s3.amazonaws.com",
    region: "us-east-1",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };

  test("are signed as the example in the documentation of S3", () => {
    const signed = presign(bucket, "GET", "/test.txt", {}, 86_400, new Date("2013-05-24T00:00:00Z"));
    expect(new URL(signed).searchParams.get("X-Amz-Signature")).toBe(
      "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    );
  });

  test("have a URL that a profile takes", async () => {
    const { uploadUrl, url } = await requestUpload(session, bucket, "image/png", 1_000);
    expect(new URL(uploadUrl).searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;content-type;host");
    const update = "mutation Avatar($url: String!) { updateProfile(input: { avatar: $url }) { avatar } }";
    expect(await session.ask(update, { url })).toEqual({ updateProfile: { avatar: url } });
  });

  test.each([
    ["image/svg+xml", 1_000],
    ["image/png", 2_000_001],
  ])("are no %s of %i bytes", async (type, bytes) => {
    await expect(requestUpload(session, bucket, type, bytes)).rejects.toThrow("JPEG, PNG or WebP, of 2 MB at most");
  });

  test("are for those who are signed in", async () => {
    await expect(requestUpload(new Session(service.url), bucket, "image/png", 1_000)).rejects.toThrow("Sign in first.");
  });
});

test("Apollo Client queries by hash, and subscribes", async () => {
  const sockets = socketClient(service.url, session, WebSocket);
  const client = apolloClient(service.url, session, sockets);
  // Refreshes the session, if need be, before the requests are counted.
  await session.accessToken();
  const before = service.logged.length;
  for (const fetchPolicy of ["network-only", "network-only"] as const) {
    const { data } = await client.query({ query: gql`query Me { me { name } }`, fetchPolicy });
    expect(data).toMatchObject({ me: { name: "Eve" } });
  }
  // The first request registers the query; the second one needs its hash alone.
  const asked = service.logged.slice(before).filter(({ msg }) => msg === "request");
  expect(asked.map(({ operation, codes }) => operation ?? codes)).toEqual([["PERSISTED_QUERY_NOT_FOUND"], "Me", "Me"]);
  const heard = new Queue<unknown>();
  const query = gql`subscription Added($chatId: ID!) { messageAdded(chatId: $chatId) { text } }`;
  const subscription = client.subscribe({ query, variables: { chatId } }).subscribe(({ data }) => heard.add(data));
  await untilListening(1, service.app);
  await say("For Apollo");
  expect(await heard.next()).toMatchObject({ messageAdded: { text: "For Apollo" } });
  subscription.unsubscribe();
  client.stop();
  await sockets.dispose();
});

test("urql queries by GET and hash", async () => {
  const sockets = socketClient(service.url, session, WebSocket);
  const client = urqlClient(service.url, session, sockets);
  const before = service.logged.length;
  const { data, error } = await client.query("query Own { me { name } }", {}).toPromise();
  expect([data?.me, error]).toMatchObject([{ name: "Eve" }, undefined]);
  const methods = service.logged.slice(before).filter(({ msg }) => msg === "request");
  expect(methods.map(({ method }) => method)).toContain("GET");
  const written = await client
    .mutation('mutation Say($chatId: ID!) { sendMessage(chatId: $chatId, text: "Hi") { text } }', { chatId })
    .toPromise();
  expect(written.data).toMatchObject({ sendMessage: { text: "Hi" } });
});

test("urql subscribes by SSE", async () => {
  const headers = { authorization: `Bearer ${await session.accessToken()}` };
  const client = new UrqlClient({
    url: service.url,
    exchanges: [fetchExchange],
    fetchSubscriptions: true,
    fetchOptions: { headers },
    preferGetMethod: false,
  });
  const heard = new Queue<unknown>();
  const { unsubscribe } = client
    .subscription("subscription Added($chatId: ID!) { messageAdded(chatId: $chatId) { text } }", { chatId })
    .subscribe((result) => heard.add(result.data));
  await untilListening(1, service.app);
  await say("For urql");
  // What was sent before the subscription may come first, where the service had not heard of it yet.
  let message = await heard.next();
  if (JSON.stringify(message).includes("Hi")) message = await heard.next();
  expect(message).toMatchObject({ messageAdded: { text: "For urql" } });
  unsubscribe();
});

describe("live chat", () => {
  test("by graphql-ws continues after the message that was seen last", async () => {
    const seen = await say("Seen");
    await say("Missed");
    const client = socketClient(service.url, session, WebSocket);
    const heard = new Queue<string>();
    const stop = followBySocket(client, chatId, ({ text }) => heard.add(text), seen);
    expect(await heard.next()).toBe("Missed");
    await say("Live");
    expect(await heard.next()).toBe("Live");
    // As a network that breaks.
    client.terminate();
    await untilListening(0, service.app);
    await say("While away");
    expect(await heard.next()).toBe("While away");
    await say("Live again");
    expect(await heard.next()).toBe("Live again");
    expect(heard.all).toEqual(["Missed", "Live", "While away", "Live again"]);
    stop();
    await client.dispose();
  });

  test("by graphql-ws notices a network that is gone without a word, and survives an exception of the program", async () => {
    const proxy = await DroppingProxy.start(service.url);
    const report = mock.method(console, "error", () => {});
    const client = socketClient(proxy.url, session, WebSocket, 300);
    const heard = new Queue<string>();
    const stop = followBySocket(client, chatId, ({ text }) => {
      heard.add(text);
      if (text === "Odd") throw new Error("Of the program.");
    });
    await untilListening(1, service.app);
    await say("Odd");
    expect(await heard.next()).toBe("Odd");
    expect(report.mock.calls.map(({ arguments: [error] }) => error.message)).toEqual(["Of the program."]);
    report.mock.restore();
    proxy.drop();
    await say("While away");
    expect(await heard.next()).toBe("While away");
    expect(heard.all).toEqual(["Odd", "While away"]);
    expect(proxy.connections).toBeGreaterThan(1);
    stop();
    await client.dispose();
    await proxy.stop();
  });

  const added = `subscription Added($chatId: ID!, $after: ID) { messageAdded(chatId: $chatId, after: $after) { id text } }`;
  type Added = { messageAdded: { text: string } };
  /** Subscribes, and hands on texts. @returns a function that stops */
  type Follow = (variables: object, sockets: Client, hear: (text?: string) => void) => () => void;
  const followers: Record<string, Follow> = {
    "Apollo Client": (variables, sockets, hear) => {
      const client = apolloClient(service.url, session, sockets);
      const query: TypedDocumentNode<Added> = gql(added);
      const subscription = client
        .subscribe({ query, variables })
        .subscribe(({ data, error }) => hear(data?.messageAdded.text ?? String(error)));
      return () => {
        subscription.unsubscribe();
        client.stop();
      };
    },
    urql: (variables, sockets, hear) =>
      urqlClient(service.url, session, sockets)
        .subscription<Added>(added, variables)
        .subscribe(({ data, error }) => hear(data?.messageAdded.text ?? String(error))).unsubscribe,
  };
  test.each(Object.keys(followers))("by %s continues after the message that was seen last", async (name) => {
    const seen = await say("Seen");
    await say("Missed");
    const sockets = socketClient(service.url, session, WebSocket);
    const heard = new Queue<string>();
    const stop = followers[name]?.({ chatId, after: seen }, sockets, (text = "") => heard.add(text));
    expect(await heard.next()).toBe("Missed");
    for (const n of [1, 2]) {
      await say(`Live ${n}`);
      expect(await heard.next()).toBe(`Live ${n}`);
      sockets.terminate();
      await untilListening(0, service.app);
      await say(`While away ${n}`);
      expect(await heard.next()).toBe(`While away ${n}`);
    }
    await say("Last");
    expect(await heard.next()).toBe("Last");
    expect(heard.all).toEqual(["Missed", "Live 1", "While away 1", "Live 2", "While away 2", "Last"]);
    stop?.();
    await sockets.dispose();
  });

  test("by graphql-sse continues after the message that was seen last, also when its token has expired", async () => {
    const seen = await say("Seen");
    await say("Missed");
    // Tokens are accepted for thirty seconds more, because clocks may differ.
    const expiring = (await sign?.("2", 2 - clockSkewSeconds))?.token;
    const tokens = [expiring, await service.tokenOf("bob")];
    const expired = { accessToken: async () => tokens.shift() } as Session;
    const client = eventClient(service.url, expired);
    const messages = followByEvents(client, chatId, seen);
    const next = async () => (await messages.next()).value?.text;
    expect(await next()).toBe("Missed");
    await say("Live");
    expect(await next()).toBe("Live");
    // Asked for before the stream ends, so that this program notices the end.
    const afterwards = next();
    await untilListening(0, service.app);
    await say("With a new token");
    expect(await afterwards).toBe("With a new token");
    expect(tokens).toEqual([]);
    await messages.return(undefined);
    client.dispose();
  });

  test("by graphql-sse notices a network that is gone without a word", async () => {
    const proxy = await DroppingProxy.start(service.url);
    const client = eventClient(proxy.url, session, 1_000);
    const messages = followByEvents(client, chatId, await say("Seen"));
    const next = async () => (await messages.next()).value?.text;
    await say("Live");
    expect(await next()).toBe("Live");
    proxy.drop();
    await say("While away");
    expect(await next()).toBe("While away");
    expect(proxy.connections).toBeGreaterThan(1);
    await messages.return(undefined);
    client.dispose();
    await proxy.stop();
  });

  test("by graphql-sse fails for good where a retry would not help", async () => {
    const messages = followByEvents(eventClient(service.url, new Session(service.url)), chatId);
    const failure = await messages.next().catch((error) => error);
    expect(failure.errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED" } }]);
  });
});
