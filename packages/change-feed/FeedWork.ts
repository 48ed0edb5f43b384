import { LRUCache } from "lru-cache";
import type { Change, EndReason, Feed } from "./Feed.ts";
import type { CatchUp, FeedCursor } from "./FeedCursor.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { PendingSubscriptions, type Waiting } from "./PendingSubscriptions.ts";
import { cannotFollow } from "./refusals.ts";
import type { Opening, Snapshot, Statements } from "./Statements.ts";
import { type Cursor, type EventPage, SubscriberGroup } from "./SubscriberGroup.ts";

/** Bounds of one statement: cursors read from, and events read from each. */
const cursorsPerRead = 200;

/** How long a viewer's key is refused after it has failed: doubled each time, up to the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
const failuresKept = 1_000;

/** What all streams of an instance know and count together. */
export interface Shared {
  readonly sql: Statements;
  /** A page of events; at most two wait for a consumer. */
  readonly pageSize: number;
  /** The snapshot of the last result. */
  snapshot: Snapshot | undefined;
  subscriptions: number;
  deliveries: number;
  statements: number;
  lagMs: number;
  queueUsage: number;
  /** Called when a stream has work. */
  wake(work: FeedWork): void;
  /** Called when a statement has failed for one viewer of one key, and only for that one. */
  keyFailed(work: FeedWork, key: string, viewerId: string, error: unknown): void;
  /** Called when followers of a key had events up to that number that are no longer in the history. They have been told. */
  historyLost(work: FeedWork, key: string, number: number): void;
}

/** The connections of a turn. */
export interface Connections {
  /** Runs the statements. */
  asked: ListeningConnection;
  /** Hears the notifications. The same one, unless the stream is served aside. */
  listener: ListeningConnection;
}

interface Check {
  event: Change;
  resolve(isUnchanged: boolean): void;
}

/**
 * One stream of an instance: its subscribers, and what it has to ask the database. Each of its statements reads this stream alone, so
 * that an error, a lock or a slow function of its table stays here.
 */
export class FeedWork {
  readonly stream: Feed;
  readonly #shared: Shared;
  readonly #groups = new Map<string, SubscriberGroup>();
  /** The groups with something to ask the database. */
  readonly #due = new Set<SubscriberGroup>();
  /** The groups that the heartbeat has not read yet. Those with news come first: thousands of idle ones would delay them. */
  readonly #unchecked = new Set<SubscriberGroup>();
  readonly #pending: PendingSubscriptions;
  readonly #checks: Check[] = [];
  /** Which viewers of which keys have failed, how often in a row, and until when they are refused. */
  readonly #failures = new LRUCache<string, { count: number; until: number }>({ max: failuresKept });
  #wokenAt: number | undefined;

  constructor(stream: Feed, shared: Shared) {
    this.stream = stream;
    this.#shared = shared;
    this.#pending = new PendingSubscriptions(shared.sql);
  }

  get groups(): number {
    return this.#groups.size;
  }

  /** How many subscribers have more to receive than the newest events. */
  get behind(): number {
    return this.#groups.values().reduce((sum, { behind }) => sum + behind, 0);
  }

  get isDue(): boolean {
    return this.#pending.size > 0 || this.#checks.length > 0 || this.#due.size > 0 || this.#unchecked.size > 0;
  }

  /**
   * Adds a subscriber.
   *
   * @param session the connection that listens now, if there is one
   * @throws SERVICE_UNAVAILABLE when the statements of the viewer's key fail; the errors of PendingSubscriptions.add()
   */
  async subscribe(
    { key, viewerId, after, unknownAfter }: Pick<Opening, "key" | "viewerId" | "after" | "unknownAfter">,
    session: ListeningConnection | undefined,
    { signal, catchUp, check }: { signal: AbortSignal | undefined; catchUp: CatchUp | undefined; check(): void },
  ): Promise<FeedCursor> {
    const { stream } = this;
    const { snapshot } = this.#shared;
    if ((this.#failures.get(failureKey(key, viewerId))?.until ?? 0) > performance.now()) throw cannotFollow();
    const opening = this.#pending.add(
      { stream, key, viewerId, after, snapshot, unknownAfter },
      session,
      this.#groups.get(key)?.reached ?? 0,
      signal,
    );
    this.#wake();
    const start = await opening;
    check();
    this.#failures.delete(failureKey(key, viewerId));
    const group = this.#groups.get(key) ?? this.#makeGroup(key);
    this.#shared.subscriptions += 1;
    const subscriber = group.subscribe(viewerId, start, catchUp);
    this.#makeDue(group);
    return subscriber;
  }

  /** Whether the row of an event is still as it was when the event was read, and so is who may read it. */
  isUnchanged(event: Change): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#checks.push({ event, resolve });
    this.#wake();
    return promise;
  }

  /** There are new events of a key from that number on. Without a number, rights to read the key have changed. */
  notified(key: string, number: number | undefined): void {
    if (number !== undefined) this.#pending.notified(key, number);
    const group = this.#groups.get(key);
    if (group && (number === undefined || group.isNews(number))) this.#makeStale(group);
  }

  rightsChanged(viewerId: string): void {
    for (const group of this.#groups.values()) if (group.has(viewerId)) this.#makeStale(group);
  }

  /** Makes all groups read. */
  beat(): void {
    for (const group of this.#groups.values()) this.#unchecked.add(group);
    if (this.isDue) this.#wake();
  }

  /**
   * Asks the database what is due, in one statement of each kind.
   *
   * @throws the error of a statement. What it was to open or to read stays due
   */
  async serve({ asked, listener }: Connections): Promise<void> {
    if (this.#pending.size > 0) await this.#open({ asked, listener }, this.#pending.next());
    if (this.#checks.length > 0) await this.#check(asked);
    const cursors = this.#takeCursors();
    try {
      await this.#read(asked, cursors);
    } catch (error) {
      this.#giveBack(cursors);
      throw error;
    }
  }

  /**
   * As serve(), after a statement has failed: halves what is asked until those that fail are alone, and ends them.
   *
   * @param isEndured whether an error must not end anybody, because it may be gone soon
   * @throws such an error
   */
  async serveApart({ asked, listener }: Connections, isEndured: (error: unknown) => boolean): Promise<void> {
    await halve(
      this.#pending.next(),
      (openings) => this.#open({ asked, listener }, openings),
      this.#failOpening,
      isEndured,
    );
    const cursors = this.#takeCursors();
    const failed: Cursor[] = [];
    const read = (some: readonly Cursor[]) => this.#read(asked, some);
    try {
      await halve(cursors, read, (cursor) => failed.push(cursor), isEndured);
      // The other keys have been read by now: a key may have thousands of viewers.
      for (const cursor of failed) await halve(cursor.group.takeApart(cursor), read, this.#failCursor, isEndured);
    } catch (error) {
      this.#giveBack(cursors);
      throw error;
    }
  }

  /** Nobody finds out now whether rows are unchanged. */
  failChecks(): void {
    for (const { resolve } of this.#checks.splice(0)) resolve(false);
  }

  endAll(reason: EndReason): void {
    this.failChecks();
    this.#pending.rejectAll(cannotFollow());
    for (const group of [...this.#groups.values()]) group.endAll(reason);
  }

  #wake(): void {
    this.#wokenAt ??= performance.now();
    this.#shared.wake(this);
  }

  #makeGroup(key: string): SubscriberGroup {
    const group = new SubscriberGroup(this.stream, key, {
      pageSize: this.#shared.pageSize,
      drained: (group) => this.#makeDue(group),
      lost: ({ key }, number) => this.#shared.historyLost(this, key, number),
      left: (group) => this.#forgetSubscriber(group),
    });
    this.#groups.set(key, group);
    return group;
  }

  #forgetSubscriber(group: SubscriberGroup): void {
    this.#shared.subscriptions -= 1;
    if (group.size > 0) return;
    this.#groups.delete(group.key);
    this.#due.delete(group);
    this.#unchecked.delete(group);
  }

  #makeDue(group: SubscriberGroup): void {
    if (!group.isDue) return;
    this.#due.add(group);
    this.#wake();
  }

  #makeStale(group: SubscriberGroup): void {
    group.isStale = true;
    this.#makeDue(group);
  }

  async #open({ asked, listener }: Connections, openings: readonly Waiting[]): Promise<void> {
    if (openings.length === 0) return;
    this.#shared.statements += 1;
    await this.#pending.open(asked, listener, openings);
  }

  async #check(connection: ListeningConnection): Promise<void> {
    this.#shared.statements += 1;
    const checks = this.#checks.splice(0);
    let areUnchanged: boolean[] = [];
    try {
      areUnchanged = await this.#shared.sql.checkUnchanged(connection, this.stream, checks);
    } finally {
      for (const [index, { resolve }] of checks.entries()) resolve(areUnchanged[index] ?? false);
    }
  }

  async #read(connection: ListeningConnection, cursors: readonly Cursor[]): Promise<void> {
    // The subscribers of the due groups may have left.
    if (cursors.length === 0) return;
    const shared = this.#shared;
    const wokenAt = this.#wokenAt ?? performance.now();
    this.#wokenAt = undefined;
    shared.statements += 1;
    const runId = shared.snapshot?.runId ?? null;
    const { snapshot, queueUsage, pages } = await shared.sql.readStreams(connection, cursors, shared.pageSize, runId);
    shared.snapshot = snapshot;
    shared.queueUsage = queueUsage;
    for (const [index, cursor] of cursors.entries()) {
      shared.deliveries += cursor.group.handOut(cursor, pages[index] as EventPage);
      if (cursor.group.size > 0 && cursor.group.isDue) this.#due.add(cursor.group);
    }
    shared.lagMs = performance.now() - wokenAt;
  }

  #takeCursors(): Cursor[] {
    const cursors: Cursor[] = [];
    for (const groups of [this.#due, this.#unchecked]) {
      for (const group of groups) {
        if (cursors.length >= cursorsPerRead) return cursors;
        if (this.#unchecked.delete(group)) group.isStale = true;
        this.#due.delete(group);
        cursors.push(...group.takeCursors(cursorsPerRead - cursors.length));
      }
    }
    return cursors;
  }

  #giveBack(cursors: readonly Cursor[]): void {
    for (const { group } of cursors) {
      if (group.size === 0) continue;
      group.isStale = true;
      this.#due.add(group);
    }
  }

  readonly #failOpening = (waiting: Waiting, error: unknown): void => {
    const { key, viewerId } = waiting.opening;
    this.#pending.reject([waiting], cannotFollow());
    this.#fail(key, viewerId, error);
  };

  readonly #failCursor = ({ group, subscribers }: Cursor, error: unknown): void => {
    const [first] = subscribers;
    for (const subscriber of subscribers) subscriber.end("failed");
    if (first) this.#fail(group.key, first.viewerId, error);
  };

  #fail(key: string, viewerId: string, error: unknown): void {
    const name = failureKey(key, viewerId);
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (count - 1));
    this.#failures.set(name, { count, until: performance.now() + pauseMs });
    this.#shared.keyFailed(this, key, viewerId, error);
  }
}

function failureKey(key: string, viewerId: string): string {
  return `${key} ${viewerId}`;
}

/** Handles items together. If that fails, handles each half, until those that fail are alone. */
async function halve<Item>(
  items: readonly Item[],
  handle: (items: readonly Item[]) => Promise<void>,
  fail: (item: Item, error: unknown) => void,
  isEndured: (error: unknown) => boolean,
): Promise<void> {
  const [item] = items;
  if (!item) return;
  try {
    await handle(items);
  } catch (error) {
    if (isEndured(error)) throw error;
    if (items.length === 1) return fail(item, error);
    const middle = items.length >> 1;
    await halve(items.slice(0, middle), handle, fail, isEndured);
    await halve(items.slice(middle), handle, fail, isEndured);
  }
}
