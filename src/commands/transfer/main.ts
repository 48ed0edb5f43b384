import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { printable } from "@content-service/support/printable.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { exportRows } from "./exportRows.ts";
import { type Counts, importRows } from "./importRows.ts";
import { Notes } from "./Notes.ts";
import { Rejects } from "./Rejects.ts";
import { openInput } from "./readRows.ts";
import { type Kind, kinds } from "./tables.ts";

/** Opens the database that a command works on, by the owner's connection string. */
type Open = () => Promise<{ url: string; close(): Promise<void> }>;

/** A command line that cannot be understood. */
class UsageError extends Error {}

const importUsage = `Usage: npm run import -- <folder or file> [--author <email>] [--site <url>] [--keep-ids] [--check] [--rejects <file>]

Imports users, posts and comments into DATABASE_URL, or else into the embedded database: NDJSON as npm run export writes it,
Markdown with front matter as this program, Jekyll or Hugo write it, and what WordPress (.xml) and Ghost (.json) export. Rows that are there already stay as they are, so an import that
was interrupted goes on when you run it again. Rows that break a rule are listed, and written to <input>.rejects.ndjson, or to
<input>-2.rejects.ndjson if that file exists.

--author    the author of posts that name none
--site      the address of the exported Ghost site, for its links and pictures
--keep-ids  rows keep their ids. For a new database, which no service uses yet
--check     imports nothing: runs everything in one transaction and undoes it

Exit status: 0 when all rows are in the database, 1 when some are not, 2 for a wrong command line, 130 when interrupted.`;

const exportUsage = `Usage: npm run export -- <folder or file.ndjson> [--format ndjson|markdown] [--only users,posts,comments] [--with-password-hashes]

Writes users, posts and comments of DATABASE_URL, or else of the embedded database, as of one snapshot. A file gets all of
them, a folder one file each. --format markdown writes each post to a file of its own, with its fields as front matter.

The files contain emails and drafts, so only you can read them. With --with-password-hashes, users keep their passwords after an
import; whoever reads such a file can try passwords on it.`;

const commands = {
  import: { usage: importUsage, run: runImport },
  export: { usage: exportUsage, run: runExport },
};

/**
 * Runs `npm run import` or `npm run export` to its end.
 *
 * @param argv `import` or `export`, and its command line
 * @returns the exit status: 2 for a wrong command line
 */
export async function main([name = "", ...args]: string[], open: Open): Promise<number> {
  const { usage, run } = commands[name === "export" ? name : "import"];
  try {
    if (!args.includes("--help")) return await run(args, open);
    console.log(usage);
    return 0;
  } catch (error) {
    const isUsage =
      error instanceof UsageError || String((error as NodeJS.ErrnoException)?.code).startsWith("ERR_PARSE_ARGS");
    if (isUsage) console.error(`${(error as Error).message}\n\n${usage}`);
    // Files name themselves.
    else console.error(error instanceof OperatorError ? printable(error.message, 2_000) : error);
    return isUsage ? 2 : 1;
  }
}

/** A check lists all. */
const listedNotes = 100;

async function runImport(args: string[], open: Open): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      author: { type: "string" },
      site: { type: "string" },
      "keep-ids": { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      rejects: { type: "string" },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new UsageError("Name a folder or a file to import.");

  if (values.site !== undefined && !/^https?:\/\//.test(values.site))
    throw new UsageError("--site begins with https:// or http://.");
  const input = await openInput(path);
  if (input.isForeign && values["keep-ids"]) throw new UsageError("--keep-ids is for files of npm run export.");
  const showProgress = progressOf(input.bytes);
  const rejects = new Rejects(
    (values.rejects ?? resolve(path)).replace(/(\.rejects)?\.(ndjson|md|markdown|xml|wxr|json)$/i, ""),
  );
  const notes = new Notes(console.error, values.check ? Number.POSITIVE_INFINITY : listedNotes);
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
        {
          keepIds: values["keep-ids"],
          isCheck: values.check,
          author: values.author,
          site: values.site?.replace(/\/+$/, ""),
          notes,
          signal: interruption.signal,
        },
        (refusal) => rejects.add(refusal),
        (bytes, counts) => showProgress(bytes, describe(counts, rejects)),
      ),
    ).catch((error) => {
      if (!/^(08|57P0)/.test(sqlStateOf(error))) throw error;
      throw new OperatorError(
        `The connection to the database is lost: ${error.message}. Run the command again to go on.`,
      );
    });
    for (const line of notes.summary()) console.log(line);
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

const millisecondsBetweenLines = 5_000;

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

async function runExport(args: string[], open: Open): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      format: { type: "string", default: "ndjson" },
      only: { type: "string", default: "users,posts,comments" },
      "with-password-hashes": { type: "boolean", default: false },
    },
  });
  const [target] = positionals;
  const { format } = values;
  if (target === undefined || positionals.length > 1) throw new UsageError("Name a folder or a file to write.");
  if (format !== "ndjson" && format !== "markdown") throw new UsageError("--format is ndjson or markdown.");
  const only = values.only.split(",").map(toKind);
  if (format === "markdown" && target.endsWith(".ndjson")) {
    throw new UsageError("Markdown is written to a folder. Its name cannot end in .ndjson.");
  }

  const database = await open();
  const options = { format, only, withPasswordHashes: values["with-password-hashes"] } as const;
  const written = await withClient(database.url, (client) => exportRows(client, target, options)).finally(() =>
    database.close(),
  );
  console.log(`${target} has ${written} rows. It contains emails and drafts. npm run import -- ${target} imports it.`);
  return 0;
}

function toKind(name: string): Kind {
  const kind = kinds.find((known) => `${known}s` === name);
  if (!kind) throw new UsageError(`--only takes ${kinds.map((known) => `${known}s`).join(", ")}, separated by commas.`);
  return kind;
}
