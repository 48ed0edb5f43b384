import { type Client, createClient } from "graphql-ws";
import { ApiFaults, type Session } from "./session.ts";

/** @param pingMs the time without a word after which the connection is tried. Half of it without an answer ends it. */
export function socketClient(url: string, session: Session, webSocketImpl?: unknown, pingMs = 10_000): Client {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    // A function, so that each new connection has a fresh token.
    connectionParams: async () => ({ authToken: await session.accessToken() }),
    // A network that is gone, as of a phone that leaves the house, says nothing: only a missing answer tells.
    keepAlive: pingMs,
    on: {
      ping: (isReceived) => {
        if (!isReceived) silence = setTimeout(() => client.terminate(), pingMs / 2);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(silence);
      },
      closed: () => clearTimeout(silence),
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    // Ten seconds at most, and some chance, so that all clients of a service that restarts do not return at once.
    retryWait: (retries) =>
      new Promise((resolve) => {
        setTimeout(resolve, Math.min(1_000 * 2 ** retries, 10_000) * (0.5 + Math.random() / 2));
      }),
    // A session that is over stays over.
    shouldRetry: (problem) => !(problem instanceof ApiFaults),
    webSocketImpl,
  });
  return client;
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
        // The client sends the variables again when it reconnects, and continues from here.
        variables.after = data.messageAdded.id;
        try {
          show(data.messageAdded);
        } catch (error) {
          // Thrown from here, it would close the connection of all subscriptions.
          console.error(error);
        }
      },
      error: (faults) => console.error(faults),
      complete: () => {},
    },
  );
}
