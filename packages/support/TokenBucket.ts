/** Meters work: `perSecond` units in the long run, and `burst` units at once. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  #units: number;
  #at: number;

  /** @param now the time in milliseconds */
  constructor(perSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#now = now;
    this.#units = burst;
    this.#at = now();
  }

  /** Takes units that the work has cost. @returns how long to wait before further work, in ms; 0 if it need not wait */
  take(units: number): number {
    const now = this.#now();
    const earned = ((now - this.#at) / 1_000) * this.#perSecond;
    this.#at = now;
    this.#units = Math.min(this.#burst, this.#units + earned) - units;
    return this.#units >= 0 ? 0 : (-this.#units / this.#perSecond) * 1_000;
  }
}
