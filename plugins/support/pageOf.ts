import type { GivenArguments } from "@content-service/compiled-queries/fieldSource.ts";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";

/** Beyond so many rows, looking each one up costs more than reading them in the list's order. */
const maxPage = 200;

/** The number of rows that a list reads, for a function that finds the first ones. Undefined if it is not known or large. */
export function pageOf(args: GivenArguments): SQL | undefined {
  const [limit, offset] = [args.value("limit"), args.value("offset") ?? 0];
  return typeof limit === "number" && typeof offset === "number" ? pageOfRows(limit + offset) : undefined;
}

/** So many rows as a page. Undefined if that is a large number. */
export function pageOfRows(count: number): SQL | undefined {
  return count <= maxPage ? sql`${sql.literal(count)}::int4` : undefined;
}
