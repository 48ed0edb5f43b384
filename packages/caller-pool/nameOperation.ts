import { hash } from "node:crypto";

interface Named {
  text: string;
  name?: string | undefined;
}

/**
 * Writes the name of the operation into a statement, as a comment in sqlcommenter's format: logs, pg_stat_activity,
 * pg_stat_statements and auto_explain show it. It stands at the end, where that format has it, and before the semicolon:
 * pg_stat_statements drops comments outside of the statement.
 *
 * The text of a prepared statement is fixed, so its name depends on the operation as well. The number of statements stays
 * bounded, because the number of operation names is (docs/decisions.md, Observing).
 *
 * @param operation a GraphQL name, which needs no escaping
 */
export function nameOperation<Query extends Named>(query: Query, operation: string | undefined): Query {
  if (operation === undefined) return query;
  // Not by a regular expression, which would try each place of a long text.
  const end = query.text.trimEnd();
  const text = `${end.endsWith(";") ? end.slice(0, -1) : end} /*operation='${operation}'*/`;
  if (!query.name) return { ...query, text };
  // Clients choose the operation's name, so the hash must be one without known collisions.
  return { ...query, text, name: hash("sha256", `${operation} ${query.name}`, "base64url") };
}
