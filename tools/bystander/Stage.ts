import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";
import { probeMemory, probeOptions } from "../support/probeMemory.ts";
import { ServiceProcess } from "../support/ServiceProcess.ts";
import type { Seats } from "./Bystander.ts";

const secret = "a secret of thirty-two bytes or more, for bystanders";
/** By default V8's young generation may take another 200 MB; as large as most of the old one, it makes V8 mark without a break. */
const semiSpaceMB = 16;
const bystanders = 40;
/** A statement that still runs after this time is stopped by killing its backend. */
const calmMs = 30_000;

const content = `
  insert into app_public.users (name) select 'User ' || n from generate_series(1, 200) n;
  insert into app_private.accounts (user_id, email, verified_at) select id, 'user' || id || '@example.com', now() from app_public.users;
  insert into app_public.posts (author_id, title, content, status)
    select 1 + n % 200, 'Post ' || n, repeat('Some content. ', 100), 'PUBLISHED' from generate_series(1, 300) n;
  with made as (insert into app_public.chats (title) values ('Bystanders') returning id)
    insert into app_public.chat_members (chat_id, user_id) select id, ${bystanders} from made;
  create role bystander_analyst login password 'bystander';
  select app_private.admit_analyst('bystander_analyst');`;

export interface Memory {
  /** What is reachable on and off the heap, without what the ledger says. */
  unaccountedMB: number | undefined;
  /** What the ledger says that clients hold. */
  chargedMB: number | undefined;
  /** Undefined when the service does not answer. */
  rssMB: number | undefined;
  heapMB: number | undefined;
  /** Undefined when the database refuses a statement of its owner. */
  backendsMB: number | undefined;
}

/** Run in batches, because the planner has no statistics within the first statement. */
const comments = `
  insert into app_public.comments (post_id, author_id, text)
    select 1 + n % 300, 1 + n % 100, 'Comment ' || n from generate_series(1, 3000) n`;
const commentBatches = 20;

/** A database with content, and the service as in production, with its default limits. */
export class Stage {
  url = "";
  readonly #database = new EmbeddedDatabase();
  readonly #sign = createTokenSigner({ secret }) as SignToken;
  #service: ServiceProcess | undefined;

  get analystUrl(): string {
    return Object.assign(new URL(this.#database.ownerUrl), { username: "bystander_analyst", password: "bystander" })
      .href;
  }

  get ownerUrl(): string {
    return this.#database.ownerUrl;
  }

  get isServing(): boolean {
    return this.#service?.isRunning ?? false;
  }

  /** The last line that the service has printed. */
  get lastOutput(): string {
    return this.#service?.output.slice(-1_000) ?? "";
  }

  async build(): Promise<void> {
    await this.#database.start();
    await this.query(content);
    await this.query("analyze");
    for (let batch = 0; batch < commentBatches; batch++) await this.query(comments);
  }

  /** The seats of bystanders at the running service. */
  async seats(): Promise<Seats> {
    const ids = Array.from({ length: bystanders }, (_, index) => String(index + 1));
    const [chat] = await this.query("select chat_id from app_public.chat_members where user_id = $1", [bystanders]);
    const authorizations = await Promise.all(ids.map((id) => this.authorizationOf(id)));
    return { url: this.url, authorizations, chatId: chat.chat_id };
  }

  async authorizationOf(userId: string): Promise<string> {
    return `Bearer ${(await this.#sign(userId, 7_200)).token}`;
  }

  /** Starts the service anew, so that an attack does not meet what the last one has left behind. */
  async restartService(heapMB: number, environment: Record<string, string> = {}): Promise<void> {
    await this.stopService();
    this.#service = new ServiceProcess({
      NODE_ENV: "production",
      NODE_OPTIONS: `--max-old-space-size=${heapMB} --max-semi-space-size=${semiSpaceMB} ${probeOptions}`,
      LOG_LEVEL: "info",
      DATABASE_URL: this.#database.ownerUrl,
      JWT_SECRET: secret,
      TRUST_PROXY: "1",
      INTROSPECTION: "1",
      DRAIN_TIMEOUT_MS: "1000",
      WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.1",
      ...environment,
    });
    this.url = `${await this.#service.printed(/"url":"(http[^"]+)"/)}/graphql`;
    await this.#service.printed(/"msg":"(ready)"/);
  }

  /** Stops the service. One that does not end is killed, because an attack may have left it without memory or time. */
  async stopService(): Promise<void> {
    const service = this.#service;
    const killing = setTimeout(() => service?.child.kill("SIGKILL"), 5_000);
    await service?.end("SIGTERM");
    clearTimeout(killing);
  }

  /** Runs SQL as the owner, on a new connection. */
  async query(sql: string, values?: unknown[]): Promise<any[]> {
    const client = new pg.Client({ connectionString: this.#database.ownerUrl });
    await client.connect();
    try {
      return (await client.query(sql, values as never)).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until no statement of the service or the attacker runs. @returns how many had to be killed */
  async calm(): Promise<number> {
    const until = performance.now() + calmMs;
    const busy = `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() and state = 'active'`;
    let pids = await this.query(busy);
    while (pids.length > 0 && performance.now() < until) {
      await delay(100);
      pids = await this.query(busy);
    }
    // PostgreSQL cannot interrupt a backend that never looks for interrupts. SIGKILL makes the server restart itself.
    for (const { pid } of pids) process.kill(pid, "SIGKILL");
    if (pids.length > 0) await this.#untilConnected();
    return pids.length;
  }

  /** The memory of the service and of its backends. A part that cannot be read is undefined. */
  async memory(): Promise<Memory> {
    const metricsUrl = this.url.replace("/graphql", "/metrics");
    const metrics = await fetch(metricsUrl, { signal: AbortSignal.timeout(5_000) })
      .then((response) => response.text())
      .catch(() => "");
    const inMB = (bytes: number | undefined) => (bytes === undefined ? undefined : Math.round(bytes / 2 ** 20));
    const metric = (name: string) => {
      const bytes = new RegExp(`^${name} (\\S+)`, "m").exec(metrics)?.[1];
      return inMB(bytes === undefined ? undefined : Number(bytes));
    };
    const probe = this.#service && (await probeMemory(this.#service).catch(() => undefined));
    const backends = "select pid from pg_stat_activity where application_name like 'content-service%'";
    return {
      unaccountedMB: inMB(probe && probe.live - probe.charged),
      chargedMB: inMB(probe?.charged),
      rssMB: metric("process_resident_memory_bytes"),
      heapMB: metric("nodejs_heap_size_used_bytes"),
      backendsMB: await this.query(backends).then(
        (rows) => Math.round(rows.reduce((sum, { pid }) => sum + privateMB(pid), 0)),
        () => undefined,
      ),
    };
  }

  async close(): Promise<void> {
    await this.stopService();
    await this.#database.stop();
  }

  async #untilConnected(): Promise<void> {
    const until = performance.now() + calmMs;
    for (;;) {
      try {
        return void (await this.query("select"));
      } catch (error) {
        if (performance.now() > until) throw error;
        await delay(100);
      }
    }
  }
}

/** The memory of a process that it shares with no other; 0 where the system does not tell. */
function privateMB(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return [...text.matchAll(/^Private_\w+: +(\d+)/gm)].reduce((sum, [, kB]) => sum + Number(kB) / 1_024, 0);
  } catch {
    return 0;
  }
}
