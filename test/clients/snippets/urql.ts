import { Client, fetchExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import type { Session } from "./session.ts";

/** Queries go by GET and by hash, subscriptions by SSE. */
export function urqlClient(url: string, session: Session): Client {
  return new Client({
    url,
    exchanges: [persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange],
    fetchSubscriptions: true,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      const token = await session.accessToken();
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return fetch(input, { ...init, headers });
    },
  });
}
