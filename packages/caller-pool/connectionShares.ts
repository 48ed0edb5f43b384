import { setTimeout as delay } from "node:timers/promises";
import { isApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { TimeShares } from "@content-service/support/TimeShares.ts";
import type pg from "pg";
import type { Caller } from "./caller.ts";
import { Progress } from "./Progress.ts";
import { disconnected } from "./withConnection.ts";

/**
 * The share of the pool that a caller may use while it is alone. Beside others it has one connection: how expensive its
 * statements are shows only after they ran, and PostgreSQL gives each connection a core.
 */
const callerShare = 0.25;
/** The share of the pool for all that ask for one subject, by how fine it is. All of them may wait for one lock. */
const subjectShares = [0.5, 0.25];
/** The share of the pool that is left to subjects of which nobody has a connection. */
const spareShare = 0.25;
/** The share of one connection's time that a caller may use while others are active, after a burst. Writes keep a core busy. */
const timeShare = 0.5;
const burstMs = 100;
/** A write that takes longer has waited for a lock, mostly. PostgreSQL does not say for how long. */
const longestWriteMs = 250;
/** How often a caller that pauses looks whether others still use the pool. */
const lookMs = 10;
const lockNotAvailable = "55P03";
const stopped = "57014";

/** Those that ask for one subject, at most as many as have connections. */
interface Subject {
  name: string;
  slots: FairSlots;
  /** Of those that have a connection. */
  progress: Progress;
}

/** The connections of a pool, shared by caller and by what is asked for. */
class Shares {
  readonly time = new TimeShares(timeShare, burstMs);
  readonly slots: FairSlots;
  /** Of all requests together. */
  readonly progress = new Progress();
  readonly #connections: number;
  readonly #subjects = new Map<string, Subject>();

  constructor(connections: number) {
    this.#connections = connections;
    this.slots = new FairSlots(connections, this.#limitOf);
  }

  get waiting(): number {
    const waiting = this.#subjects.values().map(({ slots }) => slots.waiting);
    return waiting.reduce((sum, count) => sum + count, this.slots.waiting);
  }

  /** @param depth how fine the subject is */
  subject(name: string, depth: number): Subject {
    const known = this.#subjects.get(name);
    if (known) return known;
    const slots = new FairSlots(Math.ceil(this.#connections * (subjectShares[depth] ?? 0)) || 1, this.#limitOf);
    const made = { name, slots, progress: new Progress(() => this.#forget(made)) };
    this.#subjects.set(name, made);
    return made;
  }

  leave(subject: Subject, caller: string): void {
    subject.slots.leave(caller);
    this.#forget(subject);
  }

  #forget({ name, slots, progress }: Subject): void {
    if (slots.isUnused && !progress.isRemembered) this.#subjects.delete(name);
  }

  /** Whether a connection may be given to one that asks for the subject. */
  mayConnect({ progress }: Subject): boolean {
    return progress.underWay === 0 || this.slots.free > Math.max(1, Math.floor(this.#connections * spareShare));
  }

  readonly #limitOf = (caller: string) =>
    this.time.isAlone(caller) ? Math.max(2, Math.floor(this.#connections * callerShare)) : 1;
}

/** A pool outlives the schemas that are built on it. */
const shares = new WeakMap<pg.Pool, Shares>();

function sharesOf(pool: pg.Pool): Shares {
  const known = shares.get(pool) ?? new Shares(pool.options.max);
  shares.set(pool, known);
  return known;
}

/** How many uses wait for their turn. */
export function waitingFor(pool: pg.Pool): number {
  return sharesOf(pool).waiting;
}

/** Whether all connections are in use, and none has come to an end for a while. */
export function isBlocked(pool: pg.Pool): boolean {
  const { slots, progress } = sharesOf(pool);
  return slots.free === 0 && progress.isStalled;
}

/**
 * Uses a connection of the pool when it is the turn of the caller and of what it asks for.
 *
 * @throws SERVICE_UNAVAILABLE when that takes as long as the pool waits; or at once, when those that ask for the same come to no end
 */
export async function inTurn<Result>(pool: pg.Pool, caller: Caller, use: () => Promise<Result>): Promise<Result> {
  const shares = sharesOf(pool);
  const { subjects = caller.writes ? ["writes"] : [] } = caller;
  const entered: Subject[] = [];
  try {
    // The finer one first: those that wait for it keep nothing from others of the other.
    for (const [depth, name] of [...subjects.entries()].reverse()) {
      const subject = shares.subject(name, depth);
      await enter(subject.slots, caller, pool, subject);
      entered.push(subject);
    }
    return await inTurnOfAll(pool, caller, entered, use);
  } finally {
    for (const subject of entered.reverse()) shares.leave(subject, caller.quotaKey);
  }
}

async function inTurnOfAll<Result>(
  pool: pg.Pool,
  caller: Caller,
  subjects: readonly Subject[],
  use: () => Promise<Result>,
): Promise<Result> {
  const shares = sharesOf(pool);
  const { slots, time } = shares;
  const subject = subjects.at(-1);
  const all = [shares, ...subjects];
  let hasPaused = false;
  for (;;) {
    await enter(slots, caller, pool, subject, subject && (() => shares.mayConnect(subject)));
    // Looked at when it is the caller's turn: a burst waits here long before its first statement has been paid for.
    const ms = time.pauseOf(caller.quotaKey);
    if (ms <= 1 || (hasPaused && slots.isUnusedBeside(caller.quotaKey))) break;
    hasPaused = true;
    slots.leave(caller.quotaKey);
    await pauseBesideOthers(slots, ms, caller);
  }
  const enteredAt = performance.now();
  for (const { progress } of all) progress.begin();
  let failure: unknown;
  try {
    return await use();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    time.use(caller.quotaKey, busyMs(performance.now() - enteredAt, caller.writes === true, failure));
    for (const { progress } of all) progress.end(!comesToNoEnd(failure));
    slots.leave(caller.quotaKey);
  }
}

/** Whether a use has waited for a lock, a function or a server, and in vain. */
function comesToNoEnd(failure: unknown): boolean {
  const state = sqlStateOf(failure);
  return state === stopped || isWait(state, failure);
}

function isWait(state: string, failure: unknown): boolean {
  const isBrokenOff = state.startsWith("08") || (isApiError(failure) && failure.code === "OUTCOME_UNKNOWN");
  return isBrokenOff || state === lockNotAvailable;
}

/**
 * How long a use has kept the server busy, roughly. A use that waited for a lock, or for a server that was gone, counts as short: otherwise
 * all would wait for as long again when the lock is released.
 */
export function busyMs(tookMs: number, isWrite: boolean, failure?: unknown): number {
  if (isWait(sqlStateOf(failure), failure)) return 0;
  return isWrite ? Math.min(tookMs, longestWriteMs) : tookMs;
}

/** Lets a caller that has kept the database busy wait while others use it, a second at most. What nobody uses is not kept. */
async function pauseBesideOthers(slots: FairSlots, ms: number, { signal, quotaKey }: Caller): Promise<void> {
  const end = performance.now() + Math.min(ms, 1_000);
  for (let left = ms; left > 0; left = end - performance.now()) {
    await delay(Math.min(left, lookMs), undefined, signal && { signal }).catch(() => {
      throw disconnected();
    });
    if (slots.isUnusedBeside(quotaKey)) return;
  }
}

/**
 * Waits for the caller's turn, for as long as the pool would wait, and not after the client has disconnected; nor when those with connections
 * for the subject come to no end.
 */
async function enter(
  slots: FairSlots,
  { quotaKey, signal }: Caller,
  pool: pg.Pool,
  subject?: Subject,
  admits?: () => boolean,
): Promise<void> {
  if (slots.tryEnter(quotaKey, admits)) return;
  const waiting = new AbortController();
  const disconnect = () => waiting.abort(disconnected());
  const { connectionTimeoutMillis: timeoutMs = 0 } = pool.options;
  const timer =
    timeoutMs > 0
      ? setTimeout(() => waiting.abort(unavailable("The database is busy. Try again.")), timeoutMs)
      : undefined;
  const unwatch = subject?.progress.onStall(() =>
    waiting.abort(unavailable("Others wait for the same in the database. Try again later.")),
  );
  if (signal?.aborted) disconnect();
  signal?.addEventListener("abort", disconnect, { once: true });
  try {
    await slots.enter(quotaKey, waiting.signal, admits);
  } finally {
    clearTimeout(timer);
    unwatch?.();
    signal?.removeEventListener("abort", disconnect);
  }
}
