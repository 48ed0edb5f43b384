import type { SqlLine } from "../../migrations/currentSql.ts";
import { parseBody } from "../functions/plpgsqlTree.ts";
import { type Node, parse } from "./parse.ts";

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

/** The statements of a migration; instead of a `do`, those inside of it. Call `loadModule()` of libpg-query first. */
export function readStatements(lines: SqlLine[]): SqlStatement[] {
  return splitStatements(lines).flatMap((statement) =>
    statement.kind === "DoStmt" ? insideOf(statement) : [statement],
  );
}

/** The statements of a migration as PostgreSQL runs them. */
export function splitStatements(lines: SqlLine[]): SqlStatement[] {
  const text = lines.map((each) => each.text).join("\n");
  // The parser counts bytes.
  const bytes = Buffer.from(text);
  let [line, counted] = [0, 0];
  return parse(text).map(({ kind, node, start, end = bytes.length }) => {
    const from = start + Buffer.byteLength(blank.exec(bytes.toString("utf8", start, end))?.[0] ?? "");
    const sql = bytes.toString("utf8", from, end);
    line += countLines(bytes.toString("utf8", counted, from));
    counted = from;
    return { sql, kind, node, lines: lines.slice(line, line + countLines(sql) + 1) };
  });
}

export function placeOf({ lines }: SqlStatement): string | undefined {
  return lines[0]?.place;
}

function countLines(text: string): number {
  return text.split("\n").length - 1;
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
    const isText = kind === "PLpgSQL_stmt_dynexecute";
    // The second expression and those after it are the values of `using`.
    const text = isText ? textOf(parse(sql)[0]?.node["targetList"]?.[0]?.ResTarget.val) : sql;
    const lines = statement.lines.slice(start + line - 1);
    return readStatements(
      text.split("\n").map((each, i) => ({ text: each, place: (lines[i] ?? lines[0])?.place ?? "" })),
    );
  });
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

/** Words of a finding's name that say where a thing is, not what it is, as schemas do. */
const rootTypes = ["Query", "Mutation", "Subscription"];

/**
 * Guesses the line that a finding is about. For `Post.subtitle` that is the line with `subtitle` in the first statement that
 * names `posts` and `subtitle`, else the first that names `posts`. The newest file comes first.
 *
 * @param schemas of the project
 */
export function locate(name: string, change: SqlStatement[], schemas: string[]): string | undefined {
  const words = (name.match(/"(?:[^"]|"")+"|[\p{L}\p{N}_]+/gu) ?? [])
    .filter((word) => !rootTypes.includes(word) && !schemas.includes(word))
    .map((word) => (word.startsWith('"') ? word.slice(1, -1) : snakeCase(word).replace(/y$/, "")));
  const [first = "", last = ""] = [words[0], words.at(-1)];
  if (first === "") return undefined;
  const byFile = Map.groupBy(change, (statement) => placeOf(statement)?.replace(/:\d.*/, ""));
  const newestFirst = [...byFile.values()].toReversed().flat();
  // PostgreSQL tells "Docs" from docs. The API's names have lost that.
  for (const flags of ["u", "iu"]) {
    const [isFirst, isLast] = [first, last].map((word) => new RegExp(`(?<![\\p{L}\\p{N}_])${quoted(word)}`, flags));
    const place = (wanted: RegExp | undefined, isAsked: (sql: string) => boolean) => {
      for (const { sql, lines } of newestFirst) {
        if (!isAsked(sql)) continue;
        const bare = bareLines(sql);
        const line = bare.findIndex((text) => wanted?.test(text));
        if (line >= 0 && bare.some((text) => isFirst?.test(text))) return lines[line]?.place;
      }
      return undefined;
    };
    // Its own statement comes before a view that reads it.
    const isOwn = (sql: string) => isFirst?.test(subject.exec(sql)?.[1] ?? "") === true;
    const found =
      place(isLast, isOwn) ?? place(isLast, () => true) ?? place(isFirst, isOwn) ?? place(isFirst, () => true);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a statement creates or changes. */
const subject = /^\s*(?:create|alter|drop|comment\s+on)\s+((?:(?!\b(?:as|on|from|using)\b)[^(])*)/is;

function quoted(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/**
 * Guesses the line that a message of the database is about: in the statement that shares most words with it, and one of its names among
 * them. Of several, the last one.
 *
 * @param schemas of the project
 */
export function locateText(message: string, change: SqlStatement[], schemas: string[]): string | undefined {
  const words = [...new Set(message.match(/\w+/g))];
  const names = (message.match(/"[^"]+"|\w+(?:\.\w+)+|\w+_\w+/g) ?? [])
    .flatMap((name) => name.match(/\w+/g) ?? [])
    .filter((name) => !schemas.includes(name));
  const has = (text: string, word: string) => new RegExp(`\\b${word}\\b`, "i").test(text);
  let best: { shared: number; place: string | undefined } = { shared: 1, place: undefined };
  for (const { sql, lines } of change) {
    const bare = bareLines(sql);
    const line = bare.findIndex((text) => names.some((name) => has(text, name)));
    const shared = words.filter((word) => has(bare.join("\n"), word)).length;
    if (line >= 0 && shared >= best.shared) best = { shared, place: lines[line]?.place };
  }
  return best.place;
}

/** The lines of a statement without its comments and quoted texts. */
function bareLines(sql: string): string[] {
  const textOrComment = /--[^\n]*|\/\*.*?\*\/|'[^']*'|(\$\w*\$).*?\1/gs;
  return sql.replace(textOrComment, (part) => part.replace(/[^\n]/g, "")).split("\n");
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, "_$&").toLowerCase();
}
