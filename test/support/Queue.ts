/** Asynchronously arriving values, to be taken one by one. */
export class Queue<T> {
  /** All values that have arrived so far, taken or not. */
  readonly all: T[] = [];
  #taken = 0;
  #waiting: (() => void)[] = [];

  add(value: T): void {
    this.all.push(value);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Takes the next value, and waits for it if necessary. */
  async next(): Promise<T> {
    while (this.#taken >= this.all.length) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.all[this.#taken++] as T;
  }

  /** Takes the next `count` values. */
  async take(count: number): Promise<T[]> {
    const values: T[] = [];
    for (let i = 0; i < count; i++) values.push(await this.next());
    return values;
  }
}
