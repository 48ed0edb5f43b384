import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";

/** The schema as schema.graphql contains it, sorted, so that a diff shows only changes. */
export function printApi(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
