import { readFile } from "node:fs/promises";
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { StartError } from "../support/StartError.ts";
import { KeysUnavailableError } from "./keysUnavailableError.ts";

const timeoutMs = 5_000;
/** How long an unknown `kid` does not make the keys be read again. Else every forged one would. */
const cooldownMs = 10_000;
/** How long keys are used without asking again, and so how long a key lives on once it was withdrawn. */
const longestUseMs = 10 * 60_000;

/**
 * Opens a JWKS that finds the key a token names by `kid`, and reads the set again when it does not know that one: keys
 * can be rotated without a restart. A token without `kid` fits when only one key suits its algorithm. Only public keys
 * for signatures are ever found: jose passes over symmetric ones, and takes a private one for a broken set.
 *
 * @param address `https:` or `http:`, first read when the first token comes; `file:`, read here and now
 * @throws StartError when the address cannot be one, or the file holds no key set
 * @returns a function that rejects with KeysUnavailableError when the set cannot be read
 */
export async function openKeySet(address: string): Promise<JWTVerifyGetKey> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !["https:", "http:", "file:"].includes(url.protocol)) {
    throw new StartError("JWT_JWKS_URL: is no address of a key set; it starts with https://, http:// or file:///");
  }
  const isFile = url.protocol === "file:";
  const keySet = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: longestUseMs,
    ...(isFile ? { [customFetch]: readKeyFile } : null),
  });
  if (isFile) {
    await keySet.reload().catch((cause: Error) => {
      throw new StartError(`JWT_JWKS_URL: the file cannot be read as a JSON Web Key Set (${cause.message})`);
    });
  }
  return async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      const isOfTheToken =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
      throw isOfTheToken ? error : new KeysUnavailableError(error);
    }
  };
}

async function readKeyFile(url: string): Promise<Response> {
  return new Response(await readFile(new URL(url)));
}
