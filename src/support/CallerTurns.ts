import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { FairSlots } from "./FairSlots.ts";

/** The share of the event loop that one caller may use while others are active. */
const loopShare = 0.2;
/** A caller counts as active for so long after its last request. */
const activeMs = 1_000;
/** A caller whose requests were expensive waits no longer than this before its next one. */
const maxPauseMs = 1_000;

interface Caller {
  seenAt: number;
  /** The time before which the caller's next request does not start, while others are active. */
  readyAt: number;
}

/**
 * Lets callers take turns on the event loop. A caller's requests start one after the other. After one that kept the loop
 * busy, the next waits in proportion. A caller that is alone never waits for that.
 */
export class CallerTurns {
  readonly #gates = new FairSlots(Number.POSITIVE_INFINITY, 1);
  /** The active callers, the one seen longest ago first. */
  readonly #callers = new Map<string, Caller>();

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
      const pause = Math.min(this.#see(caller).readyAt - performance.now(), maxPauseMs);
      if (pause > 1 && this.#callers.size > 1) await delay(pause, undefined, { signal });
      result = work((busyMs) => {
        const state = this.#see(caller);
        state.readyAt = Math.max(state.readyAt, performance.now()) + busyMs / loopShare;
      });
    } catch (error) {
      this.#gates.leave(caller);
      throw error;
    }
    // The next request starts once this one waits for the database, and requests of others have been received.
    void setImmediate().then(() => this.#gates.leave(caller));
    return result;
  }

  #see(name: string): Caller {
    const now = performance.now();
    for (const [other, { seenAt }] of this.#callers) {
      if (seenAt > now - activeMs) break;
      this.#callers.delete(other);
    }
    const caller = this.#callers.get(name) ?? { seenAt: now, readyAt: now };
    caller.seenAt = now;
    // A Map keeps insertion order, so this moves the caller to the end.
    this.#callers.delete(name);
    this.#callers.set(name, caller);
    return caller;
  }
}
