import type pg from "pg";

/** A database that needs longer for an empty query counts as unavailable. */
const patienceMs = 1_000;

/** Whether a load balancer should send requests here: the database answers, and the service is not stopping. */
export class Readiness {
  readonly #pool: pg.Pool;
  #asking: Promise<boolean> | undefined;
  isStopping = false;

  /** @param pool connections that requests do not use, so that a busy service stays ready */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The reason for not being ready, or undefined. Concurrent probes share one query. */
  async fault(): Promise<string | undefined> {
    if (this.isStopping) return "stopping";
    this.#asking ??= this.#databaseAnswers().finally(() => {
      this.#asking = undefined;
    });
    return (await this.#asking) ? undefined : "the database does not answer";
  }

  async #databaseAnswers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs);
    });
    const answers = this.#pool.query("select").then(
      () => true,
      () => false,
    );
    return Promise.race([answers, tooLate]).finally(() => clearTimeout(timer));
  }
}
