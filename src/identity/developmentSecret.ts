import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The secret that tokens are signed with where nobody has set one: made once, and kept where only this user can read it,
 * so that a token outlives a restart. Not for production, which must set its own.
 */
export async function developmentSecret(directory: string): Promise<string> {
  const file = join(directory, "jwt-secret");
  await mkdir(directory, { recursive: true });
  try {
    await writeFile(file, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFile(file, "utf8");
}
