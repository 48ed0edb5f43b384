import { findRoute } from "@content-service/support/route.ts";
import { pino } from "pino";
import { type UnmappedObject, unmappedObjectsOf } from "postgraphile-compiled-preset";
import { createRequestPool } from "../database/requestAccess.ts";
import { buildSchema, type SchemaOptions, type ServedSchema } from "../graphql/schema/buildSchema.ts";
import { defaultSettings } from "../settings.ts";

/**
 * Builds the schema that a service would serve from this database.
 *
 * @throws Error for a wrong smart tag, unless the options have `ignoresWrongTags`
 */
export async function readSchema(
  apiDatabaseUrl: string,
  options: SchemaOptions = {},
): Promise<ServedSchema & { leftOut: readonly UnmappedObject[] }> {
  const pool = createRequestPool(
    { apiDatabaseUrl, poolSize: 2, poolTimeoutMs: 5_000, statementTimeoutMs: 30_000 },
    pino({ level: "silent" }),
    await findRoute(apiDatabaseUrl),
  );
  try {
    const served = await buildSchema(pool, { ...defaultSettings, introspection: true }, options);
    return { ...served, leftOut: unmappedObjectsOf(served.schema) };
  } finally {
    await pool.end();
  }
}
