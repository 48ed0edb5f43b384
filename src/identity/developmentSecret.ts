import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkSecret } from "../support/checkSecret.ts";
import { StartError } from "../support/StartError.ts";

/**
 * The secret for signing tokens when JWT_SECRET is unset: generated once and stored in a file that only this user can
 * read, so that tokens survive a restart. Production requires JWT_SECRET.
 *
 * The secret is written to a temporary file, which is then linked into place: with two starts at the same time one wins,
 * and neither reads an incomplete secret.
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
