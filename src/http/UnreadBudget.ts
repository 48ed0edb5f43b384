import type { ServerResponse } from "node:http";
import { requesterKey } from "../rateLimits/clients.ts";

/** The share of the memory for what is not read that one client may use. */
const clientShare = 0.5;
/** The heap that a write takes besides its bytes until it is done, roughly. */
const bytesPerWrite = 512;

/** A connection whose client has not read all yet. */
interface Behind {
  client: string;
  bytes: number;
  cut: () => void;
}

/** The report of one connection. */
export interface UnreadBytes {
  /** @param bytes that the client has not read */
  set(bytes: number): void;
  /**
   * Writes, and counts what the client has not read then and once the write is done.
   *
   * @param send calls `done` when all is handed to the operating system
   * @param size the bytes that the client has not read
   */
  write(send: (done: () => void) => void, size: () => number): void;
  close(): void;
}

/**
 * Bounds the memory of all that clients have not read: responses, and events on WebSockets and event streams. When all of it together, or that
 * of one client, exceeds its bytes, the connection that fell behind first is cut.
 */
export class UnreadBudget {
  readonly #max: number;
  /** The connection that fell behind first is the first one. */
  readonly #all = { bytes: 0, behind: new Set<Behind>() };
  readonly #byClient = new Map<string, { bytes: number; behind: Set<Behind> }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The bytes of all connections. */
  get held(): number {
    return this.#all.bytes;
  }

  /**
   * @param address of the client
   * @param cut closes the connection
   * @param isSpared whether the connection is not cut because of its own report
   */
  connect(address: string, cut: () => void, isSpared = false): UnreadBytes {
    const one = { client: requesterKey(address), bytes: 0, cut };
    let isClosed = false;
    /** Writes that are not done. */
    let writes = 0;
    const set = (bytes: number) => {
      if (isClosed) return;
      this.#set(one, bytes === 0 ? 0 : bytes + writes * bytesPerWrite);
      const ofClient = this.#byClient.get(one.client);
      const spared = isSpared ? one : undefined;
      if (ofClient) this.#cut(ofClient, this.#max * clientShare, spared);
      this.#cut(this.#all, this.#max, spared);
    };
    return {
      set,
      write(send, size) {
        writes += 1;
        send(() => {
          writes -= 1;
          set(size());
        });
        set(size());
      },
      close: () => {
        isClosed = true;
        this.#set(one, 0);
      },
    };
  }

  #set(one: Behind, bytes: number): void {
    const ofClient = this.#byClient.get(one.client) ?? { bytes: 0, behind: new Set() };
    const change = bytes - one.bytes;
    one.bytes = bytes;
    for (const group of [this.#all, ofClient]) {
      group.bytes += change;
      if (bytes > 0) group.behind.add(one);
      else group.behind.delete(one);
    }
    if (ofClient.behind.size > 0) this.#byClient.set(one.client, ofClient);
    else this.#byClient.delete(one.client);
  }

  #cut(group: { readonly bytes: number; behind: ReadonlySet<Behind> }, max: number, spared?: Behind): void {
    for (const first of group.behind) {
      if (group.bytes <= max) return;
      if (first === spared) continue;
      this.#set(first, 0);
      first.cut();
    }
  }
}

/**
 * Counts a response from its end() on, until all of it is handed to the operating system, and cuts its connection when the client reads nothing of
 * it for `timeoutMs`. It may be larger than the client's share: its client may be about to read it.
 *
 * @param address of the client
 */
export function watchUnread(response: ServerResponse, address: string, budget: UnreadBudget, timeoutMs: number): void {
  const end = response.end.bind(response) as (...content: unknown[]) => ServerResponse;
  response.end = (...content: unknown[]) => {
    end(...content);
    if (response.writableLength === 0) return response;
    const unread = budget.connect(address, () => response.req.socket.destroy(), true);
    unread.set(response.writableLength);
    response.once("close", unread.close);
    // Without a listener for the event, Node destroys a connection on which nothing moved for that time.
    response.setTimeout(timeoutMs);
    // Before Node's own listener, which sets the time for the connection's next request.
    response.prependOnceListener("finish", () => response.socket?.setTimeout(0));
    return response;
  };
}
