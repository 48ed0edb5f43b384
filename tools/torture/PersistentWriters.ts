import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { SignToken } from "../../src/identity/signToken.ts";
import { type Answer, postJson } from "../support/post.ts";

const createPost = `mutation ($key: String, $text: String!) {
  createPost(idempotencyKey: $key, input: {title: $text, content: "Content."}) { id }
}`;
const sendMessage = `mutation ($key: String, $text: String!, $chatId: ID!) {
  sendMessage(idempotencyKey: $key, text: $text, chatId: $chatId) { id }
}`;
const readPost = "query ($id: ID!) { post(id: $id) { id } }";
const noResponse = "no response";
const tryAgain = new Set(["SERVICE_UNAVAILABLE", "OUTCOME_UNKNOWN", "TIMEOUT", "CONFLICT", noResponse]);

interface Settings {
  /** The endpoints, one after the other for each writer. */
  urls: readonly string[];
  sign: SignToken;
  userIds: readonly string[];
  chatId: string;
  count: number;
  /** The pause of a writer after each write. */
  pauseMs?: number;
}

/**
 * Clients that write posts and messages over HTTP, repeat what is refused with the same idempotencyKey until it is done, and
 * read each post that they have written.
 */
export class PersistentWriters {
  /** The texts of all that was acknowledged. */
  readonly acknowledged: string[] = [];
  /** How many requests were refused with each code, or had no response. */
  readonly failures: Record<string, number> = {};
  notRead = 0;
  lastFailureAt = 0;
  /** The longest time in which no write was acknowledged. */
  longestGapMs = 0;
  #acknowledgedAt = performance.now();
  readonly #settings: Settings;
  readonly #agent = new Agent({ keepAlive: true });
  /** When the last write of each writer that was done at once was sent. */
  readonly #servedAt: number[];
  readonly #running: Promise<unknown>;
  #isOver = false;
  #isAbandoned = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#servedAt = Array.from({ length: settings.count }, () => 0);
    this.#running = Promise.all(this.#servedAt.map((_, writer) => this.#write(writer)));
  }

  /** Waits until each writer has been served by a request that was sent after this call. @returns the time in ms */
  async untilServed(): Promise<number> {
    const from = performance.now();
    while (this.#servedAt.some((at) => at < from)) await delay(5);
    return performance.now() - from;
  }

  /** Waits until each writer's last write is done. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    this.#agent.destroy();
  }

  /** Stops, whatever becomes of the last writes. */
  abandon(): void {
    this.#isAbandoned = true;
    this.stop().catch(() => {});
  }

  async #write(writer: number): Promise<void> {
    const { chatId, pauseMs } = this.#settings;
    for (let turn = 0; !this.#isOver; turn++) {
      const text = `${writer} ${turn} ${randomUUID()}`;
      const isPost = turn % 2 === 0;
      const { data } = await this.#untilDone(writer, isPost ? createPost : sendMessage, { key: text, text, chatId });
      this.#acknowledge(text);
      if (isPost) {
        const { id } = data.createPost;
        const { data: read } = await this.#untilDone(writer, readPost, { id });
        if (read.post?.id !== id) this.notRead += 1;
      }
      if (pauseMs) await delay(pauseMs);
    }
  }

  #acknowledge(text: string): void {
    const now = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.acknowledged.push(text);
  }

  async #untilDone(writer: number, query: string, variables: Record<string, string>): Promise<Answer> {
    for (;;) {
      const sentAt = performance.now();
      const answer = await this.#send(writer, query, variables);
      if (!answer.errors) {
        this.#servedAt[writer] = sentAt;
        return answer;
      }
      const code = answer.errors[0]?.extensions["code"];
      this.failures[code] = (this.failures[code] ?? 0) + 1;
      this.lastFailureAt = performance.now();
      if (this.#isAbandoned || !tryAgain.has(code)) throw new Error(JSON.stringify(answer.errors));
      await delay(20);
    }
  }

  async #send(writer: number, query: string, variables: Record<string, string>): Promise<Answer> {
    const { urls, sign, userIds } = this.#settings;
    const url = urls[writer % urls.length] as string;
    const { token } = await sign(userIds[writer % userIds.length] as string, 3_600);
    const body = JSON.stringify({ query, variables });
    try {
      const { text } = await postJson(url, this.#agent, body, { authorization: `Bearer ${token}` });
      return JSON.parse(text);
    } catch {
      // A keep-alive connection that the service has closed meanwhile, say.
      return { errors: [{ message: "", extensions: { code: noResponse } }] };
    }
  }
}
