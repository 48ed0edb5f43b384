import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@content-service/errors/ApiError.ts";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { TimeShares } from "@content-service/support/TimeShares.ts";

/** The share of the event loop that one caller may use while others are active. */
const loopShare = 0.2;
/** Work of more than this in one piece delays the requests of others noticeably: they wait until it is over. */
const longMs = 5;
/** The share for work longer than that, after the burst. It is small enough not to show in other callers' p99. */
const longShare = 0.01;
const longBurstMs = 1_000;
/** A caller that would have to wait for longer is refused. */
const maxWaitMs = 1_000;
/** How often the time is given away in which the loop has idled, and how many times over: more is idle while more is used. */
const giveMs = 10;
const giveFactor = 4;
/** Shorter pauses are skipped: a subscriber that pauses falls behind and then reads alone. */
const leastEventPauseMs = 200;

/**
 * Lets callers take turns on the event loop. A caller's requests start one after the other. After one that kept the loop
 * busy, the next waits in proportion. A caller that is alone never waits for that, and the time in which the loop idles is theirs who wait.
 */
export class EventLoopShares {
  readonly #gates = new FairSlots(Number.POSITIVE_INFINITY, () => 1);
  readonly #loop = new TimeShares(loopShare);
  readonly #long = new TimeShares(longShare, longBurstMs);
  /** The callers that pause, once for each pause. */
  readonly #pausing = new Set<{ caller: string }>();
  #giving: NodeJS.Timeout | undefined;

  /**
   * Waits for the caller's turn, then works.
   *
   * @param isLimited whether the caller may be refused
   * @param work adds the milliseconds of each piece of work that kept the event loop busy to `charge`
   * @throws the reason of `signal` when it is aborted first; RATE_LIMITED when the caller's work has kept others waiting
   */
  async take<Result>(
    caller: string,
    { signal, isLimited }: { signal: AbortSignal; isLimited: boolean },
    work: (charge: (busyMs: number) => void) => Promise<Result>,
  ): Promise<Result> {
    await this.#gates.enter(caller, signal);
    let result: Promise<Result>;
    try {
      const debt = this.#long.pauseOf(caller);
      if (isLimited && debt > maxWaitMs) throw tooMuchWork(debt);
      await this.#pause(caller, () => this.#loop.pauseOf(caller), signal, maxWaitMs);
      result = work((busyMs) => this.charge(caller, busyMs));
    } catch (error) {
      this.#gates.leave(caller);
      throw error;
    }
    // The next request starts once this one waits for the database, and requests of others have been received.
    setImmediate(() => this.#gates.leave(caller));
    return result;
  }

  /**
   * Waits until an event of the caller's subscriptions may be executed. Events queue apart from requests, so that the caller's requests do
   * not wait behind them. What both cost is one account.
   *
   * @throws the reason of `signal` when it is aborted first
   */
  async takeForEvent(caller: string, signal: AbortSignal): Promise<void> {
    const gate = `events of ${caller}`;
    await this.#gates.enter(gate, signal);
    try {
      if (this.isBehind(caller)) await this.#pause(caller, () => this.#eventPauseOf(caller), signal);
    } finally {
      setImmediate(() => this.#gates.leave(gate));
    }
  }

  /** Requests and events that wait behind others of their caller. */
  get waiting(): number {
    return this.#gates.waiting;
  }

  /** Whether the caller's next event has to wait. */
  isBehind(caller: string): boolean {
    return this.#eventPauseOf(caller) > leastEventPauseMs;
  }

  async #pause(
    caller: string,
    pauseOf: () => number,
    signal: AbortSignal,
    most = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    if (pauseOf() <= 1) return;
    const end = performance.now() + most;
    const pausing = { caller };
    this.#pausing.add(pausing);
    this.#startGiving();
    try {
      for (let pause = pauseOf(); pause > 1 && performance.now() < end; pause = pauseOf()) {
        await delay(Math.min(pause, giveMs), undefined, { signal });
      }
    } finally {
      this.#pausing.delete(pausing);
    }
  }

  /** As long as somebody pauses: what nobody uses of the loop is given to those who do. */
  #startGiving(): void {
    if (this.#giving) return;
    let last = performance.eventLoopUtilization();
    this.#giving = setInterval(() => {
      const now = performance.eventLoopUtilization();
      const { idle } = performance.eventLoopUtilization(now, last);
      last = now;
      for (const { caller } of this.#pausing) this.#loop.give(caller, (idle * giveFactor) / this.#pausing.size);
      if (this.#pausing.size > 0) return;
      clearInterval(this.#giving);
      this.#giving = undefined;
    }, giveMs).unref();
  }

  #eventPauseOf(caller: string): number {
    return Math.max(this.#loop.pauseOf(caller), this.#long.pauseOf(caller));
  }

  /** Counts a piece of work that kept the event loop busy. */
  charge(caller: string, busyMs: number): void {
    this.#loop.use(caller, busyMs);
    if (busyMs > longMs) this.#long.use(caller, busyMs - longMs);
  }
}

function tooMuchWork(debtMs: number): ApiError {
  const retryAfter = Math.ceil(debtMs / 1_000);
  const message = `Your last requests kept the service from answering others. Try again in ${retryAfter} seconds.`;
  return new ApiError("RATE_LIMITED", message, { retryAfter });
}

/** Runs `act` and counts its synchronous part: of an operation, that is the planning. */
export function chargeTime<Result>(charge: (busyMs: number) => void, act: () => Result): Result {
  const startedAt = performance.now();
  try {
    return act();
  } finally {
    charge(performance.now() - startedAt);
  }
}
