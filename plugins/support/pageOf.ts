import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";

/** Beyond so many rows, looking each one up costs more than reading them in the list's order. */
const maxPage = 200;

/** So many rows, for a function that finds the first ones. Undefined if that is a large number. */
export function pageOfRows(count: number): SQL | undefined {
  return count <= maxPage ? sql`${sql.literal(count)}::int4` : undefined;
}
