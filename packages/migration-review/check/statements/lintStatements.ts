import { type Finding, findingOf } from "../finding.ts";
import { type Node, nodesOf, tableName } from "../sql/parse.ts";
import { placeOf, type SqlStatement } from "../sql/statements.ts";

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
      .map(({ rule, object, message }) => findingOf(rule, object, message, { location: placeOf(statement) })),
  );
}

type Offence = Pick<Finding, "rule" | "object" | "message">;

function createdBy({ kind, node }: SqlStatement): string[] {
  if (kind === "CreateStmt") return [tableName(node["relation"])];
  return kind === "CreateTableAsStmt" ? [tableName(node["into"].rel)] : [];
}

function offencesOf({ kind, node }: SqlStatement): Offence[] {
  const ofTables = (rule: string, relations: Node[], happens: string): Offence[] =>
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
