import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type SelectionSetNode,
} from "graphql";

/**
 * The cost of a document, found by expanding its fragments and walking down every path. This does the same as
 * src/graphql/request/weigh.ts in the way that is plainly right and takes for ever on a hostile document.
 */
export function expand(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, number>) {
  const total = { selections: 0, depth: 0, nodes: 0, cost: 0 };

  /**
   * @param times how often this selection set is in the answer
   * @param page how many items a list here has that nothing else is said of
   */
  function walk(set: SelectionSetNode, type: GraphQLNamedType | undefined, depth: number, times: number, page: number) {
    for (const selection of set.selections) {
      total.selections += 1;
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = document.definitions.find(
          (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value,
        );
        if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(`There is no ${selection.name.value}.`);
        walk(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value), depth, times, page);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, type, depth, times, page);
      } else {
        walkField(selection, type, depth + 1, times, page);
      }
    }
  }

  function walkField(field: FieldNode, type: GraphQLNamedType | undefined, depth: number, times: number, page: number) {
    total.depth = Math.max(total.depth, depth);
    const definition = type && "getFields" in type ? type.getFields()[field.name.value] : undefined;
    const isList = /\[/.test(String(definition?.type));
    const own = sizeOf(field, definition as never);
    const items = times * (isList ? (own ?? page) : 1);
    total.cost += times * (Number(definition?.extensions.cost ?? 0) + offsetOf(field, definition as never));
    if (field.selectionSet || own !== undefined) {
      total.nodes += items;
      total.cost += items;
    }
    const inner = definition && getNamedType(definition.type);
    if (field.selectionSet) walk(field.selectionSet, inner, depth, items, own !== undefined && !isList ? own : 20);
  }

  /** An offset counts only where the schema declares it. */
  function offsetOf(field: FieldNode, definition?: GraphQLField<unknown, unknown>): number {
    if (!definition?.args.some(({ name }) => name === "offset")) return 0;
    const value = field.arguments?.find(({ name }) => name.value === "offset")?.value;
    const offset =
      value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.INT && Number(value.value);
    return typeof offset === "number" ? Math.min(10_000, Math.max(0, offset)) : 0;
  }

  function sizeOf(
    field: FieldNode,
    definition?: { args: { name: string; defaultValue?: number }[] },
  ): number | undefined {
    const paging = definition?.args.filter(({ name }) => ["limit", "first", "last"].includes(name)) ?? [];
    if (paging.length === 0) return undefined;
    const given: number[] = [];
    for (const { name, value } of field.arguments ?? []) {
      if (!paging.some((argument) => argument.name === name.value)) continue;
      const size = value.kind === Kind.VARIABLE ? variables[value.name.value] : value.kind === Kind.INT && +value.value;
      if (typeof size === "number") given.push(Math.min(100, Math.max(0, size)));
    }
    return given.length > 0
      ? Math.max(...given)
      : (paging.find(({ defaultValue }) => defaultValue)?.defaultValue ?? 20);
  }

  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    walk(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined, 0, 1, 20);
  }
  return total;
}
