import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { StartError } from "@content-service/support/StartError.ts";
import { projectRoot } from "../../migrations/gmrc.ts";
import type { Finding } from "../finding.ts";
import type { SqlStatement } from "../sql/statements.ts";

/** Those of squawk's rules that are about tables in use, with our severity and advice for each. */
const rules: Record<string, Pick<Finding, "severity" | "reason" | "advice">> = {
  "adding-required-field": {
    severity: "refused",
    reason: "The migration fails on a table with rows, and so does each write that leaves the column out.",
    advice:
      "Give it a default. Or make it nullable, fill it, add a check (… is not null) not valid, and validate the check later.",
  },
  "changing-column-type": {
    severity: "refused",
    reason: "All queries of the table wait while it is rewritten.",
    advice:
      "Add a column of the new type, fill it, and deprecate the old one. On a small or new table it is safe: --allow changing-column-type",
  },
  "adding-field-with-default": {
    severity: "dangerous",
    advice: "Add the column without the default, set the default, then fill it in batches.",
  },
  "adding-not-nullable-field": {
    severity: "dangerous",
    advice: "Add a check (… is not null) not valid, validate it in the next migration, then set not null.",
  },
  "adding-serial-primary-key-field": {
    severity: "dangerous",
    advice: "On a large table: create a new table and copy the rows.",
  },
  "adding-foreign-key-constraint": {
    severity: "dangerous",
    advice: "Add it not valid, and validate it in the next migration.",
  },
  "constraint-missing-not-valid": {
    severity: "dangerous",
    advice: "Add it not valid, and validate it in the next migration.",
  },
  "disallowed-unique-constraint": {
    severity: "dangerous",
    advice:
      "On a large table: first create the unique index with npm run db:index; then add the constraint using that index.",
  },
  "require-concurrent-index-creation": {
    severity: "dangerous",
    advice:
      "On a large table: use create index if not exists in this migration, and run npm run db:index before it: migrations/README.md.",
  },
  "require-concurrent-index-deletion": {
    severity: "dangerous",
    advice: "On a busy table: use drop index if exists in this migration, and run npm run db:index before it.",
  },
  "renaming-column": {
    severity: "dangerous",
    advice: "Add the new name beside the old one: migrations/README.md, “Rename”.",
  },
  "renaming-table": { severity: "dangerous", advice: "Keep a view with the old name until no query uses it." },
};

interface Report {
  line: number;
  message: string;
  rule_name: string;
}

/** Finds statements that lock or rewrite a table in use. Tables that the same change creates do not count. */
export function lintLocks(change: SqlStatement[]): Finding[] {
  if (change.length === 0) return [];
  // One text for all: squawk then knows which tables the earlier statements create.
  const places = change.flatMap((statement) => statement.lines.map(({ place }) => ({ place, statement })));
  return squawk(change.map(({ sql }) => `${sql};`).join("\n")).flatMap(
    ({ line, message, rule_name: rule }): Finding[] => {
      const { place, statement } = places[line] ?? {};
      const object = (statement && relationOf(statement)) ?? "sql";
      return rules[rule] ? [{ ...rules[rule], rule, object, message, location: place }] : [];
    },
  );
}

function relationOf({ node }: SqlStatement): string | undefined {
  const { schemaname, relname } = node["relation"] ?? {};
  return relname && [schemaname, relname].filter(Boolean).join(".");
}

function squawk(text: string): Report[] {
  // The program itself: squawk-cli starts it from another Node process.
  const program = `node_modules/@squawk-cli/${process.platform}-${process.arch}/bin/squawk`;
  const { stdout, stderr, error } = spawnSync(
    fileURLToPath(new URL(program, projectRoot)),
    ["--reporter=json", "--pg-version=14.0", "--assume-in-transaction", "--stdin-filepath=migration.sql"],
    { input: text, encoding: "utf8", maxBuffer: 100_000_000 },
  );
  try {
    return JSON.parse(stdout) as Report[];
  } catch {
    throw new StartError(
      `squawk, which finds dangerous locks, does not run: ${error?.message ?? stderr.trim()}. Run npm ci.`,
    );
  }
}
