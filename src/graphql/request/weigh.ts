import { countCeiling } from "@content-service/errors/limitError.ts";
import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { PreparedOperation } from "./PreparedOperation.ts";
import type { RequestVariables } from "./pageSize.ts";
import { defaultListSize, pageSize, rowsSkipped } from "./pageSize.ts";

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Rows that the database reads for this field besides those that it returns, for each parent object. */
    cost?: number;
  }
}

/** The cost of an operation, in the units of QueryLimits. `introspected` are its fields `__schema` and `__type`. */
export interface Weight {
  selections: number;
  depth: number;
  rootFields: number;
  nodes: number;
  cost: number;
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
 * Computes the cost of an operation as if its fragments were expanded. Each selection is visited once, so the time is
 * linear in the length of the document. The document need not be valid.
 *
 * A fragment that spreads itself counts once; validation refuses it.
 */
export function weigh({ schema, document, operation }: PreparedOperation, variables: RequestVariables): Weight {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Share>();
  const introspected: FieldNode[] = [];

  function ofSelections({ selections }: SelectionSetNode, type: GraphQLNamedType | undefined): Share {
    return selections.reduce((sum, selection) => plus(sum, ofSelection(selection, type)), nothing);
  }

  function ofSelection(selection: SelectionNode, type: GraphQLNamedType | undefined): Share {
    if (selection.kind === Kind.FIELD) return ofField(selection, type);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return asOne(ofFragment(selection.name.value));
    const condition = selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : type;
    return asOne(ofSelections(selection.selectionSet, condition));
  }

  function ofFragment(name: string): Share {
    const share = known.get(name);
    if (share) return share;
    const fragment = fragments.get(name);
    if (!fragment) return nothing;
    // The value while the fragment is being visited, so that a cycle ends.
    known.set(name, nothing);
    const weighed = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
    known.set(name, weighed);
    return weighed;
  }

  function ofField(field: FieldNode, type: GraphQLNamedType | undefined): Share {
    const name = field.name.value;
    const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    const inner = field.selectionSet
      ? ofSelections(field.selectionSet, definition && getNamedType(definition.type))
      : nothing;
    // Introspection has a limit of its own.
    if (name === "__schema" || name === "__type") {
      introspected.push(field);
      return { ...nothing, selections: 1, depth: 1, deepest: field, fields: 1 };
    }
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
    const own = definition ? (definition.extensions.cost ?? 0) + rowsSkipped(field, definition, variables) : 0;
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

  const root = ofSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  return {
    selections: root.selections,
    depth: root.depth,
    rootFields: root.fields,
    nodes: capped(root.nodes + capped(root.nodesPerItem * defaultListSize)),
    cost: capped(root.cost + capped(root.costPerItem * defaultListSize)),
    introspected,
    deepest: root.deepest,
  };
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
