import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

/**
 * Whether a subscription's answer is the same for all viewers of the root row: it selects only columns of that row, and of
 * rows that every user sees alike. FieldExtensionsPlugin marks such fields; an unmarked field, such as a computed one or a list,
 * makes the answer depend on the viewer.
 */
export function isSameForAll(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  fragments: FragmentDefinitionNode[],
): boolean {
  const fragmentsByName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));

  function allSame(set: SelectionSetNode, type: GraphQLNamedType | undefined, isRow = false): boolean {
    return set.selections.every((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return allSame(selection.selectionSet, type);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragmentsByName.get(selection.name.value);
        return fragment !== undefined && allSame(fragment.selectionSet, type);
      }
      if (selection.name.value === "__typename") return true;
      const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
      // The root row itself is checked for each viewer before it is delivered.
      if (!field || !(isRow || field.extensions.isSameForAll)) return false;
      return !selection.selectionSet || allSame(selection.selectionSet, getNamedType(field.type));
    });
  }

  return allSame(operation.selectionSet, schema.getSubscriptionType() ?? undefined, true);
}
