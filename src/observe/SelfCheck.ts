import type pg from "pg";
import type { Logger } from "pino";
import { runForLong } from "../database/runForLong.ts";

/** No request waits for the check. */
const timeoutMs = 60_000;

interface Problem {
  subject: string;
  problem: string;
  /** SQL or a command. */
  repair: string | null;
}

const find = "select subject, problem, repair from app_private.problems()";

/** What does not work in the database, as app_private.problems() finds it. */
export class SelfCheck {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  /** How many the last check has found. A check that fails counts as one. */
  problems = 0;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Logs each problem with its repair. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      const problems = await runForLong<Problem>(this.#pool, find, timeoutMs);
      this.problems = problems.length;
      for (const problem of problems) this.#log.warn(problem, "something in the database does not work");
    } catch (error) {
      if (signal.aborted) return;
      this.problems = 1;
      this.#log.error({ err: error }, "the database cannot be checked; the next run tries again");
    }
  }
}
