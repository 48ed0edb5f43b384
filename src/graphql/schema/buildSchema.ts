import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import type { Replicas } from "pg-caller-pool";
import { makeSchema as makeStrictSchema } from "postgraphile";
import { makeSchema, type ServedNames } from "postgraphile-compiled-preset";
import { CompiledOperations } from "postgraphile-compiled-preset/compiled";
import { makeRequestAccess, type RequestAccess } from "../../database/requestAccess.ts";
import type { QueryLimits, Settings } from "../../settings.ts";
import { Documents } from "../request/Documents.ts";
import { boundPlanCache } from "./boundPlanCache.ts";
import { makePreset } from "./preset.ts";
import { committedNames } from "./servedNames.ts";

/** A schema and what belongs to it alone: a document is valid in the schema that it was checked against. */
export interface ServedSchema {
  /** Of the catalogue that the schema was made from. */
  version: string | undefined;
  schema: GraphQLSchema;
  resolvedPreset: GraphileConfig.ResolvedPreset;
  databaseAccess: RequestAccess;
  documents: Documents;
  /** Undefined if the engine executes all operations. */
  compiled: CompiledOperations | undefined;
  limits: QueryLimits;
}

export interface SchemaSettings
  extends Pick<Settings, "introspection" | "queryLimits" | "queryCacheBytes" | "compileQueries"> {}

/** The schema as the engine makes it from the catalogue. */
export type MadeSchema = Pick<ServedSchema, "schema" | "resolvedPreset">;

export interface SchemaOptions {
  /** Additional ones, for tools that need to know more about the schema than a client. */
  plugins?: GraphileConfig.Plugin[];
  /** Whether a wrong smart tag is ignored and listed. By default, it fails the build. */
  ignoresWrongTags?: boolean;
  /** Of the catalogue: readSchemaVersion(). */
  version?: string | undefined;
  /** Makes the schema, or returns what was made from this version of the catalogue before. */
  reuse?: ((version: string | undefined, make: () => Promise<MadeSchema>) => Promise<MadeSchema>) | undefined;
  /** The names of the schema that it follows. */
  follows?: ServedNames | undefined;
  /** May answer queries. */
  replicas?: Replicas | undefined;
}

/**
 * Builds the API from the database as it is now.
 *
 * @param pool connections of the API's login role
 * @param settings with the heap for cached plans; a quarter more is used for documents, and a quarter for compiled statements
 */
export async function buildSchema(
  pool: pg.Pool,
  { introspection, queryLimits, queryCacheBytes, compileQueries }: SchemaSettings,
  {
    plugins = [],
    ignoresWrongTags,
    version,
    reuse = (_version, make) => make(),
    follows,
    replicas,
  }: SchemaOptions = {},
): Promise<ServedSchema> {
  const databaseAccess = makeRequestAccess(pool, version, replicas);
  const servedNames = { ...committedNames, ...follows };
  const preset = { extends: [makePreset(pool, databaseAccess)], plugins, schema: { servedNames } };
  const { schema, resolvedPreset } = await reuse(version, () =>
    (ignoresWrongTags ? makeSchema : makeStrictSchema)(preset),
  );
  await boundPlanCache(schema, resolvedPreset, queryCacheBytes);
  const cacheBytes = queryCacheBytes / 4;
  const documents = new Documents(schema, introspection, cacheBytes);
  const compiled = compileQueries
    ? new CompiledOperations(schema, { cacheBytes, maxBytes: queryLimits.responseBytes })
    : undefined;
  return { version, schema, resolvedPreset, databaseAccess, limits: queryLimits, documents, compiled };
}
