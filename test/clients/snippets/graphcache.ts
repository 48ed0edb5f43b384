import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { resolvers, updates } from "./graphcacheLists.ts";
import type { Session } from "./session.ts";

const parts = [
  "ActionResult",
  "DeletedRecord",
  "DeleteResult",
  "FollowResult",
  "FollowSummary",
  "ReportReason",
  "SearchResult",
  "Session",
];

/** As urqlClient(), with a normalized cache. A record's key is its type with its `id`, so select `id`. */
export function cachedUrqlClient(url: string, session: Session): Client {
  const cache = cacheExchange({
    keys: {
      InboxEntry: ({ chatId }) => String(chatId),
      // Parts of other objects.
      ...Object.fromEntries(parts.map((name) => [name, () => null])),
    },
    resolvers,
    updates,
  });
  return new Client({
    url,
    exchanges: [cache, fetchExchange],
    preferGetMethod: false,
    // By SSE: each event changes what the cache shows.
    fetchSubscriptions: true,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      const token = await session.accessToken();
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return fetch(input, { ...init, headers });
    },
  });
}
