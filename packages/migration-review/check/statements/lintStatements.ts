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
    ...sequenceOffences(kind, node),
    ...heldTables(kind, node),
    ...ofTables("delete-all-rows", allRows("DeleteStmt"), "All rows of … are deleted"),
    ...ofTables("update-all-rows", allRows("UpdateStmt"), "All rows of … are updated"),
    ...(kind === "TruncateStmt"
      ? ofTables("truncate", nodesOf(node["relations"], "RangeVar"), "… is truncated")
      : otherOffences(kind, node)),
  ];
}

/** Numbers that a sequence or an identity is set to: by `alter`, by `setval()`, by `truncate … restart identity`. */
function sequenceOffences(kind: string | undefined, node: Node): Offence[] {
  const of = (object: string, happens: string): Offence => ({
    rule: "alter-sequence",
    object,
    message: `The sequence of ${object} is ${happens}.`,
  });
  const identities = nodesOf(node["cmds"], "AlterTableCmd").filter(({ subtype }) => subtype === "AT_SetIdentity");
  const names = (options: Node[] = []) => options.map((option) => String(option["DefElem"]?.defname));
  const calls = nodesOf(node, "FuncCall").filter(({ funcname }) => funcname?.at(-1)?.String?.sval === "setval");
  return [
    ...(kind === "AlterSeqStmt" && names(node["options"]).some((name) => name !== "owned_by")
      ? [of(tableName(node["sequence"]), "changed")]
      : []),
    ...identities
      .filter(({ def }) => names(def?.List?.items).some((name) => name !== "generated"))
      .map(({ name }) => of(`${tableName(node["relation"])}.${name}`, "changed")),
    ...calls.map(({ args }) => of(nodesOf(args, "sval")[0]?.["sval"] ?? "a column", "set")),
    ...(kind === "TruncateStmt" && node["restart_seqs"]
      ? nodesOf(node["relations"], "RangeVar").map((relation) => of(tableName(relation), "set back"))
      : []),
  ];
}

/** Statements whose only effect on a table is that others wait for it. */
function heldTables(kind: string | undefined, node: Node): Offence[] {
  const options = (node["options"] ?? node["params"] ?? []) as Node[];
  const has = (name: string) => options.some((option) => option["DefElem"]?.defname === name);
  const commands: Record<string, [word: string, isMeant: boolean]> = {
    ClusterStmt: ["cluster", true],
    VacuumStmt: ["vacuum full", has("full")],
    ReindexStmt: ["reindex", !has("concurrently")],
  };
  if (kind === "LockStmt") {
    return nodesOf(node["relations"], "RangeVar").map((relation) => {
      const object = tableName(relation);
      return { rule: "explicit-lock", object, message: `${object} is locked until the migration ends.` };
    });
  }
  const [word, isMeant] = commands[kind ?? ""] ?? ["", false];
  if (!isMeant) return [];
  const relation = node["relation"] ?? nodesOf(node["rels"], "VacuumRelation")[0]?.["relation"];
  const object = tableName(relation) || String(node["name"] ?? "the database");
  return [
    { rule: word === "reindex" ? "reindex" : "rewrite-command", object, message: `\`${word}\` holds ${object}.` },
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
