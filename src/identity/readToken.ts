import { ApiError } from "@content-service/errors/ApiError.ts";

export type TokenErrorReason = "TOKEN_EXPIRED" | "TOKEN_INVALID" | "NO_ACCOUNT";

const messages: Record<TokenErrorReason, string> = {
  TOKEN_EXPIRED: "The access token has expired.",
  TOKEN_INVALID: "The access token is not valid.",
  NO_ACCOUNT: "The access token is good, but its person has no account here.",
};

/**
 * A token that signs nobody in. The error says only whether a new token would help, and keeps no cause on purpose: every further hint helps
 * a forger, and a cause would write the token's claims to the log.
 */
export class TokenError extends ApiError {
  readonly reason: TokenErrorReason;

  constructor(reason: TokenErrorReason) {
    super("UNAUTHORIZED", messages[reason], { reason });
    this.name = "TokenError";
    this.reason = reason;
  }
}

/**
 * The token of a request (specification 5): `Authorization: Bearer <token>`. A missing or empty header is anonymous; any
 * other value that is not one token is refused, never treated as anonymous.
 *
 * @param authorization all headers of that name, from `headersDistinct`. Node's `headers` keeps only the first, so that a
 *   proxy and this service could each use a different one
 */
export function readBearer(authorization: string[] | undefined): string | undefined {
  const [header, ...others] = authorization ?? [];
  if (others.length > 0) throw new TokenError("TOKEN_INVALID");
  if (header === undefined || header === "") return undefined;
  const token = /^Bearer +([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined) throw new TokenError("TOKEN_INVALID");
  return token;
}

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
