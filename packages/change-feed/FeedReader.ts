import { setTimeout as delay } from "node:timers/promises";
import { type ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { retryDelay } from "@content-service/support/retryDelay.ts";
import { rowId, rowUuid } from "@content-service/support/rowId.ts";
import { Aside } from "./Aside.ts";
import type { Change, ChangeKind, EndReason, Feed, FeedSubscription } from "./Feed.ts";
import type { CatchUp, FeedCursor } from "./FeedCursor.ts";
import { FeedWork, type Shared } from "./FeedWork.ts";
import { Lane } from "./Lane.ts";
import { Listener, type ListenerSettings } from "./Listener.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import type { Log } from "./Log.ts";
import { readNotification } from "./notification.ts";
import { parsePosition } from "./position.ts";
import { cannotFollow } from "./refusals.ts";
import { Statements } from "./Statements.ts";
import { Trouble } from "./Trouble.ts";

/** How a reader reads. */
export interface FeedReaderSettings {
  log: Log;
  /** The schema that holds the feed; by default, `change_feed`. */
  schema?: string;
  /** How often all groups are read without a notification. This finds changes that no trigger notifies. */
  heartbeatMs?: number;
  /** How long events may be unreadable before the subscriptions end: all of them, or those of the stream. */
  restoreWithinMs?: number;
  /** How many events are read at a time; at most two pages wait for a consumer. */
  pageSize?: number;
  /** Called after `notify_services('user:<id>')`; without an id after notifications may have been missed. */
  rightsChanged?(userId?: string): void;
}

/** Of a reader with a connection of its own; by default, `console` is the log. */
export type OpenSettings = Partial<FeedReaderSettings> &
  Omit<ListenerSettings, "log" | "connectionString"> & {
    /** Connection string of the login that the SQL was installed for; undefined, as of a missing variable, is an error. */
    connectionString: string | undefined;
  };

/** The rows that a subscriber wants to follow. Texts that cannot be ids find nothing. */
export interface FeedRequest {
  feed: Feed;
  key: string;
  /** Empty for an anonymous viewer. */
  viewerId: string;
  /** The position to start after (position.ts). */
  after?: string;
  /** Says to the client that nothing can start after `after`. */
  unknownAfter?: string;
  /** All with the same key count as one caller while they catch up; by default, those of one viewer. */
  quotaKey?: string;
  /** Aborted when the client does not wait any more. */
  signal?: AbortSignal;
}

/** What a reader has done and does, for metrics. */
export interface FeedReaderStatus {
  state: "stopped" | "listening" | "reconnecting" | "unavailable";
  groups: number;
  subscriptions: number;
  /** Subscriptions that are behind, by stream: streams without any are left out. */
  behind: Record<string, number>;
  /** Since the start: events given to subscribers. */
  deliveries: number;
  /** Since the start: statements that read or opened. */
  statements: number;
  /** Since the start: how often the connection was lost, or a statement on it failed. */
  losses: number;
  /** Since the start: keys whose followers had events that are no longer in the history, and were told. */
  lostHistories: number;
  /** Since the start: how often a stream had to wait alone, for a lock or for a slow function. */
  waits: number;
  /** Streams that cannot be read, by name: they wait, or their statements fail. */
  troubled: Record<string, Trouble["state"]>;
  /** How long the last read took, from the wake-up to the delivery, in ms. */
  lagMs: number;
  /** The part of the server's queue of notifications that is full, from 0 to 1, as of the last read. */
  queueUsage: number;
}

/** How an id is written in PostgreSQL. Any other text becomes an id that finds nothing. */
const idText = { bigint: rowId, uuid: rowUuid };

/**
 * Reading on from an old event is work for each subscriber alone. So few of a caller do it at a time, and few of all callers begin; the others
 * wait their turn. The bound of all holds for the first page only: clients that read slowly would keep all others waiting.
 */
const beginningsAtOnce = 20;
const catchUpsPerCaller = 4;

/** A stream whose statements take longer is served aside, and one whose statements take less comes back. */
const slowMs = 250;
const quickMs = 50;
/** The connection for streams that are slow. On a busy machine, any of them may be. */
const slowLimits = { statementMs: 1_000, lockMs: 100 };
/** The connection for streams whose statements fail. One slow key takes all of this time. */
const failingLimits = { statementMs: 4_000, lockMs: 100 };
/** Log lines for keys that fail: one for each stream in this time. */
const logPauseMs = 1_000;

/** The connection, or the server as a whole, cannot do it: the server only reads, stops, or cannot be reached. */
const connectionStates = /^(08...|57P0.|25006)$/;
/** May pass by itself: a lock, a time-out, a conflict, and a server that lacks memory or disk. */
const passingStates = /^(55P03|57014|40...|53...|58...|08...|57P0.|25006)$/;

const mayPass = (error: unknown) => passingStates.test(sqlStateOf(error));
const isTimeout = (error: unknown) => sqlStateOf(error) === "57014";

/**
 * Delivers the changes of all streams (change_feed.stream() in SQL) to their subscribers: each once, in order, none left out,
 * even when the connection is lost in between.
 *
 * NOTIFY only wakes it up. One statement for each stream then reads on from the cursors of all its groups that have news, and says, as of the
 * same snapshot, which viewers may still read; notifications that arrive meanwhile are served by the next statement. So the number
 * of statements does not grow with the number of subscribers, and a viewer never receives an event of a key that they could
 * not have read at that snapshot.
 *
 * Streams share the connection that listens while their statements are quick. One that is slow or waits for a lock is served by a second
 * connection, and one that fails by a third, until it is well.
 */
export class FeedReader {
  #state: FeedReaderStatus["state"] = "stopped";
  readonly #listener: Listener;
  readonly #settings: Required<Omit<FeedReaderSettings, "rightsChanged">> & Pick<FeedReaderSettings, "rightsChanged">;
  readonly #sql: Statements;
  readonly #shared: Shared;
  readonly #works = new Map<number, FeedWork>();
  /** The streams that are served aside. */
  readonly #aside = new Set<FeedWork>();
  readonly #troubles = new Map<FeedWork, Trouble>();
  readonly #lane = new Lane<FeedWork | "heartbeat">((item) => this.#serve(item));
  readonly #slow: Aside<FeedWork>;
  readonly #failing: Aside<FeedWork>;
  readonly #catchUps = new FairSlots(Number.POSITIVE_INFINITY, () => catchUpsPerCaller);
  readonly #beginnings = new FairSlots(beginningsAtOnce, () => catchUpsPerCaller);
  /** Undefined while events cannot be read. */
  #connection: ListeningConnection | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #givingUp: NodeJS.Timeout | undefined;
  #losses = 0;
  #waits = 0;
  readonly #loggedAt = new WeakMap<FeedWork, number>();
  readonly #lostLoggedAt = new WeakMap<FeedWork, number>();
  #lostHistories = 0;

  constructor(listener: Listener, settings: FeedReaderSettings) {
    this.#listener = listener;
    this.#settings = { schema: "change_feed", heartbeatMs: 5_000, restoreWithinMs: 30_000, pageSize: 100, ...settings };
    this.#sql = new Statements(this.#settings.schema);
    this.#shared = {
      sql: this.#sql,
      pageSize: this.#settings.pageSize,
      snapshot: undefined,
      subscriptions: 0,
      deliveries: 0,
      statements: 0,
      lagMs: 0,
      queueUsage: 0,
      wake: (work) => this.#wake(work),
      keyFailed: (work, key, viewerId, error) => this.#logFailedKey(work, key, viewerId, error),
      historyLost: (work, key, number) => this.#reportLostHistory(work, key, number),
    };
    const serve = (work: FeedWork, aside: Aside<FeedWork>) => this.#serveAside(work, aside);
    this.#slow = new Aside(listener, slowLimits, serve);
    this.#failing = new Aside(listener, failingLimits, serve);
    listener.handle((connection) => this.#sql.readChannel(connection), {
      notified: (payload) => this.#hear(payload),
      lost: (connection) => this.#suspend(connection),
      restored: (connection) => {
        this.#settings.rightsChanged?.();
        void this.#restore(connection, 0);
      },
    });
  }

  /**
   * Listens, and follows the streams of a database, until close().
   *
   * @throws when the database cannot be reached, or has no feed
   */
  static async open({ log = console, connectionString, ...settings }: OpenSettings): Promise<FeedReader> {
    if (!connectionString)
      throw new Error("connectionString: say which database to follow, as in postgres://login@host/name");
    const listener = new Listener({ ...settings, connectionString, log });
    const reader = new FeedReader(listener, { ...settings, log });
    try {
      await reader.start(await listener.start());
    } catch (error) {
      await listener.close();
      throw error;
    }
    return reader;
  }

  /** Ends every subscription, and the connections. */
  async close(): Promise<void> {
    this.stop();
    await this.#listener.close();
  }

  /**
   * Finds a stream that SQL has declared.
   *
   * @param table with its schema, such as `shop.orders`
   * @throws when nothing records these changes
   */
  async find(table: string, keyColumn: string, kind: ChangeKind): Promise<Feed> {
    if (!this.#connection) throw notListening();
    const feed = await this.#sql.findFeed(this.#connection, table, keyColumn, kind);
    if (!feed)
      throw new Error(
        `Nothing records the ${kind} rows of ${table} by ${keyColumn}: call ${this.#settings.schema}.stream()`,
      );
    return feed;
  }

  get status(): FeedReaderStatus {
    const { subscriptions, deliveries, statements, lagMs, queueUsage } = this.#shared;
    return {
      state: this.#state,
      groups: this.#works.values().reduce((sum, work) => sum + work.groups, 0),
      subscriptions,
      behind: Object.fromEntries(
        [...this.#works.values()]
          .map(({ stream, behind }) => [stream.name, behind] as const)
          .filter(([, count]) => count > 0),
      ),
      deliveries,
      statements,
      losses: this.#losses,
      lostHistories: this.#lostHistories,
      waits: this.#waits,
      troubled: Object.fromEntries([...this.#troubles].map(([{ stream }, { state }]) => [stream.name, state])),
      lagMs,
      queueUsage,
    };
  }

  /**
   * Waits while a lock or a busy server keeps the first read from its end.
   *
   * @throws when events cannot be read through the listener's first connection
   */
  async start(connection: ListeningConnection): Promise<void> {
    this.#state = "reconnecting";
    await this.#resume(connection).catch((error) => {
      if (connection.isLost || !mayPass(error)) throw error;
      this.#settings.log.warn({ err: error }, "events cannot be read");
      return this.#restore(connection, 1);
    });
    if (connection.isLost) throw notListening();
    this.#heartbeat = setInterval(() => this.#beat(), this.#settings.heartbeatMs);
  }

  /** Ends every subscription. */
  stop(): void {
    this.#state = "stopped";
    this.#connection = undefined;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#givingUp);
    for (const trouble of this.#troubles.values()) trouble.end();
    this.#troubles.clear();
    this.#slow.close();
    this.#failing.close();
    this.#endAll("stopping");
  }

  /**
   * Subscribes a viewer to a key of a stream. Events committed after this call arrive, even those committed before it resolves.
   * With `after`, the events since that one arrive first.
   *
   * @throws NOT_FOUND when the viewer may not read the key, whether or not it exists; VALIDATION_ERROR when
   * `after` is no position, POSITION_LOST when its event is not in the history, or no longer kept; SERVICE_UNAVAILABLE before start(), while the database is away for too long, while the stream's
   * statements fail, and when the stream stops; the reason of `signal`
   */
  async subscribe(wish: FeedRequest): Promise<FeedSubscription> {
    if (wish.after === undefined) return this.#subscribe(wish);
    const { quotaKey = wish.viewerId, signal } = wish;
    await this.#catchUps.enter(quotaKey, signal);
    const caughtUp = () => this.#catchUps.leave(quotaKey);
    try {
      await this.#beginnings.enter(quotaKey, signal);
    } catch (error) {
      caughtUp();
      throw error;
    }
    const begun = () => this.#beginnings.leave(quotaKey);
    try {
      return await this.#subscribe(wish, { begun, caughtUp });
    } catch (error) {
      begun();
      caughtUp();
      throw error;
    }
  }

  async #subscribe(wish: FeedRequest, catchUp?: CatchUp): Promise<FeedCursor> {
    const { feed: stream, viewerId, after, unknownAfter = noEvent, signal } = wish;
    const check = () => this.#checkAvailable(stream);
    check();
    const key = idText[stream.keyType](wish.key);
    const opening = {
      key,
      viewerId,
      unknownAfter,
      after: after === undefined ? after : parsePosition(stream, after),
    };
    return this.#workOf(stream).subscribe(opening, this.#connection, { signal, catchUp, check });
  }

  /**
   * Whether the row of an event is still as it was when the event was read, and so is who may read it. False when that cannot
   * be found out.
   */
  async isUnchanged(stream: Feed, event: Change): Promise<boolean> {
    if (event.version === undefined) return true;
    const work = this.#workOf(stream);
    if (!this.#connection || this.#troubles.has(work)) return false;
    return work.isUnchanged(event);
  }

  #workOf(stream: Feed): FeedWork {
    const work = this.#works.get(stream.id) ?? new FeedWork(stream, this.#shared);
    this.#works.set(stream.id, work);
    return work;
  }

  #checkAvailable(stream: Feed): void {
    if (this.#state === "stopped" || this.#state === "unavailable") throw notListening();
    const work = this.#works.get(stream.id);
    if (work && this.#troubles.get(work)?.state === "broken") throw cannotFollow();
  }

  #hear(payload: string): void {
    const notification = readNotification(payload);
    if (!notification) return;
    if ("userId" in notification) {
      // First: what is asked about events that follow must not be sent to whoever has lost a right.
      this.#settings.rightsChanged?.(notification.userId);
      for (const work of this.#works.values()) work.rightsChanged(notification.userId);
    } else {
      this.#works.get(notification.streamId)?.notified(notification.key, notification.number);
    }
  }

  #beat(): void {
    this.#lane.add("heartbeat");
    for (const work of this.#works.values()) work.beat();
    // Those whose turn found no connection.
    for (const work of this.#troubles.keys()) this.#wake(work);
    this.#slow.closeIfIdle();
    this.#failing.closeIfIdle();
  }

  /** Lets a stream wait for its turn, unless it pauses. */
  #wake(work: FeedWork): void {
    if (this.#troubles.get(work)?.isPaused) return;
    if (this.#aside.has(work)) this.#asideOf(work).add(work);
    else this.#lane.add(work);
  }

  #asideOf(work: FeedWork): Aside<FeedWork> {
    return this.#troubles.get(work)?.hasFailed ? this.#failing : this.#slow;
  }

  /** A turn on the connection that listens. */
  async #serve(item: FeedWork | "heartbeat"): Promise<void> {
    const listener = this.#connection;
    if (!listener) return;
    if (item !== "heartbeat" && this.#aside.has(item)) return this.#wake(item);
    const startedAt = performance.now();
    try {
      if (item === "heartbeat") return await this.#readSnapshot(listener);
      await item.serve({ asked: listener, listener });
      if (performance.now() - startedAt > slowMs) this.#aside.add(item);
      if (item.isDue) this.#wake(item);
    } catch (error) {
      if (listener.isLost || item === "heartbeat" || connectionStates.test(sqlStateOf(error))) {
        return this.#suspend(listener, error);
      }
      if (await this.#isBroken(listener, error)) return this.#suspend(listener, error);
      this.#aside.add(item);
      this.#failed(item, error);
    }
  }

  /** Whether not even a read without a stream works: then everybody waits for the repair of the feed itself. */
  async #isBroken(listener: ListeningConnection, error: unknown): Promise<boolean> {
    if (mayPass(error)) return false;
    return this.#readSnapshot(listener).then(
      () => false,
      (reason) => !mayPass(reason),
    );
  }

  /** A turn on another connection. */
  async #serveAside(work: FeedWork, aside: Aside<FeedWork>): Promise<void> {
    const listener = this.#connection;
    if (!listener) return;
    if (!this.#aside.has(work) || this.#asideOf(work) !== aside) return this.#wake(work);
    let asked: ListeningConnection | undefined;
    const startedAt = performance.now();
    try {
      asked = await aside.connect();
      if (this.#troubles.get(work)?.hasFailed) await this.#serveApart(work, { asked, listener });
      else await work.serve({ asked, listener });
    } catch (error) {
      // Both are lost together, and the stream is read again with the next connection.
      if (listener.isLost) return;
      if (asked && (await this.#isBroken(listener, error))) return this.#suspend(listener, error);
      return this.#failed(work, asked ? error : undefined);
    }
    this.#recovered(work);
    if (performance.now() - startedAt < quickMs) this.#aside.delete(work);
    if (work.isDue) this.#wake(work);
  }

  /** Finds out whether the statements of a stream fail for all, and otherwise for whom. */
  async #serveApart(
    work: FeedWork,
    connections: { asked: ListeningConnection; listener: ListeningConnection },
  ): Promise<void> {
    try {
      await this.#sql.tryStream(connections.asked, work.stream);
    } catch (error) {
      if (!mayPass(error)) this.#troubles.get(work)?.breakDown();
      throw error;
    }
    // A time-out may be that of one key.
    await work.serveApart(connections, (error) => connections.asked.isLost || (mayPass(error) && !isTimeout(error)));
  }

  /**
   * A statement of a stream has failed. It is tried again aside: at once to find out whom it concerns, else after a pause.
   *
   * @param error undefined when there was no connection
   */
  #failed(work: FeedWork, error: unknown): void {
    if (this.#state === "stopped") return;
    const { log, restoreWithinMs } = this.#settings;
    // Where not even the connection that listens is there, the stream is not at fault.
    const giveUp = () => work.endAll(this.#connection ? "failed" : "unavailable");
    const trouble = this.#troubles.get(work) ?? new Trouble(restoreWithinMs, giveUp);
    this.#troubles.set(work, trouble);
    work.failChecks();
    const concernsSome = error !== undefined && (!mayPass(error) || (isTimeout(error) && trouble.attempts > 0));
    if (concernsSome && !trouble.hasFailed) {
      trouble.hasFailed = true;
      return this.#failing.add(work);
    }
    if (trouble.state === "waiting") this.#waits += 1;
    else work.endAll("failed");
    const isToBeLogged = trouble.pause(() => this.#asideOf(work).add(work));
    const what = trouble.state === "broken" ? "a stream is broken, and its subscriptions have ended" : "a stream waits";
    if (isToBeLogged) log.warn({ err: error, stream: work.stream.name }, what);
  }

  #recovered(work: FeedWork): void {
    const trouble = this.#troubles.get(work);
    if (!trouble) return;
    this.#troubles.delete(work);
    trouble.end();
    const { stream } = work;
    if (trouble.isLogged)
      this.#settings.log.info({ stream: stream.name, afterMs: trouble.lastedMs }, "a stream is read again");
  }

  /** Followers have been told that what they have is no longer in the history. This tells the operator. */
  #reportLostHistory(work: FeedWork, key: string, number: number): void {
    this.#lostHistories += 1;
    const now = performance.now();
    if (now - (this.#lostLoggedAt.get(work) ?? Number.NEGATIVE_INFINITY) < logPauseMs) return;
    this.#lostLoggedAt.set(work, now);
    const { log } = this.#settings;
    log.warn(
      { stream: work.stream.name, key, number },
      "followers had events that are no longer in the history, after a restore, a failover or a truncate; they begin again",
    );
    const connection = this.#connection;
    if (!connection) return;
    this.#sql.noteLostHistory(connection, work.stream, key, number).catch((error) => {
      log.warn({ err: error, stream: work.stream.name }, "a lost history could not be noted for problems()");
    });
  }

  #logFailedKey(work: FeedWork, key: string, viewerId: string, error: unknown): void {
    const now = performance.now();
    if (now - (this.#loggedAt.get(work) ?? Number.NEGATIVE_INFINITY) < logPauseMs) return;
    this.#loggedAt.set(work, now);
    const details = { err: error, stream: work.stream.name, key, userId: viewerId || undefined };
    this.#settings.log.warn(details, "a stream fails for a key, and the subscription has ended");
  }

  /** Asks nothing more until #resume(). Notifications are still heard, so the openings of a live connection stay valid. */
  #suspend(connection: ListeningConnection, error?: unknown): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    for (const work of this.#works.values()) work.failChecks();
    this.#state = "reconnecting";
    this.#losses += 1;
    this.#givingUp = setTimeout(() => {
      this.#state = "unavailable";
      this.#endAll("unavailable");
    }, this.#settings.restoreWithinMs);
    if (connection.isLost) return;
    // Keep the connection after a failed statement: other channels use it too.
    this.#settings.log.warn({ err: error }, "events cannot be read");
    void this.#restore(connection, 1);
  }

  /** Tries until events can be read through this connection, or it is lost. Never rejects. */
  async #restore(connection: ListeningConnection, firstAttempt: number): Promise<void> {
    for (let attempt = firstAttempt; !connection.isLost; attempt++) {
      await delay(retryDelay(attempt), undefined, { ref: false });
      try {
        return await this.#resume(connection);
      } catch (error) {
        if (!connection.isLost) this.#settings.log.warn({ err: error, attempt }, "events cannot be read");
      }
    }
  }

  async #resume(connection: ListeningConnection): Promise<void> {
    const { snapshot: former } = this.#shared;
    const { snapshot } = await this.#sql.readStreams(connection, [], this.#settings.pageSize, former?.runId ?? null);
    if (connection.isLost || this.#state === "stopped") return;
    clearTimeout(this.#givingUp);
    this.#shared.snapshot = snapshot;
    this.#connection = connection;
    this.#state = "listening";
    // Read what was committed in the meantime.
    this.#beat();
  }

  /** Openings that may lose their connection start after what the last snapshot saw, so it must not be old. */
  async #readSnapshot(connection: ListeningConnection): Promise<void> {
    const { pageSize, snapshot } = this.#shared;
    const read = await this.#sql.readStreams(connection, [], pageSize, snapshot?.runId ?? null);
    this.#shared.snapshot = read.snapshot;
    this.#shared.queueUsage = read.queueUsage;
  }

  #endAll(reason: EndReason): void {
    for (const work of this.#works.values()) work.endAll(reason);
  }
}

const noEvent = "There is no such event, or it is no longer kept.";

function notListening(): ApiError {
  return unavailable("Messages cannot be followed at the moment.");
}
