import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { developmentSecret } from "../../src/identity/developmentSecret.ts";
import { checkSecret } from "../../src/settings.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "content-service-secret-"));
});
afterEach(() => rm(directory, { recursive: true }));

test.each([
  ["32 letters", "x".repeat(32)],
  ["32 bytes in fewer letters", "ü".repeat(16)],
])("a secret may have %s", (_, secret) => {
  expect(checkSecret(secret)).toBe(secret);
});

test.each([
  ["nothing", ""],
  ["31 letters", "x".repeat(31)],
  ["31 bytes in fewer letters", `${"ü".repeat(15)}x`],
])("a secret of %s is refused with advice and without the secret", (_, secret) => {
  expect(() => checkSecret(secret)).toThrow(
    /^The secret that signs tokens needs at least 32 bytes\. Make one with: openssl rand -hex 32$/,
  );
});

test("the development secret is random, survives a restart, and is readable only for its owner", async () => {
  const inside = join(directory, "not", "yet");
  const secret = await developmentSecret(inside);
  expect(checkSecret(secret)).toMatch(/^[\da-f]{64}$/);
  expect(await developmentSecret(inside)).toBe(secret);
  expect(await developmentSecret(directory)).not.toBe(secret);
  expect((await stat(join(inside, "jwt-secret"))).mode & 0o777).toBe(0o600);
});

test("twenty concurrent starts use the same development secret and leave no other file", async () => {
  const secrets = await Promise.all(Array.from({ length: 20 }, () => developmentSecret(directory)));
  expect(new Set(secrets).size).toBe(1);
  expect(await readdir(directory)).toEqual(["jwt-secret"]);
});

test.each(["", "too short"])("a damaged development secret (%j) is never used", async (content) => {
  await writeFile(join(directory, "jwt-secret"), content);
  await expect(developmentSecret(directory)).rejects.toThrow("Remove it, and the next start makes a new one.");
});
