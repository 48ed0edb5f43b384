import pg from "pg";
import { isAlive } from "./cluster.ts";

/** Any number; every start of ours asks for the same. */
const lock = 7_262_002;
const title = "content-service, process ";
const retryMs = 500;

/** What @types/pg leaves out: whether the connection keeps the program alive. */
type OwnClient = pg.Client & { ref(): void; unref(): void };

/**
 * Whose database it is: the service's that holds this lock, on a connection that it keeps for as long as it lives.
 * PostgreSQL itself lets go when the connection ends, so no file can be left to lie about it.
 */
export class Ownership {
  readonly #url: () => string | undefined;
  #client: OwnClient | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** @param url where the server is; asked again whenever the connection is lost */
  constructor(url: () => string | undefined) {
    this.#url = url;
  }

  /**
   * @returns true when it is ours, else the pid of the process whose it is: 0 if that has just ended
   * @throws pg's errors when the server cannot be reached, or is not ready
   */
  async claim(): Promise<true | number> {
    if (this.#client) return true;
    const connectionString = this.#url();
    if (!connectionString) throw new Error("the server does not run");
    const client = new pg.Client({ connectionString, application_name: title + process.pid }) as OwnClient;
    // The server may be killed at any time; whoever asks it next will hear of it.
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("select pg_try_advisory_lock($1) as is_ours", [lock]);
      if (!rows[0].is_ours) return await holder(client);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    // A program that forgets to stop its database may end nevertheless.
    client.unref();
    // One crash of a backend makes the server drop everybody: then the lock has to be taken again.
    client.once("end", () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#claimAgain();
    });
    this.#client = client;
    return true;
  }

  /** Whether it is still ours: the server may have been killed and started again by another service meanwhile. */
  async isOurs(): Promise<boolean> {
    // Asked, not remembered: news of the connection's end may still be on its way.
    this.#client?.ref();
    await this.#client?.query("select").catch(() => {
      this.#client = undefined;
    });
    await this.claim().catch(() => undefined);
    return this.#client !== undefined;
  }

  async release(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    clearTimeout(this.#retry);
    await client?.end().catch(() => {});
  }

  /** Until the server is back, or another service has it: then it stays theirs. */
  #claimAgain(): void {
    this.#retry = setTimeout(async () => {
      const answer = await this.claim().catch(() => 0);
      if (answer === 0) this.#claimAgain();
    }, retryMs).unref();
  }
}

async function holder(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ application_name: string }>(
    `select application_name from pg_catalog.pg_stat_activity join pg_catalog.pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and objsubid = 1 and granted`,
    [lock],
  );
  await client.end();
  const pid = Number(rows[0]?.application_name.slice(title.length)) || 0;
  return isAlive(pid) ? pid : 0;
}
