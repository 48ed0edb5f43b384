import { LRUCache } from "lru-cache";
import type { Change } from "postgraphile-change-feed";
import type { ByteLedger, Held } from "../memory/ByteLedger.ts";
import type { EventQuery } from "./eventQuery.ts";

/** The part of the memory for clients that cached results may take. */
const share = 1 / 8;
/** The heap that a cached result takes besides its bytes: its buffer, its promise and its places in maps. */
const bytesPerResult = 1_024;

/** What came of an event's query. */
export interface EventResult {
  /** `gone`: the row is deleted, or no longer visible. `unavailable` and `no room`: the event is tried again. */
  kind: "data" | "errors" | "gone" | "unavailable" | "no room";
  /** The bytes of the response. */
  content?: Buffer;
}

/** What is under way or known for one event and query, by the key under which it is shared. */
type Shared = Map<string, Promise<unknown>>;

/**
 * Results that subscribers of an event share. They live as long as the event, and the slowest subscriber holds that. So their bytes
 * are bounded: those that were asked for least recently are forgotten, and computed again when they are still needed.
 */
export class SharedResults {
  readonly #byEvent = new WeakMap<Change, Map<EventQuery, Shared>>();
  readonly #cached: LRUCache<Promise<unknown>, () => void>;
  readonly #count: () => void;

  constructor(ledger: ByteLedger) {
    this.#cached = new LRUCache({ maxSize: Math.floor(ledger.max * share), dispose: (forget) => forget() });
    const held = ledger.account(undefined).hold("shared");
    this.#count = () => held.set(this.#cached.calculatedSize);
  }

  has(event: Change, query: EventQuery, key: string): boolean {
    return this.#byEvent.get(event)?.get(query)?.has(key) ?? false;
  }

  /** Does what the callers with the same key do together, once. */
  once(event: Change, query: EventQuery, key: string, act: () => Promise<void>): Promise<void> {
    const all = this.#of(event, query);
    const made = (all.get(key) as Promise<void> | undefined) ?? act();
    all.set(key, made);
    return made;
  }

  /**
   * Fills `held` with the result under a key, which is computed if it is not known.
   *
   * @returns what the result is; undefined if there is none
   */
  fill(
    held: Held,
    event: Change,
    query: EventQuery,
    key: string,
    compute: () => Promise<EventResult | undefined>,
  ): Promise<EventResult["kind"] | undefined> {
    // No async function, which would keep the result while it waits.
    return this.#resultOf(event, query, key, compute).then((result) => {
      if (result?.content) held.keep(result.content);
      return result?.kind;
    });
  }

  #resultOf(
    event: Change,
    query: EventQuery,
    key: string,
    compute: () => Promise<EventResult | undefined>,
  ): Promise<EventResult | undefined> {
    const all = this.#of(event, query);
    const known = all.get(key) as Promise<EventResult | undefined> | undefined;
    if (known) {
      this.#cached.get(known);
      return known;
    }
    const forget = () => all.delete(key);
    const made = compute().then((result) => {
      const size = bytesPerResult + (result?.content?.byteLength ?? 0);
      const isRepeated = result?.kind === "unavailable" || result?.kind === "no room";
      if (isRepeated || size > this.#cached.maxSize) forget();
      else this.#cached.set(made, forget, { size });
      this.#count();
      return result;
    });
    all.set(key, made);
    return made;
  }

  #of(event: Change, query: EventQuery): Shared {
    const byQuery = this.#byEvent.get(event) ?? new Map<EventQuery, Shared>();
    this.#byEvent.set(event, byQuery);
    const all: Shared = byQuery.get(query) ?? new Map();
    byQuery.set(query, all);
    return all;
  }
}
