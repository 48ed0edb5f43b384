import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import type { Client as Sockets } from "graphql-ws";
import { subscribe } from "./chatByWebSocket.ts";
import type { Session } from "./session.ts";

/** Queries go by GET and by hash, subscriptions by WebSocket. */
export function urqlClient(url: string, session: Session, sockets: Sockets): Client {
  return new Client({
    url,
    exchanges: [
      persistedExchange({ preferGetForPersistedQueries: true }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = "", variables }) => ({
          subscribe: (sink) => ({ unsubscribe: subscribe(sockets, { query, variables }, sink) }),
        }),
      }),
    ],
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      const token = await session.accessToken();
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return fetch(input, { ...init, headers });
    },
  });
}
