import { errors, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from "jose";
import { isRowId } from "../support/rowId.ts";
import { StartError } from "../support/StartError.ts";
import { checkSecret } from "./checkSecret.ts";
import { KeysUnavailableError } from "./keysUnavailableError.ts";
import { openKeySet } from "./openKeySet.ts";
import { TokenError } from "./tokenError.ts";
import type { TokenSettings } from "./tokenSettings.ts";

/** What a good token says, and all that is taken from it: role and claims of any other name mean nothing here. */
export interface VerifiedToken {
  /** The id of a user who may be gone or banned since. */
  userId: string;
  /** The moment of `exp`. A token is still good for the clock skew after it. */
  expiresAt: Date;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;

/** How far the clocks of who signs and who checks may be apart. */
export const clockSkewSeconds = 30;

const longestToken = 8_192;
/** Header, payload and signature. Five parts would be an encrypted token; nobody has keys for those. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Makes the check that every token goes through, on HTTP and on WebSocket, before anything else is done for it
 * (specification 5).
 *
 * @throws StartError when the settings cannot be used
 * @returns a function that rejects with TokenError; with KeysUnavailableError when the keys cannot be had
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
  return async (token) => {
    if (token.length > longestToken || !isCanonical(token)) throw new TokenError("TOKEN_INVALID");
    try {
      return readClaims(await jwtVerify(token, getKey, options));
    } catch (error) {
      if (error instanceof KeysUnavailableError) throw error;
      throw new TokenError(error instanceof errors.JWTExpired ? "TOKEN_EXPIRED" : "TOKEN_INVALID");
    }
  };
}

async function openKeys({
  secret,
  jwksUrl,
}: TokenSettings): Promise<{ algorithms: string[]; getKey: JWTVerifyGetKey }> {
  if (secret !== undefined && jwksUrl === undefined) {
    const bytes = new TextEncoder().encode(checkSecret(secret));
    // Imported once; jose would import bare bytes again for each token.
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    return { algorithms: ["HS256"], getKey: async () => key };
  }
  if (jwksUrl !== undefined && secret === undefined) {
    return { algorithms: ["RS256", "ES256"], getKey: await openKeySet(jwksUrl) };
  }
  throw new StartError("JWT_SECRET, JWT_JWKS_URL: set one of them; which one it is pins the algorithm of tokens");
}

/** The last character of a signature has bits to spare: without this, four spellings of each token would be good. */
function isCanonical(token: string): boolean {
  if (!compactForm.test(token)) return false;
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

function readClaims({ payload, protectedHeader }: JWTVerifyResult): VerifiedToken {
  const { sub, exp } = payload;
  // No extension of the format is understood here, so none may be asked for.
  if (protectedHeader.crit !== undefined || protectedHeader.b64 !== undefined) throw new TokenError("TOKEN_INVALID");
  if (typeof sub !== "string" || !isRowId(sub)) {
    throw new TokenError("TOKEN_INVALID");
  }
  const expiresAt = new Date((exp ?? Number.NaN) * 1_000);
  if (Number.isNaN(expiresAt.getTime())) throw new TokenError("TOKEN_INVALID");
  return { userId: sub, expiresAt };
}
