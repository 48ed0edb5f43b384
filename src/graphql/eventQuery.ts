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

/** What a subscription asks of each event: a query of one row by its id, planned once for all events and subscribers. */
export interface EventQuery {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** The subscription's field, and the name its answers go by. */
  field: FieldNode;
  responseName: string;
  extension: SubscriptionExtension;
  /** The variable that takes the row's id. */
  idVariable: string;
  /** The variables that the answer depends on. */
  variables: string[];
  /** Whether everybody who may be told of the row gets the same answer. */
  isShared: boolean;
}

/**
 * Makes `subscription { messageAdded(chatId: 1) { text } }` into `query ($eventId: ID!) { messageAdded: message(id:
 * $eventId) { text } }`, so that an event is answered like any query: by the same plans, under the same policies, with the
 * same errors and paths.
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
  // Validation lets nothing else through: one root field, and each of ours has the extension.
  if (!field || !extension) throw new Error("A subscription without a field of ours");

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
    isShared: isSameForAll(schema, query, rowFragments),
  };
}

/** The arguments that the subscription's field is given. */
export function subscriptionArguments(
  schema: GraphQLSchema,
  { field }: EventQuery,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value];
  return definition ? getArgumentValues(definition, field, variables) : {};
}

/** The field at the root, as often as it is asked for: validation sees to it that all mean the same one. */
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

/** What is asked of the row, under the conditions it is asked under. */
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
