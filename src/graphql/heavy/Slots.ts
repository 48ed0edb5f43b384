/** Lets so many in at once. The others wait in the order in which they came. */
export class Slots {
  readonly #queue = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Runs work when it is its turn.
   *
   * @returns undefined when it was not, for so long
   */
  async run<Result>(withinMs: number, work: () => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.#enter(withinMs))) return undefined;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(withinMs: number): Promise<boolean> | true {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(deadline);
        resolve(true);
      };
      const deadline = setTimeout(() => {
        this.#queue.delete(enter);
        resolve(false);
      }, withinMs);
      this.#queue.add(enter);
    });
  }

  #leave(): void {
    const [next] = this.#queue;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
