import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

const query = `subscription ($chatId: ID!, $after: ID) {
  messageAdded(chatId: $chatId, after: $after) { id text sender { id name } createdAt }
}`;

interface Added {
  messageAdded: { id: string };
}

/**
 * A typical client: graphql-ws, which reconnects when its socket is closed and resumes after the last message that it
 * received. Records the messages and their times.
 */
export class Listener {
  readonly ids: string[] = [];
  readonly times: number[] = [];
  /** How often the socket was closed. */
  closes = 0;
  /** Errors received instead of messages. */
  readonly errors: unknown[] = [];
  /** Resolves when the socket is open and the subscription is on its way. */
  readonly opened: Promise<void>;
  readonly #client: Client;

  /** @param after the message to resume after; without it, the listener begins with the next message */
  constructor(url: string, authToken: string, chatId: string, after?: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    this.#client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: { authToken },
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: () => true,
      retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
      on: {
        connected: () => resolve(),
        closed: () => {
          this.closes += 1;
        },
      },
    });
    // graphql-ws sends the current variables whenever it reconnects.
    const variables: { chatId: string; after?: string } = { chatId, ...(after ? { after } : null) };
    this.#client.subscribe<Added>(
      { query, variables: variables as Record<string, unknown> },
      {
        next: ({ data, errors }) => {
          if (!data?.messageAdded) return void this.errors.push(errors);
          this.ids.push(data.messageAdded.id);
          this.times.push(performance.now());
          variables.after = data.messageAdded.id;
        },
        error: (error) => this.errors.push(error),
        complete: () => {},
      },
    );
  }

  async stop(): Promise<void> {
    await this.#client.dispose();
  }
}
