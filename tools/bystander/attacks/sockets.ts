import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { Attacker } from "../Attacker.ts";
import type { Attack } from "./Attack.ts";
import { newAccounts } from "./multiples.ts";

/** Bounds the attacker's own memory. */
const maxBufferedBytes = 1_000_000;

/** Sends text as fast as the socket takes it, and opens another socket whenever the service closes it. */
const sendAtFullSpeed =
  (sockets: number, text: (index: number) => string): Attack["run"] =>
  (attacker) =>
    attacker.repeat(sockets, async () => {
      const socket = await attacker.open();
      for (let index = 0; socket.readyState === socket.OPEN; index++) {
        socket.send(text(index));
        if (index % 100 === 0) await turn();
        while (socket.bufferedAmount > maxBufferedBytes && socket.readyState === socket.OPEN) await delay(1);
      }
      await delay(100);
    });

export const pings: Attack = {
  title: "pings on four WebSockets at full speed",
  run: sendAtFullSpeed(4, () => '{"type":"ping"}'),
};

export const refusedSubscribes: Attack = {
  title: "refused subscriptions on four WebSockets at full speed",
  run: sendAtFullSpeed(4, (index) =>
    JSON.stringify({
      type: "subscribe",
      id: String(index),
      payload: { query: 'subscription { messageAdded(chatId: "999999") { id } }' },
    }),
  ),
};

export function subscribe(
  socket: WebSocket,
  id: number,
  query: string,
  variables: object = {},
  type = "subscribe",
): void {
  if (socket.readyState !== socket.OPEN) return;
  socket.send(JSON.stringify({ type, id: String(id), payload: { query, variables } }));
}

/** A chat of the attacker alone. */
const prepareChat = `
    with made as (insert into app_public.chats (title) values ('Attack') returning id)
    insert into app_public.chat_members (chat_id, user_id) select id, $1 from made`;

async function chatOf(attacker: Attacker): Promise<string> {
  const data = await attacker.ask({ query: "{ chatsConnection(first: 1) { nodes { id } } }" });
  return data?.chatsConnection.nodes[0]?.id;
}

/** Each subscription reads the whole chat again, as `after` allows. */
export const catchUps: Attack = {
  title: "200 subscriptions that catch up 5,000 messages each",
  prepare: `
    with made as (insert into app_public.chats (title) values ('Long') returning id),
    joined as (insert into app_public.chat_members (chat_id, user_id) select id, $1 from made)
    insert into app_public.messages (chat_id, sender_id, text) select id, $1, 'Hello ' || n from made, generate_series(1, 5000) n`,
  async run(attacker) {
    const chatId = await chatOf(attacker);
    const list = `{ chat(id: "${chatId}") { messagesConnection(last: 1) { nodes { id } } } }`;
    const after = (await attacker.ask({ query: list }))?.chat.messagesConnection.nodes[0]?.id;
    const query = `subscription { messageAdded(chatId: "${chatId}", after: "${after}") { id text sender { id name } } }`;
    const sockets = await Promise.all(Array.from({ length: 10 }, () => attacker.open()));
    for (const socket of sockets) for (let id = 0; id < 20; id++) subscribe(socket, id, query);
    await attacker.untilOver();
  },
};

const costlySelections = Array.from(
  { length: 6 },
  (_, i) =>
    `l${i}: postsConnection(first: 3) { totalCount nodes { id title excerpt author { id name } tags { id name } } }`,
).join(" ");

/** Each event is executed for each subscription, because no two ask for the same. */
export const costlyEvents: Attack = {
  title: "300 subscriptions with costly selections, and four messages a second",
  prepare: prepareChat,
  async run(attacker) {
    const chatId = await chatOf(attacker);
    const query = (name: string) =>
      `subscription { messageAdded(chatId: "${chatId}") { ${name}: id sender { ${costlySelections} } } }`;
    const sockets = await Promise.all(Array.from({ length: 15 }, () => attacker.open()));
    for (const [place, socket] of sockets.entries()) {
      for (let id = 0; id < 20; id++) subscribe(socket, id, query(`s${place}_${id}`));
    }
    await sendMessages(attacker, chatId, "Hello");
  },
};

/** Sends four messages a second to a chat until the attack is over. */
async function sendMessages(attacker: Attacker, chatId: string, text: string): Promise<void> {
  await attacker.repeat(1, async () => {
    await attacker.ask({ query: `mutation { sendMessage(chatId: "${chatId}", text: "${text}") { id } }` });
    await delay(250);
  });
}

/** The subscriptions end only with the attack, because each event waits for its turn. */
export const slowCatchUps: Attack = {
  title: "five new accounts with four costly subscriptions each that catch up 5,000 comments",
  prepare: `
    with made as (insert into app_public.posts (author_id, title, content, status) values ($1, 'Long', 'A', 'PUBLISHED') returning id)
    insert into app_public.comments (post_id, author_id, text) select id, $1, 'Hello ' || n from made, generate_series(1, 5001) n`,
  async run(attacker) {
    const post = "{ me { posts(limit: 1) { id comments(limit: 1) { id } } } }";
    const { id, comments } = (await attacker.ask({ query: post }))?.me.posts[0] ?? {};
    const query = (name: string) =>
      `subscription { commentAdded(postId: "${id}", after: "${comments[0].id}") { ${name}: id author { ${costlySelections} } } }`;
    for (const [user, authorization] of (await newAccounts(attacker, 5)).entries()) {
      const socket = await attacker.open({ authorization });
      for (let place = 0; place < 4; place++) subscribe(socket, place, query(`c${user}_${place}`));
    }
    await attacker.untilOver();
  },
};

/** An event of about 500 KB, made of one message. */
const largeEvent = (chatId: string) =>
  `subscription { messageAdded(chatId: "${chatId}") { ${Array.from({ length: 100 }, (_, i) => `t${i}: text`).join(" ")} } }`;
const largeText = "x".repeat(5_000);

export const largeEvents: Attack = {
  title: "100 subscriptions that read events of 500 KB, four a second",
  prepare: prepareChat,
  async run(attacker) {
    const chatId = await chatOf(attacker);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => attacker.open()));
    for (const socket of sockets) for (let id = 0; id < 10; id++) subscribe(socket, id, largeEvent(chatId));
    await sendMessages(attacker, chatId, largeText);
  },
};

/** Opens an event stream and reads nothing of it yet. */
export async function openEventStream(
  { place, signal }: Attacker,
  query: string,
  isAnonymous = false,
): Promise<IncomingMessage | undefined> {
  const headers = {
    ...(isAnonymous ? null : { authorization: place.authorization }),
    accept: "text/event-stream",
    "content-type": "application/json",
    "x-forwarded-for": "198.51.100.7",
  };
  const sent = request(place.url, { method: "POST", headers, signal, agent: false });
  sent.on("error", () => {});
  sent.end(JSON.stringify({ query }));
  const [response] = await once(sent, "response").catch(() => []);
  return response?.on("error", () => {});
}

/** The pongs are not answers to the pings of the service, which are not read either. */
export const stalledSockets: Attack = {
  title: "250 WebSockets that send pongs and 250 event streams, none of which read their events of 500 KB",
  prepare: prepareChat,
  async run(attacker) {
    const chatId = await chatOf(attacker);
    const query = largeEvent(chatId);
    const stall = async () => {
      const socket = await attacker.open();
      subscribe(socket, 0, query);
      socket.pause();
      const pongs = setInterval(() => socket.pong(), 1_000);
      if (socket.readyState === socket.OPEN) await once(socket, "close");
      clearInterval(pongs);
      await delay(1_000);
    };
    const stream = async () => {
      const response = await openEventStream(attacker, query);
      attacker.note(response ? `stream ${response.statusCode}` : "no stream");
      if (response) await once(response, "close");
      await delay(1_000);
    };
    await Promise.all([
      attacker.repeat(250, stall),
      attacker.repeat(250, stream),
      sendMessages(attacker, chatId, largeText),
    ]);
  },
};

/** One address may open 600 a minute, so these come from many: what lasts is measured, not the opening. */
const idleSockets = 1_000;
const perAddress = 30;
const socketsPerSecond = 25;

export const idleSubscriptions: Attack = {
  title: "20,000 idle anonymous subscriptions to as many posts, opened within 40 seconds",
  burstSeconds: 50,
  prepare: `insert into app_public.posts (author_id, title, content, status)
    select $1, 'Idle ' || n, 'A', 'PUBLISHED' from generate_series(1, 20000) n`,
  async run(attacker) {
    const { me } = await attacker.ask({ query: "{ me { posts(limit: 1) { id } } }" });
    // The newest one comes first.
    const first = Number(me.posts[0].id) - 19_999;
    const startedAt = performance.now();
    for (let place = 0; place < idleSockets; place++) {
      const address = `198.51.100.${Math.floor(place / perAddress) + 8}`;
      const socket = await attacker.open({ isAnonymous: true, address });
      for (let id = 0; id < 20; id++) {
        subscribe(socket, id, `subscription ($post: ID!) { commentAdded(postId: $post) { id } }`, {
          post: first + place * 20 + id,
        });
      }
      await delay(Math.max(0, startedAt + ((place + 1) * 1_000) / socketsPerSecond - performance.now()));
    }
    await attacker.untilOver();
  },
};
