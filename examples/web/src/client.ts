import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from "@apollo/client";
import { SetContextLink } from "@apollo/client/link/context";
import { ErrorLink } from "@apollo/client/link/error";
import { RetryLink } from "@apollo/client/link/retry";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { relayStylePagination } from "@apollo/client/utilities";
import { createClient } from "graphql-ws";
import { tap } from "rxjs";
import { accessToken, forgetSession, url } from "./session";

const sockets = createClient({
  url: url.replace(/^http/, "ws"),
  // A function, so that each new connection has a fresh token.
  connectionParams: async () => ({ authToken: await accessToken() }),
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
});

/**
 * Sets the variable `after` to the id of the last event. graphql-ws sends the variables again when it reconnects, and so
 * continues from there.
 */
const continued = new ApolloLink((operation, forward) => {
  const variables = { ...operation.variables };
  operation.variables = variables;
  return forward(operation).pipe(
    tap(({ data }) => {
      for (const event of Object.values(data ?? {})) if (event?.id) variables["after"] = event.id;
    }),
  );
});

/** Sends again what got no answer. With an idempotency key, a mutation that did arrive is not done twice. */
const retrying = new RetryLink({
  attempts: {
    max: 3,
    retryIf: (error, { operationType, variables }) =>
      !CombinedGraphQLErrors.is(error) && (operationType === "query" || "idempotencyKey" in variables),
  },
});

const authenticated = new SetContextLink(async ({ headers }) => {
  const token = await accessToken();
  return token === undefined ? {} : { headers: { ...headers, authorization: `Bearer ${token}` } };
});

const refused = new ErrorLink(({ error }) => {
  if (faultsOf(error).some(({ reason }) => reason === "TOKEN_INVALID" || reason === "TOKEN_EXPIRED")) forgetSession();
});

const link = ApolloLink.split(
  ({ operationType }) => operationType === "subscription",
  ApolloLink.from([continued, new GraphQLWsLink(sockets)]),
  ApolloLink.from([refused, retrying, authenticated, new HttpLink({ uri: url })]),
);

/** A client with an empty cache: each user sees other things. */
export function newClient(): ApolloClient {
  // The next page of a connection is added to the pages before it.
  const cache = new InMemoryCache({
    typePolicies: {
      Query: {
        fields: {
          feedConnection: relayStylePagination(),
          searchConnection: relayStylePagination(["text"]),
          notificationsConnection: relayStylePagination(),
        },
      },
      Post: { fields: { commentsConnection: relayStylePagination(["topLevel"]) } },
      User: { fields: { postsConnection: relayStylePagination(["status"]) } },
      Chat: { fields: { messagesConnection: relayStylePagination() } },
    },
  });
  // A screen shows at once what the cache has, and asks for news with its one request.
  return new ApolloClient({ link, cache, defaultOptions: { watchQuery: { fetchPolicy: "cache-and-network" } } });
}

export interface Fault {
  message: string;
  code?: string;
  reason?: string;
}

/** What `errors` of an answer says; one fault for any other error, such as a lost connection. */
export function faultsOf(error: unknown): Fault[] {
  if (CombinedGraphQLErrors.is(error)) {
    return error.errors.flatMap(({ message, extensions }) => {
      const { code, reason, validationErrors } = (extensions ?? {}) as Partial<Fault> & { validationErrors?: Fault[] };
      return validationErrors?.map((fault) => ({ message: fault.message, code })) ?? [{ message, code, reason }];
    });
  }
  return error ? [{ message: error instanceof Error ? error.message : String(error) }] : [];
}
