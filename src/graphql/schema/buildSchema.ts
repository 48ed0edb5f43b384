import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import { makeSchema } from "postgraphile";
import { type DatabaseAccess, makeDatabaseAccess } from "../../database/adaptor.ts";
import type { Replicas } from "../../database/Replicas.ts";
import type { QueryLimits } from "../../settings.ts";
import { CompiledOperations } from "../compiled/CompiledOperations.ts";
import { Documents } from "../request/Documents.ts";
import { boundPlanCache } from "./boundPlanCache.ts";
import { makePreset } from "./preset.ts";

/** A schema and what belongs to it alone: a document is valid in the schema that it was checked against. */
export interface ServedSchema {
  schema: GraphQLSchema;
  resolvedPreset: GraphileConfig.ResolvedPreset;
  databaseAccess: DatabaseAccess;
  documents: Documents;
  /** Undefined if the engine executes all operations. */
  compiled: CompiledOperations | undefined;
  limits: QueryLimits;
}

/**
 * Builds the API from the database as it is now.
 *
 * @param pool connections of the API's login role
 * @param cacheBytes the heap for cached plans; a quarter more is used for documents, and a quarter for compiled statements
 * @param compiles whether plain queries and mutations are compiled to SQL
 * @param plugins additional ones, for tools that need to know more about the schema than a client
 * @param version of the catalogue: readSchemaVersion()
 * @param replicas may answer queries
 */
export async function buildSchema(
  pool: pg.Pool,
  introspection: boolean,
  limits: QueryLimits,
  cacheBytes: number,
  compiles: boolean,
  plugins: GraphileConfig.Plugin[] = [],
  version?: string,
  replicas?: Replicas,
): Promise<ServedSchema> {
  const databaseAccess = makeDatabaseAccess(pool, version, replicas);
  const { schema, resolvedPreset } = await makeSchema({ extends: [makePreset(pool, databaseAccess)], plugins });
  await boundPlanCache(schema, resolvedPreset, cacheBytes);
  const documents = new Documents(schema, limits, introspection, cacheBytes / 4);
  const compiled = compiles ? new CompiledOperations(schema, cacheBytes / 4, limits.answerBytes) : undefined;
  return { schema, resolvedPreset, databaseAccess, limits, documents, compiled };
}
