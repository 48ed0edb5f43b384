import { parse } from "../sql/parse.ts";
import { type BodyStatement, isRowConstructor, parseBody, type Variable } from "./plpgsqlTree.ts";
import type { Routine } from "./routines.ts";

export interface Check {
  /** `create function pg_temp.…`. It raises a notice for each statement that fails, with the line as its detail. */
  create: string;
  call: string;
  /** False when there is text that is executed, or a statement that PostgreSQL cannot explain. */
  seesAll: boolean;
}

const explainable = /^(Select|Insert|Update|Delete|Merge)Stmt$/;

/**
 * Writes a function that makes PostgreSQL resolve each statement of a PL/pgSQL function, on every branch, without running
 * it. PostgreSQL itself resolves a statement only when a call reaches it. The check has the same name, arguments and
 * variables; instead of running a statement it explains it.
 *
 * @param table the table whose trigger calls the function
 */
export function explainStatements(routine: Routine, table?: string): Check {
  const { variables, labels, statements } = parseBody(routine.definition);
  const name = `pg_temp.${routine.name.slice(routine.name.indexOf(".") + 1)}`;
  const declared = variables.filter(({ line, name }) => line !== undefined || (routine.isTrigger && name !== "found"));
  const first = [...Map.groupBy(declared, (variable) => variable.name).values()].map(
    ([variable]) => variable as Variable,
  );
  const seen = statements.flatMap((statement) => {
    const sql = statement.isGuarded ? undefined : sqlFor(statement, routine);
    return sql ? [{ sql, line: statement.line }] : [];
  });
  const option = /^\s*#variable_conflict \w+/m.exec(routine.source)?.[0] ?? "";
  const declarations = `declare _check record; _check_state text; _check_message text;\n${declare(first, table)}`;
  const blocks = seen.map((statement) => blockFor(statement, declared, table));
  // A variable may be qualified with the label of its block.
  const body = labels.reduceRight(
    (inner, label) => `<<"${label}">>\n${declarations}\nbegin\n${inner}\nend;`,
    blocks.join("\n"),
  );
  const result = routine.isTrigger ? "returns void" : routine.result === null ? "" : `returns ${routine.result}`;
  return {
    create:
      `create ${routine.result === null ? "procedure" : "function"} ${name}(${routine.arguments}) ${result} ` +
      `language plpgsql as $_check$ ${option}\n${declarations}\nbegin\n${body}\nend $_check$`,
    call:
      routine.result === null
        ? `call ${name}(${routine.nulls.join(", ")})`
        : `select * from ${name}(${routine.nulls.join(", ")})`,
    seesAll: seen.length === statements.length && !statements.some(({ kind }) => /dynexecute|dynfors/.test(kind)),
  };
}

function declare(variables: Variable[], table: string | undefined): string {
  const typeOf = ({ name, type }: Variable) => (table && /^(new|old)$/.test(name) ? table : type);
  return variables.map((variable) => `"${variable.name}" ${typeOf(variable)};`).join("\n");
}

function blockFor(
  { sql, line }: Pick<BodyStatement, "sql" | "line">,
  declared: Variable[],
  table: string | undefined,
): string {
  // Of variables with the same name, the one that was declared last before the statement.
  const hiding = [...Map.groupBy(declared, (variable) => variable.name).values()].flatMap((same) => {
    const nearest = same.findLast((variable) => (variable.line ?? 0) <= line);
    return nearest && nearest.type !== same[0]?.type ? [nearest] : [];
  });
  return `
    ${hiding.length > 0 ? `declare ${declare(hiding, table)}` : ""} begin
      ${sql}
    exception when others then
      get stacked diagnostics _check_state = returned_sqlstate, _check_message = message_text;
      raise notice using errcode = _check_state, message = _check_message, detail = '${line}';
    end;`;
}

/** The PL/pgSQL statement that checks a statement; undefined when nothing does. */
function sqlFor({ sql, kind, target, record }: BodyStatement, routine: Routine): string | undefined {
  const type = parse(sql)[0]?.kind;
  // Later statements may use the table.
  if (/^Create(TableAs)?Stmt$/.test(type ?? "") && /\btemp(orary)?\b/i.test(sql)) return `${sql};`;
  // Cannot be explained. The end of the check undoes it.
  if (type === "ConstraintsSetStmt") return `${sql};`;
  if (type !== undefined && !explainable.test(type)) return undefined;
  // Without a row to read, these give the record its columns, and compare the columns of the result.
  if (type === "SelectStmt" && record) return `select * into "${record}" from (${sql}\n) as _query limit 0;`;
  if (type === "SelectStmt" && kind === "PLpgSQL_stmt_return_query") {
    return `return query select * from (${sql}\n) as _query limit 0;`;
  }
  const isRow = /^PLpgSQL_stmt_return(_next)?$/.test(kind) && routine.resultIsComposite && isRowConstructor(sql);
  const cast = isRow ? `select (${sql.replace(/^select/, "")}\n)::${routine.result?.replace(/^SETOF /, "")}` : sql;
  const field = target?.includes(".") ? `${explain(`select ${target}`)}\n` : "";
  return `${field}${explain(cast)}`;
}

function explain(sql: string): string {
  return `for _check in explain ${sql}\nloop exit; end loop;`;
}
