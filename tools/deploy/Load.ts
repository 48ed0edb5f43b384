import { setTimeout as delay } from "node:timers/promises";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { post } from "../support/post.ts";
import { Arena } from "../torture/Arena.ts";
import { Callers } from "../torture/Callers.ts";
import { Listener } from "../torture/Listener.ts";
import { tally } from "../torture/tally.ts";

const people = 4;
/** Each caller stays below RATE_LIMIT_USER, 1,200 requests a minute. */
const pauseMs = 80;
const messagePauseMs = 100;
/** A caller or listener that is not served for this long fails the trial. */
const patienceMs = 120_000;

export interface Target {
  /** The endpoint, `http:`, or what chooses one for each request and connection. */
  url: string | (() => string);
  /** JWT_SECRET. */
  secret: string | undefined;
  /** The connection string of a superuser, of the server that is the primary now. */
  databaseUrl: () => Promise<string>;
}

/** The results of all callers so far. */
export interface Seen {
  requests: number;
  /** Refused with a code that means: try again later. */
  refused: number;
  /** Without a response of the service, each with the reason. */
  failed: number;
  reasons: string[];
}

export interface LoadCounts extends Seen {
  messages: number;
  /** Acknowledged writes and messages that are missing, doubled, or out of order. Zero where all is well. */
  lost: number;
  longestGapMs: number;
}

/** Verified users who read and write, and a chat that each of them follows by a WebSocket. */
export class Load {
  readonly #target: Target;
  readonly #arena: Arena;
  readonly #chatId: string;
  readonly #listeners: Listener[];
  readonly #follow: (index: number) => Listener;
  readonly #callers: Callers;
  readonly #chatting: Promise<void>;
  readonly #reasons: string[] = [];
  readonly #sent: string[] = [];
  #unsent = 0;
  #isOver = false;

  static async start(target: Target): Promise<Load> {
    const sign = createTokenSigner({ secret: target.secret }) as SignToken;
    const arena = new Arena(await urlsOf(target), { sign } as Arena["service"]);
    const userIds = await arena.users(people);
    await arena.query("update app_private.accounts set verified_at = now() where verified_at is null");
    const chatId = await arena.openChat(people);
    const tokens = await Promise.all(userIds.map(async (id) => (await sign(id, 3_600)).token));
    const load = new Load(target, arena, chatId, userIds, tokens, sign);
    await load.#untilFollowed();
    await load.untilWell();
    return load;
  }

  private constructor(
    target: Target,
    arena: Arena,
    chatId: string,
    userIds: readonly string[],
    tokens: readonly string[],
    sign: SignToken,
  ) {
    this.#target = target;
    const choose = () => (typeof target.url === "string" ? target.url : target.url());
    this.#arena = arena;
    this.#chatId = chatId;
    this.#follow = (index) => new Listener(() => choose().replace("http", "ws"), tokens[index] as string, chatId);
    this.#listeners = tokens.map((_, index) => this.#follow(index));
    const paced: SignToken = async (...args) => {
      await delay(pauseMs);
      return sign(...args);
    };
    this.#callers = new Callers({ url: choose, sign: paced, userIds, callers: people });
    this.#chatting = this.#chat(choose, tokens);
  }

  /** Waits until each listener has had a message. One that is refused at its start follows the chat again, as a client would. */
  async #untilFollowed(): Promise<void> {
    const until = performance.now() + patienceMs;
    while (this.#listeners.some(({ ids }) => ids.length === 0)) {
      if (performance.now() > until) throw new Error(`The chat cannot be followed: ${this.seen.reasons.join("; ")}`);
      for (const [index, listener] of this.#listeners.entries()) {
        if (listener.errors.length === 0) continue;
        this.#listeners[index] = this.#follow(index);
        await listener.stop();
      }
      await delay(messagePauseMs);
    }
  }

  get seen(): Seen {
    const { requests, refused, broken, wrong } = this.#callers.counts;
    const heard = this.#listeners.flatMap(({ errors }) => errors.map((error) => JSON.stringify(error)));
    const texts = [...this.#callers.examples, ...this.#reasons, ...heard];
    return {
      requests: requests + this.#sent.length + this.#unsent,
      refused,
      failed: broken + wrong + this.#unsent,
      reasons: [...new Set(texts.map((text) => text.replaceAll(/\s+/g, " ").slice(0, 200)))],
    };
  }

  /** Waits until every caller and every listener is served again. @returns after how many ms */
  async untilWell(): Promise<number> {
    const from = performance.now();
    const had = this.#listeners.map(({ ids }) => ids.length);
    const listening = async () => {
      while (this.#listeners.some(({ ids }, index) => ids.length <= (had[index] as number))) await delay(20);
      return true;
    };
    const isWell = await Promise.race([Promise.all([this.#callers.untilWell(), listening()]), delay(patienceMs)]);
    if (!isWell) throw new Error(`Callers or listeners are not served: ${JSON.stringify(this.seen)}`);
    return performance.now() - from;
  }

  async stop(): Promise<LoadCounts> {
    this.#isOver = true;
    await this.#chatting;
    Object.assign(this.#arena.database, await urlsOf(this.#target));
    const written = await this.#arena.written(this.#chatId);
    const sums = await Promise.all(
      this.#listeners.map((listener) => tally([listener], written.slice(written.indexOf(listener.ids[0] as string)))),
    );
    const calls = await this.#callers.stop(() => this.#arena.titles());
    for (const listener of this.#listeners) await listener.stop();
    const total = (count: (one: (typeof sums)[number]) => number) => sums.reduce((sum, one) => sum + count(one), 0);
    const missing = this.#sent.filter((id) => !written.includes(id)).length;
    return {
      ...this.seen,
      messages: written.length,
      lost:
        missing +
        calls.lost +
        calls.twice +
        total((one) => one.lost + one.twice + one.outOfOrder + one.silent + one.errors),
      longestGapMs: Math.round(Math.max(...sums.map(({ longestGapMs }) => longestGapMs))),
    };
  }

  async #chat(choose: () => string, tokens: readonly string[]): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const query = `mutation { sendMessage(chatId: "${this.#chatId}", text: "Message ${turn}") { id } }`;
      const authorization = `Bearer ${tokens[turn % tokens.length]}`;
      const sent = await post(choose(), query, { authorization }).catch(({ message, cause }: Error) => ({
        data: null,
        errors: String(cause ?? message),
      }));
      if (sent.data?.sendMessage) this.#sent.push(sent.data.sendMessage.id);
      else {
        this.#unsent += 1;
        this.#reasons.push(JSON.stringify(sent.errors));
      }
      await delay(messagePauseMs);
    }
  }
}

async function urlsOf({ databaseUrl }: Target): Promise<Arena["database"]> {
  const url = await databaseUrl();
  return { ownerUrl: url, apiUrl: url };
}
