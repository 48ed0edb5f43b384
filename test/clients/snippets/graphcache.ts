import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import type { Session } from "./session.ts";

/** As urqlClient(), with a normalized cache. A record's key is its type with its `id`, so select `id`. */
export function cachedUrqlClient(url: string, session: Session): Client {
  const cache = cacheExchange({
    // Parts of other objects.
    keys: { FollowSummary: () => null, DeleteResult: () => null, Session: () => null },
    resolvers: { Query: { postsConnection: relayPagination() } },
    updates: {
      Mutation: {
        deletePost: (_result, { id }, cache) => cache.invalidate({ __typename: "Post", id: String(id) }),
      },
    },
  });
  return new Client({
    url,
    exchanges: [cache, fetchExchange],
    preferGetMethod: false,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      const token = await session.accessToken();
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return fetch(input, { ...init, headers });
    },
  });
}
