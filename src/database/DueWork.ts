import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import type { Asked } from "./Transactions.ts";

/** app_private.identify() raises this while something is due that nobody has done yet. */
const somethingIsDue = "ISDUE";

/**
 * How long requests go on without what cannot be done at the moment. A transaction of somebody who has locked a post for long
 * must not delay all requests.
 */
const restMs = 5_000;

interface Batch {
  is_complete: boolean;
  published: number;
  /** Milliseconds until something is due, a day at most. */
  wait_ms: number;
}

/** What has a time at which it happens, exact for every request, whether or not a timer has run: the publication of posts. */
export class DueWork {
  #restsUntil = 0;

  /** Whether a request is refused while something is due. */
  get isAskedFor(): boolean {
    return performance.now() >= this.#restsUntil;
  }

  /** Runs a transaction. If something is due before it, does that first, in a transaction of its own. */
  async before<Result>(database: Asked, transact: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await transact();
      } catch (error) {
        if (sqlStateOf(error) !== somethingIsDue) throw error;
        const isDone = await doNow(database).then(
          ({ is_complete }) => is_complete,
          () => false,
        );
        if (!isDone) this.#restsUntil = performance.now() + restMs;
      }
    }
  }
}

/** Does what is due, in batches, until nothing is left that can be done. */
export async function doNow(database: Asked): Promise<Batch> {
  for (;;) {
    const { rows } = await database.query<Batch>("select * from app_hidden.publish_due_posts()");
    const [batch] = rows as [Batch];
    if (batch.is_complete || batch.published === 0) return batch;
  }
}
