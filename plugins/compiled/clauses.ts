import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { FieldArguments } from "./FieldArguments.ts";
import type { FoundRows, GivenArguments, Order, RowAlias, RowsSource } from "./fieldSource.ts";
import { NotCompiled } from "./NotCompiled.ts";

/** The clauses that lists and connections have in common. */

/** A name that the statement has once. */
export function alias(name: string): SQL {
  return sql.identifier(Symbol(name));
}

/** A number of rows that is allowed. The engine refuses the others. */
export function allowedCount(given: unknown, max: number): number {
  if (typeof given !== "number" || !Number.isInteger(given) || given < 0 || given > max) throw new NotCompiled();
  return given;
}

export function conditions(
  source: Pick<RowsSource, "where">,
  found: RowAlias,
  row: RowAlias,
  args: FieldArguments,
): SQL[] {
  return source.where.map((write) => write(found, row, args)).filter((condition) => condition !== undefined);
}

/** The order that a request chooses, or else the list's own. */
export function orderOf({ order, choices }: RowsSource, args: GivenArguments): readonly Order[] {
  const chosen = choices?.size && args.isPresent("orderBy") ? choices.get(String(args.value("orderBy"))) : order;
  if (!chosen) throw new NotCompiled();
  return chosen;
}

/**
 * The first rows of each partition of a list, in its order and under its conditions, as one table. A partition has an index for that, and all of
 * them together have none.
 */
export function firstOfPartitions(
  partitions: readonly FoundRows[],
  order: readonly Order[],
  isReversed: boolean,
  size: number,
  conditionsOf: (found: RowAlias, part: FoundRows) => readonly SQL[],
  columns?: readonly string[],
): SQL {
  const selects = partitions.map((part) => {
    const found = alias("part");
    const inOrder = orderBy(found, order, isReversed);
    const selected = columns
      ? sql.join(
          columns.map((column) => sql`${found}.${sql.identifier(column)}`),
          ", ",
        )
      : sql`${found}.*`;
    return sql`(select ${selected} from ${part.from} as ${found}${where(conditionsOf(found, part))} order by ${inOrder} limit ${sql.literal(size)})`;
  });
  return sql`(${sql.join(selects, " union all ")})`;
}

/** From this offset on, looking up the page's rows by their keys costs less than reading the rows before them. */
export const deepOffset = 100;

/**
 * The rows of a page that is far behind. The rows before it are passed over by their keys and what the order reads, which stand in the
 * indexes of the partitions.
 */
export function deepPageByKey(
  table: SQL,
  keys: readonly string[],
  partitions: readonly FoundRows[],
  order: readonly Order[],
  { limit, offset }: { limit: number; offset: number },
  conditionsOf: (found: RowAlias, part: FoundRows) => readonly SQL[],
): SQL {
  const [row, passed, key] = [alias("row"), alias("passed"), alias("key")];
  const columns = [...new Set([...keys, ...order.map(({ attribute }) => attribute)])];
  const first = firstOfPartitions(partitions, order, false, limit + offset, conditionsOf, columns);
  const page = sql`select ${passed}.* from ${first} as ${passed} order by ${orderBy(passed, order, false)} limit ${sql.literal(limit)} offset ${sql.literal(offset)}`;
  const isSame = keys.map((name) => sql`${row}.${sql.identifier(name)} = ${key}.${sql.identifier(name)}`);
  return sql`(select ${row}.* from (${page}) as ${key} join ${table} as ${row} on ${sql.join(isSame, " and ")})`;
}

export function where(all: readonly SQL[]): SQL {
  return all.length === 0 ? sql.blank : sql` where ${sql.join(all, " and ")}`;
}

export function orderBy(row: RowAlias, order: readonly Order[], isReversed: boolean): SQL {
  const parts = order.map(({ attribute, direction, table }) => {
    const isAscending = (direction === "ASC") !== isReversed;
    return sql`${table ?? row}.${sql.identifier(attribute)} ${isAscending ? sql`asc` : sql`desc`}`;
  });
  return sql.join(parts, ", ");
}
