import {
  type ApolloCache,
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
  type Reference,
  ServerError,
  ServerParseError,
} from "@apollo/client";
import { SetContextLink } from "@apollo/client/link/context";
import { ErrorLink } from "@apollo/client/link/error";
import { RetryLink } from "@apollo/client/link/retry";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { relayStylePagination } from "@apollo/client/utilities";
import { type Client, createClient } from "graphql-ws";
import { tap } from "rxjs";
import { hasReturned } from "./router";
import { accessToken, forgetSession, url } from "./session";

/** How long a connection may say nothing before it is tried. */
const pingMs = 10_000;

/** Each user has a connection of their own. It is opened for the first subscription. docs/libraries.md explains the settings. */
function newSockets(): Client {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const sockets = createClient({
    url: url.replace(/^http/, "ws"),
    // A function, so that each new connection has a fresh token.
    connectionParams: async () => ({ authToken: await accessToken() }),
    keepAlive: pingMs,
    on: {
      ping: (isReceived) => {
        if (!isReceived) silence = setTimeout(() => sockets.terminate(), pingMs / 2);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(silence);
      },
      closed: () => clearTimeout(silence),
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (retries) =>
      new Promise((resolve) => {
        setTimeout(resolve, Math.min(1_000 * 2 ** retries, 10_000) * (0.5 + Math.random() / 2));
      }),
    shouldRetry: () => true,
  });
  return sockets;
}

/**
 * Sets the variable `after` to the id of the last event, or to what the service names instead. graphql-ws sends the variables
 * again when it reconnects, and so continues from there.
 */
const continued = new ApolloLink((operation, forward) => {
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

/** Sends again what got no response. With an idempotency key, a mutation that did arrive is not done twice. */
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
  if (errorsOf(error).some(({ reason }) => reason === "TOKEN_INVALID" || reason === "TOKEN_EXPIRED")) forgetSession();
});

const newLink = () =>
  ApolloLink.split(
    ({ operationType }) => operationType === "subscription",
    ApolloLink.from([continued, new GraphQLWsLink(newSockets())]),
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
          postsConnection: relayStylePagination(["status"]),
          reportsConnection: relayStylePagination(["status"]),
        },
      },
      Post: { fields: { commentsConnection: relayStylePagination(["topLevel"]) } },
      Comment: { fields: { repliesConnection: relayStylePagination() } },
      User: { fields: { postsConnection: relayStylePagination(["status"]) } },
      Tag: { fields: { postsConnection: relayStylePagination() } },
      Chat: { fields: { messagesConnection: relayStylePagination() } },
    },
  });
  const watchQuery = {
    // A screen shows at once what the cache has, and asks for news with its one request. After Back it shows the same
    // pages as before, without a request.
    get fetchPolicy() {
      return hasReturned() ? ("cache-first" as const) : ("cache-and-network" as const);
    },
  };
  return new ApolloClient({ link: newLink(), cache, defaultOptions: { watchQuery } });
}

export interface RequestError {
  message: string;
  code?: string;
  reason?: string;
  /** The name of the argument or input field that is wrong. */
  field?: string | null;
}

/** What `errors` of a response says; one error for any other error, such as a lost connection. */
export function errorsOf(error: unknown): RequestError[] {
  if (CombinedGraphQLErrors.is(error)) {
    return error.errors.flatMap(({ message, extensions }): RequestError[] => {
      const { code, reason, validationErrors } = (extensions ?? {}) as Partial<RequestError> & {
        validationErrors?: RequestError[];
      };
      return validationErrors?.map(({ message, field }) => ({ message, field, code })) ?? [{ message, code, reason }];
    });
  }
  if (isLost(error)) return [{ message: "The service cannot be reached. Look at your connection, and try again." }];
  return error ? [{ message: String(error) }] : [];
}

/** Whether there was no response: `fetch` throws a TypeError, and a proxy without a service sends a text. */
export function isLost(error: unknown): boolean {
  return error instanceof TypeError || ServerError.is(error) || ServerParseError.is(error);
}

interface StoredList {
  edges: { node: { __ref: string } }[];
}

/** For `cache.modify`: adds a node that an event has brought to a stored connection, unless a query was quicker. */
export function addEdge(cache: ApolloCache, node: { __typename: string; id: string }, where: "first" | "last") {
  const edge = { node: { __ref: cache.identify(node) as string } };
  return (list: StoredList | Reference): StoredList | Reference => {
    if (!("edges" in list) || list.edges.some(({ node: { __ref } }) => __ref === edge.node.__ref)) return list;
    return { ...list, edges: where === "first" ? [edge, ...list.edges] : [...list.edges, edge] };
  };
}
