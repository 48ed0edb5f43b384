import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { people, testSecret, useService } from "../support/service.ts";

/* npm run token. */
const service = useService();
const dataDir = await mkdtemp(join(tmpdir(), "content-service-token-"));
afterAll(() => rm(dataDir, { recursive: true }));

const command = fileURLToPath(new URL("../../src/commands/token.ts", import.meta.url));

async function tokenFor(id: string, environment: Record<string, string>): Promise<{ stdout: string; stderr: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: dataDir, ...environment };
  return promisify(execFile)(process.execPath, [command, id], { env }).catch((error) => error);
}

test.each(["ownerUrl", "apiUrl"] as const)("prints a token that the service accepts, by %s", async (login) => {
  const url = service.database[login];
  const database: Record<string, string> =
    login === "ownerUrl" ? { DATABASE_URL: url } : { API_DATABASE_URL: url, MIGRATE_ON_START: "false" };
  const { stdout } = await tokenFor(people.ada, { ...database, JWT_SECRET: testSecret });
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${stdout.trim()}` },
    body: JSON.stringify({ query: "{ me { name } }" }),
  });
  expect(await response.json()).toEqual({ data: { me: { name: "Ada" } } });
});

test("refuses a user who does not exist, or is banned", async () => {
  const environment = { DATABASE_URL: service.database.ownerUrl, JWT_SECRET: testSecret };
  await service.database.query("update app_private.accounts set banned_at = now() where user_id = $1", [
    people.mallory,
  ]);
  for (const id of ["99999", people.mallory]) {
    const { stdout, stderr } = await tokenFor(id, environment);
    expect([stdout, stderr]).toEqual(["", `There is no user ${id}, or the user is banned.\n`]);
  }
});

test("refuses what is no id", async () => {
  for (const id of ["ada", "0", "10000000000000000000"]) {
    expect((await tokenFor(id, {})).stderr).toContain("Whose token?");
  }
});

test("makes no secret and no database in a DATA_DIR without a service", async () => {
  const [unsigned, unknown] = [await tokenFor("1", {}), await tokenFor("1", { JWT_SECRET: testSecret })];
  expect(unsigned.stderr).toContain(`${join(dataDir, "jwt-secret")} does not exist: no service has started with this`);
  expect(unknown.stderr).toContain(`There is no database in ${join(dataDir, "postgres")}.`);
  expect([unsigned.stdout, unknown.stdout]).toEqual(["", ""]);
  expect(await readdir(dataDir)).toEqual([]);
});
