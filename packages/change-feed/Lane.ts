/** Serves items in turn, one at a time, such as over one connection. */
export class Lane<Item> {
  readonly #waiting = new Set<Item>();
  readonly #serve: (item: Item) => Promise<void>;
  #isWorking = false;

  /** @param serve never rejects */
  constructor(serve: (item: Item) => Promise<void>) {
    this.#serve = serve;
  }

  get isIdle(): boolean {
    return !this.#isWorking;
  }

  /** Lets an item wait for its turn. One that waits already has one turn. */
  add(item: Item): void {
    this.#waiting.add(item);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // What is added in the same packet of notifications is served by one turn.
    await Promise.resolve();
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      await this.#serve(item);
    }
    this.#isWorking = false;
  }
}
