/** How many bytes one request may read from the database. Beyond it, the connection is cut. */
export class ByteBudget {
  readonly max: number;
  #taken = 0;

  constructor(max: number) {
    this.max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  get isSpent(): boolean {
    return this.#taken > this.max;
  }

  take(bytes: number): void {
    this.#taken += bytes;
  }
}
