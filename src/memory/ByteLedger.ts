import { ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { requesterKey } from "../rateLimits/clients.ts";

/** The uses of memory for clients. Each is a label of the metric. */
export type Kind = "requests" | "results" | "shared" | "connections" | "subscriptions" | "unread";

/** When to try again, in seconds. */
const retryAfter = 1;
export interface Patience {
  /** A request that has waited for so long is refused. */
  maxWaitMs: number;
  /** A connection whose client takes nothing for so long is cut when others need its room. */
  stallMs: number;
}

const usualPatience: Patience = { maxWaitMs: 5_000, stallMs: 2_000 };
/** How often stalled connections are looked for while somebody waits. */
const lookMs = 250;
/** The heap that a write takes besides its bytes until it is done, roughly. */
const bytesPerWrite = 512;

/** What somebody wants to hold besides what it holds already. */
interface Wish {
  held: Held;
  bytes: number;
  /** The bytes that suffice for a client that does nothing else; so many that it may be refused if undefined. */
  least: number | undefined;
  isRequest: boolean;
}

interface Waiter extends Wish {
  admit(): void;
}

/** A client that holds or waits for bytes. */
interface Client {
  bytes: number;
  /** Those of its requests, connections and subscriptions. */
  asked: number;
  /** How many of its results and connections hold some. */
  busy: number;
  readonly waiters: Set<Waiter>;
  /** Connections with unread bytes; the one that fell behind first is the first one. */
  readonly behind: Set<UnreadBytes>;
}

/**
 * Bounds the memory that clients take together, from the first byte of a request to the last byte that a socket has taken. What needs memory
 * asks before it allocates. A client may hold as many bytes as are still free: half of all when it is alone, a third beside another one. So
 * there is room for the next client. What finds no room waits, clients in turn, or is refused. When others need the room, connections whose
 * clients do not read are cut, those of the client that holds most first.
 */
export class ByteLedger {
  readonly max: number;
  /** The bytes of each kind. */
  readonly held: Record<Kind, number> = {
    requests: 0,
    results: 0,
    shared: 0,
    connections: 0,
    subscriptions: 0,
    unread: 0,
  };
  readonly #patience: Patience;
  #free: number;
  readonly #clients = new Map<string, Client>();
  /** Those with waiters, the one served longest ago first. */
  readonly #waiting = new Set<Client>();
  #look: NodeJS.Timeout | undefined;

  constructor(max: number, patience = usualPatience) {
    this.max = max;
    this.#free = max;
    this.#patience = patience;
  }

  get free(): number {
    return this.#free;
  }

  /** How many reservations wait. */
  get waiting(): number {
    return [...this.#waiting].reduce((sum, { waiters }) => sum + waiters.size, 0);
  }

  /** @param address of the client; undefined for the service itself */
  account(address: string | undefined): Account {
    return new Account(this, address === undefined ? "" : requesterKey(address));
  }

  /** Changes what `held` has, whether there is room or not. */
  set(held: Held, bytes: number): void {
    const change = bytes - held.bytes;
    if (change === 0) return;
    const client = this.#clientOf(held.client);
    client.busy -= busy(held);
    held.bytes = bytes;
    client.busy += busy(held);
    client.bytes += change;
    if (isAsked(held)) client.asked += change;
    this.#free -= change;
    this.held[held.kind] += change;
    if (held instanceof UnreadBytes) {
      if (bytes > 0) client.behind.add(held);
      else client.behind.delete(held);
    }
    this.#forget(held.client, client);
    if (change < 0 && this.#waiting.size > 0) this.#admit();
    if (change > 0 && this.#free < 0) this.#cutFor(client);
  }

  /** @returns whether the wish is granted */
  grant(wish: Wish): boolean {
    const { held, isRequest } = wish;
    const client = this.#clientOf(held.client);
    // Events of one client have one order: small ones would keep a large one waiting for ever.
    if (!isRequest && client.waiters.size > 0) return false;
    while (!this.#give(client, wish)) if (!this.#cutFor(client)) return false;
    return true;
  }

  /** Why so many bytes cannot be had. */
  refusal(bytes: number): ApiError {
    if (bytes > this.#free) return unavailable("The service is busy with large requests. Try again.");
    const message = `Your other requests and subscriptions take too much memory for this one. Try again in ${retryAfter} second.`;
    return new ApiError("RATE_LIMITED", message, { retryAfter });
  }

  /** @throws the reason of `signal` when it is aborted first; the refusal when it takes too long for a request */
  async wait(wish: Wish, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { held, bytes, isRequest } = wish;
    const client = this.#clientOf(held.client);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { ...wish, admit: resolve };
    client.waiters.add(waiter);
    this.#waiting.add(client);
    this.#look ??= setInterval(() => this.#makeRoom(), lookMs).unref();
    const giveUp = () => reject(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    const late = isRequest ? setTimeout(() => reject(this.refusal(bytes)), this.#patience.maxWaitMs) : undefined;
    try {
      await promise;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", giveUp);
      this.#leave(client, waiter);
      this.#forget(held.client, client);
    }
  }

  #clientOf(key: string): Client {
    const known = this.#clients.get(key);
    if (known) return known;
    const client = { bytes: 0, asked: 0, busy: 0, waiters: new Set<Waiter>(), behind: new Set<UnreadBytes>() };
    this.#clients.set(key, client);
    return client;
  }

  #forget(key: string, client: Client): void {
    if (client.bytes !== 0 || client.waiters.size > 0) return;
    // It may have been forgotten before, and known again.
    if (this.#clients.get(key) === client) this.#clients.delete(key);
  }

  /**
   * The only reservation of a client needs room only: it may be more than the share. Results wait for each other, and do not keep their
   * client from asking.
   *
   * @returns whether it is given
   */
  #give(client: Client, { held, bytes, least }: Wish): boolean {
    const ofClient = isAsked(held) ? client.asked : client.bytes;
    const isOnly = isAsked(held) ? client.asked === held.bytes : client.busy === busy(held);
    let given = bytes;
    if (bytes > this.#free || ofClient + bytes > this.#free - bytes) {
      const isAlone = ofClient === 0 || (least !== undefined && isOnly);
      given = Math.min(bytes, Math.max(least ?? bytes, Math.floor(this.#free / 2)));
      if (!isAlone || given > this.#free) return false;
    }
    this.set(held, held.bytes + given);
    return true;
  }

  #admit(): void {
    // A set visits what is added during the iteration, so each client is served until it has no room.
    for (const client of this.#waiting) {
      const [first] = client.waiters;
      for (const waiter of client.waiters) {
        // Requests do not wait behind events.
        if ((waiter !== first && !waiter.isRequest) || !this.#give(client, waiter)) continue;
        this.#leave(client, waiter);
        waiter.admit();
        break;
      }
    }
  }

  #leave(client: Client, waiter: Waiter): void {
    if (!client.waiters.delete(waiter)) return;
    this.#waiting.delete(client);
    if (client.waiters.size > 0) this.#waiting.add(client);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #makeRoom(): void {
    for (const client of [...this.#waiting]) {
      const [waiter] = client.waiters;
      while (waiter && client.waiters.has(waiter) && this.#cutFor(client));
    }
  }

  /** Cuts a stalled connection of the client that holds most, unless `client` holds more itself. @returns whether there was one */
  #cutFor(client: Client): boolean {
    const stalledSince = performance.now() - this.#patience.stallMs;
    let found: { stalled: UnreadBytes; bytes: number } | undefined;
    for (const other of this.#clients.values()) {
      const { bytes } = other;
      if (other.behind.size === 0 || bytes < client.bytes || bytes <= (found?.bytes ?? 0)) continue;
      const stalled = [...other.behind].find(({ movedAt }) => movedAt <= stalledSince);
      if (stalled) found = { stalled, bytes };
    }
    found?.stalled.cut();
    return found !== undefined;
  }
}

function isAsked({ kind }: Held): boolean {
  return kind === "requests" || kind === "connections" || kind === "subscriptions";
}

function busy(held: Held): number {
  return Number(held.bytes > 0 && !isAsked(held));
}

/** What one client holds in the ledger. */
export class Account {
  readonly #ledger: ByteLedger;
  readonly #client: string;

  constructor(ledger: ByteLedger, client: string) {
    this.#ledger = ledger;
    this.#client = client;
  }

  /** For one request, result or subscription. The owner must release() it. */
  hold(kind: Kind): Held {
    return new Held(this.#ledger, this.#client, kind);
  }

  /**
   * For one connection.
   *
   * @param cut closes the connection
   */
  connect(cut: () => void): UnreadBytes {
    return new UnreadBytes(this.#ledger, this.#client, cut);
  }
}

/**
 * Bytes of one owner, and their content once it is there. A function that waits keeps all of its variables, so that a result in a variable
 * would outlive its charge. Here, both end together.
 */
export class Held {
  /** Changed by the ledger. */
  bytes = 0;
  readonly client: string;
  readonly kind: Kind;
  readonly #ledger: ByteLedger;
  #content: Buffer | undefined;

  constructor(ledger: ByteLedger, client: string, kind: Kind) {
    this.#ledger = ledger;
    this.client = client;
    this.kind = kind;
  }

  /** The bytes themselves, from keep() to release(). Read it where it is used, and put it into no variable. */
  get content(): Buffer {
    if (!this.#content) throw new Error("There is no content, or it has been released");
    return this.#content;
  }

  /** Holds the content, and its bytes in place of what was reserved for it. */
  keep(content: Buffer): void {
    this.#content = content;
    this.set(content.byteLength);
  }

  /** @throws RATE_LIMITED or SERVICE_UNAVAILABLE when there is no room for them. Then nothing is added */
  add(bytes: number): void {
    const isGranted = this.#ledger.grant({ held: this, bytes, least: undefined, isRequest: true });
    if (!isGranted) throw this.#ledger.refusal(bytes);
  }

  /** @throws as add() */
  atLeast(bytes: number): void {
    if (bytes > this.bytes) this.add(bytes - this.bytes);
  }

  /**
   * Adds bytes when there is room for them. More than half of all is never needed at once.
   *
   * @param isRequest whether it is refused when that takes too long, as add() does
   * @param least as much suffices when there is no more and the client does nothing else
   * @returns undefined if there is room now. The promise rejects with the reason of `signal` when that is aborted first
   */
  reserve(
    bytes: number,
    signal: AbortSignal | undefined,
    isRequest: boolean,
    least = bytes,
  ): Promise<void> | undefined {
    if (bytes <= 0) return undefined;
    const half = Math.floor(this.#ledger.max / 2);
    const wish = { held: this, bytes: Math.min(bytes, half), least: Math.min(least, half), isRequest };
    return this.#ledger.grant(wish) ? undefined : this.#ledger.wait(wish, signal);
  }

  /** It takes so many bytes from now on, whether there is room or not. */
  set(bytes: number): void {
    this.#ledger.set(this, bytes);
  }

  release(): void {
    this.#content = undefined;
    this.set(0);
  }
}

/** What the client of one connection has not read yet. */
export class UnreadBytes extends Held {
  /** When the client took something last, or fell behind. */
  movedAt = 0;
  readonly #cut: () => void;
  #isClosed = false;
  /** Writes that are not done. */
  #writes = 0;
  /** The end of the last turn(). */
  #last: Promise<void> = Promise.resolve();
  /** Ends a turn's wait. */
  #taken: (() => void) | undefined;

  constructor(ledger: ByteLedger, client: string, cut: () => void) {
    super(ledger, client, "unread");
    this.#cut = cut;
  }

  /** @param unread the bytes that the client has not read */
  override set(unread: number): void {
    const bytes = unread === 0 || this.#isClosed ? 0 : unread + this.#writes * bytesPerWrite;
    if (bytes < this.bytes || this.bytes === 0) this.movedAt = performance.now();
    super.set(bytes);
    if (bytes === 0) this.#taken?.();
  }

  /**
   * Acts once all is taken that was written before, or nothing for so long that the client does not read. Several act one after the other: a
   * client that reads is not cut for the order in which its large results are ready.
   */
  turn(act: () => void): Promise<void> {
    this.#last = this.#last.then(() => this.#untilTaken()).then(act);
    return this.#last;
  }

  async #untilTaken(): Promise<void> {
    if (this.bytes === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken = resolve;
    const stalled = setTimeout(resolve, usualPatience.stallMs);
    await promise;
    clearTimeout(stalled);
    this.#taken = undefined;
  }

  /**
   * Writes, and counts what the client has not read then and once the write is done.
   *
   * @param send calls `done` when all is handed to the operating system
   * @param size the bytes that the client has not read
   */
  write(send: (done: () => void) => void, size: () => number): void {
    this.#writes += 1;
    send(() => {
      this.#writes -= 1;
      this.set(size());
    });
    this.set(size());
  }

  close(): void {
    this.#isClosed = true;
    this.release();
  }

  cut(): void {
    this.close();
    this.#cut();
  }
}
