import type { Fragments } from "@content-service/support/fragmentsOf.ts";
import { type FieldNode, type GraphQLNamedType, type GraphQLSchema, Kind, type SelectionSetNode } from "graphql";

/** Sums up a selection set. @param type that it selects from; undefined where it is unknown or makes no difference */
export type SumOf<Value> = (set: SelectionSetNode | undefined, type?: GraphQLNamedType) => Value;

/** The sums of one walk. */
export interface Sum<Value> {
  nothing: Value;
  plus(sum: Value, other: Value): Value;
  ofField(field: FieldNode, type: GraphQLNamedType | undefined, sumOf: SumOf<Value>): Value;
  /** A spread or an inline fragment, from the sum of what it selects. */
  ofSpread?(inner: Value): Value;
}

/**
 * Sums up selections as if their fragments were expanded. Each selection is visited once, so the time is linear in the length of the
 * document, which need not be valid. A fragment that spreads itself counts once; validation refuses it.
 *
 * @param schema where types make a difference
 */
export function sumUp<Value>(
  fragments: Fragments,
  { nothing, plus, ofField, ofSpread = (inner) => inner }: Sum<Value>,
  schema?: GraphQLSchema,
): SumOf<Value> {
  const known = new Map<string, Value>();

  function sumOf(set: SelectionSetNode | undefined, type: GraphQLNamedType | undefined): Value {
    if (!set) return nothing;
    return set.selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return plus(sum, ofField(selection, type, sumOf));
      if (selection.kind === Kind.FRAGMENT_SPREAD) return plus(sum, ofSpread(ofFragment(selection.name.value)));
      const condition = selection.typeCondition ? schema?.getType(selection.typeCondition.name.value) : type;
      return plus(sum, ofSpread(sumOf(selection.selectionSet, condition)));
    }, nothing);
  }

  function ofFragment(name: string): Value {
    const sum = known.get(name);
    if (sum !== undefined) return sum;
    const fragment = fragments.get(name);
    // The value while the fragment is being visited, so that a cycle ends.
    known.set(name, nothing);
    known.set(name, sumOf(fragment?.selectionSet, schema?.getType(fragment?.typeCondition.name.value ?? "")));
    return known.get(name) as Value;
  }

  return sumOf;
}
