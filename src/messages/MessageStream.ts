import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Listener } from "../database/Listener.ts";
import type { ListeningConnection } from "../database/ListeningConnection.ts";
import { type ApiError, unavailable } from "../errors/ApiError.ts";
import { FairSlots } from "../support/FairSlots.ts";
import { retryDelay } from "../support/retryDelay.ts";
import { rowId } from "../support/rowId.ts";
import { ChatFeed, type Cursor, type Page } from "./ChatFeed.ts";
import type { EndReason, MessageSubscription } from "./MessageSubscription.ts";
import { readChannel, readNotification } from "./notification.ts";
import { Openings } from "./Openings.ts";
import { Subscriber } from "./Subscriber.ts";
import { type Horizon, readStreams } from "./statements.ts";

export interface MessageStreamSettings {
  log: Pick<Logger, "warn">;
  /** How often all chats are read without a notification. This finds changes that no trigger notifies. */
  heartbeatMs?: number;
  /** How long messages may be unreadable before all subscriptions end. */
  restoreWithinMs?: number;
  /** How many messages wait for a slow consumer before its subscription ends. */
  bufferSize?: number;
}

interface SubscriptionWish {
  chatId: string;
  viewerId: string;
  after?: string;
}

export interface MessageStreamStatus {
  state: "stopped" | "listening" | "reconnecting" | "unavailable";
  chats: number;
  subscriptions: number;
  /** Since the start: messages given to subscribers. */
  deliveries: number;
  /** Since the start: statements that read or opened. */
  statements: number;
  /** Since the start: how often the connection was lost, or a statement on it failed. */
  losses: number;
  /** How long the last read took, from the wake-up to the delivery, in ms. */
  lagMs: number;
}

/** Reading on from an old message is work for each subscriber alone. So few do it at a time; the others wait their turn. */
const catchUpsAtOnce = 20;
const catchUpsPerViewer = 4;

/** Bounds of one statement: cursors read from, and messages read from each. */
const placesPerRead = 200;
const messagesPerPage = 100;

/**
 * Delivers the messages added to chats to their subscribers: each once, in order, none left out, even when the connection is
 * lost in between.
 *
 * NOTIFY only wakes the stream up. One statement then reads on from the cursors of all chats that have news, and says, as of
 * the same moment, which viewers may still read; notifications that arrive meanwhile are served by the next statement. So
 * the number of statements does not grow with the number of subscribers, and a viewer never receives a message that they
 * could not have read in the table at that moment.
 */
export class MessageStream {
  #state: MessageStreamStatus["state"] = "reconnecting";
  readonly #settings: Required<MessageStreamSettings>;
  /** A page must fit into an empty buffer. */
  readonly #pageSize: number;
  readonly #feeds = new Map<string, ChatFeed>();
  /** The feeds with something to ask the database. */
  readonly #due = new Set<ChatFeed>();
  readonly #openings = new Openings();
  readonly #catchUps = new FairSlots(catchUpsAtOnce, catchUpsPerViewer);
  /** Undefined while messages cannot be read. */
  #connection: ListeningConnection | undefined;
  /** The moment of the last answer. */
  #horizon: Horizon | undefined;
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

  constructor(listener: Listener, settings: MessageStreamSettings) {
    this.#settings = { heartbeatMs: 5_000, restoreWithinMs: 30_000, bufferSize: 1_000, ...settings };
    this.#pageSize = Math.min(messagesPerPage, this.#settings.bufferSize);
    listener.handle(readChannel, {
      notified: (payload) => this.#hear(payload),
      lost: (connection) => this.#suspend(connection),
      restored: (connection) => void this.#restore(connection, 0),
    });
  }

  get status(): MessageStreamStatus {
    return {
      state: this.#state,
      chats: this.#feeds.size,
      subscriptions: this.#subscriptions,
      deliveries: this.#deliveries,
      statements: this.#statements,
      losses: this.#losses,
      lagMs: this.#lagMs,
    };
  }

  /** @throws when messages cannot be read through the listener's first connection */
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
   * Subscribes a viewer to a chat. Messages committed after this call arrive, even those committed before it resolves.
   *
   * @param after id of a message of the chat: the messages since that one arrive first, then the new ones
   * @throws NOT_FOUND when the viewer may not read the chat, whether or not it exists; VALIDATION_ERROR when
   * `after` is no message of it; SERVICE_UNAVAILABLE while the database is away for too long, and when the stream stops
   */
  async subscribe(wish: SubscriptionWish): Promise<MessageSubscription> {
    if (wish.after === undefined) return this.#subscribe(wish);
    const { viewerId } = wish;
    await this.#catchUps.enter(viewerId);
    try {
      const subscriber = await this.#subscribe(wish);
      void subscriber.caughtUp.then(() => this.#catchUps.leave(viewerId));
      return subscriber;
    } catch (error) {
      this.#catchUps.leave(viewerId);
      throw error;
    }
  }

  async #subscribe(wish: SubscriptionWish): Promise<Subscriber> {
    this.#checkAvailable();
    const [chatId, viewerId] = [rowId(wish.chatId), rowId(wish.viewerId)];
    const afterId = wish.after === undefined ? undefined : rowId(wish.after);
    const opening = this.#openings.add(
      { chatId, viewerId, afterId, horizon: this.#horizon },
      this.#connection,
      this.#feeds.get(chatId)?.reached ?? 0,
    );
    this.#wake();
    const start = await opening;
    this.#checkAvailable();
    return this.#addSubscriber(chatId, viewerId, start);
  }

  #checkAvailable(): void {
    if (this.#state === "stopped" || this.#state === "unavailable") throw notListening();
  }

  #addSubscriber(chatId: string, viewerId: string, start: number): Subscriber {
    const feed = this.#feeds.get(chatId) ?? new ChatFeed(chatId);
    this.#feeds.set(chatId, feed);
    const subscriber = new Subscriber({
      chatId,
      viewerId,
      capacity: this.#settings.bufferSize,
      onDrained: () => this.#makeDue(feed),
      onEnded: () => this.#forget(feed, subscriber),
    });
    subscriber.position = start;
    feed.add(subscriber);
    this.#subscriptions += 1;
    this.#makeDue(feed);
    return subscriber;
  }

  #forget(feed: ChatFeed, subscriber: Subscriber): void {
    feed.remove(subscriber);
    this.#subscriptions -= 1;
    if (feed.size > 0) return;
    this.#feeds.delete(feed.chatId);
    this.#due.delete(feed);
  }

  #makeDue(feed: ChatFeed): void {
    if (!feed.isDue) return;
    this.#due.add(feed);
    this.#wake();
  }

  #hear(payload: string): void {
    const notification = readNotification(payload);
    if (!notification) return;
    if ("userId" in notification) {
      for (const feed of this.#feeds.values()) if (feed.has(notification.userId)) this.#makeStale(feed);
      return;
    }
    const { chatId, number } = notification;
    if (number !== undefined) this.#openings.notified(chatId, number);
    const feed = this.#feeds.get(chatId);
    if (feed && (number === undefined || feed.isNews(number))) this.#makeStale(feed);
  }

  #makeStale(feed: ChatFeed): void {
    feed.isStale = true;
    this.#makeDue(feed);
  }

  #beat(): void {
    this.#isBeatDue = true;
    for (const feed of this.#feeds.values()) this.#makeStale(feed);
    this.#wake();
  }

  #wake(): void {
    this.#wokenAt ??= performance.now();
    if (!this.#isWorking) void this.#work();
  }

  /** Asks the database all that is due, one statement at a time. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    // Notifications that arrive in the same packet are served by the same statement.
    await Promise.resolve();
    let connection = this.#connection;
    while (connection && (this.#openings.size > 0 || this.#due.size > 0 || this.#isBeatDue)) {
      try {
        if (this.#openings.size > 0) {
          this.#statements += 1;
          await this.#openings.openAll(connection);
        }
        if (this.#due.size > 0 || this.#isBeatDue) await this.#read(connection);
      } catch (error) {
        this.#suspend(connection, error);
      }
      connection = this.#connection;
    }
    this.#isWorking = false;
    this.#wokenAt = undefined;
  }

  async #read(connection: ListeningConnection): Promise<void> {
    const wokenAt = this.#wokenAt ?? performance.now();
    this.#wokenAt = undefined;
    const cursors = this.#takeCursors();
    // The subscribers of the due feeds may have left.
    if (cursors.length === 0 && !this.#isBeatDue) return;
    this.#isBeatDue = false;
    this.#statements += 1;
    const { horizon, pages } = await readStreams(connection, cursors, this.#pageSize);
    this.#horizon = horizon;
    for (const [index, cursor] of cursors.entries()) {
      this.#deliveries += cursor.feed.handOut(cursor, pages[index] as Page);
      if (cursor.feed.size > 0 && cursor.feed.isDue) this.#due.add(cursor.feed);
    }
    this.#lagMs = performance.now() - wokenAt;
  }

  #takeCursors(): Cursor[] {
    const cursors: Cursor[] = [];
    for (const feed of this.#due) {
      if (cursors.length >= placesPerRead) break;
      this.#due.delete(feed);
      cursors.push(...feed.takeCursors(placesPerRead - cursors.length));
    }
    return cursors;
  }

  /** Asks nothing more until #resume(). Notifications are still heard, so the openings of a live connection stay valid. */
  #suspend(connection: ListeningConnection, error?: unknown): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#state = "reconnecting";
    this.#losses += 1;
    this.#givingUp = setTimeout(() => {
      this.#state = "unavailable";
      this.#endAll("unavailable");
    }, this.#settings.restoreWithinMs);
    if (connection.isLost) return;
    // Keep the connection after a failed statement: other channels use it too.
    this.#settings.log.warn({ err: error }, "messages cannot be read");
    void this.#restore(connection, 1);
  }

  /** Tries until messages can be read through this connection, or it is lost. Never rejects. */
  async #restore(connection: ListeningConnection, firstAttempt: number): Promise<void> {
    for (let attempt = firstAttempt; !connection.isLost; attempt++) {
      await delay(retryDelay(attempt), undefined, { ref: false });
      try {
        return await this.#resume(connection);
      } catch (error) {
        if (!connection.isLost) this.#settings.log.warn({ err: error, attempt }, "messages cannot be read");
      }
    }
  }

  async #resume(connection: ListeningConnection): Promise<void> {
    const { horizon } = await readStreams(connection, [], this.#pageSize);
    if (connection.isLost || this.#state === "stopped") return;
    clearTimeout(this.#givingUp);
    this.#horizon = horizon;
    this.#connection = connection;
    this.#state = "listening";
    // Read what was committed in the meantime.
    this.#beat();
  }

  #endAll(reason: EndReason): void {
    this.#openings.rejectAll(notListening());
    for (const feed of [...this.#feeds.values()]) feed.endAll(reason);
  }
}

function notListening(): ApiError {
  return unavailable("Messages cannot be followed at the moment.");
}
