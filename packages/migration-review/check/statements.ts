import { parseSync, scanSync } from "libpg-query";
import { type Node, parseBody } from "./plpgsqlTree.ts";
import { machineSchemas } from "./servicePlaces.ts";

/** A line of SQL, and where it is written. */
export interface SqlLine {
  /** Relative to the project's root. */
  file: string;
  line: number;
  text: string;
}

/** A statement that a migration runs, also one inside of `do $$ … $$` and `execute '…'`. */
export interface SqlStatement {
  sql: string;
  /** For example `AlterTableStmt`; undefined when the text cannot be parsed, as that of some `execute`. */
  kind: string | undefined;
  node: Node;
  /** Where each line of `sql` is written. */
  lines: SqlLine[];
}

const blank = /^(\s|--[^\n]*(\n|$)|\/\*.*?\*\/)*/s;

/** Splits SQL into its statements. Call `loadModule()` of libpg-query first. */
export function readStatements(lines: SqlLine[]): SqlStatement[] {
  let [line, counted] = [0, 0];
  const text = lines.map((each) => each.text).join("\n");
  return parse(text).flatMap(({ kind, node, start, end }) => {
    const from = start + (blank.exec(text.slice(start, end))?.[0].length ?? 0);
    const sql = text.slice(from, end);
    line += countLines(text.slice(counted, from));
    counted = from;
    const statement = { sql, kind, node, lines: lines.slice(line, line + countLines(sql) + 1) };
    return kind === "DoStmt" ? insideOf(statement) : [statement];
  });
}

export function placeOf({ lines }: SqlStatement): string {
  return `${lines[0]?.file}:${lines[0]?.line}`;
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
}

interface Parsed {
  kind: string | undefined;
  node: Node;
  start: number;
  end: number;
}

function parse(text: string): Parsed[] {
  try {
    const bytes = Buffer.from(text);
    let [start, startByte] = [0, 0];
    return (parseSync(text).stmts ?? []).map(({ stmt, stmt_location: location = 0, stmt_len: length }) => {
      const [kind, node] = Object.entries(stmt ?? {})[0] as [string, Node];
      // The parser counts bytes.
      start += bytes.subarray(startByte, location).toString().length;
      startByte = location;
      const end = length ? start + bytes.subarray(location, location + length).toString().length : text.length;
      return { kind, node, start, end };
    });
  } catch {
    return [{ kind: undefined, node: {}, start: 0, end: text.length }];
  }
}

/** The statements of a `do`. */
function insideOf(statement: SqlStatement): SqlStatement[] {
  const start = countLines(/^.*?(\$\w*\$|')/s.exec(statement.sql)?.[0] ?? "");
  let body: ReturnType<typeof parseBody>;
  try {
    body = parseBody(statement.sql);
  } catch {
    // Of another language.
    return [{ ...statement, kind: undefined }];
  }
  return body.statements.flatMap(({ sql, kind, line }): SqlStatement[] => {
    const place = statement.lines[start + line - 1] as SqlLine;
    if (kind !== "PLpgSQL_stmt_dynexecute") return readStatements(linesFrom(place, sql));
    const node = parse(sql)[0]?.node ?? {};
    // The second expression and those after it are the values of `using`.
    return readStatements(linesFrom(place, textOf(node["targetList"]?.[0]?.ResTarget.val)));
  });
}

/** The lines of a text that begins at this place. */
function linesFrom(place: SqlLine, sql: string): SqlLine[] {
  return sql.split("\n").map((text, i) => ({ ...place, line: place.line + i, text }));
}

/** The text that an expression builds, with `x` for each part that only the database knows. */
function textOf(expression: Node = {}): string {
  const { A_Const: constant, A_Expr: operation, FuncCall: call, TypeCast: cast } = expression;
  if (constant?.sval) return constant.sval.sval ?? "";
  if (operation?.name?.[0]?.String?.sval === "||") return textOf(operation.lexpr) + textOf(operation.rexpr);
  if (cast) return textOf(cast.arg);
  if (call?.funcname?.at(-1)?.String?.sval === "format") {
    return textOf(call.args?.[0]).replace(/%(?:\d+\$)?(?:-?\d+)?([sIL%])/g, (_, type) =>
      type === "%" ? "%" : type === "L" ? "'x'" : "x",
    );
  }
  return "x";
}

/** The nodes of one kind, at any depth. */
export function nodesOf(node: unknown, kind: string): Node[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [...(key === kind ? [value] : []), ...nodesOf(value, kind)]);
}

/** Words of a finding's name that say where a thing is, not what it is. */
const placeWords = new RegExp(`^(app_\\w+|${machineSchemas}|Query|Mutation|Subscription)$`);

/**
 * Guesses the line that a finding is about. For `Post.subtitle` that is the line with `subtitle` in the first statement that
 * names `posts` and `subtitle`, else the first that names `posts`. The newest file comes first.
 */
export function locate(name: string, change: SqlStatement[]): string | undefined {
  const words = (name.match(/\w+/g) ?? [])
    .filter((word) => !placeWords.test(word))
    .map((word) => snakeCase(word).replace(/y$/, ""));
  const [first = "", last = ""] = [words[0], words.at(-1)];
  if (first === "") return undefined;
  const byFile = Map.groupBy(change, ({ lines }) => lines[0]?.file);
  const places = [...byFile.values()]
    .toReversed()
    .flat()
    .map((statement) => ({ statement, names: namesIn(statement.sql) }));
  for (const wanted of [last, first]) {
    for (const { statement, names } of places) {
      const found = names.find((token) => token.name.startsWith(wanted));
      if (!found || !names.some((token) => token.name.startsWith(first))) continue;
      const line = statement.lines[found.line];
      return `${line?.file}:${line?.line}`;
    }
  }
  return undefined;
}

/** The names in a statement, with their lines. Names in comments and quoted texts do not count. */
function namesIn(sql: string): { name: string; line: number }[] {
  const bytes = Buffer.from(sql);
  try {
    return scanSync(sql)
      .tokens.filter(({ tokenName, keywordName }) => tokenName === "IDENT" || keywordName !== "NO_KEYWORD")
      .map(({ text, start }) => ({
        name: text.replaceAll('"', "").toLowerCase(),
        line: countLines(bytes.subarray(0, start).toString()),
      }));
  } catch {
    return [];
  }
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();
}
