import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { checkSecret, type TokenSettings } from "../settings.ts";

export interface SignedToken {
  token: string;
  expiresAt: Date;
}

/**
 * @param issuedAt in seconds since 1970. By the clock of the database, which ends tokens: see app_private.issued_at(). By default, this machine's
 */
export type SignToken = (userId: string, ttlSeconds?: number, issuedAt?: number) => Promise<SignedToken>;

const defaultTtlSeconds = 15 * 60;

/** Makes the service's own signer, HS256. Undefined without a secret: then the holder of the JWKS keys signs. */
export function createTokenSigner({ secret, audience, issuer }: TokenSettings): SignToken | undefined {
  if (secret === undefined) return undefined;
  const key = new TextEncoder().encode(checkSecret(secret));
  return async (userId, ttlSeconds = defaultTtlSeconds, issuedAt) => {
    const now = Date.now() / 1_000;
    const expiry = now + ttlSeconds;
    const unsigned = new SignJWT({
      ...(audience === undefined ? null : { aud: audience }),
      ...(issuer === undefined ? null : { iss: issuer }),
    });
    const token = await unsigned
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setSubject(userId)
      .setIssuedAt(issuedAt ?? now)
      .setExpirationTime(expiry)
      .setJti(randomUUID())
      .sign(key);
    return { token, expiresAt: new Date(expiry * 1_000) };
  };
}
