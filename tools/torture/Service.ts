import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import type { Order, Status } from "./serve.ts";

const secret = "a secret of thirty-two bytes or more, to torture with";

/** The defaults of the service, without rate limits. */
const environment = {
  PATH: process.env.PATH ?? "",
  // Set in tests: half of a start is compiling.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
  NODE_ENV: "production",
  LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
  JWT_SECRET: secret,
  RATE_LIMIT_ADDRESS: "0",
  RATE_LIMIT_USER: "0",
  RATE_LIMIT_SIGN_IN: "0",
};

/** Controls the service in its own process: see serve.ts. */
export class Service {
  readonly sign = createTokenSigner({ secret }) as SignToken;
  /** The URL of the WebSocket endpoint. */
  url = "";
  #child: ChildProcess | undefined;
  #port = 0;

  /** Starts the service, on the same port each time. */
  async start(apiDatabaseUrl: string, settings: Record<string, string> = {}): Promise<void> {
    this.#child = fork(fileURLToPath(new URL("serve.ts", import.meta.url)), {
      // The database is migrated, so the service needs no connection of the owner.
      env: {
        ...environment,
        DATABASE_URL: apiDatabaseUrl,
        API_DATABASE_URL: apiDatabaseUrl,
        PORT: String(this.#port),
        ...settings,
      },
      execArgv: ["--expose-gc"],
    });
    const url = new URL(await this.#answer<string>());
    this.#port = Number(url.port);
    this.url = `ws://${url.host}/graphql`;
  }

  async status(): Promise<Status> {
    return this.#order<Status>("status");
  }

  /** Waits until the service has `count` subscriptions. They receive every message from then on. */
  async untilListening(count: number): Promise<void> {
    while ((await this.#order<number>("subscriptions")) !== count) await delay(20);
  }

  /** Stops the service as SIGTERM does: it closes the sockets of its clients. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.send("stop" satisfies Order);
    await ended;
  }

  #order<Answer>(order: Order): Promise<Answer> {
    const answer = this.#answer<Answer>();
    this.#child?.send(order);
    return answer;
  }

  /** The next message of the process. @throws when the process ends instead */
  async #answer<Answer>(): Promise<Answer> {
    const child = this.#child as ChildProcess;
    const settled = new AbortController();
    const ended = once(child, "exit", settled).then(([code]) => {
      throw new Error(`The service ended with ${code}`);
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
