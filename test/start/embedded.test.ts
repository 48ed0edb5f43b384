import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/database/embedded/embedded.ts";

let directory: string;
let running: EmbeddedPostgres | undefined;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), "content-service-embedded-")), "postgres");
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(join(directory, ".."), { recursive: true, force: true });
});

async function start(): Promise<EmbeddedPostgres> {
  running = await startEmbeddedPostgres(directory);
  return running;
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: running?.url });
  await client.connect();
  const { rows } = await client.query<Row>(sql);
  await client.end();
  return rows;
}

const pidFile = () => join(directory, "cluster", "data", "postmaster.pid");
const serverPid = () => Number(readFileSync(pidFile(), "utf8").split("\n")[0]);

test("a first start is new, a second one finds what the first has written, on the same port", async () => {
  expect(await start()).toMatchObject({ isNew: true });
  const firstUrl = running?.url;
  await query("create table kept as select 1 as one");
  await running?.stop();
  expect(await start()).toMatchObject({ isNew: false, url: firstUrl });
  expect(await query("select one from kept")).toEqual([{ one: 1 }]);
});

test("it is UTF-8, in UTC, and knows every letter, whatever LANG says", async () => {
  await start();
  const [row] = await query(
    "select current_setting('server_encoding') as encoding, current_setting('timezone') as zone, upper('é') as letter",
  );
  expect(row).toEqual({ encoding: "UTF8", zone: "UTC", letter: "É" });
});

test("nothing committed is lost when the server is killed", async () => {
  await start();
  await query("create table kept as select 1 as one");
  process.kill(serverPid(), "SIGKILL");
  expect(await start()).toMatchObject({ isNew: false });
  expect(await query("select one from kept")).toEqual([{ one: 1 }]);
});

test("a pid that belongs to another program by now does not stop the start", async () => {
  await start();
  await running?.stop();
  writeFileSync(pidFile(), `${process.pid}\n${directory}\n0\n1\n`);
  expect(await start()).toMatchObject({ isNew: false });
});

test("a service that was killed leaves its server behind, and the next start takes it over", async () => {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL("../../src/database/embedded/embedded.ts", import.meta.url).href)});
    await startEmbeddedPostgres(${JSON.stringify(directory)});
    console.log("started");
    setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => service.stdout.once("data", resolve));
  const pid = serverPid();
  service.kill("SIGKILL");
  await new Promise((resolve) => service.once("exit", resolve));
  expect(await start()).toMatchObject({ isNew: false });
  expect(serverPid()).toBe(pid);
});

test("of two at once the second says what is wrong, and the first goes on", async () => {
  await start();
  await expect(startEmbeddedPostgres(directory)).rejects.toThrow(
    `Another service is using ${directory} (process ${process.pid}). Stop it first, or set DATA_DIR and PORT to start a second one.`,
  );
  expect(await query("select 1 as one")).toEqual([{ one: 1 }]);
});

test("data of another major version is left alone, with both versions named", async () => {
  await start();
  await running?.stop();
  running = undefined;
  const versionFile = join(directory, "cluster", "data", "PG_VERSION");
  writeFileSync(versionFile, "15\n");
  await expect(start()).rejects.toThrow(/written by PostgreSQL 15, and this service brings 18/);
  expect(readFileSync(versionFile, "utf8")).toBe("15\n");
});

test("a throw-away one is gone when it stops", async () => {
  running = await startEmbeddedPostgres(directory, true);
  await running.stop();
  running = undefined;
  expect(existsSync(directory)).toBe(false);
});
