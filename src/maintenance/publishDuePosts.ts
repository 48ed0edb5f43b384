import type pg from "pg";
import type { Logger } from "pino";
import { unstopped } from "./repeatUntilStopped.ts";

/** Looked at this often, because nobody tells the service of new times: a post is published within a second of its time. */
const maxWaitMs = 1_000;

interface Due {
  /** The time until the next post is due. */
  wait_ms?: number | null;
  are_more_due?: boolean;
}

/**
 * Publishes posts that are due, and tells users of changes in their inboxes. Each service does, and PostgreSQL's locks see that one of
 * them does each.
 *
 * @returns the milliseconds until it has to be done again
 */
export async function publishDuePosts(pool: pg.Pool, log: Logger, signal = unstopped): Promise<number> {
  const run = async (call: string, failure: string): Promise<Due | undefined> => {
    try {
      return (await pool.query<Due>(`select * from ${call}`)).rows[0];
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, failure);
      return undefined;
    }
  };
  const [posts, inboxes] = await Promise.all([
    run("app_hidden.publish_due_posts()", "due posts cannot be published; it is tried again"),
    run("app_hidden.record_inbox_changes()", "nobody is told of changes in inboxes; it is tried again"),
  ]);
  return inboxes?.are_more_due ? 0 : Math.min(posts?.wait_ms ?? maxWaitMs, maxWaitMs);
}
