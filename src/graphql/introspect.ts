import {
  type DocumentNode,
  execute,
  type FormattedExecutionResult,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from "graphql";
import { LRUCache } from "lru-cache";
import { fragmentsOf } from "./request/fragmentsOf.ts";

/** Bytes of answers kept for each schema: GraphiQL and code generators send a few documents again and again. */
const maxCacheBytes = 8 * 1_024 * 1_024;

/** An answer to introspection, with its JSON text, so that it is serialised once. */
export interface IntrospectionAnswer {
  result: FormattedExecutionResult;
  json: string;
}

const caches = new WeakMap<GraphQLSchema, LRUCache<string, IntrospectionAnswer>>();

/** Whether an operation asks for nothing but the schema: `__schema`, `__type` and `__typename`. */
export function isIntrospection(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const fragments = fragmentsOf(document);
  const asksSchemaOnly = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value.startsWith("__");
      if (selection.kind === Kind.INLINE_FRAGMENT) return asksSchemaOnly(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      return fragment !== undefined && asksSchemaOnly(fragment.selectionSet);
    });
  return operation.operation === OperationTypeNode.QUERY && asksSchemaOnly(operation.selectionSet);
}

/** Answers introspection by graphql-js, which needs no plan, and keeps the answer. */
export function introspect(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): IntrospectionAnswer {
  const cache = caches.get(schema) ?? new LRUCache({ maxSize: maxCacheBytes });
  caches.set(schema, cache);
  const key = JSON.stringify([document.loc?.source.body, operation.name?.value, variables]);
  const known = cache.get(key);
  if (known) return known;
  const operationName = operation.name?.value;
  const result = execute({ schema, document, operationName, variableValues: variables }) as FormattedExecutionResult;
  const answer = { result, json: JSON.stringify(result) };
  cache.set(key, answer, { size: key.length + 2 * answer.json.length });
  return answer;
}
