import { initGraphQLTada } from "gql.tada";
import type { introspection } from "./graphql-env";

export type { FragmentOf, ResultOf, VariablesOf } from "gql.tada";

/** Parses an operation, and infers the types of its data and variables. The fragments that it names follow it in a list. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { ID: string; Timestamp: string; Cursor: string; JSON: unknown };
}>();
