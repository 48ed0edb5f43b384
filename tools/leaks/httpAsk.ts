import type { SignToken } from "../../src/identity/signToken.ts";
import { post } from "../support/post.ts";
import type { Ask } from "./findLeaks.ts";

/** Sends queries over HTTP, with tokens that `sign` makes. */
export function httpAsk(url: string, sign: SignToken): Ask {
  return async (query, userId) =>
    post(url, query, {
      "accept-encoding": "identity",
      ...(userId !== null && { authorization: `Bearer ${(await sign(userId)).token}` }),
    });
}
