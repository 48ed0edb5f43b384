/** A semaphore. Waiters enter in the order in which they came. */
export class Slots {
  readonly #waiters: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot. The caller must leave() it. */
  async enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  leave(): void {
    const next = this.#waiters.shift();
    if (next) next();
    else this.#free += 1;
  }
}
