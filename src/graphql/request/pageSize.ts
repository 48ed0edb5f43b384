import { maxListSize, maxOffset } from "@content-service/support/listSize.ts";
import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from "graphql";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Items that this list or connection returns when no argument, and no argument's default, says how many. */
    defaultListSize?: number;
  }
}

/** Items assumed for a list when neither the query nor the schema says how many. */
export const defaultListSize = 20;

/** The arguments that say how many items a list or a connection returns. */
const pagingArguments = new Set(["limit", "first", "last"]);

/**
 * The number of items that a field can return by its paging arguments; undefined when it takes none. The largest argument
 * counts. Nothing is refused here: a number out of range counts as the nearest valid one, and anything that is not a number
 * is ignored.
 */
export function pageSize(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: RequestVariables,
): number | undefined {
  const paging = definition.args.filter(({ name }) => pagingArguments.has(name));
  if (paging.length === 0) return undefined;
  const given = numbersGiven(field, paging, variables);
  if (given.length > 0) return given.reduce((largest, size) => Math.max(largest, clamp(size, maxListSize)), 0);
  const byArgument = paging.map(({ defaultValue }) => defaultValue).find((value) => typeof value === "number");
  return byArgument ?? definition.extensions.defaultListSize ?? defaultListSize;
}

/** The number of rows that a field skips by its `offset`: the database reads them all the same. */
export function rowsSkipped(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: RequestVariables,
): number {
  const offsets = definition.args.filter(({ name }) => name === "offset");
  const [given = offsets[0]?.defaultValue] = numbersGiven(field, offsets, variables);
  return typeof given === "number" ? clamp(given, maxOffset) : 0;
}

/** The numbers that the query passes to these arguments. */
function numbersGiven(
  field: FieldNode,
  definitions: readonly GraphQLArgument[],
  variables: RequestVariables,
): number[] {
  return (field.arguments ?? [])
    .filter(({ name }) => definitions.some((argument) => argument.name === name.value))
    .map(({ value }) => (value.kind === Kind.VARIABLE ? variables.get(value.name.value) : literalNumber(value)))
    .filter((size) => typeof size === "number" && !Number.isNaN(size)) as number[];
}

function literalNumber(value: ValueNode): number | undefined {
  return value.kind === Kind.INT || value.kind === Kind.FLOAT ? Number(value.value) : undefined;
}

function clamp(size: number, max: number): number {
  return Math.min(Math.max(Math.ceil(size), 0), max);
}

/** An operation's variables before they are checked: the request's values, else the declared defaults. */
export type RequestVariables = ReadonlyMap<string, unknown>;

export function requestVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): RequestVariables {
  const variables = new Map<string, unknown>();
  for (const { variable, defaultValue } of variableDefinitions) {
    const name = variable.name.value;
    if (Object.hasOwn(given, name)) variables.set(name, given[name]);
    else if (defaultValue) variables.set(name, valueFromASTUntyped(defaultValue));
  }
  return variables;
}
