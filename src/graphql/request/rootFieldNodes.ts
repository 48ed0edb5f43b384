import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from "graphql";

/** The root fields of an operation, in any fragment. A fragment is read once, so cycles end: the document need not be valid. */
export function rootFieldNodes(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  const fragments = fragmentsOf(document);
  const nodes: FieldNode[] = [];
  // A set visits what is added during the iteration, and each selection set once.
  const sets = new Set<SelectionSetNode | undefined>([operation.selectionSet]);
  for (const set of sets) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) nodes.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) sets.add(selection.selectionSet);
      else sets.add(fragments.get(selection.name.value)?.selectionSet);
    }
  }
  return nodes;
}
