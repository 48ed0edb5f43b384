import type { SignToken } from "../../src/identity/signToken.ts";
import type { Ask } from "./findLeaks.ts";

/** Asks over HTTP, as any client does, with tokens of its own making. */
export function httpAsk(url: string, sign: SignToken): Ask {
  return async (query, userId) => {
    const authorization = userId === null ? null : { authorization: `Bearer ${(await sign(userId)).token}` };
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization },
      body: JSON.stringify({ query }),
    });
    return (await response.json()) as Awaited<ReturnType<Ask>>;
  };
}
