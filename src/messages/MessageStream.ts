import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { ApiError } from "../errors/ApiError.ts";
import { retryDelay } from "../support/retryDelay.ts";
import { rowId } from "../support/rowId.ts";
import { ChatFeed, type Cursor, type Page } from "./ChatFeed.ts";
import { ListeningConnection } from "./ListeningConnection.ts";
import type { EndReason, MessageSubscription } from "./MessageSubscription.ts";
import type { Notification } from "./notification.ts";
import { Openings } from "./Openings.ts";
import { Subscriber } from "./Subscriber.ts";
import { type Horizon, readStreams } from "./statements.ts";

export interface MessageStreamSettings {
  /** Connection string of the API's login role. */
  connectionString: string;
  log: Pick<Logger, "info" | "warn">;
  /** How often everything is asked for, told or not. What no notification tells is found by then. */
  heartbeatMs?: number;
  /** How long the database may take to answer before its connection counts as lost. */
  answerWithinMs?: number;
  /** How long the database may be away before the subscriptions are given up. */
  restoreWithinMs?: number;
  /** How many messages wait for one slow consumer before it is given up. */
  bufferSize?: number;
}

export interface MessageStreamStatus {
  state: "stopped" | "listening" | "reconnecting" | "unavailable";
  chats: number;
  subscriptions: number;
  /** Since the start: messages given to subscribers, statements that read or opened, connections lost. */
  deliveries: number;
  statements: number;
  losses: number;
  /** How long the last reading took, from the wake-up to the hand-out, in ms. */
  lagMs: number;
}

/** Bounds of one statement: places read from, and messages read from each. */
const placesPerRead = 200;
const messagesPerPage = 100;

/** A connection that has lived as long was a good one: its loss is no reason to wait before the next. */
const goodAfterMs = 1_000;

/**
 * Tells subscribers of the messages added to their chats: each once, in order, none left out, whatever happens to the
 * connection in between.
 *
 * NOTIFY is only the bell. Whatever rings, one statement reads on from where the chats' subscribers are and says, as of
 * the same moment, which of their viewers may read still; what rings meanwhile is read by the next. So the number of
 * statements does not grow with the number of subscribers, and a message is never given to anyone who could not have read
 * it in the table at that moment.
 */
export class MessageStream {
  #state: MessageStreamStatus["state"] = "stopped";
  readonly #settings: Required<MessageStreamSettings>;
  readonly #feeds = new Map<string, ChatFeed>();
  /** The feeds that there is something to ask for. */
  readonly #due = new Set<ChatFeed>();
  readonly #openings = new Openings();
  readonly #stopping = new AbortController();
  #connection: ListeningConnection | undefined;
  /** The moment of the last answer. */
  #horizon: Horizon | undefined;
  #isWorking = false;
  #isBeatDue = false;
  #wokenAt: number | undefined;
  #running: Promise<void> | undefined;
  #subscriptions = 0;
  #deliveries = 0;
  #statements = 0;
  #losses = 0;
  #lagMs = 0;

  constructor(settings: MessageStreamSettings) {
    this.#settings = {
      heartbeatMs: 5_000,
      answerWithinMs: 5_000,
      restoreWithinMs: 30_000,
      bufferSize: 1_000,
      ...settings,
    };
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

  /** Starts to listen. @throws when the database cannot be reached now; it may be away later. */
  async start(): Promise<void> {
    const connection = await this.#listen();
    this.#running = this.#keepListening(connection);
  }

  /** Ends every subscription, and lets go of everything. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#state = "stopped";
    this.#endAll("stopping");
    await this.#connection?.close();
    await this.#running;
  }

  /**
   * Subscribes a viewer to a chat. What is committed after this was called arrives, even before it has resolved.
   *
   * @param after id of a message of the chat: first everything since that one, then what is to come
   * @throws ApiError: NOT_FOUND when the viewer may not read the chat, whether or not it is there; VALIDATION_ERROR when
   * `after` is no message of it; SERVICE_UNAVAILABLE while the database is away for too long, and when the stream stops
   */
  async subscribe(wish: { chatId: string; viewerId: string; after?: string }): Promise<MessageSubscription> {
    if (this.#state === "stopped" || this.#state === "unavailable") throw unavailable();
    const [chatId, viewerId] = [rowId(wish.chatId), rowId(wish.viewerId)];
    const afterId = wish.after === undefined ? undefined : rowId(wish.after);
    const opening = this.#openings.add(
      { chatId, viewerId, afterId, horizon: this.#horizon },
      this.#connection,
      this.#feeds.get(chatId)?.reached ?? 0,
    );
    this.#wake();
    const start = await opening;
    if (this.#stopping.signal.aborted) throw unavailable();
    return this.#addSubscriber(chatId, viewerId, start);
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

  #hear(notification: Notification): void {
    if ("barrier" in notification) return;
    if ("userId" in notification) {
      for (const feed of this.#feeds.values()) {
        if (feed.has(notification.userId)) this.#makeStale(feed);
      }
      return;
    }
    const { chatId, number } = notification;
    if (number !== undefined) this.#openings.tell(chatId, number);
    const feed = this.#feeds.get(chatId);
    if (!feed || (number !== undefined && !feed.isNews(number))) return;
    this.#makeStale(feed);
  }

  #makeStale(feed: ChatFeed): void {
    feed.isStale = true;
    this.#makeDue(feed);
  }

  #beat(): void {
    // A statement under way is a heartbeat, too: it has to be answered in time.
    this.#isBeatDue = true;
    for (const feed of this.#feeds.values()) this.#makeStale(feed);
    this.#wake();
  }

  #wake(): void {
    this.#wokenAt ??= performance.now();
    if (!this.#isWorking) void this.#work();
  }

  /** Asks whatever there is to ask, one statement at a time. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    // What else arrives with the same packet is asked for by the same statement.
    await Promise.resolve();
    let connection = this.#connection;
    while (connection && (this.#openings.size > 0 || this.#due.size > 0 || this.#isBeatDue)) {
      try {
        if (this.#openings.size > 0) await this.#open(connection);
        if (this.#due.size > 0 || this.#isBeatDue) await this.#read(connection);
      } catch (error) {
        connection.fail(error as Error);
        if (this.#connection === connection) this.#connection = undefined;
      }
      connection = this.#connection;
    }
    this.#isWorking = false;
    this.#wokenAt = undefined;
  }

  async #open(connection: ListeningConnection): Promise<void> {
    this.#statements += 1;
    await this.#openings.openAll(connection);
  }

  async #read(connection: ListeningConnection): Promise<void> {
    const wokenAt = this.#wokenAt ?? performance.now();
    this.#wokenAt = undefined;
    const cursors = this.#takeCursors();
    // Whoever was to be asked about may have left.
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

  /** A page must fit into an empty buffer. */
  get #pageSize(): number {
    return Math.min(messagesPerPage, this.#settings.bufferSize);
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

  async #listen(): Promise<ListeningConnection> {
    const { connectionString, answerWithinMs } = this.#settings;
    const connection = await ListeningConnection.open({
      connectionString,
      answerWithinMs,
      onNotification: (notification) => this.#hear(notification),
    });
    try {
      const { horizon } = await readStreams(connection, [], this.#pageSize);
      if (this.#stopping.signal.aborted) throw unavailable();
      this.#horizon = horizon;
    } catch (error) {
      connection.fail(error as Error);
      throw error;
    }
    this.#connection = connection;
    this.#state = "listening";
    return connection;
  }

  async #keepListening(first: ListeningConnection): Promise<void> {
    let connection: ListeningConnection | undefined = first;
    while (connection) {
      const openedAt = performance.now();
      // Whatever was committed while nobody listened.
      this.#beat();
      const heartbeat = setInterval(() => this.#beat(), this.#settings.heartbeatMs);
      const reason = await connection.lost;
      clearInterval(heartbeat);
      if (this.#stopping.signal.aborted) return;
      this.#connection = undefined;
      this.#state = "reconnecting";
      this.#losses += 1;
      this.#settings.log.warn({ err: reason }, "the connection that listens for messages was lost");
      connection = await this.#restore(performance.now() - openedAt > goodAfterMs ? 0 : 1);
    }
  }

  /** Tries until it listens again, or is stopped. */
  async #restore(firstAttempt: number): Promise<ListeningConnection | undefined> {
    const { signal } = this.#stopping;
    const lostAt = performance.now();
    const giveUp = setTimeout(() => this.#giveUp(), this.#settings.restoreWithinMs);
    try {
      for (let attempt = firstAttempt; ; attempt++) {
        await delay(retryDelay(attempt), undefined, { signal });
        try {
          const connection = await this.#listen();
          this.#settings.log.info({ afterMs: Math.round(performance.now() - lostAt) }, "listening for messages again");
          return connection;
        } catch (error) {
          if (signal.aborted) return undefined;
          this.#settings.log.warn({ err: error, attempt }, "cannot listen for messages");
        }
      }
    } catch {
      // Stopped while it waited.
      return undefined;
    } finally {
      clearTimeout(giveUp);
    }
  }

  #giveUp(): void {
    this.#state = "unavailable";
    this.#endAll("unavailable");
  }

  #endAll(reason: EndReason): void {
    this.#openings.rejectAll(unavailable());
    for (const feed of [...this.#feeds.values()]) feed.endAll(reason);
  }
}

function unavailable(): ApiError {
  return new ApiError("SERVICE_UNAVAILABLE", "Messages cannot be followed at the moment.");
}
