import { type DocumentNode, type FragmentDefinitionNode, Kind } from "graphql";

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

const known = new WeakMap<DocumentNode, Fragments>();

/** A document's fragments by name. */
export function fragmentsOf(document: DocumentNode): Fragments {
  const found = known.get(document);
  if (found) return found;
  const definitions = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const fragments = new Map((definitions as FragmentDefinitionNode[]).map((one) => [one.name.value, one]));
  known.set(document, fragments);
  return fragments;
}
