import { setTimeout as delay } from "node:timers/promises";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { ServiceProcess } from "../support/ServiceProcess.ts";

const secret = "a secret of thirty-two bytes or more, to torture with";

/** Of each service: its defaults of production, but no rate limits. */
export const environment = {
  NODE_ENV: "production",
  LOG_LEVEL: "info",
  JWT_SECRET: secret,
  RATE_LIMIT_ADDRESS: "0",
  RATE_LIMIT_USER: "0",
  RATE_LIMIT_SIGN_IN: "0",
};

/** The service in its own process, with its defaults of production but without rate limits. */
export class Service {
  readonly sign = createTokenSigner({ secret }) as SignToken;
  /** The URL of the WebSocket endpoint. */
  url = "";
  #process: ServiceProcess | undefined;
  #port = "0";

  /** Starts the service, on the same port each time. The database is migrated, so it needs no connection of the owner. */
  async start(apiDatabaseUrl: string, settings: Record<string, string> = {}): Promise<void> {
    this.#process = new ServiceProcess({
      ...environment,
      MIGRATE_ON_START: "false",
      API_DATABASE_URL: apiDatabaseUrl,
      PORT: this.#port,
      ...settings,
    });
    const { host, port } = new URL(await this.#process.printed(/"url":"(http[^"]+)"/));
    await this.#process.printed(/"msg":"(ready)"/);
    this.#port = port;
    this.url = `ws://${host}/graphql`;
  }

  /** Waits until the service has `count` subscriptions. They receive every message from then on. */
  async untilListening(count: number): Promise<void> {
    while ((await this.metric('graphql_subscriptions{transport="websocket"}')) !== count) await delay(20);
  }

  /** A number of `/metrics`. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(this.url.replace("ws:", "http:").replace("/graphql", "/metrics"))).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  }

  get isRunning(): boolean {
    return this.#process?.isRunning ?? false;
  }

  /** Stops the service as SIGTERM does: it closes the sockets of its clients. */
  async stop(): Promise<void> {
    await this.#process?.end("SIGTERM");
  }

  /** Ends the service at once, in whatever it does. */
  async kill(): Promise<void> {
    await this.#process?.end("SIGKILL");
  }
}
