import { OperatorError } from "@content-service/support/OperatorError.ts";
import { isRowId } from "@content-service/support/rowId.ts";
import { errors, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { checkSecret, type TokenSettings } from "../settings.ts";
import { KeysUnavailableError, openKeySet } from "./openKeySet.ts";
import { TokenError } from "./readToken.ts";

/** The claims that the service uses. All others, a role among them, are ignored. */
export interface VerifiedToken {
  /** The user's id. The user may have been deleted or banned since. */
  userId: string;
  /** The time in `exp`. The token stays valid for the clock skew after it. */
  expiresAt: Date;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

/** The tolerated difference between the clocks of signer and verifier. */
export const clockSkewSeconds = 30;

/** The longest delay that setTimeout supports. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Milliseconds until a token is not accepted any more, for setTimeout. */
export function msUntilExpiry(expiresAt: Date): number {
  const wait = expiresAt.getTime() + clockSkewSeconds * 1_000 - Date.now();
  return Math.min(Math.max(wait, 0), maxTimeoutMs);
}

const maxTokenLength = 8_192;
/** Text of good tokens that is remembered, in characters. */
const rememberedLength = 4_000_000;
/** Header, payload and signature. Five parts would be an encrypted token, which is not supported. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Makes the verifier for all tokens, over HTTP and WebSocket (specification 5). Tokens are verified before any other work
 * is done for a request.
 *
 * Tokens that were good are remembered until they expire: verifying one takes a tenth of a small request's time.
 *
 * @throws OperatorError when the settings cannot be used
 * @returns a function that rejects with TokenError; with KeysUnavailableError when the keys cannot be fetched
 */
export async function createTokenVerifier(settings: TokenSettings): Promise<VerifyToken> {
  const { audience, issuer } = settings;
  const { algorithms, getKey } = await openKeys(settings);
  const options = {
    algorithms,
    clockTolerance: clockSkewSeconds,
    requiredClaims: ["exp", "sub"],
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
  const verify = async (token: string): Promise<VerifiedToken> => {
    if (token.length > maxTokenLength || !isCanonical(token)) throw new TokenError("TOKEN_INVALID");
    try {
      return readClaims(await jwtVerify(token, getKey, options));
    } catch (error) {
      if (error instanceof KeysUnavailableError) throw error;
      throw new TokenError(error instanceof errors.JWTExpired ? "TOKEN_EXPIRED" : "TOKEN_INVALID");
    }
  };
  return async (token) => {
    const known = good?.get(token);
    if (known && known.expiresAt.getTime() > Date.now()) return known;
    const verified = await verify(token);
    good?.set(token, verified);
    return verified;
  };
}

async function openKeys({
  secret,
  jwksUrl,
}: TokenSettings): Promise<{ algorithms: string[]; getKey: JWTVerifyGetKey }> {
  if (secret !== undefined && jwksUrl === undefined) {
    const bytes = new TextEncoder().encode(checkSecret(secret));
    // Imported once: jose would import raw bytes again for each token.
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    return { algorithms: ["HS256"], getKey: async () => key };
  }
  if (jwksUrl !== undefined && secret === undefined) {
    return { algorithms: ["RS256", "ES256"], getKey: await openKeySet(jwksUrl) };
  }
  throw new OperatorError("JWT_SECRET, JWT_JWKS_URL: set one of them; which one it is pins the algorithm of tokens");
}

/** The last Base64 character of a signature has unused bits. Without this check, each token would have four valid spellings. */
function isCanonical(token: string): boolean {
  if (!compactForm.test(token)) return false;
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

function readClaims({ payload, protectedHeader }: JWTVerifyResult): VerifiedToken {
  const { sub, exp } = payload;
  // No JWS extension is supported, so a token must not require one.
  if (protectedHeader.crit !== undefined || protectedHeader.b64 !== undefined) throw new TokenError("TOKEN_INVALID");
  if (typeof sub !== "string" || !isRowId(sub)) {
    throw new TokenError("TOKEN_INVALID");
  }
  const expiresAt = new Date((exp ?? Number.NaN) * 1_000);
  if (Number.isNaN(expiresAt.getTime())) throw new TokenError("TOKEN_INVALID");
  return { userId: sub, expiresAt };
}
