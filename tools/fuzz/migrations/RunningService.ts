import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { pino } from "pino";
import { type App, startApp } from "../../../src/app.ts";
import { ensureRoles } from "../../../src/database/ensureRoles.ts";
import { migrateCurrent } from "../../../src/database/migrations.ts";
import { readSchemaVersion } from "../../../src/database/readSchemaVersion.ts";
import { createTokenSigner, type SignToken } from "../../../src/identity/signToken.ts";
import { defaultSettings } from "../../../src/settings.ts";
import { postJson } from "../../support/post.ts";

const secret = "a secret of thirty-two bytes or more, for tests";
/** The ids in test/support/people.sql. */
const people: Record<string, string> = { ada: "1", bob: "2", admin: "3", mallory: "4" };
const followed = "the schema has been rebuilt from the database";
const kept = "the schema cannot be built from the database; the previous one stays";
/** Follows a migration within seconds. This is longer than a service that does not follow may go unnoticed. */
const patienceMs = 60_000;
/** Between two looks at what it has logged. */
const pauseMs = 5;

export interface Request {
  query: string;
  variables: Record<string, unknown>;
  as: string;
}

/** A service on its own copy of a database. */
export class RunningService {
  readonly #serverUrl: string;
  readonly #database: string;
  readonly #app: App;
  readonly #owner: pg.Pool;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #logged: Record<string, any>[];
  readonly #sign = createTokenSigner({ secret }) as SignToken;

  private constructor(serverUrl: string, database: string, app: App, owner: pg.Pool, logged: Record<string, any>[]) {
    this.#serverUrl = serverUrl;
    this.#database = database;
    this.#app = app;
    this.#owner = owner;
    this.#logged = logged;
  }

  static async start(serverUrl: string, template: string, database: string): Promise<RunningService> {
    await withClient(serverUrl, (client) => client.query(`create database ${database} template ${template}`));
    const ownerUrl = changeConnection(serverUrl, { database });
    const logged: Record<string, any>[] = [];
    const log = pino({ level: "info" }, { write: (line) => logged.push(JSON.parse(line)) });
    const settings = { ...defaultSettings, poolSize: 5, maintenanceMinutes: 0, port: 0, token: { secret } };
    const app = await startApp({ ...settings, apiDatabaseUrl: await ensureRoles(ownerUrl) }, log);
    const owner = new pg.Pool({ connectionString: ownerUrl, max: 1 });
    owner.on("error", () => {});
    return new RunningService(serverUrl, database, app, owner, logged);
  }

  /** The errors that the service has logged. */
  get errors(): string[] {
    return this.#logged.filter(({ level }) => level >= 50).map(({ msg, err }) => `${msg}: ${err?.message ?? ""}`);
  }

  /** @throws when there is no whole response */
  async ask({ query, variables, as }: Request): Promise<{ status: number; text: string }> {
    const id = people[as];
    const authorization = id && `Bearer ${(await this.#sign(id, 3_600)).token}`;
    return postJson(`${this.#app.url}/graphql`, this.#agent, JSON.stringify({ query, variables }), { authorization });
  }

  /**
   * Runs the current migration of a folder, and waits until the service has followed it.
   *
   * @returns a problem, if the service did not follow
   * @throws when the migration fails
   */
  async migrate(migrationsFolder: string): Promise<string | undefined> {
    const before = await readSchemaVersion(this.#owner);
    const logged = this.#logged.length;
    await migrateCurrent(changeConnection(this.#serverUrl, { database: this.#database }), migrationsFolder);
    if ((await readSchemaVersion(this.#owner)) === before) return undefined;
    const giveUp = AbortSignal.timeout(patienceMs);
    while (!giveUp.aborted) {
      const said = this.#logged.slice(logged).find(({ msg }) => msg === followed || msg === kept);
      if (said?.["msg"] === followed) return undefined;
      if (said) return `${said["msg"]}: ${said["err"]?.message}`;
      await delay(pauseMs);
    }
    return "The service did not follow.";
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#app.close();
    await this.#owner.end();
    await withClient(this.#serverUrl, (client) => client.query(`drop database ${this.#database}`));
  }
}
