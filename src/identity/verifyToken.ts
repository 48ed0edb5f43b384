import { OperatorError } from "@content-service/support/OperatorError.ts";
import { isRowId } from "@content-service/support/rowId.ts";
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import { LRUCache } from "lru-cache";
import type { Credential } from "../database/requestAccess.ts";
import { checkSecret, type TokenSettings } from "../settings.ts";
import { openKeySet } from "./openKeySet.ts";
import { TokenError } from "./readToken.ts";
import { clockSkewSeconds, verifyJwt } from "./verifyJwt.ts";

/** The claims that the service uses. All others, a role among them, are ignored. */
export interface VerifiedToken extends Credential {
  /** The user's id. The user may have been deleted or banned since. */
  userId: string;
  /** The time in `exp`. The token stays valid for the clock skew after it. */
  expiresAt: Date;
}

/** Tokens that others sign. */
export interface ForeignTokens {
  /** @returns undefined for a token that names none of the issuers */
  verify(token: string): Promise<VerifiedToken> | undefined;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

/** The longest delay that setTimeout supports. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Milliseconds until a token is not accepted any more, for setTimeout. */
export function msUntilExpiry(expiresAt: Date): number {
  const wait = expiresAt.getTime() + clockSkewSeconds * 1_000 - Date.now();
  return Math.min(Math.max(wait, 0), maxTimeoutMs);
}

/** Text of good tokens that is remembered, in characters. */
export const rememberedLength = 4_000_000;

/**
 * Makes the verifier for all tokens, over HTTP and WebSocket (specification 5). Tokens are verified before any other work
 * is done for a request.
 *
 * Tokens that were good are remembered until they expire: verifying one takes a tenth of a small request's time.
 *
 * @param foreign those that are told by their issuer; all others are the service's own
 * @throws OperatorError when the settings cannot be used
 * @returns a function that rejects with TokenError; with KeysUnavailableError when the keys cannot be fetched
 */
export async function createTokenVerifier(settings: TokenSettings, foreign?: ForeignTokens): Promise<VerifyToken> {
  const { audience, issuer } = settings;
  const keys = await openKeys(settings, foreign !== undefined);
  const options: JWTVerifyOptions = {
    ...(audience === undefined ? null : { audience }),
    ...(issuer === undefined ? null : { issuer }),
  };
  // A key in the settings stays, so a good token stays good until it expires. A published key may be withdrawn.
  const good =
    settings.secret === undefined
      ? undefined
      : new LRUCache<string, VerifiedToken>({
          maxSize: rememberedLength,
          sizeCalculation: (_verified, { length }) => length,
        });
  return async (token) => {
    const known = good?.get(token);
    if (known && known.expiresAt.getTime() > Date.now()) return known;
    const verifying = foreign?.verify(token);
    if (verifying) return verifying;
    if (!keys) throw new TokenError("TOKEN_INVALID");
    const { algorithms, getKey } = keys;
    const { payload, expiresAt } = await verifyJwt(token, getKey, { ...options, algorithms });
    if (typeof payload.sub !== "string" || !isRowId(payload.sub)) throw new TokenError("TOKEN_INVALID");
    const verified = { userId: payload.sub, expiresAt, issuedAt: issuedAtOf(payload) };
    good?.set(token, verified);
    return verified;
  };
}

/** PostgreSQL has no time after this one, of the year 9999. */
const lastTime = 253_402_300_799;

/** A time that is none counts as missing. */
export function issuedAtOf({ iat }: JWTPayload): number | undefined {
  return iat !== undefined && iat >= 0 && iat <= lastTime ? iat : undefined;
}

interface Keys {
  algorithms: string[];
  getKey: JWTVerifyGetKey;
}

/** @returns undefined where only identity providers sign tokens */
async function openKeys({ secret, jwksUrl }: TokenSettings, hasProviders: boolean): Promise<Keys | undefined> {
  if (secret !== undefined && jwksUrl === undefined) {
    const bytes = new TextEncoder().encode(checkSecret(secret));
    // Imported once: jose would import raw bytes again for each token.
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    return { algorithms: ["HS256"], getKey: async () => key };
  }
  if (jwksUrl !== undefined && secret === undefined) {
    return { algorithms: ["RS256", "ES256"], getKey: await openKeySet(jwksUrl) };
  }
  if (secret === undefined && hasProviders) return undefined;
  throw new OperatorError("JWT_SECRET, JWT_JWKS_URL: set one of them; which one it is pins the algorithm of tokens");
}
