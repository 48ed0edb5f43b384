import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from "jose";
import { KeysUnavailableError } from "./openKeySet.ts";
import { TokenError } from "./readToken.ts";

/** The tolerated difference between the clocks of signer and verifier. */
export const clockSkewSeconds = 30;

const maxTokenLength = 8_192;
/** Header, payload and signature. Five parts would be an encrypted token, which is not supported. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export interface GoodToken {
  payload: JWTPayload;
  /** The time in `exp`. */
  expiresAt: Date;
}

/**
 * Verifies a token, whoever has signed it: its form, signature, times, and what the options require.
 *
 * @throws TokenError; KeysUnavailableError when the keys cannot be fetched
 */
export async function verifyJwt(token: string, getKey: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<GoodToken> {
  if (token.length > maxTokenLength || !isCanonical(token)) throw new TokenError("TOKEN_INVALID");
  const required = { clockTolerance: clockSkewSeconds, requiredClaims: ["exp", "sub"] };
  const verifying = jwtVerify(token, getKey, { ...options, ...required });
  const { payload, protectedHeader } = await verifying.catch((error) => {
    if (error instanceof KeysUnavailableError) throw error;
    throw new TokenError(error instanceof errors.JWTExpired ? "TOKEN_EXPIRED" : "TOKEN_INVALID");
  });
  // No JWS extension is supported, so a token must not require one.
  if (protectedHeader.crit !== undefined || protectedHeader.b64 !== undefined) throw new TokenError("TOKEN_INVALID");
  const expiresAt = new Date((payload.exp ?? Number.NaN) * 1_000);
  if (Number.isNaN(expiresAt.getTime())) throw new TokenError("TOKEN_INVALID");
  return { payload, expiresAt };
}

/** The last Base64 character of a signature has unused bits. Without this check, each token would have four valid spellings. */
function isCanonical(token: string): boolean {
  if (!compactForm.test(token)) return false;
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}
