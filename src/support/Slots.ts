/** Lets so many in at once. The others wait in the order in which they came. */
export class Slots {
  readonly #queue = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a place, which has to be left again.
   *
   * @param withinMs how long to wait at most; without it, for as long as it takes
   * @returns whether there was one
   */
  enter(withinMs?: number): Promise<boolean> | true {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(deadline);
        resolve(true);
      };
      const giveUp = () => {
        this.#queue.delete(enter);
        resolve(false);
      };
      const deadline = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs);
      this.#queue.add(enter);
    });
  }

  leave(): void {
    const [next] = this.#queue;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
