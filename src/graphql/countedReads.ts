import { type FormattedExecutionResult, getArgumentValues, OperationTypeNode } from "graphql";
import type { CountedRead } from "../reads/ReadCounts.ts";
import type { PreparedOperation } from "./request/PreparedOperation.ts";

/** The rows in a query's result whose reads are counted (src/graphql/schema/FieldExtensionsPlugin.ts). One field of the result is one read. */
export function countedReads(
  { schema, type, rootFields }: PreparedOperation,
  variables: Record<string, unknown>,
  result: FormattedExecutionResult,
): CountedRead[] {
  if (type !== OperationTypeNode.QUERY) return [];
  const fields = schema.getQueryType()?.getFields() ?? {};
  const found = new Map<string, CountedRead>();
  for (const node of rootFields) {
    const field = fields[node.name.value];
    const storedBy = field?.extensions.countReads;
    const key = node.alias?.value ?? node.name.value;
    // The data is read last: that of a compiled result is parsed then.
    if (!field || !storedBy || (result.data?.[key] ?? null) === null) continue;
    found.set(key, { storedBy, id: String(getArgumentValues(field, node, variables)["id"]) });
  }
  return [...found.values()];
}
