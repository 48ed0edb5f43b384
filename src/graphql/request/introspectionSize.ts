import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  introspectionFromSchema,
  Kind,
  parse,
  type SelectionSetNode,
} from "graphql";
import { fragmentsOf } from "./fragmentsOf.ts";
import type { RequestVariables } from "./requestVariables.ts";
import { selectOperation } from "./selectOperation.ts";

/** Everything that graphql-js can ask a schema about itself. */
const everything = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  experimentalDirectiveDeprecation: true,
  oneOf: true,
};

/** A part of a schema as introspection tells it. */
type Described = Record<string, unknown>;

interface Description {
  schema: Described;
  types: ReadonlyMap<string, Described>;
  /** What the standard introspection query comes to, with everything asked for. */
  standardSize: number;
}

const descriptions = new WeakMap<GraphQLSchema, Description>();

/** How many values the standard introspection query is answered with. It grows with the schema. */
export function standardIntrospectionSize(schema: GraphQLSchema): number {
  return descriptionOf(schema).standardSize;
}

/**
 * How many values the answer to these fields of introspection holds, counted as the answer would be put together; but no
 * further than `most`, so that the count takes no longer than that allows.
 *
 * @param fields the fields `__schema` and `__type` of an operation
 * @param variables one of them may say which type is asked for
 * @returns the number of values, or `most` + 1
 */
export function introspectionSize(
  schema: GraphQLSchema,
  document: DocumentNode,
  fields: readonly FieldNode[],
  variables: RequestVariables,
  most: number,
): number {
  const description = descriptionOf(schema);
  const roots = fields.map((field) => ({
    selectionSet: field.selectionSet,
    value: field.name.value === "__schema" ? description.schema : description.types.get(typeName(field, variables)),
  }));
  return countValues(description.types, document, roots, most);
}

/** Which type `__type` asks for. */
function typeName({ arguments: given }: FieldNode, variables: RequestVariables): string {
  const value = given?.find(({ name }) => name.value === "name")?.value;
  if (value?.kind === Kind.VARIABLE) return String(variables.get(value.name.value));
  return value?.kind === Kind.STRING ? value.value : "";
}

function countValues(
  types: ReadonlyMap<string, Described>,
  document: DocumentNode,
  roots: readonly { selectionSet: SelectionSetNode | undefined; value: Described | undefined }[],
  most: number,
): number {
  const fragments = fragmentsOf(document);
  const open = new Set<string>();
  let count = 0;

  function countAll({ selections }: SelectionSetNode, described: Described): void {
    for (const selection of selections) {
      if (count > most) return;
      count += 1;
      if (selection.kind === Kind.FIELD) {
        if (selection.selectionSet) countInside(selection.selectionSet, described[selection.name.value]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        countAll(selection.selectionSet, described);
      } else {
        countFragment(selection.name.value, described);
      }
    }
  }

  function countInside(selectionSet: SelectionSetNode, value: unknown): void {
    if (Array.isArray(value)) for (const item of value) countInside(selectionSet, item);
    else if (value !== null && typeof value === "object") countAll(selectionSet, whole(value as Described));
  }

  function countFragment(name: string, described: Described): void {
    const fragment = fragments.get(name);
    // Validation refuses a fragment that spreads itself.
    if (!fragment || open.has(name)) return;
    open.add(name);
    countAll(fragment.selectionSet, described);
    open.delete(name);
  }

  /** Introspection names a type where it is used; what is asked about it there is asked of the whole type. */
  function whole(described: Described): Described {
    return (typeof described.name === "string" && "ofType" in described && types.get(described.name)) || described;
  }

  for (const { selectionSet, value } of roots) if (selectionSet) countInside(selectionSet, value);
  return Math.min(count, most + 1);
}

function descriptionOf(schema: GraphQLSchema): Description {
  const known = descriptions.get(schema);
  if (known) return known;
  const { __schema } = introspectionFromSchema(schema, everything);
  const described = __schema as unknown as Described;
  const types = new Map(__schema.types.map((type) => [type.name, type as unknown as Described]));
  const standard = parse(getIntrospectionQuery(everything));
  const root = { selectionSet: selectOperation(standard).selectionSet, value: { __schema: described } };
  const standardSize = countValues(types, standard, [root], Number.POSITIVE_INFINITY);
  const description = { schema: described, types, standardSize };
  descriptions.set(schema, description);
  return description;
}
