import { type FieldNode, type GraphQLField, Kind, type ValueNode } from "graphql";
import type { Limits } from "./limits.ts";
import type { RequestVariables } from "./requestVariables.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Items that this list or connection answers with when no argument says how many, and no argument's default. */
    defaultListSize?: number;
  }
}

/** The arguments that say how many items a list or a connection answers with. */
const pagingArguments = new Set(["limit", "first", "last"]);

/**
 * How many items a field can answer with by its paging arguments, or undefined when it takes none. Of several, the
 * largest counts. Nothing is refused here: a size beyond what a list may have counts as the nearest that it may, and
 * what is no number as if it were not there.
 */
export function pageSize(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: RequestVariables,
  limits: Pick<Limits, "listSize" | "defaultListSize">,
): number | undefined {
  const paging = definition.args.filter(({ name }) => pagingArguments.has(name));
  if (paging.length === 0) return undefined;
  const given = (field.arguments ?? [])
    .filter(({ name }) => paging.some((argument) => argument.name === name.value))
    .map(({ value }) => (value.kind === Kind.VARIABLE ? variables.get(value.name.value) : literalNumber(value)))
    .filter((size) => typeof size === "number" && !Number.isNaN(size)) as number[];
  if (given.length > 0) return given.reduce((largest, size) => Math.max(largest, clamp(size, limits.listSize)), 0);
  const byArgument = paging.map(({ defaultValue }) => defaultValue).find((value) => typeof value === "number");
  return byArgument ?? definition.extensions.defaultListSize ?? limits.defaultListSize;
}

function literalNumber(value: ValueNode): number | undefined {
  return value.kind === Kind.INT || value.kind === Kind.FLOAT ? Number(value.value) : undefined;
}

function clamp(size: number, largest: number): number {
  return Math.min(Math.max(Math.ceil(size), 0), largest);
}
