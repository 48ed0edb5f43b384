import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { parse } from "pg-connection-string";
import { findDataDirectory, give, type SystemUser } from "../../src/embedded/dataDirectory.ts";
import { freePort } from "./freePort.ts";
import { isAtLeast, versionOf } from "./versionOf.ts";

const program = process.env.PGBOUNCER || "/usr/sbin/pgbouncer";
const version = versionOf(program);
const deployed = readFileSync(new URL("../../deploy/pgbouncer.ini", import.meta.url), "utf8");

/** The machine's PgBouncer, or the one that the environment variable PGBOUNCER names. */
export const pgBouncer = {
  path: program,
  /** From 1.21 on, prepared statements work in transaction mode. */
  tracksStatements: version !== undefined && isAtLeast(version, "1.21"),
};

/** Settings without prepared statements. An older version does not know the setting. */
export const untracked: Record<string, number> = pgBouncer.tracksStatements ? { max_prepared_statements: 0 } : {};

/** PgBouncer in its own process, with deploy/pgbouncer.ini, before a PostgreSQL server. */
export class PgBouncer implements AsyncDisposable {
  readonly version = `PgBouncer ${version}`;
  /** Everything that it has logged so far. */
  log = "";
  readonly #directory: string;
  readonly #user: SystemUser;
  readonly #port: number;
  readonly #admin: string;
  #child: ChildProcess | undefined;

  /**
   * @param logins connection strings of one server, one for each login
   * @param settings other ones than deploy/pgbouncer.ini has
   */
  static async start(logins: readonly string[], settings: Record<string, string | number> = {}): Promise<PgBouncer> {
    const pooler = new PgBouncer(logins, await freePort(), settings);
    await pooler.run();
    return pooler;
  }

  private constructor(logins: readonly string[], port: number, settings: Record<string, string | number>) {
    const { directory, user } = findDataDirectory(
      join(mkdtempSync(join(tmpdir(), "content-service-pgbouncer-")), "place"),
    );
    const { host, port: target } = parse(logins[0] as string);
    this.#directory = directory;
    this.#user = user;
    this.#port = port;
    const users = logins.map((login) => parse(login)).map((login) => [login.user, login.password]);
    this.#admin = `postgres://admin:admin@127.0.0.1:${port}/pgbouncer`;
    this.#write(
      "users",
      [...users, ["admin", "admin"]].map((login) => login.map((part) => `"${part}"`).join(" ")).join("\n"),
    );
    const own = {
      listen_addr: "127.0.0.1",
      listen_port: port,
      auth_file: join(directory, "users"),
      admin_users: "admin",
      unix_socket_dir: "",
      ...(pgBouncer.tracksStatements ? null : { max_prepared_statements: "" }),
      ...settings,
    };
    let ini = deployed.replace(/^\* = .*$/m, `* = host=${host} port=${target}`);
    for (const [name, value] of Object.entries(own)) {
      const line = value === "" && name !== "unix_socket_dir" ? "" : `${name} = ${value}`;
      const known = new RegExp(`^${name} = .*$`, "m");
      ini = known.test(ini) ? ini.replace(known, line) : `${ini}${line}\n`;
    }
    this.#write("pgbouncer.ini", ini);
  }

  #write(name: string, content: string): void {
    const path = join(this.#directory, name);
    writeFileSync(path, content);
    give(path, this.#user);
  }

  /** The same login and database, through the pooler. */
  through(connectionString: string): string {
    return Object.assign(new URL(connectionString), { hostname: "127.0.0.1", port: String(this.#port) }).href;
  }

  /** Starts it, also after `kill()`, on the same port. */
  async run(): Promise<void> {
    const child = spawn(program, [join(this.#directory, "pgbouncer.ini")], {
      ...this.#user,
      cwd: this.#directory,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    this.log = "";
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`PgBouncer ended: ${this.log}`)));
      child.stderr?.on("data", (chunk) => {
        this.log += chunk;
        if (this.log.includes("process up")) resolve();
      });
    });
  }

  /** Runs a command of the admin console: `PAUSE`, `RESUME`, `SHOW SERVERS`. */
  async admin(command: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#admin });
    await client.connect();
    try {
      return (await client.query(command)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
