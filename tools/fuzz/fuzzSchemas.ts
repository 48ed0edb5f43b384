import { Random } from "@content-service/testing/Random.ts";
import { type GraphQLSchema, isObjectType } from "graphql";
import pg from "pg";
import { readSchema } from "../../src/commands/readSchema.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";
import { grantAll, oddObjects } from "./oddObjects.ts";

const objectsOfStep = 25;

/** Adds `count` random objects to the publication's schema, and builds the API after each few. Returns the fields that were lost. */
export async function fuzzSchemas(
  count: number,
  seed: number,
): Promise<{ added: number; leftOut: number; lost: string[] }> {
  await using started = new AsyncDisposableStack();
  const database = new EmbeddedDatabase();
  started.defer(() => database.stop());
  await database.start();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  started.defer(() => owner.end());
  await owner.connect();
  const statements = oddObjects(new Random(seed), count * 4);
  const { schema: first } = await readSchema(database.apiUrl);
  const result = { added: 0, leftOut: 0, lost: [] as string[] };
  while (result.added < count && statements.length > 0) {
    result.added += await addObjects((sql) => owner.query(sql), statements.splice(0, objectsOfStep));
    const { schema, leftOut } = await readSchema(database.apiUrl);
    result.leftOut = leftOut.length;
    result.lost = lostFields(first, schema);
    if (result.lost.length > 0) break;
  }
  return result;
}

/** Runs the statements, as far as PostgreSQL takes them. Returns how many it took. */
export async function addObjects(
  query: (sql: string) => Promise<unknown>,
  statements: readonly string[],
): Promise<number> {
  let added = 0;
  for (const statement of statements) {
    added += await query(statement).then(
      () => 1,
      () => 0,
    );
  }
  await query(grantAll);
  return added;
}

/** The fields of objects that another schema has not, or with another type. */
export function lostFields(before: GraphQLSchema, after: GraphQLSchema): string[] {
  const now = new Set(fieldsOf(after));
  return fieldsOf(before).filter((field) => !now.has(field));
}

function fieldsOf(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields()).map((field) => `${type.name}.${field.name}: ${field.type}`)
      : [],
  );
}
