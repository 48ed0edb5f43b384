import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mock } from "node:test";
import { ApolloClient, gql, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { type Client, createClient } from "graphql-ws";
import { SubscriptionClient } from "subscriptions-transport-ws";
import { WebSocket } from "ws";
import { Queue } from "../support/Queue.ts";
import { type Person, untilListening, useService } from "../support/service.ts";

/* messageAdded (specification 6) through common client libraries. */
const service = useService();
const rarelyPinging = useService({ socketLimits: { pingIntervalMs: 60_000 } });
const query = `subscription Added($chatId: ID!) { messageAdded(chatId: $chatId) { id text sender { id name } createdAt } }`;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  const chats = readFileSync(new URL("chats.sql", import.meta.url), "utf8");
  for (const { database } of [service, rarelyPinging]) await database.query(chats);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await untilListening(0, service.app);
});

const wsUrl = () => service.url.replace(/^http/, "ws");
const token = (person: Person) => (person === "nobody" ? undefined : service.tokenOf(person));

async function say(text: string, chatId = 1): Promise<void> {
  await service.database.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2)", [
    chatId,
    text,
  ]);
}

interface Heard {
  results: Queue<Record<string, never>>;
  ended: Promise<string>;
  stop(): void;
}

function listen(client: Client, variables: Record<string, unknown>, text = query): Heard {
  const results = new Queue<Record<string, never>>();
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const stop = client.subscribe(
    { query: text, variables },
    {
      next: (result) => results.add(result as never),
      error: (error) => resolve(JSON.stringify(error instanceof Error ? error.message : error)),
      complete: () => resolve("complete"),
    },
  );
  return { results, ended, stop };
}

async function connect(person: Person, options = {}): Promise<Client> {
  const authToken = await token(person);
  const client = createClient({
    url: wsUrl(),
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    ...(authToken ? { connectionParams: { authToken } } : null),
    ...options,
  });
  closers.push(() => client.dispose());
  return client;
}

describe("graphql-ws", () => {
  test("receives each message in order, with its sender", async () => {
    const heard = listen(await connect("ada"), { chatId: "1" });
    await untilListening(1, service.app);
    await say("One");
    await say("Two");
    const [one, two] = await heard.results.take(2);
    expect(one).toEqual({
      data: {
        messageAdded: {
          id: expect.any(String),
          text: "One",
          sender: { id: "2", name: "Bob" },
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        },
      },
      // The position to continue after, which is the message's id.
      extensions: { after: expect.stringMatching(/^\d+\.[\da-z]+$/) },
    });
    expect(two).toMatchObject({ data: { messageAdded: { text: "Two" } } });
    heard.stop();
    expect(await heard.ended).toBe("complete");
  });

  test("receives a message sent through the API like one inserted by SQL", async () => {
    const heard = listen(await connect("ada"), { chatId: "1" });
    await untilListening(1, service.app);
    const sent = await service.ask(`mutation { sendMessage(chatId: "1", text: "By the API 👋") { id text } }`, {
      as: "bob",
    });
    expect((await heard.results.next()) as unknown).toMatchObject({ data: { messageAdded: sent.data.sendMessage } });
  });

  test("with after, first receives all messages since", async () => {
    for (const text of ["First", "Second", "Third"]) await say(text);
    const [first] = await service.database.query("select id from app_public.messages where text = 'First'");
    const text = `subscription Since($after: ID!) { messageAdded(chatId: "1", after: $after) { text } }`;
    const heard = listen(await connect("ada"), { after: first?.["id"] }, text);
    expect(await heard.results.take(2)).toMatchObject(
      ["Second", "Third"].map((since) => ({ data: { messageAdded: { text: since } } })),
    );
    await say("And then live");
    expect((await heard.results.next()) as unknown).toMatchObject({
      data: { messageAdded: { text: "And then live" } },
    });
  });

  test.each<[Person, Record<string, unknown>, string]>([
    ["nobody", { chatId: "1" }, "UNAUTHORIZED"],
    ["ada", { chatId: "2" }, "NOT_FOUND"],
    ["ada", { chatId: "999" }, "NOT_FOUND"],
    ["ada", { chatId: "abc" }, "NOT_FOUND"],
    ["ada", { chatId: "\0" }, "NOT_FOUND"],
    ["ada", { chatId: null }, "VALIDATION_ERROR"],
  ])("%s, with %j, gets an error with the code %s", async (person, variables, code) => {
    const heard = listen(await connect(person), variables);
    const [error] = JSON.parse(await heard.ended);
    expect(error.extensions.code).toBe(code);
    expect(error.extensions.reason).toBe(code === "UNAUTHORIZED" ? "NOT_SIGNED_IN" : undefined);
  });

  test("gives each viewer its own result where the result depends on the viewer", async () => {
    const text = `subscription { messageAdded(chatId: "1") { text sender { name email } } }`;
    const [ada, bob] = [listen(await connect("ada"), {}, text), listen(await connect("bob"), {}, text)];
    await untilListening(2, service.app);
    await say("Whose email?");
    expect((await bob.results.next()) as unknown).toMatchObject({
      data: { messageAdded: { text: "Whose email?", sender: { name: "Bob", email: "bob@example.com" } } },
    });
    expect((await ada.results.next()) as unknown).toMatchObject({
      data: { messageAdded: { sender: { name: "Bob", email: null } } },
      errors: [
        { path: ["messageAdded", "sender", "email"], extensions: { code: "UNAUTHORIZED", reason: "FORBIDDEN" } },
      ],
    });
  });

  test("queries and mutations work over the socket too", async () => {
    const client = await connect("ada");
    const asked = listen(client, {}, "{ me { name } }");
    expect((await asked.results.next()) as unknown).toEqual({ data: { me: { name: "Ada" } } });
    expect(await asked.ended).toBe("complete");
    const wrong = listen(client, {}, "{ nothing }");
    expect(JSON.parse(await wrong.ended)[0].extensions.code).toBe("GRAPHQL_VALIDATION_FAILED");
  });

  test("supports aliases, fragments and further variables", async () => {
    const text = `subscription Named($room: ID!, $format: TimestampFormat) { heard: messageAdded(chatId: $room) { ...Said } }
      fragment Said on Message { text createdAt(format: $format) __typename }`;
    const heard = listen(await connect("ada"), { room: "1", format: "DATE_TIME" }, text);
    await untilListening(1, service.app);
    await say("Precisely");
    expect((await heard.results.next()) as unknown).toMatchObject({
      data: { heard: { text: "Precisely", createdAt: expect.stringMatching(/T.*\+00:00$/), __typename: "Message" } },
    });
  });

  test("a bad token closes the socket with 4403", async () => {
    const closed = new Queue<number>();
    const client = await connect("nobody", {
      connectionParams: { authToken: "no.such.token" },
      on: { closed: (event: { code: number }) => closed.add(event.code) },
    });
    const heard = listen(client, { chatId: "1" });
    expect(await closed.next()).toBe(4403);
    await heard.ended;
  });

  test("ends with UNAUTHORIZED when the user is removed from the chat, and sends no further message", async () => {
    await service.database.query("insert into app_public.chat_members (chat_id, user_id) values (2, 1)");
    const heard = listen(await connect("ada"), { chatId: "2" });
    await untilListening(1, service.app);
    await service.database.query("delete from app_public.chat_members where chat_id = 2 and user_id = 1");
    await say("Secret", 2);
    const [error] = JSON.parse(await heard.ended);
    expect(error.extensions.code).toBe("UNAUTHORIZED");
    expect(heard.results.all).toEqual([]);
  });
});

describe("Apollo Client's GraphQLWsLink", () => {
  test("receives data.messageAdded", async () => {
    const client = new ApolloClient({ link: new GraphQLWsLink(await connect("ada")), cache: new InMemoryCache() });
    const results = new Queue<unknown>();
    const subscription = client
      .subscribe({ query: gql(query), variables: { chatId: "1" } })
      .subscribe((result) => results.add(result.data));
    await untilListening(1, service.app);
    await say("For Apollo");
    expect(await results.next()).toMatchObject({ messageAdded: { text: "For Apollo", sender: { name: "Bob" } } });
    subscription.unsubscribe();
    client.stop();
  });
});

describe("subscriptions-transport-ws", () => {
  function connectOld(connectionParams: Record<string, unknown>, options = {}, url = service.app.url) {
    const client = new SubscriptionClient(
      `${url}/graphql`.replace(/^http/, "ws"),
      { connectionParams, reconnect: false, ...options },
      WebSocket,
    );
    closers.push(() => client.close());
    return client;
  }

  test("receives data.messageAdded, and unsubscribes", async () => {
    const client = connectOld({ authToken: await token("ada") });
    const results = new Queue<unknown>();
    const subscription = client
      .request({ query, variables: { chatId: "1" } })
      .subscribe({ next: (result) => results.add(result) });
    await untilListening(1, service.app);
    await say("For the old");
    expect(await results.next()).toMatchObject({ data: { messageAdded: { text: "For the old" } } });
    subscription.unsubscribe();
    await untilListening(0, service.app);
  });

  test.each([
    ["12 seconds", service],
    ["a minute", rarelyPinging],
  ])("keeps its connection for 100 seconds, with its defaults and pings every %s", async (_, { app, database }) => {
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const client = connectOld({ authToken: await token("ada") }, { reconnect: true }, app.url);
      const lost = mock.fn();
      client.onDisconnected(lost);
      const results = new Queue<unknown>();
      client.request({ query, variables: { chatId: "1" } }).subscribe({ next: (result) => results.add(result) });
      await untilListening(1, app);
      for (let second = 1; second <= 100; second++) {
        mock.timers.tick(1_000);
        // The pong comes after all that the service has sent in this second.
        client.client.ping();
        await once(client.client, "pong");
      }
      await database.query(
        "insert into app_public.messages (chat_id, sender_id, text) values (1, 2, 'After 100 seconds')",
      );
      expect(await results.next()).toMatchObject({ data: { messageAdded: { text: "After 100 seconds" } } });
      expect(lost.mock.callCount()).toBe(0);
    } finally {
      mock.timers.reset();
    }
  });

  test("gets error on failure, and connection_error for a bad token", async () => {
    const client = connectOld({});
    const failure = await new Promise((resolve) => {
      client.request({ query, variables: { chatId: "1" } }).subscribe({ error: resolve });
    });
    expect(JSON.stringify(failure)).toContain("UNAUTHORIZED");
    const error = await new Promise((connectionCallback) => {
      connectOld({ authToken: "no.such.token" }, { connectionCallback });
    });
    expect(JSON.stringify(error)).toContain("TOKEN_INVALID");
  });
});
