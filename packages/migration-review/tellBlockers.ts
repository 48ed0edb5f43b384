import { setTimeout as delay } from "node:timers/promises";
import type { ClientBase } from "pg";

const pollMs = 100;

/**
 * Says for whom sessions wait, each time that this changes.
 *
 * @param observer a connection of its own
 * @param waiting the sessions: their process id, or their application name
 * @returns ends it
 */
export function tellBlockers(
  observer: ClientBase,
  waiting: { pid: number } | { applicationName: string },
  tell: (line: string) => void,
): () => Promise<void> {
  const stopped = new AbortController();
  const values = "pid" in waiting ? [waiting.pid, null] : [null, waiting.applicationName];
  const ended = (async () => {
    for (let told = ""; !stopped.signal.aborted; await delay(pollMs, undefined, stopped).catch(() => {})) {
      const { rows } = await observer.query<{ blockers: string }>(blockersQuery, values);
      const [{ blockers }] = rows as [(typeof rows)[number]];
      if (blockers && blockers !== told) tell(`Waiting for ${blockers}`);
      told = blockers;
    }
  })();
  return () => {
    stopped.abort();
    return ended;
  };
}

const blockersQuery = `
  select coalesce(string_agg(format('%s as %s, pid %s%s', coalesce(nullif(application_name, ''), 'a connection'), usename, pid,
                                    ', in a transaction since ' || to_char(xact_start, 'HH24:MI:SS')), '; ' order by pid), '') as blockers
    from pg_catalog.pg_stat_activity
   -- A build may wait for this very statement, which has a snapshot.
   where pid <> pg_backend_pid()
     and pid in (select unnest(pg_catalog.pg_blocking_pids(waiting.pid)) from pg_catalog.pg_stat_activity as waiting
                  where waiting.pid = $1 or waiting.application_name = $2 and waiting.datname = current_database())`;
