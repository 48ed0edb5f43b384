import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import type { Mail, MailText } from "./mailTexts.ts";
import { maxConnections, type Outcome, type Smtp } from "./smtp.ts";

/** Looked at this often, for mails that wait for another attempt. New ones are notified. */
const pauseMs = 10_000;
/** An attempt is ended after this time. The lease is longer, so that no second attempt begins before. */
const attemptMs = 120_000;
const leaseMs = 2 * attemptMs;
/** A mail that takes longer waits for a server that hangs, perhaps for its recipient alone: others go on beside it. */
const hangMs = 3_000;
/** Mails under way that do not hang. As many others may hang, and half as many for one domain. */
const maxActive = maxConnections / 2;
const settleAgainMs = 1_000;
/** At a stop. What is ended may be sent again. */
const patienceMs = 5_000;
/** Pauses grow from one to the other. */
const [shortestPauseMs, longestPauseMs] = [30_000, 3_600_000];

type Claimed = Mail & { attempts: number };

/** A mail under way. */
interface Attempt {
  domain: string;
  hangs: boolean;
}

/** Sends the mails of the outbox. Any number of instances can, beside a mailer of the operator's. */
export class Mailer {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #render: (mail: Mail) => MailText;
  readonly #smtp: Smtp;
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> | undefined;
  readonly #underWay = new Map<Promise<void>, Attempt>();
  /** The last attempt failed before the server heard of the mail: one mail at a time, beside those that hang, finds out when it works again. */
  #isServerAway = false;
  /** Attempts since the start, by what became of them. */
  readonly outcomes: Record<Outcome["state"], number> = { sent: 0, failed: 0, refused: 0 };

  constructor(pool: pg.Pool, log: Logger, render: (mail: Mail) => MailText, smtp: Smtp) {
    this.#pool = pool;
    this.#log = log;
    this.#render = render;
    this.#smtp = smtp;
  }

  start(): this {
    this.#running = this.#run();
    return this;
  }

  /** There are new mails. */
  wake(): void {
    this.#wake.abort();
  }

  /** Begins no attempt, and waits for those under way, but not for long. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const patience = setTimeout(() => this.#ending.abort(), patienceMs);
    await this.#running;
    clearTimeout(patience);
    this.#smtp.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Before the look: a mail that is notified meanwhile causes another one.
      this.#wake = new AbortController();
      for (const mail of await this.#claim(this.#room())) this.#begin(mail);
      const wakes = AbortSignal.any([this.#wake.signal, signal]);
      await delay(pauseMs, undefined, { ref: false, signal: wakes }).catch(() => {});
    }
    await Promise.all(this.#underWay.keys());
  }

  /** How many mails may be begun now. */
  #room(): number {
    const active = [...this.#underWay.values()].filter(({ hangs }) => !hangs).length;
    return Math.min((this.#isServerAway ? 1 : maxActive) - active, maxConnections - this.#underWay.size);
  }

  #begin(mail: Claimed): void {
    const attempt: Attempt = { domain: mail.email.replace(/^.*@/, "").toLowerCase(), hangs: false };
    const ofDomain = [...this.#underWay.values()].filter(({ domain, hangs }) => hangs && domain === attempt.domain);
    const timer = setTimeout(() => {
      attempt.hangs = true;
      this.wake();
    }, hangMs);
    const isPutOff = ofDomain.length >= maxActive / 2;
    const sending = (isPutOff ? this.#putOff(mail) : this.#send(mail)).finally(() => {
      clearTimeout(timer);
      this.#underWay.delete(sending);
      if (!this.#isServerAway) this.wake();
    });
    this.#underWay.set(sending, attempt);
  }

  /** Leaves the room to mails to other domains. */
  #putOff({ id, attempts }: Claimed): Promise<void> {
    const reason = "the server does not answer for other mails to the same domain";
    return this.#settle([id, attempts, reason, pauseAfter(attempts)]);
  }

  async #claim(count: number): Promise<Claimed[]> {
    if (count <= 0) return [];
    try {
      const lease = `${leaseMs} milliseconds`;
      const { rows } = await this.#pool.query<Claimed>("select * from app_private.claim_mail($1, $2)", [lease, count]);
      return rows;
    } catch (error) {
      this.#log.warn({ err: error }, "mails cannot be read; it is tried again");
      return [];
    }
  }

  async #send(mail: Claimed): Promise<void> {
    const outcome = await this.#attempt(mail);
    this.outcomes[outcome.state]++;
    this.#isServerAway = outcome.state === "failed" && outcome.concerns === "server";
    const { id, kind, attempts } = mail;
    const reason = outcome.state === "sent" ? null : outcome.reason;
    let pause: string | null = null;
    if (outcome.state === "failed") {
      pause = pauseAfter(attempts);
      this.#log.warn({ mail: id, kind, attempts, reason }, "a mail was not sent; it is tried again");
    }
    if (outcome.state === "refused") {
      this.#log.error({ mail: id, kind, attempts, reason }, "a mail was refused for good");
    }
    await this.#settle([id, attempts, reason, pause]);
  }

  /** Tried again while nobody else may send the mail: otherwise it would be sent twice after a restart of the database. */
  async #settle(what: [id: string, attempts: number, reason: string | null, pause: string | null]): Promise<void> {
    for (const giveUpAt = Date.now() + leaseMs - attemptMs; ; ) {
      try {
        await this.#pool.query("select app_private.settle_mail($1, $2, $3, $4)", what);
        return;
      } catch (error) {
        const isOver = this.#ending.signal.aborted || Date.now() > giveUpAt;
        const consequence = isOver ? "; if it was sent, it is sent again" : "; it is tried again";
        this.#log.warn({ err: error, mail: what[0] }, `what became of a mail cannot be stored${consequence}`);
        if (isOver) return;
        await delay(settleAgainMs, undefined, { signal: this.#ending.signal }).catch(() => {});
      }
    }
  }

  async #attempt(mail: Claimed): Promise<Outcome> {
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(attemptMs), this.#ending.signal]);
      return await this.#smtp.send(mail, this.#render(mail), signal);
    } catch (error) {
      // Of a kind without a text.
      return { state: "failed", concerns: "mail", reason: (error as Error).message };
    }
  }
}

/** @returns an interval of SQL */
function pauseAfter(attempts: number): string {
  return `${Math.min(shortestPauseMs * 2 ** (attempts - 1), longestPauseMs)} milliseconds`;
}
