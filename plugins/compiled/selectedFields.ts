import type { Fragments } from "@content-service/support/fragmentsOf.ts";
import { type FieldNode, type GraphQLObjectType, Kind, type SelectionNode, type SelectionSetNode } from "graphql";
import { NotCompiled } from "./NotCompiled.ts";
import type { Variables } from "./Variables.ts";

/** The fields of an object by their name in the result, in its order. Each list has all selections of that name. */
export type SelectedFields = Map<string, FieldNode[]>;

/** PostgreSQL cuts the name of a column here. */
const maxNameLength = 63;

/** CollectFields() of the GraphQL specification, for an object type. The document is valid. */
export function selectedFields(
  sets: readonly (SelectionSetNode | undefined)[],
  type: GraphQLObjectType,
  fragments: Fragments,
  variables: Variables,
): SelectedFields {
  const fields: SelectedFields = new Map();
  const spread = new Set<string>();

  function collect(selection: SelectionNode): void {
    if (!isIncluded(selection, variables)) return;
    if (selection.kind === Kind.FIELD) {
      const name = (selection.alias ?? selection.name).value;
      if (name.length > maxNameLength) throw new NotCompiled();
      const known = fields.get(name);
      if (known) known.push(selection);
      else fields.set(name, [selection]);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      collectIn(selection.typeCondition?.name.value, selection.selectionSet);
    } else {
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (!fragment || spread.has(name)) return;
      spread.add(name);
      collectIn(fragment.typeCondition.name.value, fragment.selectionSet);
    }
  }

  function collectIn(condition: string | undefined, { selections }: SelectionSetNode): void {
    // Only objects are compiled, so another condition is an interface of the type, or a union.
    const names = [type, ...type.getInterfaces()].map(({ name }) => name);
    if (condition !== undefined && !names.includes(condition)) throw new NotCompiled();
    selections.forEach(collect);
  }

  for (const set of sets) set?.selections.forEach(collect);
  return fields;
}

function isIncluded({ directives = [] }: SelectionNode, variables: Variables): boolean {
  return directives.every(({ name, arguments: [condition] = [] }) => {
    if (name.value !== "skip" && name.value !== "include") throw new NotCompiled();
    const { value } = condition ?? {};
    const isTrue =
      value?.kind === Kind.VARIABLE
        ? variables.value(value.name.value) === true
        : value?.kind === Kind.BOOLEAN && value.value;
    return isTrue === (name.value === "include");
  });
}
