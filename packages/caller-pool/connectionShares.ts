import { setTimeout as delay } from "node:timers/promises";
import { isApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { TimeShares } from "@content-service/support/TimeShares.ts";
import type pg from "pg";
import type { Caller } from "./caller.ts";
import { disconnected } from "./withConnection.ts";

/**
 * The share of the pool that a caller may use while it is alone. Beside others it has one connection: how expensive its
 * statements are shows only after they ran, and PostgreSQL gives each connection a core.
 */
const callerShare = 0.25;
/** The share of the pool for mutations of all callers: they may wait for one row, and reads of other rows go on. */
const writeShare = 0.75;
/** The share of one connection's time that a caller may use while others are active, after a burst. Writes keep a core busy. */
const timeShare = 0.5;
const burstMs = 100;
/** A write that takes longer has waited for a lock, mostly. PostgreSQL does not say for how long. */
const longestWriteMs = 250;
/** How often a caller that pauses looks whether others still use the pool. */
const lookMs = 10;
const lockNotAvailable = "55P03";

interface Shares {
  slots: FairSlots;
  /** Of these slots, those that mutations may have. */
  writes: FairSlots;
  time: TimeShares;
}

/** The connections of each pool, shared by caller. A pool outlives the schemas that are built on it. */
const shares = new WeakMap<pg.Pool, Shares>();

function sharesOf(pool: pg.Pool): Shares {
  const known = shares.get(pool) ?? makeShares(pool.options.max);
  shares.set(pool, known);
  return known;
}

function makeShares(connections: number): Shares {
  const time = new TimeShares(timeShare, burstMs);
  const most = Math.max(2, Math.floor(connections * callerShare));
  const limitOf = (caller: string) => (time.isAlone(caller) ? most : 1);
  const slots = new FairSlots(connections, limitOf);
  const writes = new FairSlots(Math.max(1, Math.floor(connections * writeShare)), limitOf);
  return { slots, writes, time };
}

/** How many uses wait for their caller's turn, writes for that of all writes too. */
export function waitingFor(pool: pg.Pool): number {
  const { slots, writes } = sharesOf(pool);
  return slots.waiting + writes.waiting;
}

/** Uses a connection of the pool when it is the caller's turn. */
export async function inTurn<Result>(pool: pg.Pool, caller: Caller, use: () => Promise<Result>): Promise<Result> {
  if (!caller.writes) return inTurnOfAll(pool, caller, use);
  const { writes } = sharesOf(pool);
  await enter(writes, caller, pool.options.connectionTimeoutMillis);
  try {
    return await inTurnOfAll(pool, caller, use);
  } finally {
    writes.leave(caller.quotaKey);
  }
}

async function inTurnOfAll<Result>(pool: pg.Pool, caller: Caller, use: () => Promise<Result>): Promise<Result> {
  const { slots, time } = sharesOf(pool);
  let hasPaused = false;
  for (;;) {
    await enter(slots, caller, pool.options.connectionTimeoutMillis);
    // Looked at when it is the caller's turn: a burst waits here long before its first statement has been paid for.
    const ms = time.pauseOf(caller.quotaKey);
    if (ms <= 1 || (hasPaused && slots.isUnusedBeside(caller.quotaKey))) break;
    hasPaused = true;
    slots.leave(caller.quotaKey);
    await pauseBesideOthers(slots, ms, caller);
  }
  const enteredAt = performance.now();
  let failure: unknown;
  try {
    return await use();
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    time.use(caller.quotaKey, busyMs(performance.now() - enteredAt, caller.writes === true, failure));
    slots.leave(caller.quotaKey);
  }
}

/**
 * How long a use has kept the server busy, roughly. A use that waited for a lock, or for a server that was gone, counts as short: otherwise
 * all would wait for as long again when the lock is released.
 */
export function busyMs(tookMs: number, isWrite: boolean, failure?: unknown): number {
  const state = sqlStateOf(failure);
  const isBrokenOff = state.startsWith("08") || (isApiError(failure) && failure.code === "OUTCOME_UNKNOWN");
  if (isBrokenOff || state === lockNotAvailable) return 0;
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

/** Waits for the caller's turn, for as long as the pool would wait, and not after the client has disconnected. */
async function enter(slots: FairSlots, { quotaKey, signal }: Caller, timeoutMs = 0): Promise<void> {
  if (slots.tryEnter(quotaKey)) return;
  const waiting = new AbortController();
  const disconnect = () => waiting.abort(disconnected());
  const timer =
    timeoutMs > 0
      ? setTimeout(() => waiting.abort(unavailable("The database is busy. Try again.")), timeoutMs)
      : undefined;
  if (signal?.aborted) disconnect();
  signal?.addEventListener("abort", disconnect, { once: true });
  try {
    await slots.enter(quotaKey, waiting.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", disconnect);
  }
}
