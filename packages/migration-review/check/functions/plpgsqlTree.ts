import { parsePlPgSQLSync } from "libpg-query";
import { type Node, parse } from "../sql/parse.ts";

/** An SQL statement or expression of a PL/pgSQL body. */
export interface BodyStatement {
  /** Without the `into` of PL/pgSQL. For an expression `select <expression>`. */
  sql: string;
  /** The kind of the statement that contains it, such as `PLpgSQL_stmt_execsql`. */
  kind: string;
  /** The line in the body. Line 1 ends the line with the opening quote. */
  line: number;
  /** For `v := …`, the variable or its field. */
  target?: string;
  /** The record without a type of its own that takes the columns of the statement. */
  record?: string;
  /** Inside an `if` on the trigger's table, or where a handler expects what is missing. */
  isGuarded: boolean;
}

export interface Variable {
  name: string;
  type: string;
  /** Undefined for arguments and what PL/pgSQL itself declares. */
  line: number | undefined;
}

export interface Body {
  variables: Variable[];
  labels: string[];
  statements: BodyStatement[];
}

interface Surroundings {
  kind: string;
  line: number;
  isGuarded: boolean;
}

const conditionsOfMissingObjects = /^undefined_|^invalid_schema_name$|^42(703|P01|883|704)$/;
const triggersTable = /\btg_(table_name|table_schema|relname|relid|argv)\b/i;

/**
 * Parses the body of a PL/pgSQL function or `do` statement. Call `loadModule()` of libpg-query first.
 *
 * @param sql `create function …` or `do …`
 */
export function parseBody(sql: string): Body {
  const parsed = parsePlPgSQLSync(sql) as unknown as { plpgsql_funcs: Node[] };
  const tree = parsed.plpgsql_funcs[0]?.["PLpgSQL_function"] as Node;
  const body: Body = { variables: [], labels: [], statements: [] };
  for (const datum of tree["datums"] as Node[]) readDatum(datum, body);
  readNode(tree["action"], { kind: "", line: 1, isGuarded: false }, body);
  return body;
}

function readDatum(datum: Node, body: Body): void {
  const variable = datum["PLpgSQL_var"] ?? datum["PLpgSQL_rec"];
  if (!variable?.refname) return;
  body.variables.push({
    name: variable.refname,
    type: variable.datatype?.PLpgSQL_type?.typname ?? "record",
    line: variable.lineno,
  });
  const place = { kind: "declaration", line: variable.lineno ?? 1, isGuarded: false };
  readNode([variable.default_val, variable.cursor_explicit_expr], place, body);
}

function readNode(node: unknown, around: Surroundings, body: Body): void {
  if (Array.isArray(node)) for (const item of node) readNode(item, around, body);
  if (typeof node !== "object" || node === null || Array.isArray(node)) return;
  for (const [kind, value] of Object.entries(node as Node)) {
    if (kind === "PLpgSQL_expr") body.statements.push(readExpression(value, around));
    else if (kind.startsWith("PLpgSQL_stmt_")) readStatement(kind, value, around, body);
    // Declarations are read already.
    else if (!/^PLpgSQL_(var|rec|row)$/.test(kind)) readNode(value, around, body);
  }
}

function readStatement(kind: string, statement: Node, around: Surroundings, body: Body): void {
  if (statement["label"]) body.labels.push(statement["label"]);
  const place = {
    // `return query execute`: the result is that of the text, not of the expression that builds it.
    kind: statement["dynquery"] ? "PLpgSQL_stmt_dynexecute" : kind,
    line: statement["lineno"] ?? around.line,
    isGuarded: around.isGuarded || isGuard(kind, statement),
  };
  const { body: inner, var: variable, target, ...others } = statement;
  const from = body.statements.length;
  // The body of a loop comes last, although the tree has it before the loop's query.
  readNode(others, place, body);
  // The text that `execute` runs does not tell the columns of its result.
  const record = place.kind.includes("_dyn") ? undefined : (variable ?? target)?.PLpgSQL_rec;
  const first = body.statements[from];
  if (first && record && (record.datatype?.PLpgSQL_type?.typname ?? "record") === "record") {
    first.record = record.refname;
  }
  const selector = others["t_expr"]?.PLpgSQL_expr?.query;
  for (const when of body.statements.slice(from)) {
    // The variable's type is that of the selector, which the parser cannot know.
    when.sql = when.sql.replace(/"__Case__Variable_\d+__"/g, `(${selector})`);
  }
  readNode(inner, place, body);
}

function isGuard(kind: string, statement: Node): boolean {
  if (kind === "PLpgSQL_stmt_if" || kind === "PLpgSQL_stmt_case") {
    const { cond, t_expr, elsif_list, case_when_list } = statement;
    return triggersTable.test(JSON.stringify([cond, t_expr, elsif_list, case_when_list]));
  }
  const handlers: Node[] = statement["exceptions"]?.PLpgSQL_exception_block?.exc_list ?? [];
  return handlers
    .flatMap(({ PLpgSQL_exception: handler }): Node[] => handler.conditions)
    .some(({ PLpgSQL_condition: condition }) => conditionsOfMissingObjects.test(condition.condname));
}

function readExpression({ query, parseMode }: Node, around: Surroundings): BodyStatement {
  if (parseMode === 0) return { ...around, sql: query };
  if (parseMode === 2) return { ...around, sql: `select ${query}` };
  // An assignment. The first = ends its target.
  const [, target = "", value = ""] = /^([^=]*?)\s*:?=(.*)$/s.exec(query) ?? [];
  return { ...around, sql: `select ${value}`, target };
}

/** Whether `select <expression>` is a row written out, such as `(true, 'done')`. */
export function isRowConstructor(sql: string): boolean {
  return parse(sql)[0]?.node["targetList"]?.[0]?.ResTarget?.val?.RowExpr !== undefined;
}
