import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { FairSlots } from "./FairSlots.ts";
import { TimeShares } from "./TimeShares.ts";

/** The share of the event loop that one caller may use while others are active. */
const loopShare = 0.2;

/**
 * Lets callers take turns on the event loop. A caller's requests start one after the other. After one that kept the loop
 * busy, the next waits in proportion. A caller that is alone never waits for that.
 */
export class CallerTurns {
  readonly #gates = new FairSlots(Number.POSITIVE_INFINITY, 1);
  readonly #loop = new TimeShares(loopShare);

  /**
   * Waits for the caller's turn, then works.
   *
   * @param work adds the milliseconds during which it kept the event loop busy to `use`
   * @throws the reason of `signal` when it is aborted first
   */
  async take<Result>(
    caller: string,
    signal: AbortSignal,
    work: (use: (busyMs: number) => void) => Promise<Result>,
  ): Promise<Result> {
    await this.#gates.enter(caller, signal);
    let result: Promise<Result>;
    try {
      const pause = this.#loop.pauseOf(caller);
      if (pause > 1) await delay(pause, undefined, { signal });
      result = work((busyMs) => this.#loop.use(caller, busyMs));
    } catch (error) {
      this.#gates.leave(caller);
      throw error;
    }
    // The next request starts once this one waits for the database, and requests of others have been received.
    void setImmediate().then(() => this.#gates.leave(caller));
    return result;
  }
}
