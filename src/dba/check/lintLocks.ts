import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { projectRoot } from "../../migrations/gmrc.ts";
import { StartError } from "../../support/StartError.ts";
import type { Finding, Level } from "./finding.ts";
import type { NewSql } from "./newSql.ts";

/** squawk's own rules, as far as they are about a table that others are using meanwhile; what each comes to here. */
const rules: Record<string, { level: Level; todo: string }> = {
  "adding-required-field": {
    level: "refused",
    todo: "Give it a default, or let it be null, fill it, and add a check (… is not null) not valid that is validated later.",
  },
  "changing-column-type": {
    level: "refused",
    todo: "Add a column of the new type, fill it, and deprecate the old one. Safe on a small or new table: --allow changing-column-type",
  },
  "adding-field-with-default": {
    level: "dangerous",
    todo: "Add the column without the default, set the default, then fill it in pieces.",
  },
  "adding-not-nullable-field": {
    level: "dangerous",
    todo: "Add a check (… is not null) not valid, validate it in the next migration, then set not null.",
  },
  "adding-serial-primary-key-field": { level: "dangerous", todo: "Make a new table, if this one is large." },
  "adding-foreign-key-constraint": {
    level: "dangerous",
    todo: "Add it not valid, and validate it in the next migration.",
  },
  "constraint-missing-not-valid": {
    level: "dangerous",
    todo: "Add it not valid, and validate it in the next migration.",
  },
  "disallowed-unique-constraint": {
    level: "dangerous",
    todo: "On a large table: create the unique index concurrently, by hand, then add the constraint using it.",
  },
  "require-concurrent-index-creation": {
    level: "dangerous",
    todo: "On a large table: create it concurrently, by hand, before this runs; here: create index if not exists.",
  },
  "require-concurrent-index-deletion": { level: "dangerous", todo: "On a busy table: drop it concurrently, by hand." },
  "renaming-column": {
    level: "dangerous",
    todo: "Add the new name beside the old one: migrations/README.md, “Rename”.",
  },
  "renaming-table": { level: "dangerous", todo: "Keep a view of the old name until nothing asks for it any more." },
};

interface Report {
  line: number;
  message: string;
  rule_name: string;
}

/** What locks or rewrites a table that is in use. A table that the same change makes is nobody's yet. */
export function lintLocks(sources: NewSql[]): Finding[] {
  if (sources.length === 0) return [];
  // As one text, so that a part may index what an earlier part makes.
  const text = sources.map((source) => source.text).join("\n");
  return squawk(text).flatMap(({ line, message, rule_name: name }): Finding[] => {
    const rule = rules[name];
    return rule ? [{ level: rule.level, name, what: message, where: whereIs(line, sources), todo: rule.todo }] : [];
  });
}

function squawk(text: string): Report[] {
  const program = fileURLToPath(new URL("node_modules/.bin/squawk", projectRoot));
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [program, "--reporter=json", "--pg-version=14.0", "--assume-in-transaction", "--stdin-filepath=migration.sql"],
    { input: text, encoding: "utf8", maxBuffer: 100_000_000 },
  );
  try {
    return JSON.parse(stdout) as Report[];
  } catch {
    throw new StartError(
      `squawk, which looks for locks, does not run: ${error?.message ?? stderr.trim()}. Run npm ci.`,
    );
  }
}

function whereIs(line: number, sources: NewSql[]): string {
  let left = line;
  for (const { file, text } of sources) {
    const lines = text.split("\n").length;
    if (left < lines) return `${file}:${left + 1}`;
    left -= lines;
  }
  return "";
}
