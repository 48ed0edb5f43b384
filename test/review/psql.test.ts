import { rmSync } from "node:fs";
import { useDatabase } from "../support/database.ts";
import { fakeProgram } from "../support/fakeProgram.ts";
import { testWith } from "../support/machine.ts";
import { runDb, spawnDb } from "../support/runDb.ts";

/* db:url and db:psql, and what the commands say when this machine lacks a program of PostgreSQL. */
const database = useDatabase();
const nothing = { PATH: "/nonexistent" };

test("db:url prints the owner's connection string, and nothing else", async () => {
  const { stdout, stderr } = await runDb(database.ownerUrl, ["url"]);
  expect({ stdout, stderr }).toEqual({ stdout: `${database.ownerUrl}\n`, stderr: "" });
});

testWith("psql")(
  "db:psql gives its arguments to psql without the password, which all users of the machine would see",
  async () => {
    const statements = ["-c", "select current_user, current_database()", "-c", "\\! ps -ww -o args= -p $PPID"];
    const { username, password, pathname } = new URL(database.ownerUrl);
    const { status, stdout } = await spawnDb(database.ownerUrl, ["psql", "-At", ...statements]);
    expect(status).toBe(0);
    expect(stdout).toContain(`${username}|${pathname.slice(1)}\n`);
    expect(stdout).toMatch(/psql .*-At/);
    expect(stdout).not.toContain(password);
  },
);

testWith("psql")("db:psql ends with psql's status", async () => {
  expect(await spawnDb(database.ownerUrl, ["psql", "-c", "select no_such_column"])).toMatchObject({ status: 1 });
});

test("without psql, db:psql says what to install, and prints the address", async () => {
  const { status, stderr } = await runDb(database.ownerUrl, ["psql"], nothing);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^This machine has no psql\. Install .*apt install postgresql-client.*brew install libpq/);
  expect(stderr).toContain(database.ownerUrl);
});

test("without a pg_dump that fits the server, db:dump says which one to install, and writes nothing", async () => {
  const [row] = await database.query<{ major: number }>(
    "select current_setting('server_version_num')::int / 10000 as major",
  );
  const { status, stderr } = await runDb(database.ownerUrl, ["dump", "/nonexistent/dump"], nothing);
  expect(status).toBe(1);
  expect(stderr).toContain(
    `This machine has no pg_dump. Install PostgreSQL's client programs (Debian and Ubuntu: apt install postgresql-client-${row?.major}`,
  );
  const PATH = fakeProgram("pg_dump", "pg_dump (PostgreSQL) 13.9 (Debian 13.9-0+deb11u1)");
  expect((await runDb(database.ownerUrl, ["dump", "/nonexistent/dump"], { PATH })).stderr).toContain(
    `pg_dump is of version 13, and the server of version ${row?.major}: it must not be older.`,
  );
  rmSync(PATH, { recursive: true });
});
