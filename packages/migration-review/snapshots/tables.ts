import { readFileSync } from "node:fs";
import type { ClientBase, Pool } from "pg";

/** A table as it is after all migrations. */
export interface Table {
  schema: string;
  name: string;
  comment: string | null;
  partitioned: string | null;
  hasRowSecurity: boolean;
  /** The rest of a definition is what follows the type. */
  columns: { name: string; type: string; rest: string; notNull: boolean; comment: string | null }[];
  constraints: Constraint[];
  indexes: { definition: string; comment: string | null }[];
  referenced: string[];
  triggers: { definition: string; comment: string | null }[];
  policies: string[];
  rights: string[];
}

interface Constraint {
  name: string;
  /** As pg_constraint.contype. */
  type: "p" | "u" | "f" | "c" | "x";
  columns: string[];
  /** For a foreign key to a table of the same schema. */
  references: string | null;
  definition: string;
  comment: string | null;
}

/** The tables of some schemas, but partitions. */
export async function readTables(client: ClientBase | Pool, schemas: string[]): Promise<Table[]> {
  // Names are written with their schemas.
  await client.query("select pg_catalog.set_config('search_path', 'pg_catalog', false)");
  return (await client.query<Table>(tablesQuery, [schemas])).rows;
}

const tablesQuery = readFileSync(new URL("tables.sql", import.meta.url), "utf8");
