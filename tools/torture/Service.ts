import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import type { Order, Status } from "./serve.ts";

const secret = "a secret of thirty-two bytes or more, to torture with";

/** As the service's own defaults are, but for rates: what is tortured is not how many may come. */
export const environment = {
  PATH: process.env.PATH ?? "",
  NODE_ENV: "production",
  LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
  JWT_SECRET: secret,
  RATE_LIMIT_ADDRESS: "0",
  RATE_LIMIT_USER: "0",
  RATE_LIMIT_SIGN_IN: "0",
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
    this.#child = fork(fileURLToPath(new URL("serve.ts", import.meta.url)), {
      // There is nothing to migrate, so the owner's connection is not needed.
      env: { ...environment, DATABASE_URL: apiDatabaseUrl, API_DATABASE_URL: apiDatabaseUrl, PORT: String(this.#port) },
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
