import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import { makeSchema } from "postgraphile";
import { Documents } from "../request/Documents.ts";
import type { Limits } from "../request/limits.ts";
import { makePreset } from "./preset.ts";

/** A schema, and what was made for it alone. The three belong together: a document is valid in the schema it was checked by. */
export interface ServedSchema {
  schema: GraphQLSchema;
  resolvedPreset: GraphileConfig.ResolvedPreset;
  documents: Documents;
  limits: Limits;
}

/**
 * Reads the database as it is now, and makes the API of it.
 *
 * @param plugins for who wants to know more of it than a client may
 */
export async function buildSchema(
  pool: pg.Pool,
  introspection: boolean,
  limits: Limits,
  plugins: GraphileConfig.Plugin[] = [],
): Promise<ServedSchema> {
  const { schema, resolvedPreset } = await makeSchema({ extends: [makePreset(pool)], plugins });
  return { schema, resolvedPreset, limits, documents: new Documents(schema, limits, introspection) };
}
