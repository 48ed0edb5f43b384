/**
 * A semaphore that callers share fairly. No caller holds more slots than `limitOf` allows, and callers that wait are served in
 * turn, whatever the number of their waiters. The waiters of one caller enter in the order in which they came.
 */
export class FairSlots {
  readonly #limitOf: (caller: string) => number;
  #free: number;
  readonly #held = new Map<string, number>();
  /** The waiters by caller, the caller served longest ago first. */
  readonly #waiters = new Map<string, Set<() => void>>();

  /** @param limitOf may change with time. Waiters of a caller whose limit has grown enter when some caller leaves. */
  constructor(count: number, limitOf: (caller: string) => number) {
    this.#free = count;
    this.#limitOf = limitOf;
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
  tryEnter(caller: string): boolean {
    const mayEnter = this.#mayEnter(caller);
    if (mayEnter) this.#take(caller);
    return mayEnter;
  }

  /**
   * Waits for a slot. The caller must leave() it.
   *
   * @throws the reason of `signal` when it is aborted first
   */
  async enter(caller: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.tryEnter(caller)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiters.get(caller) ?? new Set();
    this.#waiters.set(caller, waiters.add(resolve));
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
    for (const [next, waiters] of this.#waiters) {
      if (!this.#mayEnter(next)) continue;
      const [enter = () => {}] = waiters;
      this.#remove(next, enter);
      // The last of those that wait, until the others had their turn.
      if (waiters.size > 0) {
        this.#waiters.delete(next);
        this.#waiters.set(next, waiters);
      }
      this.#take(next);
      enter();
      return;
    }
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
