import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

const list = `query ($chatId: ID!) { chat(id: $chatId) { messagesConnection(first: 100) { nodes { id } pageInfo { hasNextPage } } } }`;
const added = "subscription ($chatId: ID!, $after: ID) { messageAdded(chatId: $chatId, after: $after) { id } }";

/** A client that shows a chat: it loads the list, follows what is added, and loads the list again when it is told so. */
export class ListKeeper {
  /** The ids that it shows, in order. */
  ids: string[] = [];
  /** How often it was told to begin again. */
  reloads = 0;
  readonly errors: string[] = [];
  readonly #client: Client;
  readonly #chatId: string;
  readonly #finished: Promise<void>;
  #isOver = false;

  constructor(url: string, authToken: string, chatId: string) {
    this.#chatId = chatId;
    this.#client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: { authToken },
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: () => true,
      retryWait: () => delay(50),
    });
    this.#finished = this.#keep();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#client.dispose();
    await this.#finished;
  }

  async #keep(): Promise<void> {
    while (!this.#isOver) {
      // What fails while the database is away is tried again.
      const loaded = await this.#load().catch(() => false);
      if (!loaded) {
        await delay(50);
        continue;
      }
      await this.#follow();
    }
  }

  /** @returns whether there is a list. From an empty one, it goes on from the beginning */
  async #load(): Promise<boolean> {
    const results = this.#client.iterate<{ chat: { messagesConnection: { nodes: { id: string }[] } } | null }>({
      query: list,
      variables: { chatId: this.#chatId },
    });
    for await (const { data } of results) {
      if (!data?.chat) return false;
      this.ids = data.chat.messagesConnection.nodes.map(({ id }) => id).reverse();
      return true;
    }
    return false;
  }

  /** Resolves when the subscription has ended. */
  #follow(): Promise<void> {
    const variables: Record<string, unknown> = { chatId: this.#chatId, after: this.ids.at(-1) ?? "0" };
    return new Promise((resolve) => {
      this.#client.subscribe<{ messageAdded: { id: string } }, { after: string }>(
        { query: added, variables },
        {
          next: ({ data, extensions }) => {
            if (!data?.messageAdded || !extensions) return;
            this.ids.push(data.messageAdded.id);
            // Sent again when the socket is opened again.
            variables["after"] = extensions.after;
          },
          error: (errors) => {
            const code = Array.isArray(errors) ? String(errors[0]?.extensions?.["code"]) : "closed";
            if (code === "POSITION_LOST") this.reloads += 1;
            else if (code !== "SERVICE_UNAVAILABLE" && !this.#isOver) this.errors.push(code);
            resolve();
          },
          complete: resolve,
        },
      );
    });
  }
}
