import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Answer, postJson } from "../support/post.ts";

/** The latency of a bystander's requests. */
export class Latencies {
  readonly ms: number[] = [];
  /** Requests without data. */
  failed = 0;

  /** The latency that `share` of the requests stay below. */
  quantile(share: number): number {
    const sorted = this.ms.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  }

  add({ ms, failed }: Pick<Latencies, "ms" | "failed">): void {
    this.ms.push(...ms);
    this.failed += failed;
  }
}

const mix = [
  "{ __typename }",
  "{ feed(limit: 10) { id title excerpt author { id name } tags { id name } } }",
  '{ post(id: "1") { id title content author { id name } } }',
].map((query) => JSON.stringify({ query }));
const intervalMs = 8;
const messageIntervalMs = 200;
/** A request without an answer counts with this latency, as a failure. */
const patienceMs = 10_000;

/** The place of the bystanders. */
export interface Seats {
  url: string;
  /** Of several users, each with an address of its own, so that none reaches a rate limit. */
  authorizations: readonly string[];
  /** A chat of the last one. */
  chatId: string;
}

/** Users who read a little and follow a chat, at a fixed pace, whether earlier requests are answered or not. */
export class Bystander {
  readonly #seats: Seats;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(seats: Seats) {
    this.#seats = seats;
  }

  async read(seconds: number): Promise<Latencies> {
    return measure(seconds, intervalMs, async (index) => {
      const user = index % (this.#seats.authorizations.length - 1);
      return !(await this.#post(user, mix[index % mix.length] as string)).errors;
    });
  }

  /**
   * Sends messages to the chat. The latency of one lasts until an open subscription has received it, and then a new one that
   * resumes after the message before.
   */
  async follow(seconds: number): Promise<Latencies> {
    const { url, authorizations } = this.#seats;
    const user = authorizations.length - 1;
    const headers = { "x-forwarded-for": addressOf(user) };
    const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws", { headers });
    const waiting = new Map<string, (messageId: string) => void>();
    const arrival = (name: string) => new Promise<string>((resolve) => waiting.set(name, resolve));
    const say = (message: object) => socket.send(JSON.stringify(message));
    const subscribe = (id: string, after: string) => {
      const query = `subscription { messageAdded(chatId: "${this.#seats.chatId}", after: "${after}") { id text } }`;
      say({ type: "subscribe", id, payload: { query } });
    };
    const acknowledged = arrival("connection_ack");
    socket.on("error", () => {});
    socket.on("open", () => say({ type: "connection_init", payload: { authToken: authorizations[user] } }));
    socket.on("message", (data) => {
      const { type, id, payload } = JSON.parse(String(data));
      const { messageAdded } = payload?.data ?? {};
      waiting.get(id === "live" ? messageAdded?.text : (id ?? type))?.(messageAdded?.id);
    });
    const opened = Promise.all([this.#send(user, "the first one"), acknowledged]).then(([first]) => {
      subscribe("live", first);
      return first;
    });
    opened.catch(() => {});
    let last: string | undefined;
    const latencies = await measure(seconds, messageIntervalMs, async (index) => {
      const before = last ?? (await opened);
      const text = `${index} of ${seconds} seconds`;
      const arrived = arrival(text);
      last = await this.#send(user, text);
      await arrived;
      const resumed = arrival(String(index));
      subscribe(String(index), before);
      await resumed;
      say({ type: "complete", id: String(index) });
      return true;
    });
    socket.terminate();
    return latencies;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(user: number, text: string): Promise<string> {
    const query = `mutation { sendMessage(chatId: "${this.#seats.chatId}", text: "${text}") { id } }`;
    return (await this.#post(user, JSON.stringify({ query }))).data.sendMessage.id;
  }

  async #post(user: number, body: string): Promise<Answer> {
    const { url, authorizations } = this.#seats;
    const { text } = await postJson(url, this.#agent, body, {
      authorization: authorizations[user],
      headers: { "x-forwarded-for": addressOf(user) },
      signal: AbortSignal.timeout(patienceMs),
    });
    return JSON.parse(text);
  }
}

const addressOf = (user: number) => `192.0.2.${user + 1}`;

/** @param act resolves to whether it succeeded. One that rejects or takes too long fails */
async function measure(seconds: number, everyMs: number, act: (index: number) => Promise<boolean>): Promise<Latencies> {
  const latencies = new Latencies();
  const one = async (index: number) => {
    const from = performance.now();
    const isDone = await Promise.race([act(index).catch(() => false), delay(patienceMs, false)]);
    latencies.add({ ms: [performance.now() - from], failed: isDone ? 0 : 1 });
  };
  const begun: Promise<void>[] = [];
  const from = performance.now();
  for (let index = 0; performance.now() < from + seconds * 1_000; index++) {
    begun.push(one(index));
    await delay(Math.max(0, from + (index + 1) * everyMs - performance.now()));
  }
  await Promise.all(begun);
  return latencies;
}
