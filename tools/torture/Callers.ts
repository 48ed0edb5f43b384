import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { SignToken } from "../../src/identity/signToken.ts";
import { postJson } from "../support/post.ts";

/** The outcomes of the requests over HTTP. `broken`, `wrong`, `lost` and `twice` must be zero. */
export interface CallTally {
  requests: number;
  done: number;
  /** Refused with a code that means: try again later. */
  refused: number;
  /** Aborted by the caller. */
  aborted: number;
  /** No response: the connection was refused, or it broke. */
  broken: number;
  /** A wrong response: the data of another user, an error with another code, or no JSON. */
  wrong: number;
  /** Acknowledged writes that are not in the table. */
  lost: number;
  /** Writes that are in the table more than once. */
  twice: number;
  slowestRefusalMs: number;
  slowestSuccessMs: number;
}

const titlePrefix = "torture ";
const read = "{ me { id } }";
const write = `mutation ($title: String!) { createPost(input: {title: $title, content: "Content."}) { author { id } } }`;
const refusals = new Set(["SERVICE_UNAVAILABLE", "OUTCOME_UNKNOWN", "TIMEOUT", "CONFLICT"]);
const pauseAfterRefusalMs = 20;

interface Settings {
  /** The endpoint, or what chooses one for each request. */
  url: string | (() => string);
  sign: SignToken;
  userIds: readonly string[];
  callers: number;
}

/** Callers that read and write over HTTP until they are stopped, each as another user. */
export class Callers {
  readonly counts = {
    requests: 0,
    done: 0,
    refused: 0,
    aborted: 0,
    broken: 0,
    wrong: 0,
    slowestRefusalMs: 0,
    slowestSuccessMs: 0,
  };
  /** The first wrong responses. */
  readonly examples: string[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #settings: Settings;
  readonly #acknowledged = new Set<string>();
  /** The start of the last successful request of each caller. */
  readonly #servedAt: number[];
  readonly #running: Promise<void>;
  #isOver = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#servedAt = Array.from({ length: settings.callers }, () => 0);
    this.#running = Promise.all(this.#servedAt.map((_, caller) => this.#call(caller))).then(() => {});
  }

  /** Waits until every caller has had a successful request that started after this call. @returns the time in ms */
  async untilWell(): Promise<number> {
    const from = performance.now();
    while (this.#servedAt.some((at) => at < from)) await delay(5);
    return performance.now() - from;
  }

  /** Sends `count` requests and aborts each of them after 0 to 24 ms. */
  async abort(count: number): Promise<void> {
    const one = async (number: number) => {
      const body = { query: write, variables: { title: `aborted x${number}` } };
      await this.#send(body, number, number % 25).catch(() => {});
      this.counts.aborted += 1;
    };
    for (let sent = 0; sent < count; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => one(sent + index)));
    }
  }

  /** Stops the callers and looks for the acknowledged writes. @param titles reads the titles of all posts */
  async stop(titles: () => Promise<string[]>): Promise<CallTally> {
    this.#isOver = true;
    await this.#running;
    this.#agent.destroy();
    const found = new Map<string, number>();
    for (const title of await titles()) found.set(title, (found.get(title) ?? 0) + 1);
    const lost = [...this.#acknowledged].filter((title) => !found.has(title)).length;
    const twice = [...found].filter(([title, count]) => count > 1 && title.startsWith(titlePrefix)).length;
    return { ...this.counts, lost, twice };
  }

  async #call(caller: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const from = performance.now();
      this.counts.requests += 1;
      const outcome = await this.#ask(caller, turn).catch((error) => this.#note("broken", String(error)));
      const took = performance.now() - from;
      if (outcome === "done") {
        this.#servedAt[caller] = from;
        this.counts.slowestSuccessMs = Math.max(this.counts.slowestSuccessMs, took);
      }
      if (outcome === "refused") this.counts.slowestRefusalMs = Math.max(this.counts.slowestRefusalMs, took);
      this.counts[outcome] += 1;
      if (outcome !== "done") await delay(pauseAfterRefusalMs);
    }
  }

  async #ask(caller: number, turn: number): Promise<"done" | "refused" | "wrong"> {
    const isWrite = turn % 2 === 1;
    const title = `${titlePrefix}${process.pid} ${caller} ${turn} ${Math.round(performance.now() * 1_000)}`;
    const text = await this.#send(isWrite ? { query: write, variables: { title } } : { query: read }, caller);
    const { data, errors = [] } = JSON.parse(text);
    if (errors.length > 0) {
      const isRefusal = errors.every(({ extensions }: any) => refusals.has(extensions?.code));
      return isRefusal ? "refused" : this.#note("wrong", text);
    }
    const id = isWrite ? data.createPost.author.id : data.me.id;
    if (id !== this.#userOf(caller)) return this.#note("wrong", text);
    if (isWrite) this.#acknowledged.add(title);
    return "done";
  }

  #note<Outcome extends "broken" | "wrong">(outcome: Outcome, what: string): Outcome {
    if (this.examples.length < 3) this.examples.push(what.slice(0, 300));
    return outcome;
  }

  #userOf(caller: number): string {
    const { userIds } = this.#settings;
    return userIds[caller % userIds.length] as string;
  }

  async #send(body: object, caller: number, abortAfterMs?: number): Promise<string> {
    const { token } = await this.#settings.sign(this.#userOf(caller), 3_600);
    const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs);
    const who = { authorization: `Bearer ${token}`, signal };
    const { url } = this.#settings;
    const { text } = await postJson(typeof url === "string" ? url : url(), this.#agent, JSON.stringify(body), who);
    return text;
  }
}
