import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { requireSession } from "@content-service/support/route.ts";
import { StartError } from "@content-service/support/StartError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { type Command, type Database, UsageError } from "./command.ts";
import { type Counts, importRows } from "./importRows.ts";
import { Rejects } from "./Rejects.ts";
import { openInput } from "./readRows.ts";
import { kinds } from "./tables.ts";

const millisecondsBetweenLines = 5_000;

const usage = `Usage: npm run import -- <folder or file> [--author <email>] [--keep-ids] [--check] [--rejects <file>]

Imports users, posts and comments into DATABASE_URL, or else into the embedded database: NDJSON as npm run export writes it, and
Markdown with front matter as this program, Jekyll or Hugo write it. Rows that are there already stay as they are, so an import that
was interrupted goes on when you run it again. Rows that break a rule are listed, and written to <input>.rejects.ndjson, or to
<input>-2.rejects.ndjson if that file exists.

--author    the author of Markdown files that name none
--keep-ids  rows keep their ids. For a new database, which no service uses yet
--check     imports nothing: runs everything in one transaction and undoes it

Exit status: 0 when all rows are in the database, 1 when some are not, 2 for a wrong command line, 130 when interrupted.`;

async function run(args: string[], open: () => Promise<Database>): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      author: { type: "string" },
      "keep-ids": { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      rejects: { type: "string" },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new UsageError("Name a folder or a file to import.");

  const input = await openInput(path);
  const showProgress = progressOf(input.bytes);
  const rejects = new Rejects((values.rejects ?? resolve(path)).replace(/(\.rejects)?\.(ndjson|md|markdown)$/i, ""));
  const database = await open();
  const interruption = new AbortController();
  let interruptedAt = Number.POSITIVE_INFINITY;
  const interrupt = () => {
    // npm sends on the signal that a terminal has sent already. A later one means it: a batch may wait for a lock.
    if (performance.now() - interruptedAt > 1_000) process.exit(130);
    interruptedAt = performance.now();
    interruption.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    await requireSession(database.url);
    const counts = await withClient(database.url, (client) =>
      importRows(
        client,
        input,
        { keepIds: values["keep-ids"], isCheck: values.check, author: values.author, signal: interruption.signal },
        (refusal) => rejects.add(refusal),
        (bytes, counts) => showProgress(bytes, describe(counts, rejects)),
      ),
    ).catch((error) => {
      if (!/^(08|57P0)/.test(sqlStateOf(error))) throw error;
      throw new StartError(`The connection to the database is lost: ${error.message}. Run the command again to go on.`);
    });
    console.log(`${values.check ? "Nothing is imported. It would be: " : ""}${describe(counts, rejects)}`);
    if (rejects.count > 0) {
      console.error(`${rejects.path} has the refused rows. Correct them there, and import that file.`);
    }
    if (!interruption.signal.aborted) return rejects.count > 0 ? 1 : 0;
    console.error("Interrupted. Run the command again to go on.");
    return 130;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    await rejects.close();
    await database.close();
  }
}

function describe(counts: Counts, { count }: Rejects): string {
  const imported = kinds.map((kind) => `${counts[kind].imported} ${kind}s`).join(", ");
  const known = kinds.reduce((sum, kind) => sum + counts[kind].known, 0);
  return `${imported} imported; ${known} rows were there already; ${count} refused`;
}

/** Says on stderr how far a command is, every five seconds. */
function progressOf(total: number): (done: number, words: string) => void {
  const startedAt = performance.now();
  let lastLineAt = startedAt;
  return (done, words) => {
    const now = performance.now();
    if (now - lastLineAt < millisecondsBetweenLines) return;
    lastLineAt = now;
    const percent = Math.floor((100 * done) / Math.max(total, 1));
    console.error(`${percent}% after ${Math.round((now - startedAt) / 1_000)} s: ${words}`);
  };
}

export const importCommand: Command = { usage, run };
