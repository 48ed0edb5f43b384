import type { FormattedExecutionResult } from "graphql";
import { type Client, createClient, type SubscribePayload } from "graphql-ws";
import { ApiErrors, type Session } from "./session.ts";

/** @param pingMs the time without a word after which the connection is tried. Half of it without a response ends it. */
export function socketClient(url: string, session: Session, webSocketImpl?: unknown, pingMs = 10_000): Client {
  let silence: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    // A function, so that each new connection has a fresh token.
    connectionParams: async () => ({ authToken: await session.accessToken() }),
    // A network that is gone, as of a phone that leaves the house, says nothing: only a missing response tells.
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
    shouldRetry: (problem) => !(problem instanceof ApiErrors),
    webSocketImpl,
  });
  return client;
}

type Events = Record<string, { id?: string } | null>;

/**
 * As `client.subscribe()`, for other libraries, too. An operation with `$after`, and `id` in its selection, continues after a
 * broken connection with the next event.
 *
 * @returns a function that stops
 */
export function subscribe<Result>(
  client: Client,
  { query, variables }: SubscribePayload,
  sink: { next(result: Result): void; error(error: unknown): void; complete(): void },
): () => void {
  // The client sends these again when it reconnects, and continues from there.
  const sent: Record<string, unknown> = { ...variables };
  const next = (result: FormattedExecutionResult<Events, Record<string, unknown>>) => {
    for (const event of Object.values(result.data ?? {})) {
      const after = result.extensions?.["after"] ?? event?.id;
      if (after) sent["after"] = after;
    }
    try {
      sink.next(result as Result);
    } catch (error) {
      // Thrown from here, it would close the connection of all subscriptions.
      console.error(error);
    }
  };
  return client.subscribe<Events, Record<string, unknown>>(
    { query, variables: sent },
    { next, error: (error) => sink.error(error), complete: () => sink.complete() },
  );
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
  return subscribe(
    client,
    { query, variables },
    {
      next: ({ data }: { data?: { messageAdded: { id: string; text: string } } }) => data && show(data.messageAdded),
      error: (error) => console.error(error),
      complete: () => {},
    },
  );
}
