import { readdirSync, readFileSync } from "node:fs";
import { mock } from "node:test";
import { gql, type TypedDocumentNode } from "@apollo/client";
import { WebSocket } from "ws";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { clockSkewSeconds } from "../../src/identity/verifyToken.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { Queue } from "../support/Queue.ts";
import { testSecret, untilListening, useService } from "../support/service.ts";
import { apolloClient } from "./snippets/apollo.ts";
import { eventClient, followByEvents } from "./snippets/chatBySse.ts";
import { followBySocket, socketClient } from "./snippets/chatByWebSocket.ts";
import { allPosts, pagesFromTheEnd } from "./snippets/pages.ts";
import { ApiFaults, Session } from "./snippets/session.ts";
import { urqlClient } from "./snippets/urql.ts";

/* docs/libraries.md has these programs, word for word. They run here, with the clients as npm installs them. */
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
test.each(readdirSync(folder))("docs/libraries.md has %s", (name) => {
  const page = readFileSync(new URL("../../docs/libraries.md", import.meta.url), "utf8");
  expect(page).toContain(`\`\`\`ts\n// ${name}\n${readFileSync(new URL(name, folder), "utf8")}\`\`\`\n`);
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
      .catch((error): ApiFaults => error);
    expect(failure).toBeInstanceOf(ApiFaults);
    expect((failure as ApiFaults).faults[0]?.extensions).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ field: "content" }, { field: "title" }],
    });
  });

  test("signs in again", async () => {
    const other = new Session(service.url);
    await other.signIn("eve@example.com", password);
    expect(await other.ask("query Me { me { name } }")).toEqual({ me: { name: "Eve" } });
  });

  test("two sessions with one refresh token, as in two tabs, both go on", async () => {
    const tokens = `mutation In($password: String!) { signIn(email: "eve@example.com", password: $password) { refreshToken } }`;
    const { data } = await service.ask(tokens, { variables: { password } });
    const refresh = `mutation Again($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { refreshToken } }`;
    const answers = await Promise.all([1, 2].map(() => service.ask(refresh, { variables: data.signIn })));
    const [one, other] = answers.map((answer) => answer.data.refreshSession.refreshToken);
    expect(one).toBe(other);
  });

  test("pages from the end", async () => {
    const pages: string[][] = [];
    for await (const nodes of pagesFromTheEnd(session, 2)) pages.push(nodes.map(({ title }) => title));
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    const titles: string[] = [];
    for await (const { title } of allPosts(session)) titles.push(title);
    expect(pages.reverse().flat()).toEqual(titles);
  });

  test("pages", async () => {
    const titles: string[] = [];
    for await (const { title } of allPosts(session, 2)) titles.push(title);
    expect(titles.toSorted()).toEqual(["Post 1", "Post 2", "Post 3", "Post 4", "Post 5"]);
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

test("urql queries by GET and hash, and subscribes by SSE", async () => {
  const client = urqlClient(service.url, session);
  const before = service.logged.length;
  const { data, error } = await client.query("query Own { me { name } }", {}).toPromise();
  expect([data?.me, error]).toMatchObject([{ name: "Eve" }, undefined]);
  const methods = service.logged.slice(before).filter(({ msg }) => msg === "request");
  expect(methods.map(({ method }) => method)).toContain("GET");
  const written = await client
    .mutation('mutation Say($chatId: ID!) { sendMessage(chatId: $chatId, text: "Hi") { text } }', { chatId })
    .toPromise();
  expect(written.data).toMatchObject({ sendMessage: { text: "Hi" } });
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

  test("by Apollo Client continues after the message that was seen last", async () => {
    const seen = await say("Seen");
    await say("Missed");
    const sockets = socketClient(service.url, session, WebSocket);
    const client = apolloClient(service.url, session, sockets);
    const heard = new Queue<string>();
    const query: TypedDocumentNode<{ messageAdded: { text: string } }> = gql`
      subscription Added($chatId: ID!, $after: ID) { messageAdded(chatId: $chatId, after: $after) { id text } }`;
    const subscription = client
      .subscribe({ query, variables: { chatId, after: seen } })
      .subscribe(({ data, error }) => heard.add(data?.messageAdded.text ?? String(error)));
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
    subscription.unsubscribe();
    client.stop();
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
    expect(failure.faults).toMatchObject([{ extensions: { code: "UNAUTHORIZED" } }]);
  });
});
