import {
  type DocumentNode,
  type FieldNode,
  type FormattedExecutionResult,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { CountedRead } from "../reads/ReadCounts.ts";
import { fragmentsOf } from "./request/fragmentsOf.ts";

/** The rows in a query's answer whose reads are counted (plugins/CountReadsPlugin.ts). One field of the answer is one read. */
export function countedReads(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  result: FormattedExecutionResult,
): CountedRead[] {
  if (operation.operation !== "query") return [];
  const fields = schema.getQueryType()?.getFields() ?? {};
  const found = new Map<string, CountedRead>();
  const fragments = fragmentsOf(document);
  const read = new Set<string>();

  const visitField = (node: FieldNode) => {
    const field = fields[node.name.value];
    const storedBy = field?.extensions.countReads;
    const key = node.alias?.value ?? node.name.value;
    if (!field || !storedBy || (result.data?.[key] ?? null) === null) return;
    found.set(key, { storedBy, id: String(getArgumentValues(field, node, variables)["id"]) });
  };
  const visit = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) visitField(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
      else if (!read.has(selection.name.value)) {
        read.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  visit(operation.selectionSet);
  return [...found.values()];
}
