import { TokenError } from "./TokenError.ts";

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
