import type { ServerResponse } from "node:http";
import { requesterKey } from "../rateLimits/requesterKey.ts";
import type { Settings } from "../settings.ts";

export type UnreadAnswerSettings = Pick<Settings, "responseTimeoutMs" | "unreadAnswerBytes">;

/** The share of the memory for unread answers that one client may use. */
const clientShare = 0.5;

interface Unread {
  client: string;
  bytes: number;
}

/**
 * Bounds the memory of answers that clients do not read. A connection is cut when its client reads nothing of an answer for
 * `responseTimeoutMs`. When all unread answers together, or those of one client, exceed their bytes, the oldest is cut.
 */
export class UnreadResponses {
  /** The oldest one first. */
  readonly #answers = new Map<ServerResponse, Unread>();
  readonly #settings: UnreadAnswerSettings;

  constructor(settings: UnreadAnswerSettings) {
    this.#settings = settings;
  }

  /** Watches an answer from its end() on, until all of it is handed to the operating system. @param address of the client */
  watch(response: ServerResponse, address: string): void {
    const end = response.end.bind(response) as (...content: unknown[]) => ServerResponse;
    response.end = (...content: unknown[]) => {
      end(...content);
      if (response.writableLength > 0) this.#watch(response, requesterKey(address));
      return response;
    };
  }

  #watch(response: ServerResponse, client: string): void {
    this.#answers.set(response, { client, bytes: response.writableLength });
    response.once("close", () => this.#answers.delete(response));
    // Without a listener for the event, Node destroys a connection on which nothing moved for that time.
    response.setTimeout(this.#settings.responseTimeoutMs);
    // Before Node's own listener, which sets the time for the connection's next request.
    response.prependOnceListener("finish", () => response.socket?.setTimeout(0));
    const { unreadAnswerBytes } = this.#settings;
    this.#cut((unread) => unread.client === client, unreadAnswerBytes * clientShare);
    this.#cut(() => true, unreadAnswerBytes);
  }

  /** Cuts the oldest of the chosen answers until they fit. The newest one stays: its client may be about to read it. */
  #cut(isChosen: (unread: Unread) => boolean, maxBytes: number): void {
    const chosen = [...this.#answers].filter(([, unread]) => isChosen(unread));
    let bytes = chosen.reduce((sum, [, unread]) => sum + unread.bytes, 0);
    for (const [response, unread] of chosen.slice(0, -1)) {
      if (bytes <= maxBytes) return;
      bytes -= unread.bytes;
      this.#answers.delete(response);
      response.req.socket.destroy();
    }
  }
}
