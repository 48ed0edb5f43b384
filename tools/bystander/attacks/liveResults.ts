import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Attacker } from "../Attacker.ts";
import type { Attack } from "./Attack.ts";
import { openEventStream, subscribe } from "./sockets.ts";

/*
 * Events whose results are large: 100 posts of 20 KB, of letters, quotes, ellipses and emoji, since V8 has one or two bytes for a character.
 * Every second subscription has an alias of its own, so that its results are not shared.
 */

const sockets = 5;
const perSocket = 20;
const messageEveryMs = 1_000;

const prepare = `
  insert into app_public.posts (author_id, title, content, status)
    select $1, 'Large ' || n, text, 'PUBLISHED' from generate_series(1, 25) n,
      (values (repeat('x', 20000)), (repeat('"', 10000)), (repeat('…x', 5000)), (repeat('😀', 5000))) as texts (text);
  with made as (insert into app_public.chats (title) values ('Attack') returning id)
    insert into app_public.chat_members (chat_id, user_id) select id, $1 from made`;

/** Subscribes `sockets * perSocket` times and reads everything. */
type Transport = (attacker: Attacker, isAnonymous: boolean, query: () => string) => Promise<unknown>;

const overWebSocket =
  (protocol?: "graphql-ws"): Transport =>
  async (attacker, isAnonymous, query) => {
    await attacker.repeat(sockets, async () => {
      const socket = await attacker.open({ isAnonymous, protocol });
      for (let id = 0; id < perSocket; id++) subscribe(socket, id, query(), {}, protocol && "start");
      if (socket.readyState === socket.OPEN) await once(socket, "close");
      await delay(1_000);
    });
  };

const overEventStreams: Transport = async (attacker, isAnonymous, query) => {
  await attacker.repeat(sockets * perSocket, async () => {
    const response = await openEventStream(attacker, query(), isAnonymous);
    attacker.note(response ? `stream ${response.statusCode}` : "no stream");
    if (response) await once(response.resume(), "close");
    await delay(1_000);
  });
};

/** A member follows a chat, or an anonymous client a post. */
async function run(attacker: Attacker, isAnonymous: boolean, open: Transport): Promise<void> {
  const found = "{ me { posts(limit: 1) { id } } chatsConnection(first: 1) { nodes { id } } }";
  const { me, chatsConnection } = (await attacker.ask({ query: found })) ?? {};
  const postId = me.posts[0].id;
  const chatId = chatsConnection.nodes[0].id;
  let aliases = 0;
  const query = () => {
    const isShared = aliases++ % 2 === 0;
    const selection = `s${isShared ? "" : aliases}: posts(limit: 100) { id excerpt content }`;
    return isAnonymous
      ? `subscription { commentAdded(postId: "${postId}") { id author { ${selection} } } }`
      : `subscription { messageAdded(chatId: "${chatId}") { id sender { ${selection} } } }`;
  };
  const write = isAnonymous
    ? `mutation { createComment(input: { postId: "${postId}", text: "Hello" }) { id } }`
    : `mutation { sendMessage(chatId: "${chatId}", text: "Hello") { id } }`;
  await Promise.all([
    open(attacker, isAnonymous, query),
    attacker.repeat(1, async () => {
      await attacker.ask({ query: write });
      await delay(messageEveryMs);
    }),
  ]);
}

const transports = {
  websocket: overWebSocket(),
  "older-websocket": overWebSocket("graphql-ws"),
  sse: overEventStreams,
};

/** Each kind of client, each transport, and each heap: "live-member-sse-512". */
export const liveResults: Record<string, Attack> = Object.fromEntries(
  ["member", "anonymous"].flatMap((client) =>
    Object.entries(transports).flatMap(([transport, open]) =>
      [256, 512].map((heapMB): [string, Attack] => [
        `live-${client}-${transport}-${heapMB}`,
        {
          title: `100 subscriptions of one ${client === "member" ? "member" : "anonymous client"} to events of 2 MB (${transport}, heap of ${heapMB} MB)`,
          prepare,
          heapMB,
          run: (attacker) => run(attacker, client === "anonymous", open),
        },
      ]),
    ),
  ),
);
