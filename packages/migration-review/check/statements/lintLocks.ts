import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { type Finding, findingOf, isRule } from "../finding.ts";
import { type Node, tableName } from "../sql/parse.ts";
import type { SqlStatement } from "../sql/statements.ts";

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
  const locationOf = (rewritten: string) =>
    reports.find(({ object, rule }) => object === rewritten && rewrites.includes(rule))?.location;
  return [
    ...rewritten.map((table) =>
      findingOf("rewrite", table, `All rows of ${table} are written anew.`, { location: locationOf(table) }),
    ),
    // Of squawk's rules, ours are those about tables in use.
    ...reports
      .filter(({ rule }) => isRule(rule))
      .map(({ rule, object, message, location }) => findingOf(rule, object, message, { location })),
  ];
}

/** The table of a statement, or the first thing that it drops. */
function objectOf({ node }: Pick<SqlStatement, "node"> = { node: {} }): string {
  const dropped = (node["objects"]?.[0]?.List?.items ?? []) as Node[];
  return tableName(node["relation"]) || dropped.map((part) => part["String"]?.sval).join(".") || "sql";
}

function squawk(text: string): Report[] {
  // The program itself: squawk-cli starts it from another Node process.
  const cli = createRequire(createRequire(import.meta.url).resolve("squawk-cli/package.json"));
  const platform = `@squawk-cli/${process.platform}-${process.arch}`;
  const program = join(dirname(cli.resolve(`${platform}/package.json`)), "bin", "squawk");
  const { stdout, stderr, error } = spawnSync(
    program,
    ["--reporter=json", "--pg-version=14.0", "--assume-in-transaction", "--stdin-filepath=migration.sql"],
    { input: text, encoding: "utf8", maxBuffer: 100_000_000 },
  );
  try {
    return JSON.parse(stdout) as Report[];
  } catch {
    throw new OperatorError(
      `squawk, which finds dangerous locks, does not run: ${error?.message ?? stderr.trim()}. Run npm ci.`,
    );
  }
}
