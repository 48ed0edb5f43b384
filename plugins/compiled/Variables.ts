/** The coerced variables of a request, and which of them the compiled statement depends on. */
export class Variables {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #byValue: Set<string>;

  /** @param byValue receives the names of the variables whose values are part of the statement */
  constructor(values: Readonly<Record<string, unknown>>, byValue: Set<string>) {
    this.#values = values;
    this.#byValue = byValue;
  }

  /** The statement is compiled for this value. */
  value(name: string): unknown {
    this.#byValue.add(name);
    return this.#values[name];
  }

  /** The statement is compiled for its presence. */
  isGiven(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** The statement is compiled for its presence. */
  isPresent(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }
}
