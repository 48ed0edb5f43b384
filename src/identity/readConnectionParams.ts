import { readBearer } from "./readBearer.ts";
import { TokenError } from "./tokenError.ts";

/**
 * The token in a WebSocket's connection parameters (specification 5): `authToken`, or `Authorization` as on HTTP, each
 * with or without `Bearer`. Missing and null are anonymous. An empty string is not: a client that means to be signed in
 * and has lost its token should hear of it. Nor are two different tokens.
 */
export function readConnectionParams(params: unknown): string | undefined {
  if (params === null || params === undefined) return undefined;
  if (typeof params !== "object" || Array.isArray(params)) throw new TokenError("TOKEN_INVALID");
  const { authToken, Authorization, authorization } = params as Record<string, unknown>;
  const given = [authToken, Authorization, authorization].filter((value) => value !== null && value !== undefined);
  const [token, ...others] = given.map(readValue);
  if (others.some((other) => other !== token)) throw new TokenError("TOKEN_INVALID");
  return token;
}

function readValue(value: unknown): string | undefined {
  if (typeof value !== "string") throw new TokenError("TOKEN_INVALID");
  return readBearer([/^Bearer\b/i.test(value) ? value : `Bearer ${value}`]);
}
