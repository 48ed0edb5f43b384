import type { Finding } from "../finding.ts";
import { type Node, nodesOf, tableName } from "../sql/parse.ts";
import { placeOf, type SqlStatement } from "../sql/statements.ts";

const rules = {
  truncate: {
    severity: "refused",
    reason: "The rows are lost, and all queries of the table wait until the migration ends.",
    advice: "Keep them: rename the table, and drop it later. Or, if nobody needs them: --allow truncate",
  },
  "delete-all-rows": {
    severity: "refused",
    reason: "The rows are lost.",
    advice: "Name the rows: where … Or, if nobody needs them: --allow delete-all-rows",
  },
  "update-all-rows": {
    severity: "dangerous",
    reason: "Each row is written anew, and cannot be changed by others until the migration ends.",
    advice:
      "Name the rows that need it: where … is null. On a large table, a job updates them in batches: app_private.update_in_batches().",
  },
  "column-exists": {
    severity: "dangerous",
    reason: "`if not exists` then does nothing: neither the type nor the default is looked at.",
    advice: "Leave it out. For another type, add a column of another name.",
  },
  revoke: {
    severity: "dangerous",
    reason: "Requests that need the right are then answered with UNAUTHORIZED.",
    advice: "Revoke it when no client needs it any more, and adapt test/permissions.",
  },
  "unreadable-sql": {
    severity: "dangerous",
    reason: "Its text is known only when it runs, or is not in the language of PostgreSQL 18.",
    advice: "Write it as statements, or as execute format('…', …) with the whole statement in the text.",
  },
} satisfies Record<string, Pick<Finding, "severity" | "reason" | "advice">>;

/**
 * Finds statements that lose rows, and those whose effect compareBehaviours() does not see. Tables that the change itself creates do
 * not count.
 *
 * @param exists whether a table was there before the change
 * @param typeOf the type of a column that was there before the change, and still is
 */
export function lintStatements(
  change: SqlStatement[],
  exists: (table: string) => boolean,
  typeOf: (column: string) => string | undefined,
): Finding[] {
  const created = new Set(change.flatMap(createdBy));
  return change.flatMap((statement) =>
    [...offencesOf(statement), ...addedAgain(statement, typeOf)]
      .filter(({ object }) => !created.has(object) || exists(object))
      .map((offence): Finding => ({ ...rules[offence.rule], ...offence, location: placeOf(statement) })),
  );
}

type Offence = Pick<Finding, "object" | "message"> & { rule: keyof typeof rules };

function createdBy({ kind, node }: SqlStatement): string[] {
  if (kind === "CreateStmt") return [tableName(node["relation"])];
  return kind === "CreateTableAsStmt" ? [tableName(node["into"].rel)] : [];
}

function offencesOf({ kind, node }: SqlStatement): Offence[] {
  const ofTables = (rule: keyof typeof rules, relations: Node[], happens: string): Offence[] =>
    relations.map(tableName).map((object) => ({ rule, object, message: `${happens.replace("…", object)}.` }));
  const allRows = (type: string) =>
    nodesOf({ [kind ?? ""]: node }, type)
      .filter(({ whereClause }) => !whereClause || isConstant(whereClause))
      .map(({ relation }) => relation);
  return [
    ...ofTables("delete-all-rows", allRows("DeleteStmt"), "All rows of … are deleted"),
    ...ofTables("update-all-rows", allRows("UpdateStmt"), "All rows of … are updated"),
    ...(kind === "TruncateStmt"
      ? ofTables("truncate", nodesOf(node["relations"], "RangeVar"), "… is truncated")
      : otherOffences(kind, node)),
  ];
}

function addedAgain({ node }: SqlStatement, typeOf: (column: string) => string | undefined): Offence[] {
  return nodesOf(node["cmds"], "AlterTableCmd").flatMap(({ subtype, missing_ok, def }): Offence[] => {
    if (subtype !== "AT_AddColumn" || !missing_ok) return [];
    const object = `${tableName(node["relation"])}.${def.ColumnDef.colname}`;
    const type = typeOf(object);
    return type ? [{ rule: "column-exists", object, message: `${object} is there already: ${type}.` }] : [];
  });
}

function otherOffences(kind: string | undefined, node: Node): Offence[] {
  if (kind === undefined) {
    return [{ rule: "unreadable-sql", object: "sql", message: "The review cannot read the SQL that this runs." }];
  }
  if (node["is_grant"]) return [];
  if (kind === "GrantRoleStmt") {
    return [{ rule: "revoke", object: "membership", message: "A membership in a role is revoked." }];
  }
  // compareBehaviours() compares the rights on tables and functions.
  if (kind !== "GrantStmt" || /^OBJECT_(TABLE|FUNCTION|PROCEDURE|ROUTINE)$/.test(node["objtype"])) return [];
  const object = node["objtype"].replace("OBJECT_", "").toLowerCase();
  return [{ rule: "revoke", object, message: `A right on a ${object} is revoked.` }];
}

/** A condition that is the same for all rows, such as `true`. */
function isConstant(condition: unknown): boolean {
  return !/"(ColumnRef|SubLink|FuncCall|CurrentOfExpr)"/.test(JSON.stringify(condition));
}
