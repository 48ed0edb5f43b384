import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import { getArgumentValues } from "graphql/execution/values.js";
import type { SubscriptionExtension } from "../../plugins/TableSubscriptionPlugin.ts";
import { isSameForAll } from "./isSameForAll.ts";

/** The query that a subscription runs for each event: one row by its id, planned once for all events and subscribers. */
export interface EventQuery {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** The subscription's field, and its name in the response. */
  field: FieldNode;
  responseName: string;
  extension: SubscriptionExtension;
  /** The variable that takes the row's id. */
  idVariable: string;
  /** The variables that the answer depends on. */
  variables: string[];
  /** Whether all viewers of the row receive the same answer. */
  isSameForAll: boolean;
}

/**
 * Rewrites `subscription { messageAdded(chatId: 1) { text } }` to `query ($eventId: ID!) { messageAdded: message(id:
 * $eventId) { text } }`. So an event is answered like any query: by the same plans, under the same policies, with the same
 * errors and paths.
 */
export function eventQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): EventQuery {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const subscriptionType = schema.getSubscriptionType();
  const fields = rootFields(operation.selectionSet, fragments);
  const [field] = fields;
  const extension = field && subscriptionType?.getFields()[field.name.value]?.extensions.subscription;
  // Validation accepts one root field only, and every field of Subscription has the extension.
  if (!field || !extension) throw new Error("This subscription has no root field with a stream");

  const rowFragments = fragments.filter(({ typeCondition }) => typeCondition.name.value !== subscriptionType?.name);
  const responseName = field.alias?.value ?? field.name.value;
  const taken = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  const idVariable = unusedName("eventId", taken);
  const rowField: FieldNode = {
    ...field,
    alias: { kind: Kind.NAME, value: responseName },
    name: { kind: Kind.NAME, value: extension.rowField },
    directives: [],
    selectionSet: { kind: Kind.SELECTION_SET, selections: fields.flatMap(selectionsOf) },
    arguments: [
      {
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: "id" },
        value: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: idVariable } },
      },
    ],
  };
  const query: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    ...(operation.name ? { name: operation.name } : null),
    variableDefinitions: [...(operation.variableDefinitions ?? []), idDefinition(idVariable)],
    selectionSet: { kind: Kind.SELECTION_SET, selections: [rowField] },
  };
  return {
    document: { kind: Kind.DOCUMENT, definitions: [query, ...rowFragments] },
    operation: query,
    field,
    responseName,
    extension,
    idVariable,
    variables: variablesIn([rowField, ...rowFragments]).filter((name) => name !== idVariable),
    isSameForAll: isSameForAll(schema, query, rowFragments),
  };
}

/** The arguments of the subscription's field. */
export function subscriptionArguments(
  schema: GraphQLSchema,
  { field }: EventQuery,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value];
  return definition ? getArgumentValues(definition, field, variables) : {};
}

/** All occurrences of the root field. Validation ensures that they mean the same field. */
function rootFields(
  set: SelectionSetNode,
  fragments: FragmentDefinitionNode[],
  around: readonly DirectiveNode[] = [],
): FieldNode[] {
  return set.selections.flatMap((selection) => {
    const directives = [...around, ...(selection.directives ?? [])];
    if (selection.kind === Kind.FIELD) return [{ ...selection, directives }];
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : fragments.find(({ name }) => name.value === selection.name.value);
    return inner ? rootFields(inner.selectionSet, fragments, directives) : [];
  });
}

/** The selections inside the field, wrapped in the directives that apply to it. */
function selectionsOf({ selectionSet, directives = [] }: FieldNode): readonly SelectionNode[] {
  return directives.reduceRight<readonly SelectionNode[]>(
    (selections, directive) => [
      { kind: Kind.INLINE_FRAGMENT, directives: [directive], selectionSet: { kind: Kind.SELECTION_SET, selections } },
    ],
    selectionSet?.selections ?? [],
  );
}

function idDefinition(name: string) {
  return {
    kind: Kind.VARIABLE_DEFINITION,
    variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } },
    type: {
      kind: Kind.NON_NULL_TYPE,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: "ID" } },
    },
  } as const;
}

function unusedName(wish: string, taken: string[]): string {
  return taken.includes(wish) ? unusedName(`${wish}_`, taken) : wish;
}

function variablesIn(nodes: (FieldNode | FragmentDefinitionNode)[]): string[] {
  const names = new Set<string>();
  for (const node of nodes) visit(node, { Variable: ({ name }) => void names.add(name.value) });
  return [...names];
}
