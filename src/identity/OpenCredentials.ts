import { setTimeout as delay } from "node:timers/promises";
import { retryDelay } from "@content-service/support/retryDelay.ts";
import type pg from "pg";
import type { Logger } from "pino";
import type { VerifiedToken } from "./verifyToken.ts";

/** The credentials that one statement asks about. */
const batchSize = 1_000;

/**
 * The tokens of open connections. A connection ends with what its token stands for: when the service hears that the rights of a user have
 * changed, it asks the database, and ends the connections whose token app_hidden.identify() refuses by now. Until it has the answer, no event
 * is sent on them.
 */
export class OpenCredentials {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #byUser = new Map<string, Set<OpenCredential>>();
  readonly #doubted = new Set<OpenCredential>();
  #asking: Promise<void> | undefined;
  #isStopped = false;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Adds the token of a connection. @param end called once, when the token has ended */
  add(token: VerifiedToken, end: () => void): OpenCredential {
    const ofUser = this.#byUser.get(token.userId) ?? new Set();
    this.#byUser.set(token.userId, ofUser);
    const credential = new OpenCredential(token, end, () => {
      this.#doubted.delete(credential);
      ofUser.delete(credential);
      if (ofUser.size === 0 && this.#byUser.get(token.userId) === ofUser) this.#byUser.delete(token.userId);
    });
    ofUser.add(credential);
    // The token may have ended after it was verified, before the connection was heard of here.
    this.#doubt([credential]);
    return credential;
  }

  /** What a user may do has changed; without an id, that of any user may have. */
  rightsChanged(userId?: string): void {
    if (userId === undefined) for (const ofUser of this.#byUser.values()) this.#doubt(ofUser);
    else this.#doubt(this.#byUser.get(userId) ?? []);
  }

  /** Asks nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#asking;
  }

  #doubt(credentials: Iterable<OpenCredential>): void {
    for (const credential of credentials) {
      credential.doubt();
      this.#doubted.add(credential);
    }
    if (this.#doubted.size > 0) this.#asking ??= this.#askAll().finally(() => (this.#asking = undefined));
  }

  /** Never rejects. While the database does not answer, nothing is sent on the connections in doubt. */
  async #askAll(): Promise<void> {
    for (let attempt = 0; this.#doubted.size > 0 && !this.#isStopped; ) {
      const batch = [...this.#doubted].slice(0, batchSize);
      for (const one of batch) this.#doubted.delete(one);
      try {
        await this.#ask(batch);
        attempt = 0;
      } catch (error) {
        for (const one of batch) if (one.isOpen) this.#doubted.add(one);
        this.#log.warn(
          { err: error },
          "whether the tokens of open connections have ended cannot be asked; it is tried again",
        );
        await delay(retryDelay(++attempt), undefined, { ref: false });
      }
    }
  }

  async #ask(batch: readonly OpenCredential[]): Promise<void> {
    const asked = batch.map(({ token: { userId, issuedAt, link } }) => ({ userId, issuedAt, link }));
    const sql = "select app_private.ended_credentials($1) as ended";
    const { rows } = await this.#pool.query<{ ended: number[] }>(sql, [JSON.stringify(asked)]);
    const ended = new Set(rows[0]?.ended);
    for (const [index, credential] of batch.entries()) {
      if (ended.has(index + 1)) credential.end();
      else if (!this.#doubted.has(credential)) credential.trust();
    }
  }
}

/** The token of an open connection. */
export class OpenCredential {
  readonly token: VerifiedToken;
  readonly #end: () => void;
  readonly #forget: () => void;
  #state: "open" | "ended" | "closed" = "open";
  /** Resolves when the database has been asked. Undefined while there is no doubt. */
  #asked: PromiseWithResolvers<void> | undefined;

  constructor(token: VerifiedToken, end: () => void, forget: () => void) {
    this.token = token;
    this.#end = end;
    this.#forget = forget;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Whether the token has ended. Waits for the database while that is in doubt. */
  hasEnded(): boolean | Promise<boolean> {
    return this.#asked ? this.#asked.promise.then(() => this.hasEnded()) : this.#state === "ended";
  }

  doubt(): void {
    if (this.#state === "open") this.#asked ??= Promise.withResolvers();
  }

  trust(): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.resolve();
  }

  end(): void {
    if (this.#state !== "open") return;
    this.close();
    this.#state = "ended";
    this.#end();
  }

  /** The connection is closed. */
  close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    this.#forget();
    this.trust();
  }
}
