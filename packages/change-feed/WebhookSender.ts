import { setTimeout as delay } from "node:timers/promises";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { printable } from "@content-service/support/printable.ts";
import { cacheTagOfRelation, computedTag, rowTag } from "./cacheTags.ts";
import { Endpoint, type EndpointSettings } from "./Endpoint.ts";
import type { Listener } from "./Listener.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import type { Log } from "./Log.ts";

/**
 * A connection pool of `pg`, of the feed's login, with three connections or more. Its `lock_timeout` says how long a row of a locked table is
 * waited for: a second is enough, as it is tried again.
 */
export interface WebhookPool {
  query<Row>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** How webhooks are sent. */
export interface WebhookSettings extends EndpointSettings {
  log: Log;
  /** The schema that holds the feed; by default, `change_feed`. */
  schema?: string;
  /** How often it is looked for what is due; what is new is sent at once where wake() is called. */
  pauseMs?: number;
  /** The pause after a failure; doubled each time, up to an hour. */
  firstRetryMs?: number;
}

interface Claimed {
  name: string;
  lease: string;
  url: string;
  secret: string;
  /** Null: the endpoint is told of each row, and receives none. */
  role: string | null;
}

interface Due {
  id: string;
  kind: string;
  key: string;
  row_id: string;
  message_id: string;
  created_at: Date;
  attempts: number;
  relation: string;
}

/** Longer than an attempt and what comes before and after it. */
const leaseFor = "90 seconds";
/** Attempts under way for one endpoint, each for another key. */
const maxUnderWay = 10;
/** Rows that are read at the same time. Another connection is for the queue. */
const maxReads = 2;
/** A webhook whose last row took longer shares one of these reads with all others like it. The other one is for the rest. */
const slowReadMs = 250;
/** An endpoint that fails so many times in a row is left alone for a while. */
const failuresBeforePause = 3;
const defaultRetryMs = 1_000;
/** In characters. */
const maxReasonLength = 300;
const longestPauseMs = 3_600_000;
/** Errors of the connection or the server, and not of the statement. */
const serverStates = /^(08|53|57|58)/;

const interval = (ms: number) => `${ms} milliseconds`;

/**
 * Sends the events of webhooks: those of each key in the order of commits, each at least once. Any number of senders share the endpoints, and one
 * has an endpoint at a time.
 */
export class WebhookSender {
  readonly #pool: WebhookPool;
  readonly #settings: WebhookSettings;
  readonly #schema: string;
  readonly #stopping = new AbortController();
  readonly #tasks = new Set<Promise<void>>();
  /** Endpoints that were left while the database could not be asked. Others would wait until the lease ends. */
  readonly #unreleased: Claimed[] = [];
  /** Tables, policies and functions of others decide how long a row takes: one at a time for each webhook. */
  readonly #reads = new FairSlots(maxReads, () => 1);
  /** The webhooks whose last row took long. */
  readonly #slow = new Set<string>();
  #wake = new AbortController();
  #running: Promise<void> | undefined;
  /** Since the start: events taken by endpoints, not to be seen by the role of the webhook, and attempts that failed. */
  readonly outcomes = { delivered: 0, hidden: 0, failed: 0 };

  constructor(pool: WebhookPool, settings: WebhookSettings) {
    this.#pool = pool;
    this.#settings = settings;
    this.#schema = settings.schema ?? "change_feed";
  }

  /** New events are sent as soon as this connection hears of them. Before its start(). */
  hearBy(listener: Listener): this {
    const text = `select name from ${this.#schema}.notification_channels where purpose = 'webhooks'`;
    const readChannel = async (connection: ListeningConnection) => {
      const [row] = await connection.ask<{ name: string }>({ text });
      return row?.name ?? "";
    };
    listener.handle(readChannel, { notified: () => this.wake(), restored: () => this.wake() });
    return this;
  }

  /** Sends what is due, until stop(). */
  start(): this {
    this.#running = this.#run();
    return this;
  }

  /** There may be new events. */
  wake(): void {
    this.#wake.abort();
  }

  /** Begins no attempt, and ends those under way: they are made again elsewhere. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#tasks);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { pauseMs = 5_000, log } = this.#settings;
    while (!signal.aborted) {
      // Before the look: what is notified meanwhile causes another one.
      this.#wake = new AbortController();
      try {
        for (let left = this.#unreleased[0]; left; left = this.#unreleased[0]) {
          await this.#release(left, 0);
          this.#unreleased.shift();
        }
        // One that was claimed during a stop is released at once.
        for (let claimed = await this.#claim(); claimed; claimed = signal.aborted ? undefined : await this.#claim()) {
          const task = this.#serve(claimed).finally(() => this.#tasks.delete(task));
          this.#tasks.add(task);
        }
      } catch (error) {
        log.warn({ err: error }, "webhooks cannot be read; it is tried again");
      }
      const wakes = AbortSignal.any([this.#wake.signal, signal]);
      await delay(pauseMs, undefined, { ref: false, signal: wakes }).catch(() => {});
    }
  }

  async #claim(): Promise<Claimed | undefined> {
    const { rows } = await this.#pool.query<Claimed>(`select * from ${this.#schema}.claim_webhook($1)`, [leaseFor]);
    return rows[0];
  }

  /** Sends what is due to an endpoint, until nothing is, or it fails. Never rejects. */
  async #serve(claimed: Claimed): Promise<void> {
    const { name, url, secret, lease } = claimed;
    const { signal } = this.#stopping;
    const { log, firstRetryMs = defaultRetryMs } = this.#settings;
    let failures = 0;
    let sent = 0;
    try {
      const endpoint = new Endpoint(url, secret, this.#settings);
      while (!signal.aborted && failures < failuresBeforePause) {
        const count = failures === 0 ? maxUnderWay : 1;
        const { rows } = await this.#pool.query<Due>(
          `select * from ${this.#schema}.due_webhook_events($1, $2, $3, $4)`,
          [name, lease, leaseFor, count],
        );
        if (rows.length === 0) break;
        sent += rows.length;
        const attempts = rows.map((event) => this.#send(claimed, endpoint, event));
        // None is under way any more when the endpoint is left to others.
        await Promise.allSettled(attempts);
        const succeeded = await Promise.all(attempts);
        failures = succeeded.includes(true) ? 0 : failures + 1;
      }
      const pauseMs = failures < failuresBeforePause ? 0 : firstRetryMs;
      await this.#release(claimed, pauseMs);
      // What was queued while the endpoint was claimed.
      if (sent > 0 && pauseMs === 0) this.wake();
    } catch (error) {
      this.#unreleased.push(claimed);
      log.warn({ err: error, webhook: name }, "a webhook cannot be served; it is tried again");
    }
  }

  async #release({ name, lease }: Claimed, pauseMs: number): Promise<void> {
    await this.#pool.query(`select ${this.#schema}.release_webhook($1, $2, $3)`, [name, lease, interval(pauseMs)]);
  }

  /** @returns whether the endpoint has taken the event, or need not */
  async #send({ name, lease, role }: Claimed, endpoint: Endpoint, event: Due): Promise<boolean> {
    const settle = (error: string | null, againInMs: number | null) =>
      this.#pool.query(`select ${this.#schema}.settle_webhook_event($1, $2, $3, $4, $5)`, [
        name,
        lease,
        event.id,
        error,
        againInMs === null ? null : interval(againInMs),
      ]);
    const { kind, key, row_id: id, message_id: messageId, created_at: timestamp, relation } = event;
    const hasRow = kind !== "deleted" && role !== null;
    const { row, failure: unread } = hasRow ? await this.#read(name, event.id) : {};
    if (hasRow && row === null) {
      this.outcomes.hidden++;
      await settle(null, null);
      return true;
    }
    const body = JSON.stringify({ type: `${relation}.${kind}`, timestamp, data: { id, key, row } });
    const table = cacheTagOfRelation(relation);
    const tags = [table, rowTag(table, id), computedTag];
    const reason = unread ?? (await endpoint.post(messageId, body, tags, this.#stopping.signal));
    const failure = reason === undefined ? undefined : printable(reason, maxReasonLength);
    // Ended by stop(): nobody knows what became of it, so it is sent again.
    if (failure !== undefined && this.#stopping.signal.aborted) return false;
    this.outcomes[failure === undefined ? "delivered" : "failed"]++;
    if (failure !== undefined) {
      this.#settings.log.warn({ webhook: name, event: messageId, reason: failure }, "a webhook was not delivered");
    }
    await settle(failure ?? null, failure === undefined ? null : this.#pauseAfter(event.attempts));
    return failure === undefined;
  }

  /** The row as the role of the webhook may read it: null if it may not. */
  async #read(name: string, eventId: string): Promise<{ row?: unknown; failure?: string }> {
    const turn = this.#slow.has(name) ? "slow" : `webhook ${name}`;
    try {
      await this.#reads.enter(turn, this.#stopping.signal);
    } catch {
      return { failure: "the sender stops" };
    }
    const begunAt = performance.now();
    try {
      const text = `select ${this.#schema}.webhook_row($1, $2) as row`;
      const { rows } = await this.#pool.query<{ row: unknown }>(text, [name, eventId]);
      return { row: rows[0]?.row ?? null };
    } catch (error) {
      const { code = "", message } = error as Error & { code?: string };
      if (!/^[0-9A-Z]{5}$/.test(code) || serverStates.test(code)) throw error;
      return { failure: `the row cannot be read: ${message}` };
    } finally {
      if (performance.now() - begunAt > slowReadMs) this.#slow.add(name);
      else this.#slow.delete(name);
      this.#reads.leave(turn);
    }
  }

  #pauseAfter(failures: number): number {
    const { firstRetryMs = defaultRetryMs } = this.#settings;
    return Math.min(firstRetryMs * 2 ** failures, longestPauseMs);
  }
}
