import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../../src/database/migrations.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { copyMadeDatabase, temporaryDirectory } from "./dataDirectory.ts";

/**
 * An embedded PostgreSQL in a temporary directory. It is not started as a throw-away one, which would lose its data at
 * a stop.
 */
export class EmbeddedDatabase {
  apiUrl = "";
  readonly #directory = temporaryDirectory("tool");
  #server: EmbeddedPostgres | undefined;

  get ownerUrl(): string {
    return this.#server?.url ?? "";
  }

  async start(): Promise<void> {
    copyMadeDatabase(join(this.#directory, "postgres"));
    this.#server = await startEmbeddedPostgres(join(this.#directory, "postgres"));
    this.apiUrl = await ensureRoles(this.ownerUrl);
    await migrate(this.ownerUrl);
    await migrateCurrent(this.ownerUrl);
    await this.#untilAlone();
  }

  restart(): Promise<void> {
    return this.absent(0);
  }

  async absent(ms: number): Promise<void> {
    await this.#server?.stop();
    await delay(ms);
    this.#server = await startEmbeddedPostgres(join(this.#directory, "postgres"));
  }

  async stop(): Promise<void> {
    const dataDir = this.#server?.dataDir;
    await this.#server?.stop();
    for (const path of [dataDir, this.#directory]) if (path) rmSync(path, { recursive: true, force: true });
  }

  /**
   * Waits for the connections of graphile-migrate, which closes them late and ends the process when one of them breaks.
   */
  async #untilAlone(): Promise<void> {
    const client = new pg.Client({ connectionString: this.ownerUrl });
    await client.connect();
    const others = `select from pg_stat_activity where backend_type = 'client backend'
      and pid <> pg_backend_pid() and application_name = ''`;
    while ((await client.query(others)).rowCount !== 0) await delay(20);
    await client.end();
  }
}
