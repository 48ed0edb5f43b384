import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

/**
 * How often an operation calls mutations with the smart tag `@rateLimited` (plugins/RateLimitedPlugin.ts), under any alias
 * and in any fragment. The document is valid for the schema.
 */
export function guardedCalls(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): number {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const fragments = fragmentsOf(document);
  // Each fragment is read once, however often it is spread: fragments that double each other would take exponential time.
  const known = new Map<string, number>();
  const callsIn = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) {
        return sum + (mutations[selection.name.value]?.extensions.isRateLimited ? 1 : 0);
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + callsIn(selection.selectionSet);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (!known.has(name)) known.set(name, fragment ? callsIn(fragment.selectionSet) : 0);
      return sum + (known.get(name) ?? 0);
    }, 0);
  return operation.operation === "mutation" ? callsIn(operation.selectionSet) : 0;
}
