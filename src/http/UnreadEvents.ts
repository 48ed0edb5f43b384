import { requesterKey } from "../rateLimits/requesterKey.ts";

/** The share of the memory for unread events that one client may use. */
const clientShare = 0.5;
/** The heap that a write takes besides its bytes until it is done, roughly. */
const bytesPerWrite = 512;

/** A connection with events that its client has not read yet. */
interface Behind {
  client: string;
  bytes: number;
  cut: () => void;
}

/** The report of one connection. */
export interface UnreadBytes {
  /** @param bytes that the client has not read. @param writes that are not done */
  set(bytes: number, writes: number): void;
  close(): void;
}

/**
 * Bounds the memory of all events that clients have not read, on WebSockets and event streams. When all of them together, or those of one
 * client, exceed their bytes, the connection that fell behind first is cut.
 */
export class UnreadEvents {
  readonly #max: number;
  /** The connection that fell behind first is the first one. */
  readonly #all = { bytes: 0, behind: new Set<Behind>() };
  readonly #byClient = new Map<string, { bytes: number; behind: Set<Behind> }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The bytes of all connections. */
  get size(): number {
    return this.#all.bytes;
  }

  /**
   * @param address of the client
   * @param cut closes the connection
   */
  connect(address: string, cut: () => void): UnreadBytes {
    const one = { client: requesterKey(address), bytes: 0, cut };
    let isClosed = false;
    return {
      set: (bytes, writes) => {
        if (isClosed) return;
        this.#set(one, bytes === 0 ? 0 : bytes + writes * bytesPerWrite);
        const ofClient = this.#byClient.get(one.client);
        if (ofClient) this.#cut(ofClient, this.#max * clientShare);
        this.#cut(this.#all, this.#max);
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

  #cut(group: { readonly bytes: number; behind: ReadonlySet<Behind> }, max: number): void {
    while (group.bytes > max) {
      const [first] = group.behind;
      if (!first) return;
      this.#set(first, 0);
      first.cut();
    }
  }
}
