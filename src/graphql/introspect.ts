import {
  type DocumentNode,
  execute,
  type FormattedExecutionResult,
  type GraphQLSchema,
  stripIgnoredCharacters,
} from "graphql";
import { LRUCache } from "lru-cache";
import { type Executed, jsonAnswer } from "./answers.ts";
import type { PreparedOperation } from "./request/PreparedOperation.ts";

/** Bytes of answers kept for each schema: GraphiQL and code generators send a few documents again and again. */
const maxCacheBytes = 8 * 1_024 * 1_024;

/** The data of answers as JSON, serialised once. Objects would take several times the memory. */
const caches = new WeakMap<GraphQLSchema, LRUCache<string, string>>();

/** Documents without comments and spaces, of which there are endless variants. */
const stripped = new WeakMap<DocumentNode, string>();

/** Answers introspection by graphql-js, which needs no plan, and keeps the answer. */
export function introspect(
  { schema, document, operation }: PreparedOperation,
  variables: Record<string, unknown>,
): Executed {
  const cache = caches.get(schema) ?? new LRUCache({ maxSize: maxCacheBytes });
  caches.set(schema, cache);
  const operationName = operation.name?.value;
  const text = stripped.get(document) ?? stripIgnoredCharacters(document.loc?.source ?? "");
  stripped.set(document, text);
  const key = JSON.stringify([text, operationName, variables]);
  const known = cache.get(key);
  if (known !== undefined) return jsonAnswer(known);
  const result = execute({ schema, document, operationName, variableValues: variables }) as FormattedExecutionResult;
  if (result.errors) return { result };
  const data = JSON.stringify(result.data);
  cache.set(key, data, { size: key.length + data.length });
  return jsonAnswer(data);
}
