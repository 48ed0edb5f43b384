import { parseSync } from "libpg-query";

/** A node of a tree by libpg-query: one key, the kind, and what belongs to it. */
// biome-ignore lint/suspicious/noExplicitAny: the tree has no types
export type Node = Record<string, any>;

interface Parsed {
  kind: string | undefined;
  node: Node;
  start: number;
  end?: number | undefined;
}

/** The statements of a text; one without a kind when PostgreSQL cannot read it. Call `loadModule()` of libpg-query first. */
export function parse(text: string): Parsed[] {
  // The parser refuses an empty text.
  if (text === "") return [];
  try {
    return (parseSync(text).stmts ?? []).map(({ stmt, stmt_location: start = 0, stmt_len: length }) => {
      const [kind, node] = Object.entries(stmt ?? {})[0] as [string, Node];
      return { kind, node, start, end: length ? start + length : undefined };
    });
  } catch {
    return [{ kind: undefined, node: {}, start: 0 }];
  }
}

/** The name of a `RangeVar`, with its schema if it has one. */
export function tableName({ schemaname, relname }: Node = {}): string {
  return [schemaname, relname].filter(Boolean).join(".");
}

/** The nodes of one kind, at any depth. */
export function nodesOf(node: unknown, kind: string): Node[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [...(key === kind ? [value] : []), ...nodesOf(value, kind)]);
}
