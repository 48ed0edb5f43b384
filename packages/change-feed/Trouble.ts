/** The pauses before a stream is tried again: doubled each time, up to the longest. A lock is soon gone; a function has to be repaired. */
const firstPauseMs = 50;
const longestPauseMs = { waiting: 1_000, broken: 30_000 };
const attemptsBeforeLog = { waiting: 4, broken: 1 };

/** Why a stream is not read, since when, and when it is tried again. */
export class Trouble {
  /** `waiting`: it may pass by itself, as a lock does. `broken`: the stream's statements fail for all its subscribers. */
  state: "waiting" | "broken" = "waiting";
  /** Whether a statement has failed for a reason that does not pass by itself: it has to be found out whom it concerns. */
  hasFailed = false;
  isLogged = false;
  /** How often it was tried in this state. */
  attempts = 0;
  readonly #giveUpAfterMs: number;
  readonly #givesUp: () => void;
  readonly #since = performance.now();
  #givingUp: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  /** @param givesUp called each time that the stream could not be read for so long */
  constructor(giveUpAfterMs: number, givesUp: () => void) {
    this.#giveUpAfterMs = giveUpAfterMs;
    this.#givesUp = givesUp;
  }

  get isPaused(): boolean {
    return this.#retry !== undefined;
  }

  get lastedMs(): number {
    return Math.round(performance.now() - this.#since);
  }

  /** From now on the stream counts as broken. */
  breakDown(): void {
    if (this.state === "broken") return;
    this.state = "broken";
    this.attempts = 0;
  }

  /**
   * Pauses, longer each time.
   *
   * @param retry called after the pause
   * @returns whether this is to be logged: once for each state, and for one that may pass when it has lasted a while
   */
  pause(retry: () => void): boolean {
    const pauseMs = Math.min(longestPauseMs[this.state], firstPauseMs * 2 ** this.attempts);
    this.attempts += 1;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      retry();
    }, pauseMs);
    this.#givingUp ??= setInterval(this.#givesUp, this.#giveUpAfterMs);
    const isToBeLogged = this.attempts === attemptsBeforeLog[this.state];
    this.isLogged ||= isToBeLogged;
    return isToBeLogged;
  }

  end(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#givingUp);
  }
}
