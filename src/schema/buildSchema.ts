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

/** Reads the database as it is now, and makes the API of it. */
export async function buildSchema(pool: pg.Pool, introspection: boolean): Promise<ServedSchema> {
  const { schema, resolvedPreset } = await makeSchema(makePreset(pool));
  return { schema, resolvedPreset, prepareDocument: makePrepareDocument(schema, introspection) };
}
