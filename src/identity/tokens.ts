import { readFile } from "node:fs/promises";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify, SignJWT } from "jose";
import { Refusal } from "../errors.ts";

/** How tokens are made and checked. Which of `secret` and `jwksUrl` is set pins the algorithm; no token chooses it. */
export interface TokenSettings {
  /** HS256, at least 32 bytes. The service signs tokens itself. */
  secret?: string;
  /** RS256 or ES256 by these keys, `https:`, `http:` or `file:`. The service signs none. */
  jwksUrl?: string;
  /** `aud` that a token must have. */
  audience?: string;
  /** `iss` that a token must have. */
  issuer?: string;
}

/** What a good token says, and all that is taken from it. */
export interface VerifiedToken {
  userId: string;
  expiresAt: Date;
}

export type VerifyToken = (token: string) => Promise<VerifiedToken>;
export type SignToken = (userId: string, seconds?: number) => Promise<{ token: string; expiresAt: Date }>;

const clockToleranceSeconds = 30;
const usualSeconds = 15 * 60;
const longestToken = 8_192;
const largestId = 2n ** 63n - 1n;

function invalid(): Refusal {
  return new Refusal("UNAUTHORIZED", "The access token is not valid.", { reason: "TOKEN_INVALID" });
}

function expired(): Refusal {
  return new Refusal("UNAUTHORIZED", "The access token has expired.", { reason: "TOKEN_EXPIRED" });
}

/**
 * Makes the check that every token goes through, on HTTP and on WebSocket, before anything else is done for it.
 *
 * @returns a function that rejects with UNAUTHORIZED, and the reason TOKEN_EXPIRED or TOKEN_INVALID and no other hint; with
 *   SERVICE_UNAVAILABLE when the keys cannot be fetched, for then nobody's token is at fault
 */
export async function makeVerifyToken({ secret, jwksUrl, audience, issuer }: TokenSettings): Promise<VerifyToken> {
  const options = {
    algorithms: secret ? ["HS256"] : ["RS256", "ES256"],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ["exp", "sub"],
    ...(audience ? { audience } : null),
    ...(issuer ? { issuer } : null),
  };
  const getKey = secret ? new TextEncoder().encode(secret) : await keySet(jwksUrl ?? "");

  return async (token) => {
    if (token.length > longestToken) throw invalid();
    try {
      const { payload } = await jwtVerify(token, getKey as JWTVerifyGetKey, options);
      const { sub, exp } = payload;
      if (typeof sub !== "string" || !/^[1-9]\d{0,18}$/.test(sub) || BigInt(sub) > largestId) throw invalid();
      return { userId: sub, expiresAt: new Date((exp ?? 0) * 1_000) };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw expired();
      if (error instanceof errors.JWKSTimeout || isFetchFailure(error)) {
        throw new Refusal("SERVICE_UNAVAILABLE", "Access tokens cannot be checked at the moment.");
      }
      throw invalid();
    }
  };
}

async function keySet(jwksUrl: string): Promise<JWTVerifyGetKey> {
  const url = new URL(jwksUrl);
  if (url.protocol !== "file:") return createRemoteJWKSet(url, { timeoutDuration: 5_000, cooldownDuration: 10_000 });
  return createLocalJWKSet(JSON.parse(await readFile(url, "utf8")));
}

/** jose says “Expected 200 OK” or passes on what fetch threw. Both mean that there are no keys to check with. */
function isFetchFailure(error: unknown): boolean {
  if (error instanceof TypeError && error.message === "fetch failed") return true;
  return error instanceof errors.JOSEError && error.code === "ERR_JOSE_GENERIC";
}

/** Makes the service's own signer. Without a secret there is none: who holds the keys signs. */
export function makeSignToken({ secret, audience, issuer }: TokenSettings): SignToken | undefined {
  if (!secret) return undefined;
  const key = new TextEncoder().encode(secret);
  return async (userId, seconds = usualSeconds) => {
    const now = Math.floor(Date.now() / 1_000);
    const token = new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(userId).setIssuedAt(now);
    if (audience) token.setAudience(audience);
    if (issuer) token.setIssuer(issuer);
    token.setExpirationTime(now + seconds);
    return { token: await token.sign(key), expiresAt: new Date((now + seconds) * 1_000) };
  };
}

/**
 * The token in a request's `Authorization` header; undefined without one.
 *
 * @param headers every `Authorization` header there is: Node's own `headers` keeps the first and hides the rest
 */
export function readBearer(headers: string[] | undefined): string | undefined {
  const [header, ...others] = headers ?? [];
  if (header === undefined) return undefined;
  const token = /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
  if (token === undefined || others.length > 0) throw invalid();
  return token;
}

/** The token in a WebSocket's connection parameters (specification 5): `authToken`, or `Authorization` as on HTTP. */
export function readConnectionToken(parameters: unknown): string | undefined {
  if (parameters === null || parameters === undefined) return undefined;
  if (typeof parameters !== "object") throw invalid();
  const { authToken, Authorization, authorization } = parameters as Record<string, unknown>;
  const given = [authToken, Authorization, authorization].filter((value) => value !== null && value !== undefined);
  const [token, ...others] = given;
  if (token === undefined) return undefined;
  if (typeof token !== "string" || token === "" || others.some((other) => other !== token)) throw invalid();
  return /^Bearer /i.test(token) ? readBearer([token]) : token;
}
