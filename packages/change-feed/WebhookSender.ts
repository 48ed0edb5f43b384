import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { FairSlots } from "@content-service/support/FairSlots.ts";
import { printable } from "@content-service/support/printable.ts";
import { AttemptSlots } from "./AttemptSlots.ts";
import { cacheTagOfRelation, computedTag, rowTag } from "./cacheTags.ts";
import { EndpointClient, type EndpointSettings, type Reply } from "./EndpointClient.ts";
import type { Listener } from "./Listener.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import type { Log } from "./Log.ts";

/** A connection pool of `pg`, of the feed's login, with three connections or more. */
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

/** How a webhook is, if all is not well: some keys are stuck behind an event, the endpoint fails, or it is gone. */
export type WebhookTrouble = "stuck" | "failing" | "disabled";

interface Webhook {
  name: string;
  url: string;
  secrets: string[];
  /** Null: the endpoint is told of each row, and receives none. */
  role: string | null;
  failures: number;
  is_disabled: boolean;
  stuck: number;
  due: number;
  next_in: number | null;
}

interface Due {
  webhook: string;
  id: string;
  kind: string;
  key: string;
  row_id: string;
  message_id: string;
  created_at: Date;
  /** With this one. */
  attempts: number;
  relation: string;
}

/** See change_feed.settle_webhook_events(). */
interface Outcome {
  verdict: Reply["verdict"] | "hidden" | "unread" | "unknown";
  /** Why: the text of others. */
  reason?: string;
  rest?: number | undefined;
}

interface Row {
  id: string;
  /** As JSON; null for a row that the role may not see. */
  row_text: string | null;
  error: string | null;
}

/** Longer than an attempt and what comes before and after it. */
const leaseFor = "90 seconds";
/** While there is no room for what is due. Each end of an attempt causes a look, too. */
const lookAgainMs = 1_000;
const defaultRetryMs = 1_000;
const longestPauseMs = 3_600_000;
/** The last of them comes some nine minutes after the first one. */
const triesOfRefused = 10;
/** In characters. */
const maxReasonLength = 300;
/** Statements that read rows at the same time. Another connection is for the queue. */
const maxReads = 2;
/** A webhook whose last rows took longer shares one of these reads with all others like it. The other one is for the rest. */
const slowReadMs = 250;
/** Errors of what a statement was given, and errors of how long it took: not of the connection, the login or the server. */
const isOfValues = (error: unknown) => /^(22|23|54|P0)/.test(String((error as { code?: string }).code));
const isOfTime = (error: unknown) => /^(57014|55P03)/.test(String((error as { code?: string }).code));

/**
 * Sends the events of webhooks: those of each key in the order of commits, each at least once. Any number of senders share the endpoints, and one
 * has a key at a time.
 */
export class WebhookSender {
  readonly #pool: WebhookPool;
  readonly #settings: WebhookSettings;
  readonly #schema: string;
  readonly #endpoints: EndpointClient;
  readonly #lease = randomUUID();
  readonly #stopping = new AbortController();
  readonly #slots = new AttemptSlots();
  /** Tables, policies and functions of others decide how long rows take: one read at a time for each webhook. */
  readonly #reads = new FairSlots(maxReads, () => 1);
  /** The webhooks whose last rows took long. */
  readonly #slow = new Set<string>();
  readonly #tasks = new Set<Promise<void>>();
  /** What became of events, until it is stored. */
  readonly #results: object[] = [];
  #wake = new AbortController();
  #running: Promise<void> | undefined;
  /**
   * Since the start: events that endpoints have taken, that the role of the webhook may not see, and that were given up; attempts that have failed
   * because of the endpoint, or because it refuses the event.
   */
  readonly outcomes = { delivered: 0, hidden: 0, failed: 0, refused: 0, given_up: 0 };
  /** The webhooks of which all is not well, by name. */
  troubled: ReadonlyMap<string, WebhookTrouble> = new Map();

  constructor(pool: WebhookPool, settings: WebhookSettings) {
    this.#pool = pool;
    this.#settings = settings;
    this.#schema = settings.schema ?? "change_feed";
    this.#endpoints = new EndpointClient(settings);
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
    await this.#settle().catch((error) => this.#settings.log.warn({ err: error }, "what became of events is lost"));
    this.#endpoints.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { pauseMs = 5_000, log } = this.#settings;
    while (!signal.aborted) {
      // Before the look: what is notified meanwhile causes another one.
      this.#wake = new AbortController();
      let waitMs = pauseMs;
      try {
        waitMs = Math.min(pauseMs, await this.#turn());
      } catch (error) {
        log.warn({ err: error }, "webhooks cannot be read; it is tried again");
      }
      const wakes = AbortSignal.any([this.#wake.signal, signal]);
      await delay(waitMs, undefined, { ref: false, signal: wakes }).catch(() => {});
    }
  }

  /**
   * Stores what became of events, and begins the attempts for which there is room. Each end of an attempt causes another turn.
   *
   * @returns after how many ms the next event is due
   */
  async #turn(): Promise<number> {
    await this.#settle();
    const { rows: webhooks } = await this.#pool.query<Webhook>(`select * from ${this.#schema}.sendable_webhooks()`);
    this.#note(webhooks);
    const counts = this.#slots.allot(webhooks);
    if (counts.size > 0 && !this.#stopping.signal.aborted) {
      const { rows: events } = await this.#pool.query<Due>(
        `select * from ${this.#schema}.claim_webhook_events($1, $2, $3, $4)`,
        [this.#lease, leaseFor, [...counts.keys()], [...counts.values()]],
      );
      for (const webhook of webhooks) {
        const own = events.filter((event) => event.webhook === webhook.name);
        if (own.length === 0) continue;
        const task = this.#attempt(webhook, own).finally(() => this.#tasks.delete(task));
        this.#tasks.add(task);
      }
    }
    const isLeft = webhooks.some(({ name, due }) => due > (counts.get(name) ?? 0));
    const pauses = webhooks.flatMap(({ next_in: seconds }) =>
      seconds !== null && seconds > 0 ? [seconds * 1_000] : [],
    );
    return Math.min(...pauses, ...(isLeft ? [lookAgainMs] : []));
  }

  #note(webhooks: readonly Webhook[]): void {
    const troubleOf = ({ is_disabled: isDisabled, failures, stuck }: Webhook): WebhookTrouble | undefined => {
      if (isDisabled) return "disabled";
      if (failures >= 3) return "failing";
      return stuck > 0 ? "stuck" : undefined;
    };
    this.troubled = new Map(
      webhooks.flatMap((webhook) => {
        const trouble = troubleOf(webhook);
        return trouble ? [[webhook.name, trouble]] : [];
      }),
    );
  }

  /** Stores what became of events: of all by one statement, or of each where that fails. */
  async #settle(results = this.#results.splice(0)): Promise<void> {
    if (results.length === 0) return;
    const { log, firstRetryMs = defaultRetryMs } = this.#settings;
    const text = `select * from ${this.#schema}.settle_webhook_events($1, $2, $3)`;
    try {
      const values = [this.#lease, `${firstRetryMs} milliseconds`, JSON.stringify(results)];
      const { rows } = await this.#pool.query<{ webhook: string; event_id: string }>(text, values);
      for (const given of rows) log.error(given, "an event of a webhook was given up");
      this.outcomes.given_up += rows.length;
    } catch (error) {
      if (!isOfValues(error)) {
        this.#results.unshift(...results);
        throw error;
      }
      // Its lease ends, and it is sent again.
      if (results.length === 1)
        return log.error({ err: error, ...results[0] }, "what became of an event cannot be stored");
      for (const result of results) await this.#settle([result]);
    }
  }

  /** Sends events of one webhook, each of another key. Never rejects. */
  async #attempt(webhook: Webhook, events: readonly Due[]): Promise<void> {
    const begun = events.map((event) => ({ event, end: this.#slots.begin(webhook.name) }));
    const rows = await this.#read(webhook, events);
    const attempts = begun.map(async ({ event, end }) => {
      const outcome = await this.#send(webhook, event, rows);
      this.#conclude(event, outcome);
      end(outcome.verdict === "delivered" || outcome.verdict === "refused");
      this.wake();
    });
    await Promise.all(attempts);
  }

  /**
   * The rows as the role of the webhook may read them.
   *
   * @returns by the ids of their events, of those that have one; undefined while the database cannot be asked
   */
  async #read({ name, role }: Webhook, events: readonly Due[]): Promise<Map<string, Row> | undefined> {
    const ids = events.flatMap(({ id, kind }) => (role === null || kind === "deleted" ? [] : [id]));
    if (ids.length === 0) return new Map();
    const turn = this.#slow.has(name) ? "slow" : `webhook ${name}`;
    await this.#reads.enter(turn);
    const begunAt = performance.now();
    try {
      const text = `select * from ${this.#schema}.webhook_rows($1, $2)`;
      const { rows } = await this.#pool.query<Row>(text, [name, ids]);
      return new Map(rows.map((row) => [row.id, row]));
    } catch (error) {
      if (isOfValues(error) || isOfTime(error)) {
        const { message } = error as Error;
        return new Map(ids.map((id) => [id, { id, row_text: null, error: message }]));
      }
      this.#settings.log.warn({ err: error, webhook: name }, "the rows of a webhook cannot be read; it is tried again");
      return undefined;
    } finally {
      if (performance.now() - begunAt > slowReadMs) this.#slow.add(name);
      else this.#slow.delete(name);
      this.#reads.leave(turn);
    }
  }

  /** Never rejects. */
  async #send({ url, secrets }: Webhook, event: Due, rows: Map<string, Row> | undefined): Promise<Outcome> {
    const { signal } = this.#stopping;
    const { kind, key, row_id: id, message_id: messageId, created_at: timestamp, relation } = event;
    if (!rows || signal.aborted) return { verdict: "unknown" };
    const row = rows.get(event.id);
    if (typeof row?.error === "string") return { verdict: "unread", reason: `the row cannot be read: ${row.error}` };
    if (row?.row_text === null) return { verdict: "hidden" };
    // The row stays text: a number of PostgreSQL may have more digits than one of JavaScript.
    const data = `${JSON.stringify({ id, key }).slice(0, -1)}${row ? `,"row":${row.row_text}` : ""}}`;
    const body = `${JSON.stringify({ type: `${relation}.${kind}`, timestamp }).slice(0, -1)},"data":${data}}`;
    const tags = [cacheTagOfRelation(relation), rowTag(cacheTagOfRelation(relation), id), computedTag];
    const reply = await this.#endpoints.post({ url, secrets, id: messageId, body, tags }, signal);
    // Ended by stop(): nobody knows what became of it, so it is sent again.
    return reply.verdict === "delivered" || !signal.aborted ? reply : { verdict: "unknown" };
  }

  #conclude({ webhook, key, id, message_id: event, attempts }: Due, { verdict, reason, rest = 0 }: Outcome): void {
    const { log, firstRetryMs = defaultRetryMs } = this.#settings;
    const isFailure = verdict === "unread" || verdict === "gone";
    if (verdict !== "unknown") this.outcomes[isFailure ? "failed" : verdict]++;
    const error = reason === undefined ? undefined : printable(reason, maxReasonLength);
    const details = { webhook, event, attempts, reason: error };
    if (verdict === "gone") log.error(details, "a webhook is disabled: its endpoint does not want it any more");
    else if (error !== undefined) log.warn(details, "a webhook was not delivered");
    const pause = Math.min(firstRetryMs * 2 ** (attempts - 1), longestPauseMs);
    // A little longer or shorter, so that what has failed together does not come again together.
    const jittered = pause * (0.95 + Math.random() / 10);
    const again = this.#stopping.signal.aborted ? 0 : Math.max(jittered, rest);
    this.#results.push({ webhook, key, id, verdict, error, again_in: again, rest, tries: triesOfRefused });
  }
}
