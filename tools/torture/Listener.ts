import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

const query = `subscription ($chatId: ID!, $after: ID) {
  messageAdded(chatId: $chatId, after: $after) { id text sender { id name } createdAt }
}`;

interface Added {
  messageAdded: { id: string };
}

/**
 * A client as one would write it: graphql-ws, which comes back when its socket is closed, and goes on after the last
 * message that it has had. Keeps what came, and when.
 */
export class Listener {
  readonly ids: string[] = [];
  readonly times: number[] = [];
  /** How often its socket was closed, and what came in place of messages. */
  closes = 0;
  readonly errors: unknown[] = [];
  readonly #client: Client;

  /** @param after whether it goes on from this message from the start, or begins with what is to come */
  constructor(url: string, authToken: string, chatId: string, after?: string) {
    this.#client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: { authToken },
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: () => true,
      retryWait: () => new Promise((resolve) => setTimeout(resolve, 100)),
      on: {
        closed: () => {
          this.closes += 1;
        },
      },
    });
    // The client sends the variables anew whenever it comes back, as they are then.
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
