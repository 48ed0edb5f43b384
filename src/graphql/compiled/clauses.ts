import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { GivenArguments, Order, Row, RowsReads } from "../../../plugins/support/reads.ts";
import type { FieldArguments } from "./FieldArguments.ts";
import { NotCompiled } from "./NotCompiled.ts";

/** The clauses that lists and connections have in common. */

/** A name that the statement has once. */
export function alias(name: string): SQL {
  return sql.identifier(Symbol(name));
}

/** A number of rows that is allowed. The engine refuses the others. */
export function count(given: unknown, max: number): number {
  if (typeof given !== "number" || !Number.isInteger(given) || given < 0 || given > max) throw new NotCompiled();
  return given;
}

export function conditions(reads: Pick<RowsReads, "where">, found: Row, row: Row, args: FieldArguments): SQL[] {
  return reads.where.map((write) => write(found, row, args)).filter((condition) => condition !== undefined);
}

/** The order that a request chooses, or else the list's own. */
export function orderOf({ order, choices }: RowsReads, args: GivenArguments): readonly Order[] {
  const chosen = choices?.size && args.isPresent("orderBy") ? choices.get(String(args.value("orderBy"))) : order;
  if (!chosen) throw new NotCompiled();
  return chosen;
}

/**
 * The first rows of each part of a list, in its order and under its conditions, as one table. A part has an index for that, and all of
 * them together have none.
 */
export function firstOfParts(
  parts: readonly SQL[],
  order: readonly Order[],
  isReversed: boolean,
  size: number,
  conditionsOf: (found: Row) => readonly SQL[],
): SQL {
  const selects = parts.map((part) => {
    const found = alias("part");
    const inOrder = orderBy(found, order, isReversed);
    return sql`(select ${found}.* from ${part} as ${found}${where(conditionsOf(found))} order by ${inOrder} limit ${sql.literal(size)})`;
  });
  return sql`(${sql.join(selects, " union all ")})`;
}

export function where(all: readonly SQL[]): SQL {
  return all.length === 0 ? sql.blank : sql` where ${sql.join(all, " and ")}`;
}

export function orderBy(row: Row, order: readonly Order[], isReversed: boolean): SQL {
  const parts = order.map(({ attribute, direction, table }) => {
    const isAscending = (direction === "ASC") !== isReversed;
    return sql`${table ?? row}.${sql.identifier(attribute)} ${isAscending ? sql`asc` : sql`desc`}`;
  });
  return sql.join(parts, ", ");
}
