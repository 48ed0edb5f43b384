import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { StartError } from "@content-service/support/StartError.ts";
import { projectRoot } from "../../migrations/gmrc.ts";
import type { Finding } from "../finding.ts";
import { type Node, tableName } from "../sql/parse.ts";
import type { SqlStatement } from "../sql/statements.ts";

/** The rules of squawk that are about tables in use, with our severity and advice for each. */
const rules: Record<string, Pick<Finding, "severity" | "reason" | "advice">> = {
  "adding-required-field": {
    severity: "refused",
    reason: "The migration fails on a table with rows, and so does each write that leaves the column out.",
    advice:
      "Give it a default. Or make it nullable, fill it, add a check (… is not null) not valid, and validate the check later.",
  },
  "adding-not-nullable-field": {
    severity: "dangerous",
    advice: "Add a check (… is not null) not valid, validate it in the next migration, then set not null.",
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
    advice:
      "Keep the field's name with @name: migrations/README.md, “How to change what others use”. Statements that run meanwhile fail.",
  },
  "renaming-table": { severity: "dangerous", advice: "Keep a view with the old name until no query uses it." },
};

/** The rules about statements that may rewrite a table: whether they did, the database knows. */
const rewrites = ["changing-column-type", "adding-field-with-default", "adding-serial-primary-key-field"];

interface Report {
  line: number;
  message: string;
  rule_name: string;
}

/**
 * Finds statements that lock or rewrite a table in use. Tables that the same change creates do not count.
 *
 * @param rewritten the tables that the change has rewritten
 */
export function lintLocks(change: SqlStatement[], rewritten: string[]): Finding[] {
  if (change.length === 0) return [];
  // One text for all: squawk then knows which tables the earlier statements create.
  const places = change.flatMap((statement) => statement.lines.map(({ place }) => ({ place, statement })));
  const reports = squawk(change.map(({ sql }) => `${sql};`).join("\n")).map(({ line, message, rule_name: rule }) => {
    const { place, statement } = places[line] ?? {};
    return { rule, object: objectOf(statement), message, location: place };
  });
  const locks = reports.flatMap((report): Finding[] => {
    const known = rules[report.rule];
    return known ? [{ ...known, ...report }] : [];
  });
  return [
    ...rewritten.map(
      (object): Finding => ({
        rule: "rewrite",
        object,
        severity: "refused",
        message: `All rows of ${object} are written anew.`,
        location: reports.find((report) => report.object === object && rewrites.includes(report.rule))?.location,
        reason: "All queries of the table wait meanwhile, and those that began before may not find its rows.",
        advice:
          "For another type, a generated column or a default such as gen_random_uuid(): add a column without them, set its default, fill it " +
          "in batches, and deprecate the old one.",
      }),
    ),
    ...locks,
  ];
}

/** The table of a statement, or the first thing that it drops. */
function objectOf({ node }: Pick<SqlStatement, "node"> = { node: {} }): string {
  const dropped = (node["objects"]?.[0]?.List?.items ?? []) as Node[];
  return tableName(node["relation"]) || dropped.map((part) => part["String"]?.sval).join(".") || "sql";
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
