import { getArgumentValues, OperationTypeNode } from "graphql";
import type { CountedRead } from "../reads/ReadCounts.ts";
import type { PreparedOperation } from "./request/PreparedOperation.ts";
import type { OperationResult } from "./results.ts";

/** The fields of a query's result that are counted (src/graphql/schema/FieldExtensionsPlugin.ts). One field is one read. */
export function countedReads(
  { schema, type, rootFields }: PreparedOperation,
  variables: Record<string, unknown>,
  { result, text }: OperationResult,
): CountedRead[] {
  if (type !== OperationTypeNode.QUERY) return [];
  // Often the row is the first field, and its data need not be parsed.
  const isThere = (key: string) => text?.startsWith(`{"${key}":{`) || (result.data?.[key] ?? null) !== null;
  const fields = schema.getQueryType()?.getFields() ?? {};
  const found = new Map<string, CountedRead>();
  for (const node of rootFields) {
    const field = fields[node.name.value];
    const storedBy = field?.extensions.countReads;
    const key = node.alias?.value ?? node.name.value;
    if (!field || !storedBy || !isThere(key)) continue;
    found.set(key, { storedBy, id: String(Object.values(getArgumentValues(field, node, variables))[0]) });
  }
  return [...found.values()];
}
