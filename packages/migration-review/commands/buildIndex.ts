import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import type { Command, Output } from "../Project.ts";
import { schemasOf } from "../schemas.ts";

const example = 'index "create index concurrently if not exists items_title_idx on shop.items (title)"';
const concurrently = /^\s*(create\s+(unique\s+)?index|drop\s+index|reindex\b[^;]*)\s+concurrently\b/i;
/** SQLSTATEs of a lock that was waited for too long, and of a deadlock. */
const lockedOut = ["55P03", "40P01"];
const patienceMs = 30 * 60_000;
const pollMs = 100;

/**
 * `index "create index concurrently …"`: runs one statement that cannot be in a migration, because it cannot be
 * in a transaction. Neither reads nor writes of the table wait for it. It waits for transactions that write to the table, and
 * says for which. Other migrations of the table wait for it, so its own wait is bounded and repeated. An index that was not
 * finished, now or earlier, is invalid and is dropped.
 */
export const indexCommand: Command = {
  options: { "lock-timeout": { type: "string", default: "1min" } },
  arguments: ["one statement, in quotes"],
  async run(
    { commandLine, databases: { url }, interruption, output, project },
    { "lock-timeout": lockTimeout },
    [statement = ""],
  ) {
    if (!concurrently.test(statement)) {
      throw new OperatorError(`Give one statement with "concurrently": ${commandLine(example)}`);
    }
    await requireSession(url);
    await withClient(url, (client) =>
      withClient(url, async (observer) => {
        const schemas = await schemasOf(client, project);
        await prepare(client, String(lockTimeout), output);
        const stop = watchOver(client, observer, interruption(), output);
        await run(client, schemas, statement, output).finally(stop);
      }),
    );
    output.log("Done.");
  },
};

async function prepare(client: pg.Client, lockTimeout: string, output: Output): Promise<void> {
  client.on("notice", ({ message }) => output.log(message));
  await client.query("select set_config('lock_timeout', $1, false), set_config('statement_timeout', '0', false)", [
    lockTimeout,
  ]);
  // Without waiting: a session that waits keeps a snapshot, which the other build would wait for in turn.
  const { rows } = await client.query(
    "select pg_try_advisory_lock(hashtext('graphile-migrate-review index')) as is_mine",
  );
  if (!rows[0].is_mine) throw new OperatorError("Another command builds an index of this database.");
}

async function run(client: pg.Client, schemas: string[], statement: string, output: Output): Promise<void> {
  const isDrop = /^\s*drop/i.test(statement);
  try {
    await retryWhileLocked(output, async () => {
      if (!isDrop) await dropInvalid(client, schemas, output);
      // The extended protocol refuses a second statement.
      await client.query({ text: statement, queryMode: "extended" } as pg.QueryConfig);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await dropInvalid(client, schemas, output).catch(() => {});
    const left = (await invalidIndexes(client, schemas)).map((index) => `drop index concurrently ${index}`);
    const advice = left.length > 0 ? ` Invalid indexes are left. Run the command again, or: ${left.join("; ")}` : "";
    throw new OperatorError(`${error.message}.${error.detail ? ` ${error.detail}` : ""}${advice}`);
  }
}

async function retryWhileLocked(output: Output, attempt: () => Promise<void>): Promise<void> {
  for (const giveUpAt = Date.now() + patienceMs; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (!lockedOut.includes(sqlStateOf(error)) || Date.now() > giveUpAt) throw error;
      output.log("Waited too long for a lock. Trying again.");
      await delay(pollMs);
    }
  }
}

async function dropInvalid(client: pg.Client, schemas: string[], output: Output): Promise<void> {
  for (const index of await invalidIndexes(client, schemas)) {
    output.log(`Dropping the invalid index ${index}, which an interrupted command has left.`);
    await client.query(`drop index concurrently if exists ${index}`);
  }
}

/** The indexes of the project's tables that no other session is building: a build holds this lock of its table. */
async function invalidIndexes(client: pg.Client, schemas: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `
    select format('%I.%I', n.nspname, c.relname) as name
      from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid and c.relkind = 'i'
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = any ($1)
     where not i.indisvalid and pg_catalog.pg_has_role(c.relowner, 'usage')
       and not exists (select from pg_catalog.pg_locks l
                        where l.relation = i.indrelid and l.mode = 'ShareUpdateExclusiveLock' and l.granted
                          and l.pid <> pg_backend_pid())`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/**
 * Prints for whom `client` waits, and cancels its statement when the command is interrupted.
 *
 * @returns ends it
 */
function watchOver(
  client: pg.Client,
  observer: pg.Client,
  interruption: AbortSignal,
  output: Output,
): () => Promise<void> {
  const { processID } = client as unknown as { processID: number };
  const stopped = new AbortController();
  const cancel = () => void observer.query("select pg_cancel_backend($1)", [processID]);
  interruption.addEventListener("abort", cancel, { once: true, signal: stopped.signal });
  const ended = (async () => {
    for (let told = ""; !stopped.signal.aborted; await delay(pollMs, undefined, stopped).catch(() => {})) {
      const { rows } = await observer.query<{ blockers: string }>(blockersQuery, [processID]);
      const [{ blockers }] = rows as [(typeof rows)[number]];
      if (blockers && blockers !== told) output.log(`Waiting for ${blockers}`);
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
   where pid = any (pg_catalog.pg_blocking_pids($1)) and pid <> pg_backend_pid()`;
