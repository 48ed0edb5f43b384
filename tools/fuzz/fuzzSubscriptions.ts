import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "@content-service/testing/Random.ts";
import { WebSocket } from "ws";

interface Options {
  /** The URL of the endpoint. */
  url: string;
  authorization: string;
  count: number;
  random: Random;
  /** No subscription is sent after this timestamp, in ms since 1970. */
  endAt: number;
}

const queries = [
  "subscription ($chatId: ID!, $after: ID) { messageAdded(chatId: $chatId, after: $after) { id text } }",
  "subscription ($chatId: ID!, $toString: ID) { messageAdded(chatId: $chatId, after: $toString) { id text } }",
  "subscription ($chatId: ID!, $__proto__: ID) { messageAdded(chatId: $chatId, after: $__proto__) { id } }",
];
const places = [
  undefined,
  null,
  0,
  1,
  25,
  -1,
  1.5,
  1e300,
  "1",
  "25",
  "-1",
  "x",
  "",
  [],
  {},
  true,
  "\u0316\u0300".repeat(500),
];
/** Longer than each time-out of the service. */
const longestMs = 30_000;
const plain = "{ __typename }";

/**
 * Sends subscriptions with random variables over a WebSocket, each followed by a query on the same socket.
 *
 * @returns each subscription with everything received until the answer of that query; empty if there was no answer, "closed" and the reason if the socket was closed
 */
export async function fuzzSubscriptions({ url, authorization, count, random, endAt }: Options) {
  const frames: { sent: string; received: string }[] = [];
  const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws");
  const closed = once(socket, "close").then(([code, reason]) => `closed ${code} ${reason}`);
  const patience = () => delay(longestMs, undefined, { ref: false });
  socket.on("error", () => {});
  const messages: string[] = [];
  let heard: (() => void) | undefined;
  socket.on("message", (data) => {
    messages.push(String(data));
    heard?.();
  });
  const send = (message: object) => socket.send(JSON.stringify(message));
  /** Waits for a message with this text. @returns the messages until then */
  const until = async (text: string) => {
    while (!messages.some((message) => message.includes(text))) {
      const next = new Promise<true>((resolve) => {
        heard = () => resolve(true);
      });
      const end = await Promise.race([next, closed, patience()]);
      if (end !== true) return end ?? "";
    }
    return messages.splice(0).join("\n");
  };

  await Promise.race([once(socket, "open"), closed]);
  send({ type: "connection_init", payload: { authToken: authorization } });
  await until("connection_ack");
  for (let index = 0; index < count && Date.now() < endAt && socket.readyState === socket.OPEN; index++) {
    const variables = { chatId: random.pick(["1", 1, "999", "", null, "x"]), after: random.pick(places) };
    const payload = { query: random.pick(queries), variables };
    send({ type: "subscribe", id: `s${index}`, payload });
    send({ type: "subscribe", id: `q${index}`, payload: { query: plain } });
    const received = await until(`"id":"q${index}"`);
    // A stopped subscription counts until its reading has ended.
    if (received.includes('"socketOperations"')) await delay(50);
    frames.push({ sent: JSON.stringify(payload), received });
    if (socket.readyState === socket.OPEN) send({ type: "complete", id: `s${index}` });
  }
  socket.close();
  await closed;
  return frames;
}
