import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { readEvents } from "../../test/support/readEvents.ts";
import type { Answer } from "../support/post.ts";

export interface FollowerSettings {
  /** The field: `noteAdded`. */
  field: string;
  /** The argument that names the key: `roomId`. */
  argument: string;
  /** Its type in GraphQL. */
  type: "ID" | "Int" | "UUID";
  key: string;
  /** The field of the row's id. */
  id?: string;
  /** The endpoint, with the scheme `ws:`. */
  url: string;
  /** Undefined for a visitor. */
  token: string | undefined;
  transport: "websocket" | "sse";
}

const pauseMs = 20;
/** After an error, such as a refusal. */
const errorPauseMs = 250;

/**
 * A client of any table's subscription, from the beginning. It connects again whenever its connection or its subscription has ended, and
 * continues after the last position that it knows.
 */
export class Follower {
  readonly settings: FollowerSettings;
  /** The rows that have arrived: the id of each, and its position. */
  readonly received: { id: string; position: string }[] = [];
  /** The codes of errors that arrived instead. */
  readonly errors: string[] = [];
  connections = 0;
  #after = "0";
  #cut: (() => void) | undefined;
  #isOver = false;
  readonly #finished: Promise<void>;

  constructor(settings: FollowerSettings) {
    this.settings = settings;
    this.#finished = this.#follow();
  }

  /** Breaks the connection. @returns false when there is none */
  cut(): boolean {
    const cut = this.#cut;
    this.#cut = undefined;
    cut?.();
    return cut !== undefined;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.cut();
    await this.#finished;
  }

  async #follow(): Promise<void> {
    while (!this.#isOver) {
      this.connections += 1;
      const errors = this.errors.length;
      await (this.settings.transport === "sse" ? this.#overSse() : this.#overWebSocket());
      this.#cut = undefined;
      await delay(this.errors.length > errors ? errorPauseMs : pauseMs);
    }
  }

  get #request(): { query: string; variables: Record<string, unknown> } {
    const { field, argument, type, key, id = "id" } = this.settings;
    const query = `subscription ($key: ${type}!, $after: ID) { ${field}(${argument}: $key, after: $after) { ${id} } }`;
    return { query, variables: { key: type === "Int" ? Number(key) : key, after: this.#after } };
  }

  #hear({ data, errors, extensions }: Answer & { extensions?: Record<string, unknown> }): void {
    const { field, id = "id" } = this.settings;
    const row = data?.[field];
    const position = extensions?.["after"];
    if (!row || typeof position !== "string") {
      this.errors.push(errors?.[0]?.extensions["code"] ?? "without a row");
      return;
    }
    this.received.push({ id: String(row[id]), position });
    this.#after = position;
  }

  /** Resolves when the connection or the subscription has ended. */
  async #overWebSocket(): Promise<void> {
    const { url, token } = this.settings;
    const client = createClient({
      url,
      webSocketImpl: WebSocket,
      ...(token && { connectionParams: { authToken: token } }),
      retryAttempts: 0,
      on: {
        connected: (socket) => {
          this.#cut = () => (socket as WebSocket).terminate();
          if (this.#isOver) this.cut();
        },
      },
    });
    await new Promise<void>((resolve) => {
      client.subscribe<Answer["data"]>(this.#request, {
        next: (result) => this.#hear(result as Answer),
        error: (error) => {
          if (Array.isArray(error)) this.#hear({ data: null, errors: error } as never);
          resolve();
        },
        complete: resolve,
      });
    });
    await client.dispose();
  }

  async #overSse(): Promise<void> {
    const { url, token } = this.settings;
    const stream = await readEvents(url.replace("ws:", "http:"), {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(this.#request),
    }).catch(() => undefined);
    if (!stream) return;
    this.#cut = () => stream.close();
    if (this.#isOver) this.cut();
    let isOpen = true;
    const ended = stream.ended.then(() => {
      isOpen = false;
    });
    while (isOpen) {
      const event = await Promise.race([stream.events.next(), ended]);
      const body = event && /^next (.*)$/s.exec(event)?.[1];
      if (body) this.#hear(JSON.parse(body));
    }
  }
}
