import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { checkSecret } from "../settings.ts";

/**
 * The secret for signing tokens when JWT_SECRET is unset: generated once and stored in a file that only this user can
 * read, so that tokens survive a restart. Production requires JWT_SECRET.
 *
 * The secret is written to a temporary file, which is then linked into place: with two starts at the same time one wins,
 * and neither reads an incomplete secret.
 */
export async function developmentSecret(directory: string): Promise<string> {
  const file = secretFile(directory);
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
  return readSecret(file);
}

/** The file of the development secret, in a DATA_DIR. */
export function secretFile(directory: string): string {
  return resolve(directory, "jwt-secret");
}

/**
 * The development secret of a service that has started.
 *
 * @throws OperatorError when there is none. A new one would sign tokens that the service refuses.
 */
export async function existingSecret(directory: string): Promise<string> {
  const file = secretFile(directory);
  if (existsSync(file)) return readSecret(file);
  throw new OperatorError(
    `${file} does not exist: no service has started with this DATA_DIR. ` +
      "Start the service first, or set DATA_DIR or JWT_SECRET as the service has it.",
  );
}

async function readSecret(file: string): Promise<string> {
  const secret = await readFile(file, "utf8");
  try {
    return checkSecret(secret);
  } catch {
    throw new OperatorError(`${file} holds no usable secret. Remove it, and the next start makes a new one.`);
  }
}
