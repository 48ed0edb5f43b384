/** Uses that come to no end for so long wait for something. The lock_timeout should be longer. */
const stallMs = 1_000;
/** The least time until a refusal: clients that ask again at once would keep the process busy. */
const leastWaitMs = 250;

/** Whether the uses of something come to an end. */
export class Progress {
  readonly #forget: () => void;
  underWay = 0;
  /** Since when none has ended well, of those that began. */
  #since: number | undefined;

  /** @param forget called when what has ended badly is not remembered any more */
  constructor(forget: () => void = () => {}) {
    this.#forget = forget;
  }

  /** Whether something is under way, or has ended badly a moment ago. */
  get isRemembered(): boolean {
    return this.#since !== undefined;
  }

  get isStalled(): boolean {
    return this.#msUntilStall <= 0;
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

  /** Calls `act` when nothing has ended well for a while. @returns ends that */
  onStall(act: () => void): () => void {
    let timer: NodeJS.Timeout;
    let afterInput: NodeJS.Immediate | undefined;
    const look = (pauseMs: number) => {
      timer = setTimeout(() => {
        // After a pause of this process, results may have arrived that nobody has read.
        afterInput = setImmediate(() => (this.isStalled ? act() : look(this.#msUntilStall)));
      }, pauseMs);
    };
    look(Math.max(leastWaitMs, this.#msUntilStall));
    return () => {
      clearTimeout(timer);
      clearImmediate(afterInput);
    };
  }

  get #msUntilStall(): number {
    return this.#since === undefined ? stallMs : Math.ceil(this.#since + stallMs - performance.now());
  }
}
