import type { Change, EndReason, Feed } from "./Feed.ts";
import { type CatchUp, FeedCursor, type SubscriberOwner } from "./FeedCursor.ts";

/** A place in a group from which subscribers read on together. */
export interface Cursor {
  group: SubscriberGroup;
  /** Read the events after this number. Undefined: read none, only check who may still read. */
  after: number | undefined;
  /** The mark of the event with that number; undefined where it is not known. */
  mark: number | undefined;
  subscribers: readonly FeedCursor[];
}

/** The events read from a cursor on. */
export interface EventPage {
  events: readonly Change[];
  /** The page leaves nothing out up to this number; undefined when there is no such key. */
  reached: number | undefined;
  /** The mark of the event with that number; undefined where there is none. */
  reachedMark?: number | undefined;
  /** Whether the cursor is in another history: its event is not there, or has another mark. */
  isLost?: boolean;
  /** Whether the page reaches the newest event. */
  isComplete: boolean;
  /** Whether events before the first one of the page are no longer kept. */
  hasGap: boolean;
  refusedViewerIds: ReadonlySet<string>;
  /** The ids of the rows that a viewer may not read, although they may read the key. */
  hiddenRows: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface GroupSettings {
  /** A live subscriber for whom as many events wait reads on alone. */
  pageSize: number;
  /** Called when a consumer has taken its events. */
  drained(group: SubscriberGroup): void;
  /** Called when subscribers of the group had events that are no longer in the history, up to this number. */
  lost?(group: SubscriberGroup, number: number): void;
  /** Called after a subscriber has left. */
  left(group: SubscriberGroup): void;
}

/**
 * The subscribers of one key of a stream. Those that have caught up are live: they share one cursor, so an event is read once
 * for all of them. Those behind read page by page, each when its consumer has taken the page before, until they are live too. So a slow consumer
 * has two pages at most, and delays nobody.
 */
export class SubscriberGroup implements SubscriberOwner {
  readonly stream: Feed;
  readonly key: string;
  /** Whether the live subscribers may lack an event, or a viewer may have lost the right to read. */
  isStale = false;
  /** The place of the live subscribers; without meaning while there are none. */
  #position = 0;
  #mark: number | undefined;
  readonly #live = new Set<FeedCursor>();
  readonly #behind = new Set<FeedCursor>();
  readonly #settings: GroupSettings;

  constructor(stream: Feed, key: string, settings: GroupSettings) {
    this.stream = stream;
    this.key = key;
    this.#settings = settings;
  }

  get size(): number {
    return this.#live.size + this.#behind.size;
  }

  /** How many subscribers read on alone, because they lack more than the live ones. */
  get behind(): number {
    return this.#behind.size;
  }

  /** Everything up to this number has been read; 0 while nobody is live. */
  get reached(): number {
    return this.#live.size > 0 ? this.#position : 0;
  }

  /** Whether the database has to be asked. */
  get isDue(): boolean {
    return this.isStale || this.#behind.values().some(({ isDrained }) => isDrained);
  }

  /** Whether events from that number on may be new to the live subscribers. */
  isNews(number: number): boolean {
    // A read sees all events of a transaction or none. So one that begins at or below our place has been read whole.
    return this.#live.size === 0 || number > this.#position;
  }

  /** Adds a subscriber to the events after a number. */
  subscribe(viewerId: string, after: number, catchUp?: CatchUp): FeedCursor {
    const subscriber = new FeedCursor(this, viewerId, after, catchUp);
    this.#behind.add(subscriber);
    return subscriber;
  }

  drained(): void {
    this.#settings.drained(this);
  }

  ended(subscriber: FeedCursor): void {
    this.#live.delete(subscriber);
    this.#behind.delete(subscriber);
    this.#settings.left(this);
  }

  has(viewerId: string): boolean {
    return this.#all().some((subscriber) => subscriber.viewerId === viewerId);
  }

  endAll(reason: EndReason): void {
    for (const subscriber of this.#all()) subscriber.end(reason);
  }

  /**
   * The cursors of the next statement. At most `limit` of them read events; a stale group checks the right to read of all
   * subscribers besides. The live cursor comes first, so that its new place is known when those behind are compared with it.
   */
  takeCursors(limit: number): Cursor[] {
    const cursors: Cursor[] = [];
    if (this.isStale && this.#live.size > 0) {
      cursors.push({ group: this, after: this.#position, mark: this.#mark, subscribers: [...this.#live] });
    }
    const places = Map.groupBy(this.#behind, ({ isDrained, position, mark }) =>
      isDrained ? `${position}.${mark}` : undefined,
    );
    const others = places.get(undefined) ?? [];
    places.delete(undefined);
    for (const subscribers of places.values()) {
      const [{ position: after, mark }] = subscribers as [FeedCursor];
      if (cursors.length < limit) cursors.push({ group: this, after, mark, subscribers });
      else others.push(...subscribers);
    }
    if (this.isStale && others.length > 0) {
      cursors.push({ group: this, after: undefined, mark: undefined, subscribers: others });
    }
    this.isStale = false;
    return cursors;
  }

  /** Lets the subscribers of a cursor read on alone. @returns a cursor for each viewer among them */
  takeApart({ after, mark, subscribers }: Cursor): Cursor[] {
    for (const subscriber of subscribers) this.#fallBehind(subscriber);
    return [...Map.groupBy(subscribers, ({ viewerId }) => viewerId).values()].map((ofViewer) => ({
      group: this,
      after,
      mark,
      subscribers: ofViewer,
    }));
  }

  /** Delivers a page to the subscribers of its cursor. @returns the number of deliveries: events times subscribers */
  handOut(cursor: Cursor, page: EventPage): number {
    const isLive = cursor.subscribers.some((subscriber) => this.#live.has(subscriber));
    for (const subscriber of cursor.subscribers) {
      if (page.refusedViewerIds.has(subscriber.viewerId)) subscriber.end("forbidden");
    }
    if (cursor.after === undefined || page.reached === undefined) return 0;
    if (page.isLost) return this.#lose(cursor.subscribers, cursor.after);
    const { reached, reachedMark } = page;
    let given = 0;
    if (isLive) this.#reach(reached, reachedMark);
    for (const subscriber of cursor.subscribers) {
      if (page.hasGap) subscriber.end("too-slow");
      const hidden = page.hiddenRows.get(subscriber.viewerId);
      given += subscriber.give(hidden ? page.events.filter(({ rowId }) => !hidden.has(rowId)) : page.events);
      if (this.#behind.has(subscriber)) {
        subscriber.reach(reached, reachedMark);
        subscriber.markBegun();
        this.#advance(subscriber, page.isComplete);
      } else if (subscriber.backlog >= this.#settings.pageSize || !(page.isComplete || subscriber.isDrained)) {
        this.#fallBehind(subscriber);
      }
    }
    if (!page.isComplete && this.#live.size > 0) this.isStale = true;
    return given;
  }

  #all(): IteratorObject<FeedCursor> {
    return [this.#live, this.#behind].values().flatMap((subscribers) => [...subscribers]);
  }

  #reach(number: number, mark: number | undefined): void {
    if (number > this.#position) [this.#position, this.#mark] = [number, mark];
    else if (number === this.#position) this.#mark ??= mark;
  }

  #lose(subscribers: readonly FeedCursor[], number: number): 0 {
    for (const subscriber of subscribers) subscriber.end("lost");
    this.#settings.lost?.(this, number);
    return 0;
  }

  #fallBehind(subscriber: FeedCursor): void {
    if (!this.#live.delete(subscriber)) return;
    subscriber.reach(this.#position, this.#mark);
    this.#behind.add(subscriber);
  }

  /**
   * A subscriber behind becomes live as soon as it has received all that the live ones have; give() leaves out what it has
   * received already. This happens only while a page is delivered, after the page of the live ones: then no read
   * is under way that would miss the subscriber.
   */
  #advance(subscriber: FeedCursor, isComplete: boolean): void {
    const { position, mark } = subscriber;
    const hasCaughtUp = this.#live.size > 0 ? position >= this.#position : isComplete;
    if (!hasCaughtUp) return;
    if (this.#live.size === 0) [this.#position, this.#mark] = [position, mark];
    this.#behind.delete(subscriber);
    this.#live.add(subscriber);
    subscriber.markCaughtUp();
  }
}
