import { type Client, createClient } from "graphql-ws";
import type { Session } from "./session.ts";

export function socketClient(url: string, session: Session, webSocketImpl?: unknown): Client {
  return createClient({
    url: url.replace(/^http/, "ws"),
    // A function, so that each new connection has a fresh token.
    connectionParams: async () => ({ authToken: await session.accessToken() }),
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    webSocketImpl,
  });
}

/** @returns a function that stops */
export function followBySocket(
  client: Client,
  chatId: string,
  show: (message: { id: string; text: string }) => void,
  after?: string,
): () => void {
  const query = `subscription Added($chatId: ID!, $after: ID) {
    messageAdded(chatId: $chatId, after: $after) { id text }
  }`;
  const variables = { chatId, after };
  return client.subscribe<{ messageAdded: { id: string; text: string } }>(
    { query, variables },
    {
      next: ({ data }) => {
        if (!data) return;
        show(data.messageAdded);
        // The client sends the variables again when it reconnects, and continues from here.
        variables.after = data.messageAdded.id;
      },
      error: (faults) => console.error(faults),
      complete: () => {},
    },
  );
}
