import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { fetchExchange, Client as UrqlClient } from "@urql/core";
import { createClient, type SubscribePayload } from "graphql-ws";

/* Runs in a browser, bundled by Vite: clients as programs on a page of another origin use them. */

/** What Apollo, OpenTelemetry and Sentry add to requests. */
const traced = {
  "apollographql-client-name": "page",
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  baggage: "sentry-environment=test",
  "sentry-trace": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
};
const me = "query Me { me { name } }";
const added = `subscription Added($chatId: ID!, $after: ID) {
  messageAdded(chatId: $chatId, after: $after) { id text }
}`;
/** The message 1 is in the chat 1, and others follow. */
const variables = { chatId: "1", after: "1" };

const clients = {
  async fetch(url: string, token: string) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}`, ...traced };
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query: me }) });
    const { data } = (await response.json()) as { data: object };
    return { ...data, requestId: response.headers.get("x-request-id") };
  },

  async "graphql-ws"(url: string, token: string) {
    const client = createClient({
      url: url.replace("http", "ws"),
      connectionParams: { authToken: token },
      retryAttempts: 0,
    });
    const first = async (payload: SubscribePayload) => {
      for await (const { data } of client.iterate(payload)) return data;
    };
    const answers = { ...(await first({ query: me })), ...(await first({ query: added, variables })) };
    await client.dispose();
    return answers;
  },

  async "Apollo Client"(url: string, token: string) {
    const sockets = createClient({ url: url.replace("http", "ws"), connectionParams: { authToken: token } });
    const client = new ApolloClient({
      link: ApolloLink.split(
        ({ operationType }) => operationType === "subscription",
        new GraphQLWsLink(sockets),
        new HttpLink({ uri: url, headers: { authorization: `Bearer ${token}`, ...traced } }),
      ),
      cache: new InMemoryCache(),
      clientAwareness: { name: "page", version: "1" },
    });
    const { data } = await client.query<object>({ query: gql(me) });
    const event = await new Promise<object | undefined>((resolve) => {
      client
        .subscribe<object>({ query: gql(added), variables })
        .subscribe((result) => resolve(result.data ?? undefined));
    });
    client.stop();
    await sockets.dispose();
    return { ...data, ...event };
  },

  async urql(url: string, token: string) {
    const client = new UrqlClient({
      url,
      exchanges: [fetchExchange],
      fetchSubscriptions: true,
      fetchOptions: { headers: { authorization: `Bearer ${token}`, ...traced } },
    });
    const { data } = await client.query(me, {});
    const event = await new Promise<object>((resolve) => {
      const { unsubscribe } = client.subscription(added, variables).subscribe((result) => {
        resolve(result.data);
        unsubscribe();
      });
    });
    return { ...data, ...event };
  },
};

export type ClientName = keyof typeof clients;
Object.assign(globalThis, { clients });
