import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { Row, RowsReads } from "../../../plugins/support/reads.ts";
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

export function conditions(reads: RowsReads, found: Row, row: Row, args: FieldArguments): SQL[] {
  return reads.where.map((write) => write(found, row, args)).filter((condition) => condition !== undefined);
}

export function where(all: readonly SQL[]): SQL {
  return all.length === 0 ? sql.blank : sql` where ${sql.join(all, " and ")}`;
}

export function orderBy(row: Row, order: NonNullable<RowsReads["order"]>, isReversed: boolean): SQL {
  const parts = order.map(({ attribute, direction, table }) => {
    const isAscending = (direction === "ASC") !== isReversed;
    return sql`${table ?? row}.${sql.identifier(attribute)} ${isAscending ? sql`asc` : sql`desc`}`;
  });
  return sql.join(parts, ", ");
}
