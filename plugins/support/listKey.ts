import type { PgCodecRelation } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { RowAlias } from "../compiled/fieldSource.ts";
import { type FieldContext, relationOf } from "./fields.ts";

/** The foreign key through which a list belongs to a row. */
export interface ListKey {
  /** The smart tags of the foreign key. */
  tags: Record<string, unknown>;
  /** The columns of the foreign key. */
  columns: readonly string[];
  /** The values of the row that the key refers to, as named arguments. */
  arguments(row: RowAlias): SQL[];
}

/** The key of a list of a row, also through a join table. Undefined for a list of Query, or of a function. */
export function listKey({ pgCrossing, pgRelationDetails: details }: FieldContext["scope"]): ListKey | undefined {
  if (pgCrossing)
    return keyOf(pgCrossing.toLeft, pgCrossing.toLeft.localAttributes, pgCrossing.toLeft.remoteAttributes);
  const relation = relationOf(details);
  return relation?.isReferencee ? keyOf(relation, relation.remoteAttributes, relation.localAttributes) : undefined;
}

function keyOf({ extensions }: PgCodecRelation, columns: readonly string[], referred: readonly string[]): ListKey {
  return {
    tags: extensions?.tags ?? {},
    columns,
    arguments: (row) =>
      columns.map((column, i) => sql`${sql.identifier(column)} => ${row}.${sql.identifier(referred[i] as string)}`),
  };
}
