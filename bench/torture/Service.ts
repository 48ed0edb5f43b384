import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AppSettings } from "../../src/app.ts";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import type { Order, Status } from "./serve.ts";

const secret = "a secret of thirty-two bytes or more, to torture with";

/** As the service's own defaults are, but for rates: what is tortured is not how many may come. */
const settings: Omit<AppSettings, "apiDatabaseUrl" | "port"> = {
  poolSize: 20,
  statementTimeoutMs: 5_000,
  host: "127.0.0.1",
  token: { secret },
  introspection: true,
  graphiql: false,
  corsOrigins: [],
  trustProxy: "",
  bodyLimit: 1_048_576,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  persistedDir: "",
  persistedOnly: false,
  rateLimitAddress: 0,
  rateLimitUser: 0,
  rateLimitSignIn: 0,
  persistedDir: "",
  persistedOnly: false,
  stopDelayMs: 0,
  drainTimeoutMs: 10_000,
};

/** The service, as whoever tortures it sees it. */
export class Service {
  readonly sign = createTokenSigner({ secret }) as SignToken;
  /** Where subscriptions are. */
  url = "";
  #child: ChildProcess | undefined;
  #port = 0;

  /** Starts it, on the same port each time. */
  async start(apiDatabaseUrl: string): Promise<void> {
    const all: AppSettings = { ...settings, apiDatabaseUrl, port: this.#port };
    this.#child = fork(fileURLToPath(new URL("serve.ts", import.meta.url)), {
      env: { PATH: process.env.PATH ?? "", SETTINGS: JSON.stringify(all) },
      execArgv: ["--expose-gc"],
    });
    const url = new URL(await this.#answer<string>());
    this.#port = Number(url.port);
    this.url = `ws://${url.host}/graphql`;
  }

  async status(): Promise<Status> {
    const answer = this.#answer<Status>();
    this.#child?.send("status" satisfies Order);
    return answer;
  }

  /** Waits until it has so many subscriptions: what is said from then on is heard by all of them. */
  async untilListening(count: number): Promise<void> {
    while ((await this.status()).subscriptions !== count) await delay(20);
  }

  /** As `kill` does: it says good-bye to everyone. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.send("stop" satisfies Order);
    await ended;
  }

  /** What the process says next; an error when it ends instead. */
  async #answer<Answer>(): Promise<Answer> {
    const child = this.#child as ChildProcess;
    const settled = new AbortController();
    const ended = once(child, "exit", settled).then(([code]) => {
      throw new Error(`The service has ended with ${code}`);
    });
    ended.catch(() => {});
    try {
      const [answer] = await Promise.race([once(child, "message", settled), ended]);
      return answer;
    } finally {
      settled.abort();
    }
  }
}
