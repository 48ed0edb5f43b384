import { LRUCache } from "lru-cache";

/** Names that are counted without being labels, for each name that is one. */
const candidatesPerName = 10;
/** After this many requests for each name, all counts are halved, so that a name that was popular once gives up its place. */
const requestsPerHalving = 100;

/**
 * Chooses which operation names are labels: those requested most of late. Clients choose names, so a fixed set of the first
 * ones could be filled with invented names for ever. A new name takes the place of the least requested one when it has been
 * requested twice as often; one-time names never do.
 */
export class OperationNames {
  readonly #max: number;
  readonly #counts = new Map<string, number>();
  readonly #candidates: LRUCache<string, number>;
  readonly #onReplaced: (name: string) => void;
  #requests = 0;

  /** @param onReplaced called with a name that is no label any more */
  constructor(max: number, onReplaced: (name: string) => void) {
    this.#max = max;
    this.#onReplaced = onReplaced;
    this.#candidates = new LRUCache({ max: max * candidatesPerName });
  }

  /** Counts a request. @returns whether the name is a label */
  count(name: string): boolean {
    this.#age();
    const count = (this.#counts.get(name) ?? this.#candidates.get(name) ?? 0) + 1;
    if (this.#counts.has(name) || this.#counts.size < this.#max) {
      this.#counts.set(name, count);
      return true;
    }
    const [rarest, least] = [...this.#counts].reduce((one, other) => (other[1] < one[1] ? other : one));
    if (count < 2 || count < 2 * least) {
      this.#candidates.set(name, count);
      return false;
    }
    this.#candidates.delete(name);
    this.#counts.delete(rarest);
    this.#counts.set(name, count);
    this.#onReplaced(rarest);
    return true;
  }

  #age(): void {
    this.#requests += 1;
    if (this.#requests % (requestsPerHalving * this.#max) !== 0) return;
    for (const counts of [this.#counts, this.#candidates]) {
      for (const [name, count] of [...counts.entries()]) counts.set(name, count / 2);
    }
  }
}
