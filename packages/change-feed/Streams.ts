import { setTimeout as delay } from "node:timers/promises";
import { type ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { retryDelay } from "@content-service/support/retryDelay.ts";
import { isRowId, rowId, rowUuid } from "@content-service/support/rowId.ts";
import type { Logger } from "pino";
import type { Listener } from "./Listener.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { readChannel, readNotification } from "./notification.ts";
import { PendingSubscriptions } from "./PendingSubscriptions.ts";
import type { EndReason, Stream, StreamEvent, StreamSubscription } from "./Stream.ts";
import type { CatchUp, Subscriber } from "./Subscriber.ts";
import { type Cursor, type EventPage, type GroupSettings, SubscriberGroup } from "./SubscriberGroup.ts";
import { checkUnchanged, readStarts, readStreams, type Snapshot, type UnchangedCheck } from "./statements.ts";

export interface StreamsSettings {
  log: Pick<Logger, "warn">;
  /** How often all groups are read without a notification. This finds changes that no trigger notifies. */
  heartbeatMs?: number;
  /** How long events may be unreadable before all subscriptions end. */
  restoreWithinMs?: number;
  /** How many events wait for a slow consumer before its subscription ends. */
  bufferSize?: number;
}

/** The rows that a subscriber wants to follow. Texts that cannot be ids find nothing. */
export interface SubscriptionWish {
  stream: Stream;
  key: string;
  /** Empty for an anonymous viewer. */
  viewerId: string;
  /** The row to start after; of a stream of updated rows, the number of the event. */
  after?: string;
  /** Says to the client that nothing can start after `after`. */
  unknownAfter: string;
  /** All with the same key count as one caller while they catch up; by default, those of one viewer. */
  quotaKey?: string;
}

export interface StreamsStatus {
  state: "stopped" | "listening" | "reconnecting" | "unavailable";
  groups: number;
  subscriptions: number;
  /** Since the start: events given to subscribers. */
  deliveries: number;
  /** Since the start: statements that read or opened. */
  statements: number;
  /** Since the start: how often the connection was lost, or a statement on it failed. */
  losses: number;
  /** How long the last read took, from the wake-up to the delivery, in ms. */
  lagMs: number;
  /** The part of the server's queue of notifications that is full, from 0 to 1, as of the last read. */
  queueUsage: number;
}

/** How an id is written in PostgreSQL. Any other text becomes an id that finds nothing. */
const idText = { bigint: rowId, uuid: rowUuid };

/** An update has no id; its number is one. 0 is the beginning, so what is no id becomes a number before it, which finds nothing. */
function afterText({ kind, idType }: Stream, after: string): string {
  if (kind !== "updated" && idType === "uuid") return rowUuid(after);
  return after === "0" || isRowId(after) ? after : "-1";
}

/**
 * Reading on from an old event is work for each subscriber alone. So few of a caller do it at a time, and few of all callers begin; the others
 * wait their turn. The bound of all holds for the first page only: clients that read slowly would keep all others waiting.
 */
const beginningsAtOnce = 20;
const catchUpsPerCaller = 4;

/** Bounds of one statement: cursors read from, and events read from each. */
const placesPerRead = 200;
const eventsPerPage = 100;
const groupsPerStatement = 5_000;

/**
 * Delivers the changes of all streams (change_feed.stream() in SQL) to their subscribers: each once, in order, none left out,
 * even when the connection is lost in between.
 *
 * NOTIFY only wakes it up. One statement then reads on from the cursors of all groups that have news, and says, as of the same
 * snapshot, which viewers may still read; notifications that arrive meanwhile are served by the next statement. So the number
 * of statements does not grow with the number of subscribers, and a viewer never receives an event of a key that they could
 * not have read at that snapshot.
 */
export class Streams {
  #state: StreamsStatus["state"] = "reconnecting";
  readonly #settings: Required<StreamsSettings>;
  readonly #groupSettings: GroupSettings;
  /** A page must fit into an empty buffer. */
  readonly #pageSize: number;
  readonly #groups = new Map<string, SubscriberGroup>();
  /** The groups with something to ask the database. */
  readonly #due = new Set<SubscriberGroup>();
  /** The groups that the heartbeat has not read yet. Those with news come first: thousands of idle ones would delay them. */
  readonly #unchecked = new Set<SubscriberGroup>();
  readonly #pending = new PendingSubscriptions();
  readonly #checks: (UnchangedCheck & { resolve(isUnchanged: boolean): void })[] = [];
  readonly #catchUps = new FairSlots(Number.POSITIVE_INFINITY, () => catchUpsPerCaller);
  readonly #beginnings = new FairSlots(beginningsAtOnce, () => catchUpsPerCaller);
  /** Undefined while events cannot be read. */
  #connection: ListeningConnection | undefined;
  /** The snapshot of the last result. */
  #snapshot: Snapshot | undefined;
  #isWorking = false;
  #isBeatDue = false;
  #wokenAt: number | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #givingUp: NodeJS.Timeout | undefined;
  #subscriptions = 0;
  #deliveries = 0;
  #statements = 0;
  #losses = 0;
  #lagMs = 0;
  #queueUsage = 0;

  constructor(listener: Listener, settings: StreamsSettings) {
    this.#settings = { heartbeatMs: 5_000, restoreWithinMs: 30_000, bufferSize: 1_000, ...settings };
    const { bufferSize } = this.#settings;
    this.#pageSize = Math.min(eventsPerPage, bufferSize);
    this.#groupSettings = {
      bufferSize,
      drained: (group) => this.#makeDue(group),
      left: (group) => this.#forgetSubscriber(group),
    };
    listener.handle(readChannel, {
      notified: (payload) => this.#hear(payload),
      lost: (connection) => this.#suspend(connection),
      restored: (connection) => void this.#restore(connection, 0),
    });
  }

  get status(): StreamsStatus {
    return {
      state: this.#state,
      groups: this.#groups.size,
      subscriptions: this.#subscriptions,
      deliveries: this.#deliveries,
      statements: this.#statements,
      losses: this.#losses,
      lagMs: this.#lagMs,
      queueUsage: this.#queueUsage,
    };
  }

  /** @throws when events cannot be read through the listener's first connection */
  async start(connection: ListeningConnection): Promise<void> {
    await this.#resume(connection);
    this.#heartbeat = setInterval(() => this.#beat(), this.#settings.heartbeatMs);
  }

  /** Ends every subscription. */
  stop(): void {
    this.#state = "stopped";
    this.#connection = undefined;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#givingUp);
    this.#endAll("stopping");
  }

  /**
   * Subscribes a viewer to a key of a stream. Events committed after this call arrive, even those committed before it resolves.
   * With `after`, the events since that one arrive first.
   *
   * @throws NOT_FOUND when the viewer may not read the key, whether or not it exists; VALIDATION_ERROR when there is no event
   * of `after`, or it is no longer kept; SERVICE_UNAVAILABLE while the database is away for too long, and when the stream stops
   */
  async subscribe(wish: SubscriptionWish): Promise<StreamSubscription> {
    if (wish.after === undefined) return this.#subscribe(wish);
    const { quotaKey = wish.viewerId } = wish;
    await this.#catchUps.enter(quotaKey);
    await this.#beginnings.enter(quotaKey);
    const begun = () => this.#beginnings.leave(quotaKey);
    const caughtUp = () => this.#catchUps.leave(quotaKey);
    try {
      return await this.#subscribe(wish, { begun, caughtUp });
    } catch (error) {
      begun();
      caughtUp();
      throw error;
    }
  }

  async #subscribe(wish: SubscriptionWish, catchUp?: CatchUp): Promise<Subscriber> {
    this.#checkAvailable();
    const { stream, unknownAfter } = wish;
    const key = idText[stream.keyType](wish.key);
    const viewerId = wish.viewerId && rowId(wish.viewerId);
    const afterId = wish.after === undefined ? undefined : afterText(stream, wish.after);
    const opening = this.#pending.add(
      { stream, key, viewerId, afterId, snapshot: this.#snapshot, unknownAfter },
      this.#connection,
      this.#groups.get(groupName(stream.id, key))?.reached ?? 0,
    );
    this.#wake();
    const start = await opening;
    this.#checkAvailable();
    const name = groupName(stream.id, key);
    const group = this.#groups.get(name) ?? new SubscriberGroup(stream, key, this.#groupSettings);
    this.#groups.set(name, group);
    this.#subscriptions += 1;
    const subscriber = group.subscribe(viewerId, start, catchUp);
    this.#makeDue(group);
    return subscriber;
  }

  /**
   * Whether the row of an event is still as it was when the event was read, and so is who may read it. False when that cannot
   * be found out.
   */
  async isUnchanged(stream: Stream, event: StreamEvent): Promise<boolean> {
    if (event.version === undefined) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#checks.push({ streamId: stream.id, event, resolve });
    if (this.#connection) this.#wake();
    else this.#failChecks();
    return promise;
  }

  #checkAvailable(): void {
    if (this.#state === "stopped" || this.#state === "unavailable") throw notListening();
  }

  #forgetSubscriber(group: SubscriberGroup): void {
    this.#subscriptions -= 1;
    if (group.size > 0) return;
    this.#groups.delete(groupName(group.stream.id, group.key));
    this.#due.delete(group);
    this.#unchecked.delete(group);
  }

  #makeDue(group: SubscriberGroup): void {
    if (!group.isDue) return;
    this.#due.add(group);
    this.#wake();
  }

  #hear(payload: string): void {
    const notification = readNotification(payload);
    if (!notification) return;
    if ("userId" in notification) {
      for (const group of this.#groups.values()) if (group.has(notification.userId)) this.#makeStale(group);
      return;
    }
    const { streamId, key, number } = notification;
    if (number !== undefined) this.#pending.notified(streamId, key, number);
    const group = this.#groups.get(groupName(streamId, key));
    if (group && (number === undefined || group.isNews(number))) this.#makeStale(group);
  }

  #makeStale(group: SubscriberGroup): void {
    group.isStale = true;
    this.#makeDue(group);
  }

  #beat(): void {
    this.#isBeatDue = true;
    for (const group of this.#groups.values()) this.#unchecked.add(group);
    this.#wake();
  }

  #wake(): void {
    this.#wokenAt ??= performance.now();
    if (!this.#isWorking) void this.#work();
  }

  get #hasWork(): boolean {
    return this.#pending.size > 0 || this.#checks.length > 0 || this.#isReadDue;
  }

  get #isReadDue(): boolean {
    return this.#due.size > 0 || this.#unchecked.size > 0 || this.#isBeatDue;
  }

  /** Asks the database all that is due, one statement at a time. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    // Notifications that arrive in the same packet are served by the same statement.
    await Promise.resolve();
    let connection = this.#connection;
    while (connection && this.#hasWork) {
      try {
        if (this.#pending.size > 0) {
          this.#statements += 1;
          await this.#pending.open(connection);
        }
        if (this.#checks.length > 0) await this.#check(connection);
        if (this.#isReadDue) await this.#read(connection);
      } catch (error) {
        this.#suspend(connection, error);
      }
      connection = this.#connection;
    }
    this.#isWorking = false;
    this.#wokenAt = undefined;
  }

  async #check(connection: ListeningConnection): Promise<void> {
    this.#statements += 1;
    const checks = [...this.#checks];
    const areUnchanged = await checkUnchanged(connection, checks);
    this.#checks.splice(0, checks.length);
    for (const [index, { resolve }] of checks.entries()) resolve(areUnchanged[index] ?? false);
  }

  #failChecks(): void {
    for (const { resolve } of this.#checks.splice(0)) resolve(false);
  }

  async #read(connection: ListeningConnection): Promise<void> {
    const wokenAt = this.#wokenAt ?? performance.now();
    this.#wokenAt = undefined;
    const cursors = this.#takeCursors();
    // The subscribers of the due groups may have left.
    if (cursors.length === 0 && !this.#isBeatDue) return;
    this.#isBeatDue = false;
    this.#statements += 1;
    const runId = this.#snapshot?.runId ?? null;
    const { snapshot, queueUsage, pages } = await readStreams(connection, cursors, this.#pageSize, runId);
    this.#snapshot = snapshot;
    this.#queueUsage = queueUsage;
    for (const [index, cursor] of cursors.entries()) {
      this.#deliveries += cursor.group.handOut(cursor, pages[index] as EventPage);
      if (cursor.group.size > 0 && cursor.group.isDue) this.#due.add(cursor.group);
    }
    this.#lagMs = performance.now() - wokenAt;
  }

  #takeCursors(): Cursor[] {
    const cursors: Cursor[] = [];
    for (const groups of [this.#due, this.#unchecked]) {
      for (const group of groups) {
        if (cursors.length >= placesPerRead) return cursors;
        if (this.#unchecked.delete(group)) group.isStale = true;
        this.#due.delete(group);
        cursors.push(...group.takeCursors(placesPerRead - cursors.length));
      }
    }
    return cursors;
  }

  /** Asks nothing more until #resume(). Notifications are still heard, so the openings of a live connection stay valid. */
  #suspend(connection: ListeningConnection, error?: unknown): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#failChecks();
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
    const runId = this.#snapshot?.runId ?? null;
    const { snapshot } = await readStreams(connection, [], this.#pageSize, runId);
    if (runId === null || snapshot.runId !== runId) await this.#moveBack(connection);
    if (connection.isLost || this.#state === "stopped") return;
    clearTimeout(this.#givingUp);
    this.#snapshot = snapshot;
    this.#connection = connection;
    this.#state = "listening";
    // Read what was committed in the meantime.
    this.#beat();
  }

  /**
   * The server may have recovered since the last result: events that were delivered may be lost, and their numbers given again.
   * One connection never outlives a run.
   */
  async #moveBack(connection: ListeningConnection): Promise<void> {
    const groups = [...this.#groups.values()];
    for (let first = 0; first < groups.length; first += groupsPerStatement) {
      const part = groups.slice(first, first + groupsPerStatement);
      const starts = await readStarts(connection, part);
      for (const [index, group] of part.entries()) group.moveBack(starts[index] ?? Number.POSITIVE_INFINITY);
    }
  }

  #endAll(reason: EndReason): void {
    this.#pending.rejectAll(notListening());
    for (const group of [...this.#groups.values()]) group.endAll(reason);
  }
}

function groupName(streamId: number, key: string): string {
  return `${streamId}:${key}`;
}

function notListening(): ApiError {
  return unavailable("Messages cannot be followed at the moment.");
}
