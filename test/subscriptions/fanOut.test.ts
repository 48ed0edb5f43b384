import { createTokenSigner } from "../../src/identity/signToken.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { people, testSecret, untilListening, useService } from "../support/service.ts";
import { recordStatements, type Statement } from "../support/statements.ts";

/* Fan-out: the database is queried once per message, and each subscriber gets only data that it may see. */
const service = useService();
const sign = createTokenSigner({ secret: testSecret });
const sockets: RawSocket[] = [];
const crowdSize = 100;
let crowd: string[];
let chatId: string;

beforeAll(async () => {
  const rows = await service.database.query<{ user_id: string }>(
    `with made as (insert into app_public.users (name) select 'User ' || n from generate_series(1, $1) n returning id)
     insert into app_private.accounts (user_id, email) select id, 'user' || id || '@example.com' from made returning user_id`,
    [crowdSize],
  );
  crowd = rows.map(({ user_id }) => user_id);
});
beforeEach(async () => {
  const [chat] = await service.database.query("insert into app_public.chats default values returning id");
  chatId = chat?.["id"];
  await service.database.query(
    "insert into app_public.chat_members (chat_id, user_id) select $1, unnest($2::bigint[])",
    [chatId, [people.ada, people.bob, people.admin, ...crowd]],
  );
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await untilListening(0, service.app);
});

/** Opens a socket of that user that subscribes to the chat with each of the queries. Their ids are 0, 1, 2… */
async function listen(userId: string, ...queries: { query: string; variables?: object }[]): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  sockets.push(socket);
  socket.say({ type: "connection_init", payload: { authToken: (await sign?.(userId))?.token } });
  await socket.messages.next();
  for (const [id, { query, variables }] of queries.entries()) {
    socket.say({ type: "subscribe", id: String(id), payload: { query, variables: { chatId, ...variables } } });
  }
  return socket;
}

async function say(...texts: string[]): Promise<void> {
  for (const text of texts) {
    await service.database.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 2, $2)", [
      chatId,
      text,
    ]);
  }
}

/** Those of the connections that read the feed come at any time. */
const apartFromFeed = (statements: Statement[]) =>
  statements.filter(({ application }) => application !== "content-service listener");

const added = `subscription ($chatId: ID!) { messageAdded(chatId: $chatId) { text sender { name } } }`;
const withEmail = `subscription ($chatId: ID!) { messageAdded(chatId: $chatId) { text sender { name email } } }`;

describe("a message to 100 subscribers", () => {
  test("arrives at each, as does a burst of 20 in order; SQL runs once per message, not per subscriber", async () => {
    const listeners = await Promise.all(crowd.map((userId) => listen(userId, { query: added })));
    await untilListening(crowdSize, service.app);
    const one = await recordStatements(async () => {
      await say("To all");
      await Promise.all(listeners.map(({ messages }) => messages.next()));
    });
    // The insert and a read of the message.
    expect(apartFromFeed(one)).toHaveLength(2);
    // A read of the chat; on a busy machine heartbeats, and what it takes to serve a slow stream aside.
    const more = crowdSize / 5;
    expect(one.length).toBeLessThanOrEqual(3 + more);

    const texts = Array.from({ length: 20 }, (_, index) => `Number ${index}`);
    const many = await recordStatements(async () => {
      await say(...texts);
      await Promise.all(listeners.map(({ messages }) => messages.take(20)));
    });
    // The writes, and reads of a message or of several that wait.
    expect(apartFromFeed(many).length).toBeLessThanOrEqual(20 * 2);
    expect(many.length).toBeLessThanOrEqual(20 * 3 + more);
    for (const { messages } of listeners) {
      const heard = messages.all.slice(1).map(({ payload }) => payload.data.messageAdded.text);
      expect(heard).toEqual(["To all", ...texts]);
    }
  });
});

describe("a result that depends on the subscriber", () => {
  test("contains an email only for its owner and for an admin, whatever others subscribe to", async () => {
    const both = [{ query: added }, { query: withEmail }];
    const order = [people.bob, people.ada, people.admin, people.ada, people.bob];
    const listeners: { userId: string; socket: RawSocket }[] = [];
    for (const userId of order) listeners.push({ userId, socket: await listen(userId, ...both) });
    await untilListening(order.length * 2, service.app);
    await say("One", "Two", "Three");
    for (const { userId, socket } of listeners) {
      const results = await socket.messages.take(6);
      const emails = results
        .filter(({ id }) => id === "1")
        .map(({ payload }) => payload.data.messageAdded.sender.email);
      const maySee = userId === people.bob || userId === people.admin;
      expect(emails).toEqual(Array(3).fill(maySee ? "bob@example.com" : null));
      const shared = results.filter(({ id }) => id === "0");
      expect(shared.map(({ payload }) => ({ data: payload.data }))).toEqual(
        ["One", "Two", "Three"].map((text) => ({ data: { messageAdded: { text, sender: { name: "Bob" } } } })),
      );
    }
  });

  test("contains each subscriber’s own number of unread messages", async () => {
    const query = `subscription ($chatId: ID!) { messageAdded(chatId: $chatId) { chat { unreadCount lastMessage { text } } } }`;
    const order = [people.bob, people.ada, people.admin];
    const listeners = await Promise.all(order.map((userId) => listen(userId, { query })));
    await untilListening(order.length, service.app);
    await say("One");
    const chats = await Promise.all(
      listeners.map(async ({ messages }) => (await messages.next()).payload.data.messageAdded.chat),
    );
    // Bob has sent it.
    expect(chats).toEqual([0, 1, 1].map((unreadCount) => ({ unreadCount, lastMessage: { text: "One" } })));
  });

  test("follows the variables of each subscription", async () => {
    const query = `subscription ($chatId: ID!, $format: TimestampFormat, $isLong: Boolean = false) {
      messageAdded(chatId: $chatId) { createdAt(format: $format) sender @include(if: $isLong) { name } }
    }`;
    const socket = await listen(
      people.ada,
      { query, variables: { format: "DATE" } },
      { query, variables: { format: "DATE_TIME", isLong: true } },
      { query },
    );
    await untilListening(3, service.app);
    await say("When?");
    const results = (await socket.messages.take(3)).sort((one, other) => Number(one.id) - Number(other.id));
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(results.map(({ payload }) => payload.data.messageAdded)).toEqual([
      { createdAt: day },
      { createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/), sender: { name: "Bob" } },
      { createdAt: day },
    ]);
  });

  test("merges a field that is selected in several places", async () => {
    const query = `subscription ($chatId: ID!) { ...Texts messageAdded(chatId: $chatId) { sender { id } } ...Names }
      fragment Texts on Subscription { messageAdded(chatId: $chatId) { text } }
      fragment Names on Subscription { ... on Subscription { messageAdded(chatId: $chatId) { sender { name } } } }`;
    const socket = await listen(people.ada, { query });
    await untilListening(1, service.app);
    await say("Whole");
    expect((await socket.messages.next()).payload).toMatchObject({
      data: { messageAdded: { text: "Whole", sender: { id: "2", name: "Bob" } } },
    });
  });
});

describe("a message of any size, in any script, arrives as it was sent", () => {
  const long = (text: string) => [...text.repeat(5_000)].slice(0, 5_000).join("");
  test.each([
    ["one letter", "a"],
    ["one emoji", "👋"],
    ["quotes, a backslash and line ends", '"It\'s" \\ done\r\n\tnow\u2028\u2029'],
    ["markup and placeholders", "<script>$1 ${x} %s :API_MEMBER {{}}</script>"],
    ["5,000 Latin letters", long("Lorem ipsum ")],
    ["5,000 Arabic letters", long("السلام عليكم ")],
    ["5,000 Devanagari signs", long("नमस्ते ")],
    ["5,000 Chinese characters", long("你好世界")],
    ["5,000 Hangul syllables", long("안녕하세요")],
    ["5,000 emoji", long("📣🎉")],
    ["families, flags and skin tones", "👩‍👩‍👧‍👦🇺🇦👍🏽".repeat(100)],
    ["letters outside the basic plane", "𝕳𝖊𝖑𝖑𝖔 𐍈 𠜎"],
  ])("%s", async (_, text) => {
    const socket = await listen(people.ada, { query: added });
    await untilListening(1, service.app);
    const mutation = `mutation ($chatId: ID!, $text: String!) { sendMessage(chatId: $chatId, text: $text) { text } }`;
    socket.say({ type: "subscribe", id: "said", payload: { query: mutation, variables: { chatId, text } } });
    const heard = (await socket.messages.take(3)).filter(({ type }) => type === "next");
    const texts = heard.map(({ payload: { data } }) => (data.messageAdded ?? data.sendMessage).text);
    expect(texts).toEqual([text, text]);
  });
});
