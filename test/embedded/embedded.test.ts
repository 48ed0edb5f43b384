import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import pg from "pg";
import { canEnter, findDataDirectory } from "../../src/embedded/dataDirectory.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { EmbeddedChild, type Outcome } from "./embeddedChild.ts";

let parent: string;
let dataDir: string;
const started: { stop(): Promise<void> }[] = [];

/** A database that was made, with no LANG, and stopped, to be copied: making one takes most of a first start. */
let made: string;
let first: Outcome;
const draft = "draft-999999999-x";

beforeAll(async () => {
  made = join(temporary(), "postgres");
  mkdirSync(join(made, draft, "data"), { recursive: true });
  const maker = new EmbeddedChild(made);
  first = await maker.outcome;
  await query(
    first.url,
    `create table kept as select current_setting('server_encoding') as encoding, current_setting('timezone') as zone, upper('é') as letter`,
  );
  await maker.end("SIGTERM");
});
afterAll(() => rmSync(dirname(made), { recursive: true, force: true }));

beforeEach(() => {
  parent = temporary();
  dataDir = join(parent, "postgres");
});
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
  rmSync(parent, { recursive: true, force: true });
});

/** The server's own user, and the ordinary one of a test below, can come in. */
function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "content-service-embedded-"));
  chmodSync(directory, 0o777);
  return directory;
}

/** The owners come along. */
function copyMade(): void {
  execFileSync("cp", ["-Rp", made, dataDir]);
}

async function start(directory = dataDir, starts = startEmbeddedPostgres): Promise<EmbeddedPostgres> {
  const database = await starts(directory);
  started.push(database);
  return database;
}

function startChild(options: ConstructorParameters<typeof EmbeddedChild>[1] = {}): EmbeddedChild {
  const child = new EmbeddedChild(dataDir, options);
  started.push({ stop: () => child.end("SIGTERM") });
  return child;
}

async function query<Row extends pg.QueryResultRow>(url: string | undefined, sql: string): Promise<Row[]> {
  // A server that crashes also breaks a connection that waits for nothing.
  const client = new pg.Client({ connectionString: url }).on("error", () => {});
  await client.connect();
  const { rows } = await client.query<Row>(sql).finally(() => client.end());
  return rows;
}

const inData = (file: string) => join(dataDir, "cluster", "data", file);
const serverPid = () => Number(readFileSync(inData("postmaster.pid"), "utf8").split("\n")[0]);

/** The message that a person sees. Anything but a OperatorError fails the test. */
async function refusal(starting: Promise<unknown>): Promise<string> {
  const error = await starting.then(
    () => new Error("It started."),
    (reason: Error) => reason,
  );
  expect(error).toBeInstanceOf(OperatorError);
  return error.message;
}

describe("a start", () => {
  test("is new the first time, and clears away the draft of one that kill -9 has ended; is UTF-8, in UTC, and knows every letter, with no LANG; the second finds what was written, on the same port", async () => {
    expect(first.isNew).toBe(true);
    expect(existsSync(join(made, draft))).toBe(false);
    copyMade();
    const second = await start();
    expect(second).toMatchObject({ isNew: false, url: first.url, port: first.port, dataDir: realpathSync(dataDir) });
    expect(await query(second.url, "table kept")).toEqual([{ encoding: "UTF8", zone: "UTC", letter: "É" }]);
  });

  test("lets nobody in without its password, which only its owner can read, and listens on this machine alone", async () => {
    copyMade();
    const { url, port } = await start();
    expect(statSync(join(dataDir, "cluster", "password")).mode & 0o077).toBe(0);
    await expect(query(`postgres://postgres:guess@127.0.0.1:${port}/postgres`, "select 1")).rejects.toThrow(/password/);
    const settings =
      "select name, setting from pg_settings where name in ('listen_addresses', 'unix_socket_directories')";
    expect(await query(url, `${settings} order by name`)).toEqual([
      { name: "listen_addresses", setting: "127.0.0.1" },
      { name: "unix_socket_directories", setting: "" },
    ]);
  });

  test("in a directory whose name means something to a shell takes another port when its own is taken, and keeps that one", async () => {
    dataDir = join(parent, 'a $HOME "of" `id` its own');
    copyMade();
    const taker = createServer().listen(0, "127.0.0.1");
    await once(taker, "listening");
    const { port: taken } = taker.address() as AddressInfo;
    writeFileSync(join(dataDir, "port"), String(taken));
    const { port, url } = await start();
    taker.close();
    expect(port).not.toBe(taken);
    expect(readFileSync(join(dataDir, "port"), "utf8").trim()).toBe(String(port));
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("after a kill -9", () => {
  test("of the server, nothing that was committed is lost", async () => {
    copyMade();
    const first = await start();
    await query(first.url, "create table committed as select 1 as one");
    process.kill(serverPid(), "SIGKILL");
    await first.stop();
    const second = await start();
    expect(second.isNew).toBe(false);
    expect(await query(second.url, "select one from committed")).toEqual([{ one: 1 }]);
  });

  test("of the service, the next start takes over the server that was left behind", async () => {
    copyMade();
    const service = startChild();
    await service.outcome;
    const pid = serverPid();
    await service.end("SIGKILL");
    expect(await start()).toMatchObject({ isNew: false });
    expect(serverPid()).toBe(pid);
  });

  test("of the machine, a pid that belongs to another program by now does not stop the start", async () => {
    copyMade();
    writeFileSync(inData("postmaster.pid"), `${process.pid}\n${dataDir}\n0\n5432\n`);
    expect(await start()).toMatchObject({ isNew: false });
  });

  test("of the machine, a pid that belongs to another program of the server's user does not stop the start", async () => {
    copyMade();
    const { uid, gid } = statSync(inData("PG_VERSION"));
    const other = spawn("/bin/cat", { uid, gid });
    writeFileSync(inData("postmaster.pid"), `${other.pid}\n${realpathSync(inData("."))}\n0\n5432\n`);
    expect(await start()).toMatchObject({ isNew: false });
    expect(serverPid()).not.toBe(other.pid);
    other.kill();
  });

  test("of the machine, an empty postmaster.pid does not stop the start", async () => {
    copyMade();
    writeFileSync(inData("postmaster.pid"), "");
    const { url, stop } = await start();
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    await stop();
    expect(existsSync(inData("postmaster.pid"))).toBe(false);
  });

  test("of one connection's process, a stop stops the server all the same", async () => {
    copyMade();
    const { url, stop } = await start();
    await query(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'content-service, process %'",
    );
    await stop();
    expect(existsSync(inData("postmaster.pid"))).toBe(false);
  });

  test("of tests, their throw-away server ends, and its directory goes", async () => {
    copyMade();
    const tests = startChild({ throwaway: true });
    const { url } = await tests.outcome;
    const connection = new pg.Client({ connectionString: url }).on("error", () => {});
    await connection.connect();
    const ended = new Promise((resolve) => connection.once("end", resolve));
    const gone = new Promise((resolve) => {
      const watcher = watch(parent, () => {
        if (!existsSync(dataDir)) resolve(watcher.close());
      });
    });
    await tests.end("SIGKILL");
    await ended;
    await gone;
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe("of two services on one directory", () => {
  test("the second says what is wrong, and the first goes on", async () => {
    copyMade();
    const { url } = await start();
    expect(await startChild().outcome).toEqual({
      refusal:
        `Another service is using ${dataDir} (process ${process.pid}). ` +
        "Stop it first, or set DATA_DIR and PORT to start a second one.",
    });
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("that make the database at the same moment, one gets it", async () => {
    const outcomes = await Promise.all([startChild().outcome, startChild().outcome]);
    const refused = outcomes.filter(({ refusal }) => refusal?.startsWith("Another service is using"));
    expect(refused).toHaveLength(1);
    const [winner] = outcomes.filter(({ url }) => url);
    expect(await query(winner?.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("the second waits for the first to end, once that has begun", async () => {
    copyMade();
    const first = await start();
    const [second] = await Promise.all([startChild().outcome, first.stop()]);
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("the first does not stop what is the second's by now", async () => {
    copyMade();
    const first = startChild();
    await first.outcome;
    first.process.kill("SIGSTOP");
    process.kill(serverPid(), "SIGKILL");
    const second = await start();
    first.process.kill("SIGCONT");
    await first.end("SIGTERM");
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

describe("it does not start, and says why and what to do,", () => {
  test("on data of another major version, which is left alone", async () => {
    copyMade();
    writeFileSync(inData("PG_VERSION"), "15\n");
    expect(await refusal(start())).toMatch(/does not start:.*initialized by PostgreSQL version 15/s);
    expect(readFileSync(inData("PG_VERSION"), "utf8")).toBe("15\n");
  });

  test.each(["missing", "empty"])("when the password file is %s, without starting a server", async (state) => {
    copyMade();
    const passwordFile = join(dataDir, "cluster", "password");
    if (state === "missing") rmSync(passwordFile);
    else writeFileSync(passwordFile, "");
    expect(await refusal(start())).toBe(
      `${passwordFile} is missing or empty: without the password in it, nobody can open the database. ` +
        `Put the file back, or move ${dataDir} away to begin anew.`,
    );
    expect(existsSync(inData("postmaster.pid"))).toBe(false);
  });

  test("when the password in the file is not the database's, and stops the server again", async () => {
    copyMade();
    writeFileSync(join(dataDir, "cluster", "password"), "another");
    expect(await refusal(start())).toMatch(/cannot be used: password authentication failed.* cluster\/password there/);
    expect(existsSync(inData("postmaster.pid"))).toBe(false);
  });

  test("when PostgreSQL itself refuses: with the end of its log", async () => {
    copyMade();
    appendFileSync(inData("postgresql.conf"), "no_such_setting = 1\n");
    expect(await refusal(start())).toMatch(/does not start:\n.*"no_such_setting"/);
  });

  test("when its files are damaged: with the end of the log that has the reason", async () => {
    copyMade();
    rmSync(inData("pg_xact"), { recursive: true });
    expect(await refusal(start())).toMatch(/does not start:\n(.*\n)*.*Could not open file "pg_xact/);
  });

  test("where a file is in the way", async () => {
    writeFileSync(join(parent, "file"), "");
    expect(await refusal(start(join(parent, "file", "postgres")))).toContain(
      `${join(parent, "file", "postgres")} cannot be used for the database`,
    );
  });
});

test("a throw-away one is gone when it stops", async () => {
  copyMade();
  const database = await start(dataDir, startThrowAwayPostgres);
  expect(await query(database.url, "show max_connections")).toEqual([{ max_connections: "300" }]);
  await database.stop();
  expect(existsSync(dataDir)).toBe(false);
});

const nobody = { uid: 65_534, gid: 65_534 };
const checkout = fileURLToPath(new URL("../..", import.meta.url));
// Only root can become somebody else, and only where that one can come in; any other user is an ordinary one in all tests.
const canBeNobody = process.getuid?.() === 0 && canEnter(nobody, checkout);

(canBeNobody ? describe : describe.skip)("an ordinary user (as root, in a checkout that all can enter)", () => {
  test("has everything in the directory itself, and goes on after root has used it in between", async () => {
    const first = startChild(nobody);
    expect(await first.outcome).toMatchObject({ isNew: true, dataDir: realpathSync(dataDir) });
    await first.end("SIGTERM");
    await (await start()).stop();
    expect(statSync(inData("PG_VERSION")).uid).toBe(nobody.uid);
    expect(await startChild(nobody).outcome).toMatchObject({ isNew: false });
  });

  test("is told whose the directory is when it cannot be written", async () => {
    chmodSync(parent, 0o755);
    expect(await startChild(nobody).outcome).toEqual({
      refusal: expect.stringMatching(/postgres cannot be used for the database: .*permission denied.* set DATA_DIR/),
    });
  });
});

// Only root can show what root does.
(process.getuid?.() === 0 ? describe : describe.skip)("root, whom PostgreSQL does not serve,", () => {
  test("in a directory that nobody else can enter has the data elsewhere, private, with a link; without the link it begins anew, and leaves alone what it led to", async () => {
    chmodSync(parent, 0o700);
    const first = await start(dataDir, startThrowAwayPostgres);
    expect(lstatSync(dataDir).isSymbolicLink()).toBe(true);
    expect(basename(first.dataDir)).toMatch(/^content-service-/);
    const { mode, uid } = statSync(first.dataDir);
    expect([mode & 0o777, uid === 0]).toEqual([0o700, false]);
    rmSync(dataDir);
    const { directory } = findDataDirectory(dataDir);
    expect(readdirSync(directory)).toEqual([]);
    expect(await query(first.url, "select 1 as one")).toEqual([{ one: 1 }]);
    rmSync(directory, { recursive: true });
    await first.stop();
    expect([existsSync(first.dataDir), lstatSync(dataDir, { throwIfNoEntry: false })]).toEqual([false, undefined]);
  });
});
