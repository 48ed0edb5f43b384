/** Uses that come to no end for so long wait for something. The lock_timeout should be longer. */
const stallMs = 1_000;

/** Whether the uses of something come to an end. */
export class Progress {
  readonly #forget: () => void;
  readonly #watchers = new Set<() => void>();
  underWay = 0;
  /** Since when none has ended well, of those that began. */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param forget called when what has ended badly is not remembered any more */
  constructor(forget: () => void = () => {}) {
    this.#forget = forget;
  }

  /** Whether something is under way, or has ended badly a moment ago. */
  get isRemembered(): boolean {
    return this.#since !== undefined;
  }

  get isStalled(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= stallMs;
  }

  begin(): void {
    this.underWay++;
    this.#since ??= performance.now();
  }

  /** @param isWell whether it did not wait in vain. Otherwise this is remembered for a while. */
  end(isWell: boolean): void {
    this.underWay--;
    if (isWell) this.#since = this.underWay > 0 ? performance.now() : undefined;
    if (this.#since === undefined || this.underWay > 0) return;
    setTimeout(() => {
      if (this.underWay > 0) return;
      this.#since = undefined;
      this.#forget();
    }, stallMs).unref();
  }

  /** Calls `act` once nothing has ended well for a while, at once if that is so. @returns ends that */
  onStall(act: () => void): () => void {
    this.#watchers.add(act);
    this.#watch();
    return () => {
      this.#watchers.delete(act);
      if (this.#watchers.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #watch(): void {
    if (this.isStalled) {
      for (const act of this.#watchers) act();
      return;
    }
    const passedMs = this.#since === undefined ? 0 : performance.now() - this.#since;
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#watchers.size > 0) this.#watch();
      },
      Math.ceil(stallMs - passedMs),
    );
  }
}
