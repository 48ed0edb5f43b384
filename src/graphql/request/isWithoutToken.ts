import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import { fragmentsOf } from "./fragmentsOf.ts";

/**
 * Whether all root fields of an operation have the smart tag `@withoutToken` (plugins/WithoutTokenPlugin.ts). `__typename`
 * alone is not enough. The document need not be valid.
 */
export function isWithoutToken(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const names = rootNames(document, operation.selectionSet);
  names.delete("__typename");
  return names.size > 0 && [...names].every((name) => fields[name]?.extensions.isWithoutToken);
}

function rootNames(document: DocumentNode, root: SelectionSetNode): Set<string> {
  const fragments = fragmentsOf(document);
  const names = new Set<string>();
  // A set visits what is added during the iteration, and each selection set once, so cycles end.
  const sets = new Set<SelectionSetNode | undefined>([root]);
  for (const set of sets) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      else if (selection.kind === Kind.INLINE_FRAGMENT) sets.add(selection.selectionSet);
      else sets.add(fragments.get(selection.name.value)?.selectionSet);
    }
  }
  return names;
}
