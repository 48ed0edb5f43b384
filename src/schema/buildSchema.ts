import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import { makeSchema } from "postgraphile";
import { makePrepareDocument, type PrepareDocument } from "../graphql/prepareDocument.ts";
import { makePreset } from "../preset.ts";

/** A schema, and what was made for it alone. The three belong together: a document is valid in the schema it was checked by. */
export interface ServedSchema {
  schema: GraphQLSchema;
  resolvedPreset: GraphileConfig.ResolvedPreset;
  prepareDocument: PrepareDocument;
}

/**
 * Reads the database as it is now, and makes the API of it.
 *
 * @param plugins for who wants to know more of it than a client may
 */
export async function buildSchema(
  pool: pg.Pool,
  introspection: boolean,
  plugins: GraphileConfig.Plugin[] = [],
): Promise<ServedSchema> {
  const { schema, resolvedPreset } = await makeSchema({ extends: [makePreset(pool)], plugins });
  return { schema, resolvedPreset, prepareDocument: makePrepareDocument(schema, introspection) };
}
