import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { postJson } from "../support/post.ts";

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

  add({ ms, failed }: Latencies): void {
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
/** A request without an answer counts with this latency, as a failure. */
const patienceMs = 10_000;

/** Users who read a little, at a fixed pace, whether earlier requests are answered or not. */
export class Bystander {
  readonly #url: string;
  readonly #authorizations: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });

  /** @param authorizations of several users, each with an address of its own, so that none reaches a rate limit */
  constructor(url: string, authorizations: readonly string[]) {
    this.#url = url;
    this.#authorizations = authorizations;
  }

  async read(seconds: number): Promise<Latencies> {
    const latencies = new Latencies();
    const sent: Promise<void>[] = [];
    const from = performance.now();
    for (let index = 0; performance.now() < from + seconds * 1_000; index++) {
      sent.push(this.#ask(index, latencies));
      const next = from + (index + 1) * intervalMs;
      await delay(Math.max(0, next - performance.now()));
    }
    await Promise.all(sent);
    return latencies;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(index: number, latencies: Latencies): Promise<void> {
    const user = index % this.#authorizations.length;
    const from = performance.now();
    try {
      const { text } = await postJson(this.#url, this.#agent, mix[index % mix.length] as string, {
        authorization: this.#authorizations[user],
        headers: { "x-forwarded-for": `192.0.2.${user + 1}` },
        signal: AbortSignal.timeout(patienceMs),
      });
      if (JSON.parse(text).errors) latencies.failed += 1;
    } catch {
      latencies.failed += 1;
    }
    latencies.ms.push(performance.now() - from);
  }
}
