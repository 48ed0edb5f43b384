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
 * Whether an answer is the same for everyone who may see the row it begins with: all that it selects are the row's own
 * columns, and those of rows that every user sees alike. SharedFieldsPlugin marks such fields; a field that nobody has
 * marked, like a computed one, a list or an address, makes the answer each viewer's own.
 */
export function isSameForAll(
  schema: GraphQLSchema,
  query: OperationDefinitionNode,
  fragments: FragmentDefinitionNode[],
): boolean {
  const fragmentsByName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));

  function isShared(set: SelectionSetNode, type: GraphQLNamedType | undefined, isRow = false): boolean {
    return set.selections.every((selection) => {
      if (selection.kind === Kind.INLINE_FRAGMENT) return isShared(selection.selectionSet, type);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragmentsByName.get(selection.name.value);
        return fragment !== undefined && isShared(fragment.selectionSet, type);
      }
      if (selection.name.value === "__typename") return true;
      const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
      // The row that begins it is checked for each viewer before anybody is told of it.
      if (!field || !(isRow || field.extensions.isSameForAll)) return false;
      return !selection.selectionSet || isShared(selection.selectionSet, getNamedType(field.type));
    });
  }

  return isShared(query.selectionSet, schema.getQueryType() ?? undefined, true);
}
