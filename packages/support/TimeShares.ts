/** A caller counts as active for so long after its last use. */
const activeMs = 1_000;

interface Caller {
  seenAt: number;
  /** The time at which all that the caller has used so far is paid for, at the rate of its share. */
  paidAt: number;
}

/**
 * Shares the time of a resource between callers. After using it, a caller pauses in proportion, while other callers are
 * active. A caller that is alone never pauses.
 */
export class TimeShares {
  readonly #share: number;
  readonly #burstMs: number;
  /** The active callers, the one seen longest ago first. */
  readonly #callers = new Map<string, Caller>();

  /**
   * @param share the part of the resource's time that one caller may use while others are active, between 0 and 1
   * @param burstMs the time that a caller may use at once before it pauses
   */
  constructor(share: number, burstMs = 0) {
    this.#share = share;
    this.#burstMs = burstMs;
  }

  /** Whether no other caller is active. */
  isAlone(name: string): boolean {
    this.#see(name);
    return this.#callers.size === 1;
  }

  /** @returns the milliseconds that the caller should wait before it uses the resource again */
  pauseOf(name: string): number {
    const { paidAt, seenAt } = this.#see(name);
    if (this.#callers.size === 1) return 0;
    return Math.max(0, paidAt - seenAt - this.#burstMs / this.#share);
  }

  use(name: string, ms: number): void {
    const caller = this.#see(name);
    caller.paidAt = Math.max(caller.paidAt, caller.seenAt) + ms / this.#share;
  }

  /** Gives time to a caller that nobody else has used. */
  give(name: string, ms: number): void {
    const caller = this.#callers.get(name);
    if (caller) caller.paidAt -= ms / this.#share;
  }

  #see(name: string): Caller {
    const now = performance.now();
    for (const [other, { seenAt }] of this.#callers) {
      if (seenAt > now - activeMs) break;
      this.#callers.delete(other);
    }
    const caller = this.#callers.get(name) ?? { seenAt: now, paidAt: now };
    caller.seenAt = now;
    // A Map keeps insertion order, so this moves the caller to the end.
    this.#callers.delete(name);
    this.#callers.set(name, caller);
    return caller;
  }
}
