import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql";
import { rootFieldNodes } from "./rootFieldNodes.ts";

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
  const names = rootFieldNodes(document, operation)
    .map(({ name }) => name.value)
    .filter((name) => name !== "__typename");
  return names.length > 0 && names.every((name) => fields[name]?.extensions.isWithoutToken);
}
