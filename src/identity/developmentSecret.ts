import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../support/StartError.ts";
import { checkSecret } from "./checkSecret.ts";

/**
 * The secret that tokens are signed with where nobody has set one: made once, and kept where only this user can read it,
 * so that a token outlives a restart. Not for production, which must set its own.
 *
 * It is written aside and then linked into place: of two starts at once one wins, and neither reads half a secret.
 */
export async function developmentSecret(directory: string): Promise<string> {
  const file = join(directory, "jwt-secret");
  await mkdir(directory, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
  const secret = await readFile(file, "utf8");
  try {
    return checkSecret(secret);
  } catch {
    throw new StartError(`${file} holds no usable secret. Remove it, and the next start makes a new one.`);
  }
}
