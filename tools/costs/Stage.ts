import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { cpuOf, cpuOfFamily } from "../../bench/cpu.ts";
import { describe, fill } from "../../bench/data.ts";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";
import { postJson } from "../support/post.ts";
import { ServiceProcess } from "../support/ServiceProcess.ts";
import { Inspector } from "./Inspector.ts";
import type { Content, CostedRequest } from "./requests.ts";

const secret = "a secret of thirty-two bytes or more, for the costs";
/** As many requests as are under way at once. */
const clients = 8;

/** A measured cost. */
export interface Cost {
  /** Milliseconds of processor time. */
  server: number;
  database: number;
  walBytes: number;
}

/** A service and a database in processes of their own, with content, whose resources are read from outside. */
export class Stage implements AsyncDisposable {
  readonly version: string;
  readonly url: string;
  readonly owner: pg.Client;
  readonly inspector: Inspector;
  readonly #stack: AsyncDisposableStack;
  readonly #pids: { server: number; database: number };
  readonly #agent = new Agent({ keepAlive: true, maxSockets: clients });
  readonly #sign = createTokenSigner({ secret }) as SignToken;
  readonly #tokens = new Map<number, string>();
  #sent = 0;

  private constructor(
    { version, url, owner, inspector }: Pick<Stage, "version" | "url" | "owner" | "inspector">,
    pids: { server: number; database: number },
    stack: AsyncDisposableStack,
  ) {
    this.version = version;
    this.url = url;
    this.owner = owner;
    this.inspector = inspector;
    this.#pids = pids;
    this.#stack = stack;
    stack.defer(() => this.#agent.destroy());
  }

  static async open({ posts, users }: Content): Promise<Stage> {
    await using stack = new AsyncDisposableStack();
    const database = new EmbeddedDatabase();
    stack.defer(() => database.stop());
    await database.start();
    await fill(database.ownerUrl, { users, posts });
    const { pid, version } = await describe(database.ownerUrl);
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    stack.defer(() => owner.end());
    const service = new ServiceProcess({
      DATABASE_URL: database.ownerUrl,
      JWT_SECRET: secret,
      LOG_LEVEL: "info",
      NODE_OPTIONS: "--inspect=0",
      DATABASE_POOL_SIZE: String(clients),
      MAINTENANCE_MINUTES: "0",
      RATE_LIMIT_ADDRESS: "0",
      RATE_LIMIT_USER: "0",
      TRUST_PROXY: "loopback",
    });
    stack.defer(async () => void (await service.end("SIGTERM")));
    const inspector = await Inspector.open(await service.printed(/Debugger listening on (\S+)/));
    stack.use(inspector);
    const url = await service.url();
    // The log belongs to the costs, but not the memory that would keep it.
    for (const stream of [service.child.stdout, service.child.stderr]) stream?.removeAllListeners("data").resume();
    const pids = { server: service.child.pid ?? 0, database: pid };
    return new Stage({ version, url, owner, inspector }, pids, stack.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  async tokenOf(user: number): Promise<string> {
    const known = this.#tokens.get(user) ?? (await this.#sign(String(user), 24 * 3_600)).token;
    this.#tokens.set(user, known);
    return known;
  }

  /** Sends some requests, eight at once. Each is another client. */
  async send(request: CostedRequest, count: number): Promise<void> {
    const until = this.#sent + count;
    const client = async () => {
      while (this.#sent < until) await this.#ask(request, this.#sent++);
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  async #ask({ name, query, variables, as }: CostedRequest, n: number): Promise<void> {
    const authorization = as ? `Bearer ${await this.tokenOf(as(n))}` : undefined;
    const body = JSON.stringify({ query, variables: variables(n) });
    const headers = { "x-forwarded-for": `10.0.0.${1 + (n % 250)}` };
    const { text } = await postJson(this.url, this.#agent, body, { authorization, headers });
    if (!text.startsWith('{"data":{') || text.includes('"errors"')) throw new Error(`${name} is answered with ${text}`);
  }

  /** Measures what the service and the database spend while something runs. */
  async costOf(act: () => Promise<unknown>): Promise<Cost> {
    const before = await this.#spent();
    await act();
    const after = await this.#spent();
    return {
      server: after.server - before.server,
      database: after.database - before.database,
      walBytes: after.walBytes - before.walBytes,
    };
  }

  async #spent(): Promise<Cost> {
    const { rows } = await this.owner.query("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes");
    return { server: cpuOf(this.#pids.server), database: cpuOfFamily(this.#pids.database), walBytes: rows[0].bytes };
  }

  /** The memory that a connection of the service has for itself in PostgreSQL, in bytes, on average. */
  async connectionBytes(): Promise<number> {
    const { rows } = await this.owner.query(
      "select pid from pg_stat_activity where application_name = 'content-service' and usename = 'api_login'",
    );
    const bytes = rows.map(({ pid }) => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]);
    });
    return bytes.reduce((sum, one) => sum + one, 0) / bytes.length;
  }

  /** Waits until so many subscriptions are open. */
  async subscribed(count: number): Promise<void> {
    for (;;) {
      const response = await fetch(new URL("/metrics", this.url), { headers: { connection: "close" } });
      const open = /^graphql_subscriptions\{transport="websocket"\} (\d+)/m.exec(await response.text())?.[1];
      if (Number(open) === count) return;
      await delay(50);
    }
  }
}
