import type pg from "pg";

/** A database that takes longer to say a word is not one to send requests to. */
const patienceMs = 1_000;

/** Whether requests should be sent here: the database answers, and the service is not about to stop. */
export class Readiness {
  readonly #pool: pg.Pool;
  #asking: Promise<boolean> | undefined;
  isStopping = false;

  /** @param pool of connections that requests do not use: a busy service is a ready one */
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Why not, or undefined. However many ask at once, the database is asked once. */
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
