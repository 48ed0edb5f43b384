import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { SetContextLink } from "@apollo/client/link/context";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import type { Client } from "graphql-ws";
import { tap } from "rxjs";
import { listPolicies } from "./apolloLists.ts";
import type { Session } from "./session.ts";

/** @param sockets from graphql-ws's createClient() */
export function apolloClient(url: string, session: Session, sockets: Client): ApolloClient {
  const authenticated = new SetContextLink(async ({ headers }) => {
    const token = await session.accessToken();
    return { headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` } };
  });
  const persisted = new PersistedQueryLink({ sha256 });
  return new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === "subscription",
      ApolloLink.from([continued, new GraphQLWsLink(sockets)]),
      ApolloLink.from([authenticated, persisted, new HttpLink({ uri: url })]),
    ),
    cache: new InMemoryCache({
      typePolicies: {
        ...listPolicies,
        InboxEntry: { keyFields: ["chatId"] },
        // Parts of other objects. The id of a DeleteResult or a DeletedRecord is that of another record.
        FollowSummary: { merge: true },
        ...Object.fromEntries(
          ["DeletedRecord", "DeleteResult", "SearchResult", "Session"].map((name) => [name, { keyFields: false }]),
        ),
      },
    }),
  });
}

/** Node and browsers have `crypto`; a browser only on a page by https or from localhost. */
async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Sets the variable `after` to the id of the last event, or to what the service names instead. graphql-ws sends the variables
 * again when it reconnects, and so continues from there. This needs `$after` in the subscription, and `id` in its selection.
 */
const continued = new ApolloLink((operation, forward) => {
  // A copy, because the cache uses the variables that the program gave.
  const variables = { ...operation.variables };
  operation.variables = variables;
  return forward(operation).pipe(
    tap(({ data, extensions }) => {
      for (const event of Object.values(data ?? {})) {
        const after = extensions?.["after"] ?? event?.id;
        if (after) variables["after"] = after;
      }
    }),
  );
});
