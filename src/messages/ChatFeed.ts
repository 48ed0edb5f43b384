import type { AddedMessage } from "./AddedMessage.ts";
import type { EndReason } from "./MessageSubscription.ts";
import type { Subscriber } from "./Subscriber.ts";

/** A place in a chat that subscribers read on from together. */
export interface Cursor {
  feed: ChatFeed;
  /** Undefined: nothing is to be read, only who may read still. */
  after: number | undefined;
  subscribers: readonly Subscriber[];
}

/** What has been read from a cursor on. */
export interface Page {
  messages: readonly AddedMessage[];
  /** Nothing up to this number is left out; undefined when there is no such chat. */
  reached: number | undefined;
  /** Whether that is all there was. */
  isComplete: boolean;
  refusedViewerIds: ReadonlySet<string>;
}

/**
 * The subscribers of one chat. Those that have come up to the present are live: they share one cursor, so a message is read
 * once for all of them. Those behind read page by page, each at the pace of its consumer, until they are live too.
 */
export class ChatFeed {
  readonly chatId: string;
  /** Whether there may be something that the live ones have not had, or somebody who may read no longer. */
  isStale = false;
  /** Where the live ones are; without meaning while there are none. */
  #position = 0;
  readonly #live = new Set<Subscriber>();
  readonly #behind = new Set<Subscriber>();

  constructor(chatId: string) {
    this.chatId = chatId;
  }

  get size(): number {
    return this.#live.size + this.#behind.size;
  }

  /** Everything up to this number has been read; 0 while nobody is live. */
  get reached(): number {
    return this.#live.size > 0 ? this.#position : 0;
  }

  /** Whether there is anything to ask the database. */
  get isDue(): boolean {
    return this.isStale || [...this.#behind].some(({ isDrained }) => isDrained);
  }

  /** Whether messages from that number on may be news to the live ones. */
  isNews(number: number): boolean {
    // Whoever sees one message of a transaction sees all, so what begins below our place has been read whole.
    return this.#live.size === 0 || number > this.#position;
  }

  /** Adds a subscriber, which reads from its position on. */
  add(subscriber: Subscriber): void {
    this.#behind.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#live.delete(subscriber);
    this.#behind.delete(subscriber);
  }

  has(viewerId: string): boolean {
    return [...this.#live, ...this.#behind].some((subscriber) => subscriber.viewerId === viewerId);
  }

  endAll(reason: EndReason): void {
    for (const subscriber of [...this.#live, ...this.#behind]) subscriber.end(reason);
  }

  /**
   * What to ask now, by one statement. At most `limit` places, but, when it was stale, about everybody's right to read. The
   * live ones come first: their place is known, then, when those behind are measured against it.
   */
  takeCursors(limit: number): Cursor[] {
    const cursors: Cursor[] = [];
    if (this.isStale && this.#live.size > 0) {
      cursors.push({ feed: this, after: this.#position, subscribers: [...this.#live] });
    }
    const places = Map.groupBy(this.#behind, (subscriber) => (subscriber.isDrained ? subscriber.position : undefined));
    const others = places.get(undefined) ?? [];
    places.delete(undefined);
    for (const [after, subscribers] of places) {
      if (cursors.length < limit) cursors.push({ feed: this, after, subscribers });
      else others.push(...subscribers);
    }
    if (this.isStale && others.length > 0) cursors.push({ feed: this, after: undefined, subscribers: others });
    this.isStale = false;
    return cursors;
  }

  /** Hands out what has been read for a cursor. @returns how many messages were given to how many, multiplied */
  handOut(cursor: Cursor, page: Page): number {
    const isLive = cursor.subscribers.some((subscriber) => this.#live.has(subscriber));
    for (const subscriber of cursor.subscribers) {
      if (page.refusedViewerIds.has(subscriber.viewerId)) subscriber.end("forbidden");
    }
    if (cursor.after === undefined || page.reached === undefined) return 0;
    let given = 0;
    if (isLive) {
      this.#position = Math.max(this.#position, page.reached);
      if (!page.isComplete) this.isStale = true;
    }
    for (const subscriber of cursor.subscribers) {
      given += subscriber.give(page.messages);
      if (!this.#behind.has(subscriber)) continue;
      subscriber.position = Math.max(subscriber.position, page.reached);
      this.#advance(subscriber, page.isComplete);
    }
    return given;
  }

  /**
   * A subscriber behind becomes live as soon as it has had all that the live ones have had; what they get and it has had
   * already, give() leaves out. Only while a page is handed out, and after that of the live ones: no reading is under way
   * then that would pass it by.
   */
  #advance(subscriber: Subscriber, isComplete: boolean): void {
    const { position } = subscriber;
    const hasCaughtUp = this.#live.size > 0 ? position >= this.#position : isComplete;
    if (!hasCaughtUp) return;
    if (this.#live.size === 0) this.#position = position;
    this.#behind.delete(subscriber);
    this.#live.add(subscriber);
  }
}
