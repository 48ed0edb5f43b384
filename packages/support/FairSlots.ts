/** Whether an entrant may have a slot now, for a reason of its own. Asked again when a slot is left. */
type Admits = () => boolean;
const always: Admits = () => true;

/**
 * A semaphore that callers share fairly. No caller holds more slots than `limitOf` allows, and callers that wait are served in
 * turn, whatever the number of their waiters. The waiters of one caller enter in the order in which they came, those that may.
 */
export class FairSlots {
  readonly #limitOf: (caller: string) => number;
  #free: number;
  readonly #held = new Map<string, number>();
  /** The waiters by caller, the caller served longest ago first. */
  readonly #waiters = new Map<string, Map<() => void, Admits>>();

  /** @param limitOf may change with time. Waiters of a caller whose limit has grown enter when some caller leaves. */
  constructor(count: number, limitOf: (caller: string) => number) {
    this.#free = count;
    this.#limitOf = limitOf;
  }

  get free(): number {
    return this.#free;
  }

  /** Whether nobody has a slot, or waits for one. */
  get isUnused(): boolean {
    return this.#held.size === 0 && this.#waiters.size === 0;
  }

  get waiting(): number {
    return [...this.#waiters.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Whether no other caller has a slot or waits for one. */
  isUnusedBeside(caller: string): boolean {
    return (
      this.#held.size === Number(this.#held.has(caller)) && this.#waiters.size === Number(this.#waiters.has(caller))
    );
  }

  /** Takes a slot if the caller may have one now. The caller must leave() it. */
  tryEnter(caller: string, admits = always): boolean {
    const mayEnter = this.#mayEnter(caller) && admits();
    if (mayEnter) this.#take(caller);
    return mayEnter;
  }

  /**
   * Waits for a slot. The caller must leave() it.
   *
   * @throws the reason of `signal` when it is aborted first
   */
  async enter(caller: string, signal?: AbortSignal, admits = always): Promise<void> {
    signal?.throwIfAborted();
    if (this.tryEnter(caller, admits)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiters.get(caller) ?? new Map();
    this.#waiters.set(caller, waiters.set(resolve, admits));
    const giveUp = () => {
      this.#remove(caller, resolve);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => signal?.removeEventListener("abort", giveUp));
  }

  leave(caller: string): void {
    this.#free += 1;
    const held = (this.#held.get(caller) ?? 0) - 1;
    if (held > 0) this.#held.set(caller, held);
    else this.#held.delete(caller);
    while (this.#free > 0 && this.#admitNext());
  }

  /** @returns whether a waiter has entered */
  #admitNext(): boolean {
    for (const [next, waiters] of this.#waiters) {
      if (!this.#mayEnter(next)) continue;
      const enter = waiters.entries().find(([, admits]) => admits())?.[0];
      if (!enter) continue;
      this.#remove(next, enter);
      // The last of those that wait, until the others had their turn.
      if (waiters.size > 0) {
        this.#waiters.delete(next);
        this.#waiters.set(next, waiters);
      }
      this.#take(next);
      enter();
      return true;
    }
    return false;
  }

  #mayEnter(caller: string): boolean {
    return this.#free > 0 && (this.#held.get(caller) ?? 0) < this.#limitOf(caller);
  }

  #take(caller: string): void {
    this.#free -= 1;
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + 1);
  }

  #remove(caller: string, enter: () => void): void {
    const waiters = this.#waiters.get(caller);
    waiters?.delete(enter);
    if (waiters?.size === 0) this.#waiters.delete(caller);
  }
}
