import { readFile } from "node:fs/promises";
import { pino } from "pino";
import { type App, type AppSettings, startApp } from "../../src/app.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate } from "../../src/database/migrations.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import type { Answer } from "../../tools/support/post.ts";
import { type ReplicatedServer, ReplicatedServers } from "../../tools/support/ReplicatedServers.ts";
import { type Person, people, reuseSchemas, testSecret, testSettings } from "./service.ts";

export interface ReplicatedContent {
  primary: ReplicatedServer;
  standbys: ReplicatedServer[];
  /** The connection string of the API's login role on the primary. */
  apiUrl: string;
  /** Ends what works on these servers, last in first out, before they stop. */
  ends: AsyncDisposableStack;
  reuseSchema: ReturnType<typeof reuseSchemas>;
}

/** Starts a primary and its standbys for this test file, with test/support/people.sql on them. */
export function useReplicatedContent(standbys: number, sql = ""): ReplicatedContent {
  const content = { ends: new AsyncDisposableStack(), reuseSchema: reuseSchemas() } as ReplicatedContent;

  beforeAll(async () => {
    const servers = content.ends.use(await ReplicatedServers.start({ standbys }));
    const [primary, ...others] = servers.servers as [ReplicatedServer, ...ReplicatedServer[]];
    const apiUrl = await ensureRoles(primary.url);
    await migrate(primary.url);
    await primary.query(await readFile(new URL("people.sql", import.meta.url), "utf8"));
    if (sql) await primary.query(sql);
    Object.assign(content, { primary, standbys: others, apiUrl });
  });
  afterAll(() => content.ends.disposeAsync());
  return content;
}

const sign = createTokenSigner({ secret: testSecret });

async function authorization(userId: string): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await sign?.(userId))?.token}` };
}

/** A service whose queries standbys answer. */
export class ReplicatedService implements AsyncDisposable {
  readonly app: App;
  /** By host and port: whether the standby is in the rotation, and if not, why. */
  readonly #states: Map<string, string>;
  readonly #waiting: Set<() => void>;

  private constructor(app: App, states: Map<string, string>, waiting: Set<() => void>) {
    this.app = app;
    this.#states = states;
    this.#waiting = waiting;
  }

  static async start(
    { apiUrl, standbys, reuseSchema }: ReplicatedContent,
    settings: Partial<AppSettings> = {},
  ): Promise<ReplicatedService> {
    const states = new Map<string, string>();
    const waiting = new Set<() => void>();
    const write = (text: string) => {
      const { replica, reason } = JSON.parse(text) as { replica?: string; reason?: string };
      if (replica === undefined) return;
      states.set(replica, reason ?? "in the rotation");
      for (const look of waiting) look();
    };
    const replicaUrls = standbys.map(({ port }) => `postgres://127.0.0.1:${port}`);
    const given = { ...testSettings, apiDatabaseUrl: apiUrl, replicaUrls, reuseSchema, ...settings };
    const app = await startApp(given, pino({ level: "info" }, { write }));
    return new ReplicatedService(app, states, waiting);
  }

  /** Waits until the service has said that of the standby. */
  until({ port }: { port: number | string }, state: RegExp): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!state.test(this.#states.get(`127.0.0.1:${port}`) ?? "")) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Sends a query over HTTP. */
  async send(
    query: string,
    as: Person = "nobody",
    headers: Record<string, string> = {},
    variables: object = {},
  ): Promise<Response> {
    const token = as === "nobody" ? {} : await authorization(people[as]);
    return fetch(`${this.app.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...token, ...headers },
      body: JSON.stringify({ query, variables }),
    });
  }

  async ask(...request: Parameters<ReplicatedService["send"]>): Promise<Answer> {
    return (await (await this.send(...request)).json()) as Answer;
  }

  /** Sends a query as any user. */
  async askAs(userId: string, query: string): Promise<Answer> {
    return this.ask(query, "nobody", await authorization(userId));
  }

  /** How many queries each server has answered, by host and port, and "primary". */
  async answered(): Promise<Record<string, number>> {
    const text = await (await fetch(`${this.app.url}/metrics`)).text();
    return Object.fromEntries(
      [...text.matchAll(/^queries_total\{server="([^"]+)"\} (\d+)/gm)].map(([, name, count]) => [name, Number(count)]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
  }
}
