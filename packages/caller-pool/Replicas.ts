import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { hostAndPort } from "@content-service/support/connectionString.ts";
import { findRoute, type Route } from "@content-service/support/route.ts";
import type pg from "pg";
import { fillPool } from "./fillPool.ts";
import { type Log, silent } from "./Log.ts";
import { createPool, endPool, type PoolSettings } from "./pool.ts";
import { parseLsn, unknownPosition, type WalPosition } from "./walPosition.ts";

/** How often each server is asked how far it is, and how long it may take to answer. */
const lookMs = 1_000;
const patienceMs = 1_000;

const readOnlyTransaction = "25006";

/** A replica whose lag was below this at the last look has most likely replayed a write before its response is read. */
const keepingUpMs = 2 * lookMs;

/** A server's own account of its state. */
interface State {
  /** The same for a primary and all its standbys. */
  system: string;
  isStandby: boolean;
  /** Replayed, on a standby; written, on a primary. */
  lsn: string | null;
}

const stateStatement = `
  select system_identifier::text as system, standby as "isStandby",
         case when standby then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end::text as lsn
    from pg_control_system(), pg_is_in_recovery() as standby`;

interface Pools {
  forRequests: pg.Pool;
  /** One connection, which never waits for requests. */
  own: pg.Pool;
}

/** As a pool's, with the connection string of one standby. */
export type StandbySettings = PoolSettings & { connectionString: string };

/** A standby of the primary, which answers queries while it is in the rotation. */
export class Replica {
  /** Host and port. */
  readonly name: string;
  isInRotation = false;
  /** How old the responses are at most: the age of the newest position of the primary that is known to be replayed here. */
  lagMs = Number.POSITIVE_INFINITY;
  lsn = 0n;
  /** Why it is not in the rotation. */
  reason: string | undefined;
  /** Queries answered here, and queries that the primary answered instead. */
  answered = 0;
  passedOn = 0;
  readonly #settings: StandbySettings;
  readonly #log: Log;
  #pools: Pools | undefined;
  #opening: Promise<Pools> | undefined;
  #isClosed = false;
  readonly #running = new Set<(reason: Error) => void>();

  /** @param settings with the replica's connection string */
  constructor(settings: StandbySettings, log: Log = silent) {
    this.name = hostAndPort(settings.connectionString);
    this.#settings = settings;
    this.#log = log;
  }

  /** Connections for requests. Only after the replica has answered ask(). */
  get pool(): pg.Pool {
    return (this.#pools as Pools).forRequests;
  }

  /** @throws when the server cannot be reached */
  async ask(): Promise<State> {
    return askState((this.#pools ?? (await this.#open())).own);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#pools?.forRequests, this.#pools?.own].map((pool) => pool && endPool(pool)));
  }

  #open(): Promise<Pools> {
    this.#opening ??= routeOfStandby(this.#settings.connectionString)
      .then((route) => {
        if (this.#isClosed) throw new Error("The replica is not used any more");
        const open = (settings: StandbySettings) => createPool(settings, this.#log, route);
        this.#pools = { forRequests: open(this.#settings), own: open({ ...this.#settings, size: 1 }) };
        return this.#pools;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  get running(): number {
    return this.#running.size;
  }

  mayServe(after: WalPosition | undefined): boolean {
    return this.isInRotation && (!after || this.lsn >= after.lsn || this.lagMs < keepingUpMs);
  }

  /** Runs a query's statements here. Rejects at once when the server stops answering, so that the primary answers instead. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { promise: gone, reject } = Promise.withResolvers<never>();
    this.#running.add(reject);
    try {
      return await Promise.race([work(), gone]);
    } finally {
      this.#running.delete(reject);
    }
  }

  giveUp(reason: Error): void {
    for (const reject of this.#running) reject(reason);
  }
}

/** A position of the primary, and when it was read. */
interface Note {
  at: number;
  lsn: bigint;
}

/** The replicas, and which of them may answer queries. */
export class Replicas implements AsyncDisposable {
  readonly all: readonly Replica[];
  /** Queries that the primary answered, because no replica was in the rotation or had replayed enough. */
  withoutReplica = 0;
  readonly #primary: pg.Pool;
  readonly #maxLagMs: number;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #system: string | undefined;
  /** The newest one last. */
  #notes: Note[] = [];
  #next = 0;
  #looking: Promise<void> | undefined;

  /** @param primary connections that requests do not use */
  constructor(all: readonly Replica[], primary: pg.Pool, maxLagMs: number, log: Log = silent) {
    this.all = all;
    this.#primary = primary;
    this.#maxLagMs = maxLagMs;
    this.#log = log;
  }

  /** Looks at all servers from now on. Does not wait for any. */
  start(): this {
    this.#looking = this.#keepLooking();
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.all.map((replica) => replica.close()));
  }

  /** The replica with the fewest queries under way, of those that have, or soon will have, replayed the position. */
  choose(after: WalPosition | undefined): Replica | undefined {
    if (after?.lsn === unknownPosition.lsn) return undefined;
    this.#next = (this.#next + 1) % this.all.length;
    // Equally busy ones take turns.
    const inTurn = [...this.all.slice(this.#next), ...this.all.slice(0, this.#next)];
    return inTurn
      .filter((replica) => replica.mayServe(after))
      .reduce<Replica | undefined>((best, one) => (best && best.running <= one.running ? best : one), undefined);
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#lookAtAll();
      await delay(lookMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #lookAtAll(): Promise<void> {
    const at = performance.now();
    const primary = await inTime(askState(this.#primary)).catch(() => undefined);
    const written = primary && !primary.isStandby && primary.lsn ? parseLsn(primary.lsn) : undefined;
    if (written !== undefined) {
      this.#system = primary?.system;
      this.#note({ at, lsn: written });
    }
    await Promise.all(this.all.map((replica) => this.#lookAt(replica, written)));
  }

  #note(note: Note): void {
    // After a promotion, the new primary may be behind the former one.
    const kept = this.#notes.filter(({ at, lsn }) => at > note.at - this.#maxLagMs - keepingUpMs && lsn <= note.lsn);
    this.#notes = [...kept, note];
  }

  /** @param written the primary's position, read after the replica's last one */
  async #lookAt(replica: Replica, written: bigint | undefined): Promise<void> {
    const isAhead = written !== undefined && replica.lsn > written;
    try {
      const { system, isStandby, lsn } = await inTime(replica.ask());
      if (this.#stopping.signal.aborted) return;
      replica.lsn = isStandby && lsn ? parseLsn(lsn) : 0n;
      replica.lagMs = this.#lagOf(replica.lsn);
      if (this.#system !== undefined && system !== this.#system) this.#takeOut(replica, "it is no copy of the primary");
      else if (!isStandby) this.#takeOut(replica, "it is no standby: promoted, or another primary");
      else if (isAhead) this.#takeOut(replica, "it is ahead of the primary, so it follows another one");
      else if (replica.lagMs > this.#maxLagMs) this.#takeOut(replica, "it lags too far behind");
      else this.#takeIn(replica);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      replica.lagMs = this.#lagOf(replica.lsn);
      this.#takeOut(replica, `it does not answer: ${(error as Error).message}`);
      replica.giveUp(error as Error);
    }
  }

  #lagOf(lsn: bigint): number {
    const replayed = this.#notes.findLast((note) => note.lsn <= lsn);
    return replayed ? performance.now() - replayed.at : Number.POSITIVE_INFINITY;
  }

  #takeIn(replica: Replica): void {
    if (replica.isInRotation) return;
    replica.isInRotation = true;
    replica.reason = undefined;
    this.#log.info({ replica: replica.name, lagMs: Math.round(replica.lagMs) }, "a replica is in the rotation");
    void fillPool(replica.pool, this.#log);
  }

  #takeOut(replica: Replica, reason: string): void {
    replica.isInRotation = false;
    if (replica.reason === reason) return;
    replica.reason = reason;
    this.#log.warn({ replica: replica.name, reason }, "a replica is not in the rotation");
  }
}

async function askState(pool: pg.Pool): Promise<State> {
  const { rows } = await pool.query<State>(stateStatement);
  return rows[0] as State;
}

/** A standby refuses LISTEN, by which sessions are told from transactions. There, both are the same. */
async function routeOfStandby(connectionString: string): Promise<Route> {
  return findRoute(connectionString).catch((error) => {
    if (sqlStateOf(error) === readOnlyTransaction) return "transaction";
    throw error;
  });
}

/** @throws when the server does not answer in time */
async function inTime<Result>(result: Promise<Result>): Promise<Result> {
  const waiting = new AbortController();
  const tooLate = delay(patienceMs, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`no response for ${patienceMs} ms`);
  });
  try {
    return await Promise.race([result, tooLate]);
  } finally {
    tooLate.catch(() => {});
    waiting.abort();
  }
}
