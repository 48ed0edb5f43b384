import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

const query = `subscription ($chatId: ID!, $after: ID) {
  messageAdded(chatId: $chatId, after: $after) { id text sender { id name } createdAt }
}`;

const inboxQuery = `subscription ($after: ID) {
  inboxEntryChanged(after: $after) { chat { id unreadCount lastMessage { id } } }
}`;

interface Added {
  messageAdded: { id: string };
}

interface Changed {
  inboxEntryChanged: { chat: { id: string; lastMessage: { id: string } | null } };
}

/**
 * A typical client: graphql-ws, which reconnects when its socket is closed and resumes after the last message that it
 * received. Records the messages and their times. It can follow its user's inbox as well.
 */
export class Listener {
  readonly ids: string[] = [];
  readonly times: number[] = [];
  /** The numbers of the inbox's changes, one after the other when all is well. */
  readonly changes: number[] = [];
  /** The newest message of the chat, as the inbox has it. */
  newestInInbox: string | undefined;
  readonly followsInbox: boolean;
  /** How often the socket was closed. */
  closes = 0;
  /** Errors received instead of messages. */
  readonly errors: unknown[] = [];
  /** Resolves when the socket is open and the subscription is on its way. */
  readonly opened: Promise<void>;
  readonly #client: Client;

  /** @param url that of the endpoint, or a function that chooses one for each connection */
  constructor(url: string | (() => string), authToken: string, chatId: string, followsInbox = false) {
    this.followsInbox = followsInbox;
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
    const variables: { chatId: string; after?: string } = { chatId };
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
    if (followsInbox) this.#followInbox(chatId);
  }

  #followInbox(chatId: string): void {
    const variables: { after?: string } = {};
    this.#client.subscribe<Changed, { after: string }>(
      { query: inboxQuery, variables },
      {
        next: ({ data, errors, extensions }) => {
          if (!data?.inboxEntryChanged || !extensions) return void this.errors.push(errors);
          const { id, lastMessage } = data.inboxEntryChanged.chat;
          if (id === chatId) this.newestInInbox = lastMessage?.id;
          variables.after = extensions.after;
          this.changes.push(Number.parseInt(extensions.after, 10));
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
