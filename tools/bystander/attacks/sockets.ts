import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { Attack } from "./Attack.ts";

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

/** Each subscription reads the whole chat again, as `after` allows. */
export const catchUps: Attack = {
  title: "200 subscriptions that catch up 5,000 messages each",
  prepare: `
    with made as (insert into app_public.chats (title) values ('Long') returning id),
    joined as (insert into app_public.chat_members (chat_id, user_id) select id, $1 from made)
    insert into app_public.messages (chat_id, sender_id, text) select id, $1, 'Hello ' || n from made, generate_series(1, 5000) n`,
  async run(attacker) {
    const data = await attacker.ask({ query: "{ chatsConnection(first: 1) { nodes { id } } }" });
    const chatId = data?.chatsConnection.nodes[0]?.id;
    const list = `{ chat(id: "${chatId}") { messagesConnection(last: 1) { nodes { id } } } }`;
    const after = (await attacker.ask({ query: list }))?.chat.messagesConnection.nodes[0]?.id;
    const query = `subscription { messageAdded(chatId: "${chatId}", after: "${after}") { id text sender { id name } } }`;
    const one = (socket: WebSocket, id: number) =>
      socket.send(JSON.stringify({ type: "subscribe", id: String(id), payload: { query } }));
    const sockets = await Promise.all(Array.from({ length: 10 }, () => attacker.open()));
    for (const socket of sockets) {
      if (socket.readyState === socket.OPEN) for (let id = 0; id < 20; id++) one(socket, id);
    }
    await attacker.untilOver();
  },
};

/** Each event is executed for each subscription, because no two ask for the same. */
export const costlyEvents: Attack = {
  title: "200 subscriptions with costly selections, and four messages a second",
  prepare: `
    with made as (insert into app_public.chats (title) values ('Costly') returning id)
    insert into app_public.chat_members (chat_id, user_id) select id, $1 from made`,
  async run(attacker) {
    const data = await attacker.ask({ query: "{ chatsConnection(first: 1) { nodes { id } } }" });
    const chatId = data?.chatsConnection.nodes[0]?.id;
    const lists = Array.from(
      { length: 6 },
      (_, i) =>
        `l${i}: postsConnection(first: 3) { totalCount nodes { id title excerpt author { id name } tags { id name } } }`,
    );
    const query = (name: string) =>
      `subscription { messageAdded(chatId: "${chatId}") { ${name}: id sender { ${lists.join(" ")} } } }`;
    const sockets = await Promise.all(Array.from({ length: 10 }, () => attacker.open()));
    for (const [place, socket] of sockets.entries()) {
      for (let id = 0; id < 20; id++) {
        const payload = { query: query(`s${place}_${id}`) };
        socket.send(JSON.stringify({ type: "subscribe", id: String(id), payload }));
      }
    }
    await attacker.repeat(1, async () => {
      await attacker.ask({ query: `mutation { sendMessage(chatId: "${chatId}", text: "Hello") { id } }` });
      await delay(250);
    });
  },
};
