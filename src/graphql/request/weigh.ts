import { countCeiling } from "@content-service/errors/limitError.ts";
import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import { maxListSize, maxOffset } from "@content-service/support/listSize.ts";
import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
} from "graphql";
import type { PreparedOperation } from "./PreparedOperation.ts";
import { type SumOf, sumUp } from "./sumUp.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Rows that the database reads for this field besides those that it returns, for each parent object. */
    cost?: number;
    /** The argument that costs a hundred rows for each of its words. */
    costlyText?: string;
    /** Items that this list or connection returns when no argument, and no argument's default, says how many. */
    defaultListSize?: number;
    /** The list argument that says how many items this list returns: one for each of its values. */
    sizeArgument?: string;
  }
}

/** The cost of an operation. Each number has the unit of the limit of the same name. */
export interface Cost {
  selections: number;
  depth: number;
  mutations: number;
  nodes: number;
  cost: number;
}

/** The weight of an operation. */
export interface Weight {
  cost: Cost;
  /** The variables whose values it depends on. */
  variables: ReadonlySet<string>;
  /** Its fields `__schema` and `__type`. */
  introspected: FieldNode[];
  /** The field that is `depth` levels deep. */
  deepest: FieldNode | undefined;
}

/** The cost of one selection set. Only the enclosing field knows how many items some of its lists have. */
interface Share {
  selections: number;
  depth: number;
  deepest: FieldNode | undefined;
  /** Fields of this selection set, those of fragments included; nested fields are not. */
  fields: number;
  /** Nodes whose number does not depend on the enclosing field. */
  nodes: number;
  /** Nodes for each item of the enclosing field's page: a connection's `nodes` and `edges`. */
  nodesPerItem: number;
  /** The same for the rows that the database reads. */
  cost: number;
  costPerItem: number;
}

const nothing: Share = {
  selections: 0,
  depth: 0,
  deepest: undefined,
  fields: 0,
  nodes: 0,
  nodesPerItem: 0,
  cost: 0,
  costPerItem: 0,
};

/**
 * Computes what an operation asks for, as if its fragments were expanded. `@skip` and `@include` do not reduce a count.
 *
 * @param given the request's variables, unchecked
 */
export function weigh(
  { schema, document, operation }: PreparedOperation,
  given: Readonly<Record<string, unknown>>,
): Weight {
  const variables = new RequestVariables(operation, given);
  const introspected: FieldNode[] = [];

  function ofField(field: FieldNode, type: GraphQLNamedType | undefined, sumOf: SumOf<Share>): Share {
    const name = field.name.value;
    const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    // Introspection has a limit of its own.
    if (name === "__schema" || name === "__type") {
      introspected.push(field);
      return { ...nothing, selections: 1, depth: 1, deepest: field, fields: 1 };
    }
    const inner = sumOf(field.selectionSet, definition && getNamedType(definition.type));
    const share = { ...nothing, selections: capped(inner.selections + 1), fields: 1 };
    const deepest = inner.deepest ?? field;
    return { ...share, depth: inner.depth + 1, deepest, ...amountsOf(field, definition, inner) };
  }

  function amountsOf(
    field: FieldNode,
    definition: GraphQLField<unknown, unknown> | undefined,
    inner: Share,
  ): Pick<Share, "nodes" | "nodesPerItem" | "cost" | "costPerItem"> {
    const page = definition && pageSize(field, definition, variables);
    const own = definition
      ? (definition.extensions.cost ?? 0) +
        rowsSkipped(field, definition, variables) +
        costPerWord * wordsGiven(field, definition, variables)
      : 0;
    if (!field.selectionSet && page === undefined) return { nodes: 0, nodesPerItem: 0, cost: own, costPerItem: 0 };
    const isList = definition !== undefined && isListType(getNullableType(definition.type));
    // A field that pages but is not a list is a connection: its page size holds for the lists in it.
    const innerPage = page !== undefined && !isList ? page : defaultListSize;
    const nodes = capped(1 + inner.nodes + capped(inner.nodesPerItem * innerPage));
    const cost = capped(1 + inner.cost + capped(inner.costPerItem * innerPage));
    if (isList && page === undefined) return { nodes: 0, nodesPerItem: nodes, cost: own, costPerItem: cost };
    const items = isList && page !== undefined ? page : 1;
    return { nodes: capped(items * nodes), nodesPerItem: 0, cost: capped(own + items * cost), costPerItem: 0 };
  }

  const sumOf = sumUp(fragmentsOf(document), { nothing, plus, ofField, ofSpread: asOne }, schema);
  const root = sumOf(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  const cost = {
    selections: root.selections,
    depth: root.depth,
    mutations: operation.operation === "mutation" ? root.fields : 0,
    nodes: capped(root.nodes + capped(root.nodesPerItem * defaultListSize)),
    cost: capped(root.cost + capped(root.costPerItem * defaultListSize)),
  };
  return { cost, variables: variables.used, introspected, deepest: root.deepest };
}

/** A spread or an inline fragment is a selection itself. */
function asOne(share: Share): Share {
  return { ...share, selections: capped(share.selections + 1) };
}

function plus(sum: Share, other: Share): Share {
  const deeper = other.depth > sum.depth ? other : sum;
  return {
    selections: capped(sum.selections + other.selections),
    depth: deeper.depth,
    deepest: deeper.deepest,
    fields: capped(sum.fields + other.fields),
    nodes: capped(sum.nodes + other.nodes),
    nodesPerItem: capped(sum.nodesPerItem + other.nodesPerItem),
    cost: capped(sum.cost + other.cost),
    costPerItem: capped(sum.costPerItem + other.costPerItem),
  };
}

/** The product of two capped counts still fits a number, so nothing overflows. */
function capped(count: number): number {
  return Math.min(count, countCeiling);
}

/** Items assumed for a list when neither the query nor the schema says how many. */
const defaultListSize = 20;

/** The arguments that say how many items a list or a connection returns. */
const pagingArguments = new Set(["limit", "first", "last"]);

/**
 * The number of items that a field can return by its paging arguments; undefined when it takes none. The largest argument
 * counts. Nothing is refused here: a number out of range counts as the nearest valid one, and anything that is not a number
 * is ignored.
 */
function pageSize(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: RequestVariables,
): number | undefined {
  const { sizeArgument } = definition.extensions;
  if (sizeArgument !== undefined) return valuesGiven(field, sizeArgument, variables);
  const paging = definition.args.filter(({ name }) => pagingArguments.has(name));
  if (paging.length === 0) return undefined;
  const given = numbersGiven(field, paging, variables);
  if (given.length > 0) return given.reduce((largest, size) => Math.max(largest, clamp(size, maxListSize)), 0);
  const byArgument = paging.map(({ defaultValue }) => defaultValue).find((value) => typeof value === "number");
  return byArgument ?? definition.extensions.defaultListSize ?? defaultListSize;
}

/** The value that the query passes to an argument, unchecked; undefined when it passes none. */
function valueGiven(field: FieldNode, argument: string | undefined, variables: RequestVariables): unknown {
  const value = field.arguments?.find(({ name }) => name.value === argument)?.value;
  return value?.kind === Kind.VARIABLE ? variables.get(value.name.value) : value && valueFromASTUntyped(value);
}

/** The number of values in a list argument. A value that is not a list counts as a list of one. */
function valuesGiven(field: FieldNode, argument: string, variables: RequestVariables): number {
  const given = valueGiven(field, argument, variables);
  return Array.isArray(given) ? given.length : 1;
}

/** The number of rows that a field skips by its `offset`: the database reads them all the same. */
function rowsSkipped(
  field: FieldNode,
  definition: GraphQLField<unknown, unknown>,
  variables: RequestVariables,
): number {
  const offsets = definition.args.filter(({ name }) => name === "offset");
  const [given = offsets[0]?.defaultValue] = numbersGiven(field, offsets, variables);
  return typeof given === "number" ? clamp(given, maxOffset) : 0;
}

/** Rows that the database reads for each word to search for, in an index. */
const costPerWord = 100;

/** Words of a text to search for: what is longer than 200 characters is refused. */
function wordsGiven(
  field: FieldNode,
  { extensions }: GraphQLField<unknown, unknown>,
  variables: RequestVariables,
): number {
  const text = valueGiven(field, extensions.costlyText, variables);
  return typeof text === "string" ? (text.slice(0, 1000).match(/\S+/g)?.length ?? 0) : 0;
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
class RequestVariables {
  /** Those that get() was asked for. */
  readonly used = new Set<string>();
  readonly #values = new Map<string, unknown>();

  constructor({ variableDefinitions = [] }: OperationDefinitionNode, given: Readonly<Record<string, unknown>>) {
    for (const { variable, defaultValue } of variableDefinitions) {
      const name = variable.name.value;
      if (Object.hasOwn(given, name)) this.#values.set(name, given[name]);
      else if (defaultValue) this.#values.set(name, valueFromASTUntyped(defaultValue));
    }
  }

  get(name: string): unknown {
    this.used.add(name);
    return this.#values.get(name);
  }
}
