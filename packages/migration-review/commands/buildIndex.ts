import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { loadModule } from "libpg-query";
import pg from "pg";
import { parse } from "../check/sql/parse.ts";
import { invalidIndexes, namesIndex } from "../invalidIndexes.ts";
import type { Command, Output } from "../Project.ts";
import { schemasOf } from "../schemas.ts";
import { tellBlockers } from "../tellBlockers.ts";

const example = 'index "create index concurrently if not exists items_title_idx on shop.items (title)"';
const concurrently = /^\s*(create\s+(unique\s+)?index|drop\s+index|reindex\b[^;]*)\s+concurrently\b/i;
/** SQLSTATEs of a lock that was waited for too long, and of a deadlock. */
const lockedOut = ["55P03", "40P01"];
const patienceMs = 30 * 60_000;
const pollMs = 100;

/**
 * `index "create index concurrently …"`: runs one statement that cannot be in a migration, because it cannot be
 * in a transaction. Neither reads nor writes of the table wait for it. It waits for transactions that write to the table, and
 * says for which. Other migrations of the table wait for it, so its own wait is bounded and repeated. What it does not finish is
 * dropped, and so is an invalid index that it builds again. Another one may be what a migration needs: it is named.
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
    await loadModule();
    await withClient(url, (client) =>
      withClient(url, async (observer) => {
        const schemas = await schemasOf(client, project);
        await prepare(client, String(lockTimeout), output);
        const stop = watchOver(client, observer, interruption(), output);
        await run(client, schemas, statement, output).finally(stop);
        for (const index of await invalidIndexes(client, schemas)) {
          const repair = commandLine(`index "reindex index concurrently ${index}"`);
          output.log(`The index ${index} is invalid, and a migration would take it for built. Repair: ${repair}`);
        }
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
  const before = await invalidIndexes(client, schemas);
  const isOthers = (index: string) => before.includes(index) && !isBuiltBy(statement, index);
  const dropOwn = async () => {
    const own = (await invalidIndexes(client, schemas)).filter((index) => !isOthers(index));
    for (const index of own) {
      output.log(`Dropping the invalid index ${index}, which an interrupted command has left.`);
      await client.query(`drop index concurrently if exists ${index}`);
    }
  };
  const isDrop = /^\s*drop/i.test(statement);
  try {
    await retryWhileLocked(output, async () => {
      if (!isDrop) await dropOwn();
      // The extended protocol refuses a second statement.
      await client.query({ text: statement, queryMode: "extended" } as pg.QueryConfig);
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await dropOwn().catch(() => {});
    const left = (await invalidIndexes(client, schemas))
      .filter((index) => !isOthers(index))
      .map((index) => `drop index concurrently ${index}`);
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

/** Whether a statement builds an index of this name. What `reindex … concurrently` leaves is nothing that a migration needs. */
function isBuiltBy(statement: string, index: string): boolean {
  return (
    /_cc(new|old)\d*"?$/.test(index) ||
    parse(statement).some(({ kind, node }) => kind === "IndexStmt" && namesIndex(node, index))
  );
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
  const stop = tellBlockers(observer, { pid: processID }, (line) => output.log(line));
  return () => {
    stopped.abort();
    return stop();
  };
}
