import { readFile } from "node:fs/promises";
import { ApiError } from "@content-service/errors/ApiError.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";

/**
 * The keys that tokens are verified with cannot be fetched, or not yet again, so the token cannot be judged. The client is not at fault: 503,
 * retry. `cause` is for the log; it contains the keys' URL, never a token.
 */
export class KeysUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super("SERVICE_UNAVAILABLE", "Access tokens cannot be checked at the moment.");
    this.name = "KeysUnavailableError";
    this.cause = cause;
  }
}

const timeoutMs = 5_000;
/** The keys are not fetched again within this time, else every forged `kid` would cause a request. */
const cooldownMs = 10_000;
/** How long keys are cached, and so how long a withdrawn key remains valid. */
const cacheMs = 10 * 60_000;

/**
 * Opens a JSON Web Key Set. A token's key is found by `kid`; an unknown `kid` makes the set be fetched again, so keys can
 * be rotated without a restart. A token without `kid` is accepted if only one key suits its algorithm. Only public signing
 * keys are used: jose ignores symmetric keys, and rejects a set with a private one.
 *
 * @param name of the setting, for errors
 * @param location an `https:` or `http:` URL, fetched for the first token; or a `file:` URL, read at once
 * @throws OperatorError when the URL is invalid, or the file contains no key set
 * @returns a function that rejects with KeysUnavailableError when the set cannot be fetched, or was last fetched before an unknown `kid` came
 */
export async function openKeySet(location: string, name = "JWT_JWKS_URL"): Promise<JWTVerifyGetKey> {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (!url || !["https:", "http:", "file:"].includes(url.protocol)) {
    throw new OperatorError(`${name}: is no URL of a key set; it starts with https://, http:// or file:///`);
  }
  const isFile = url.protocol === "file:";
  let fetches = 0;
  const keySet = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: cacheMs,
    [customFetch]: (url, options) => {
      fetches++;
      return isFile ? readKeyFile(url) : fetch(url, options as RequestInit);
    },
  });
  if (isFile) {
    await keySet.reload().catch((cause: Error) => {
      throw new OperatorError(`${name}: the file cannot be read as a JSON Web Key Set (${cause.message})`);
    });
  }
  return async (header, token) => {
    const before = fetches;
    try {
      return await keySet(header, token);
    } catch (error) {
      // The key may have been published since the last fetch, which a made-up `kid` may have caused.
      const isKnown = () => keySet.jwks()?.keys.some(({ kid }) => kid === header.kid);
      const isUnjudged = error instanceof errors.JWKSNoMatchingKey && fetches === before && !isKnown();
      if (isUnjudged) throw new KeysUnavailableError(error);
      const isOfTheToken =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
      throw isOfTheToken ? error : new KeysUnavailableError(error);
    }
  };
}

async function readKeyFile(url: string): Promise<Response> {
  return new Response(await readFile(new URL(url)));
}
