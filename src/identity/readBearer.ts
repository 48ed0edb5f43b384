import { TokenError } from "./tokenError.ts";

/**
 * The token of a request (specification 5): `Authorization: Bearer <token>`. None and an empty header are anonymous;
 * anything else that is not one token is refused, never read as anonymous.
 *
 * @param authorization every header of that name, from `headersDistinct`: Node's `headers` keeps the first and hides the
 *   rest, so that a proxy and this service could each believe another one
 */
export function readBearer(authorization: string[] | undefined): string | undefined {
  const [header, ...others] = authorization ?? [];
  if (others.length > 0) throw new TokenError("TOKEN_INVALID");
  if (header === undefined || header === "") return undefined;
  const token = /^Bearer +([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined) throw new TokenError("TOKEN_INVALID");
  return token;
}
