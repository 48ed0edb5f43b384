import { LRUCache } from "lru-cache";
import type { Change } from "postgraphile-change-feed";
import type { ByteLedger } from "../memory/ByteLedger.ts";
import type { EventQuery } from "./eventQuery.ts";

/** The part of the memory for clients that cached texts may take. */
const share = 1 / 8;

/** The results for one event and query, by the key under which they are shared. */
type Results = Map<string, Promise<unknown>>;

/**
 * Results that subscribers of an event share. They live as long as the event, and the slowest subscriber holds that. So their texts
 * are bounded: those that were asked for least recently are forgotten, and computed again when they are still needed.
 */
export class SharedResults {
  readonly #byEvent = new WeakMap<Change, Map<EventQuery, Results>>();
  readonly #texts: LRUCache<Promise<unknown>, () => void>;
  readonly #count: () => void;

  constructor(ledger: ByteLedger) {
    this.#texts = new LRUCache({ maxSize: Math.floor(ledger.max * share), dispose: (forget) => forget() });
    const held = ledger.account(undefined).hold("shared");
    this.#count = () => held.release(this.#texts.calculatedSize);
  }

  has(event: Change, query: EventQuery, key: string): boolean {
    return this.#byEvent.get(event)?.get(query)?.has(key) ?? false;
  }

  /** @param sizeOf the bytes of the result's text; Infinity if the next caller has to compute it again */
  get<Result>(
    event: Change,
    query: EventQuery,
    key: string,
    compute: () => Promise<Result>,
    sizeOf: (result: Result) => number = () => 0,
  ): Promise<Result> {
    const byQuery = this.#byEvent.get(event) ?? new Map<EventQuery, Results>();
    this.#byEvent.set(event, byQuery);
    const results: Results = byQuery.get(query) ?? new Map();
    byQuery.set(query, results);
    const known = results.get(key);
    if (known) {
      this.#texts.get(known);
      return known as Promise<Result>;
    }
    const made = compute().then((result) => {
      const size = sizeOf(result);
      const forget = () => results.delete(key);
      if (size > this.#texts.maxSize) forget();
      else if (size > 0) this.#texts.set(made, forget, { size });
      this.#count();
      return result;
    });
    results.set(key, made);
    return made;
  }
}
