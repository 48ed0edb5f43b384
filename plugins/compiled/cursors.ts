import { createHash } from "node:crypto";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { FieldArguments } from "./FieldArguments.ts";
import type { NodeIdSource, Order, RowAlias } from "./fieldSource.ts";
import { cursorValue } from "./leaf.ts";
import { NotCompiled } from "./NotCompiled.ts";

/**
 * Cursors as the engine writes and reads them: in base64, a JSON array of the order's digest and its values for the row. Global ids
 * are written likewise: an array of the type's name and the values of the key.
 */

/** A column of the row. */
type Column = Pick<Order, "attribute" | "codec" | "table">;

const columnOf = (row: RowAlias, { attribute, table }: Column) => sql`${table ?? row}.${sql.identifier(attribute)}`;

/** The cursor of a row. */
export function cursorOf(row: RowAlias, name: string, order: readonly Order[]): SQL {
  return encoded(digestOf(name, order), row, order);
}

/** The global id of a row. */
export function nodeIdOf(row: RowAlias, { typeName, key }: NodeIdSource): SQL {
  return encoded(typeName, row, key);
}

/** @param first needs no escaping in JSON */
function encoded(first: string, row: RowAlias, columns: readonly Column[]): SQL {
  // A column that has become nullable after the schema was made has null in the engine's cursor, too.
  const values = columns.map((each) => sql`',', coalesce(${cursorValue(each.codec, columnOf(row, each))}, 'null')`);
  const json = sql`concat('["', ${sql.literal(first)}, '"', ${sql.join(values, ", ")}, ']')`;
  return sql`translate(encode(convert_to(${json}, 'UTF8'), 'base64'), E'\\n', '')`;
}

/** The values of the order's columns in the cursor that an argument holds. */
export function cursorValues(
  argument: "after" | "before",
  name: string,
  order: readonly Order[],
  args: FieldArguments,
): SQL[] {
  const digest = digestOf(name, order);
  return order.map(({ codec }, i) => {
    return sql`${args.text(argument, cursorReader(digest, order.length, i))}::${codec.sqlType}`;
  });
}

/** The condition that a row is after, or before, the cursor in an argument. */
export function besideCursor(
  argument: "after" | "before",
  name: string,
  order: readonly Order[],
  row: RowAlias,
  args: FieldArguments,
): SQL {
  const values = cursorValues(argument, name, order, args);
  const comparator = ({ direction }: Order) => ((direction === "ASC") === (argument === "after") ? sql`>` : sql`<`);
  const [first, ...rest] = order;
  if (first && rest.length > 0 && rest.every(({ direction }) => direction === first.direction)) {
    const columns = sql.join(
      order.map((each) => columnOf(row, each)),
      ", ",
    );
    return sql`(${columns}) ${comparator(first)} (${sql.join(values, ", ")})`;
  }
  const from = (i: number): SQL => {
    const each = order[i];
    if (!each) return sql`false`;
    const [column, value] = [columnOf(row, each), values[i] as SQL];
    return sql`(${column} ${comparator(each)} ${value} or (${column} = ${value} and ${from(i + 1)}))`;
  };
  return from(0);
}

function cursorReader(digest: string, length: number, index: number): (cursor: unknown) => string {
  return (cursor) => {
    let values: unknown;
    try {
      values = JSON.parse(Buffer.from(String(cursor), "base64").toString("utf8"));
    } catch {
      throw new NotCompiled();
    }
    if (!Array.isArray(values) || values[0] !== digest || values.length !== length + 1) throw new NotCompiled();
    const value: unknown = values[index + 1];
    if (typeof value !== "string" && typeof value !== "number") throw new NotCompiled();
    return String(value);
  };
}

/** The engine's digest of an order: of its columns' SQL. */
function digestOf(name: string, order: readonly Order[]): string {
  const row = sql.identifier(Symbol(name));
  const columns = order.map((each) => {
    const column = columnOf(row, each);
    return sql.compile(each.mark ? sql`${column} ${each.mark}` : column).text;
  });
  return createHash("sha256").update(JSON.stringify(columns)).digest("hex").slice(0, 10);
}
