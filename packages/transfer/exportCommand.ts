import { parseArgs } from "node:util";
import { withClient } from "@content-service/support/withClient.ts";
import { type Command, type Database, UsageError } from "./command.ts";
import { exportRows } from "./exportRows.ts";
import { type Kind, kinds } from "./tables.ts";

const usage = `Usage: npm run export -- <folder or file.ndjson> [--format ndjson|markdown] [--only users,posts,comments] [--with-password-hashes]

Writes users, posts and comments of DATABASE_URL, or else of the embedded database, as they are at one moment. A file gets all of
them, a folder one file each. --format markdown writes each post to a file of its own, with its fields as front matter.

The files contain emails and drafts, so only you can read them. With --with-password-hashes, users keep their passwords after an
import; whoever reads such a file can try passwords on it.`;

async function run(args: string[], open: () => Promise<Database>): Promise<number> {
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

export const exportCommand: Command = { usage, run };
