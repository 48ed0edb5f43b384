import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from "graphql";

/** Root fields that strangers try again and again: they are counted by themselves, each call of them. */
const guarded = new Set(["signIn", "createUser"]);

/** How often an operation calls one of them, by whatever alias, in whatever fragment. */
export function guardedCalls(document: DocumentNode, operation: OperationDefinitionNode): number {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  // A fragment is read once, however often it is spread: doubling ones would keep everybody waiting.
  const known = new Map<string, number>();
  const callsIn = ({ selections }: SelectionSetNode): number =>
    selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + (guarded.has(selection.name.value) ? 1 : 0);
      if (selection.kind === Kind.INLINE_FRAGMENT) return sum + callsIn(selection.selectionSet);
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (!known.has(name)) known.set(name, fragment ? callsIn(fragment.selectionSet) : 0);
      return sum + (known.get(name) ?? 0);
    }, 0);
  return operation.operation === "mutation" ? callsIn(operation.selectionSet) : 0;
}
