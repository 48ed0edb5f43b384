import { readBearer } from "./readBearer.ts";
import { TokenError } from "./TokenError.ts";

/**
 * The token in a WebSocket's connection parameters (specification 5): `authToken`, or `Authorization` as on HTTP, each
 * with or without `Bearer`. Missing and null are anonymous. An empty string is refused: a client that expects to be signed
 * in must learn that it has lost its token. Two different tokens are refused, too.
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
