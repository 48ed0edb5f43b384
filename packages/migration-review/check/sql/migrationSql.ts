import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadModule } from "libpg-query";
import { readCommitted } from "../../migrations/committed.ts";
import { readCurrentLines, type SqlLine } from "../../migrations/currentSql.ts";
import { fillPlaceholders, type Migrations } from "../../migrations/settings.ts";
import { type Allowance, type Finding, nameOf, readAllowance } from "../finding.ts";
import type { Base } from "./git.ts";

/** The SQL of a change: the migrations committed since the base, and the parts of `migrations/current`. */
export interface MigrationSql {
  /** The lines of each migration in the order in which they run. Included files are filled in. */
  migrations: SqlLine[][];
  /** The fixtures that the change includes, directly or indirectly, with the text that it has of them. */
  included: Map<string, string>;
  /** Lines such as `-- allow: truncate:shop.carts because nobody has one yet`. */
  allowances: Allowance[];
}

const allowed = /^-- allow: (.+)$/g;

/** The line of a finding that its author has accepted: by its own name, so that it opens the door for no other. */
export function allowanceLine(finding: Finding): string {
  return `-- allow: ${nameOf(finding)} because ${finding.reason}`;
}

/**
 * Loads libpg-query as well, for those who read the statements.
 *
 * @param shadowUrl of the database that the statements run on
 */
export async function readMigrationSql(
  { folder, settings }: Migrations,
  base: Base,
  shadowUrl?: string,
): Promise<MigrationSql> {
  await loadModule();
  const old = base.filesIn("migrations/committed");
  const migrations: SqlLine[][] = [];
  for (const { realFilename } of await readCommitted(folder)) {
    const file = `migrations/committed/${realFilename}`;
    if (old.has(file)) continue;
    const text = await readFile(join(folder, "..", file), "utf8");
    migrations.push(text.split("\n").map((line, i) => ({ text: line, place: `${file}:${i + 1}` })));
  }
  migrations.push(await readCurrentLines(folder));
  const included = new Map<string, string>();
  for (const lines of migrations) collectIncluded(lines.map(({ text }) => text).join("\n"), included);
  return {
    migrations: migrations.map((lines) =>
      lines.map(({ text, place }) => ({ text: fillPlaceholders(text, settings, shadowUrl), place })),
    ),
    included,
    allowances: migrations
      .flat()
      .flatMap(({ text }) => [...text.matchAll(allowed)].map(([, line = ""]) => readAllowance(line))),
  };
}

const include = /^--! Included (.*)\n(.*?)\n--! EndIncluded \1$/gms;

/** Collects the fixtures in a migration, each as its file was: with `--!include` for those that it includes itself. */
function collectIncluded(text: string, included: Map<string, string>): void {
  for (const [, name = "", body = ""] of text.matchAll(include)) {
    included.set(name, body.replace(include, "--!include $1"));
    collectIncluded(body, included);
  }
}
