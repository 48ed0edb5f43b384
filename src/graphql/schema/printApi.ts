import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";

/** The schema as schema.graphql keeps it: what changes is what differs. */
export function printApi(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
