import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from "graphql";
import { getArgumentValues } from "graphql/execution/values.js";
import type { FeedExtension } from "postgraphile-change-feed";
import type { Held } from "../memory/ByteLedger.ts";
import { PreparedOperation } from "./request/PreparedOperation.ts";
import { sumUp } from "./request/sumUp.ts";

/** The operation that a subscription executes for each event, planned once for all events and subscribers. */
export interface EventQuery {
  prepared: PreparedOperation;
  /** The subscription's field, and its name in the response. */
  field: FieldNode;
  responseName: string;
  extension: FeedExtension;
  /** The variables that the result depends on. */
  variables: string[];
  /** Whether all viewers of the row receive the same result. */
  isSameForAll: boolean;
  /** The charges of its open subscriptions. The first one has the document, too. */
  charges: Set<Held>;
}

const known = new WeakMap<PreparedOperation, EventQuery>();

/** The operation that a subscription executes for each event. A subscription has one, which is made once. */
export function eventQuery(subscription: PreparedOperation): EventQuery {
  const query = known.get(subscription) ?? makeEventQuery(subscription);
  known.set(subscription, query);
  return query;
}

/** The subscription itself, with its root field written once. */
function makeEventQuery({ schema, document, operation }: PreparedOperation): EventQuery {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  const subscriptionType = schema.getSubscriptionType();
  const fields = rootFields(operation.selectionSet, fragments);
  const [field] = fields;
  const extension = field && subscriptionType?.getFields()[field.name.value]?.extensions.subscription;
  // Validation accepts one root field only, and every field of Subscription has the extension.
  if (!field || !extension) throw new Error("This subscription has no root field with a stream");

  const rowFragments = fragments.filter(({ typeCondition }) => typeCondition.name.value !== subscriptionType?.name);
  const { selectionSet, ...rest } = field;
  const row: SelectionSetNode | undefined = selectionSet && {
    kind: Kind.SELECTION_SET,
    selections: fields.flatMap((each) => each.selectionSet?.selections ?? []),
  };
  const rootField: FieldNode = { ...rest, ...(row ? { selectionSet: row } : null) };
  const forEvent: OperationDefinitionNode = {
    ...operation,
    selectionSet: { kind: Kind.SELECTION_SET, selections: [rootField] },
  };
  const prepared = new PreparedOperation(
    schema,
    { kind: Kind.DOCUMENT, definitions: [forEvent, ...rowFragments] },
    forEvent,
  );
  return {
    prepared,
    field,
    responseName: field.alias?.value ?? field.name.value,
    extension,
    // Not those in the arguments of the root field: they choose the events, not the results.
    variables: variablesIn(row ? [row, ...rowFragments] : []),
    isSameForAll: isSameForAll(prepared),
    charges: new Set(),
  };
}

/**
 * Whether a subscription's result is the same for all viewers of the root row: it selects only columns of that row, and of
 * rows that every user sees alike. FieldExtensionsPlugin marks such fields; an unmarked field, such as a computed one or a list,
 * makes the result depend on the viewer.
 */
function isSameForAll({ schema, document, operation }: PreparedOperation): boolean {
  const allSame = sumUp<boolean>(
    fragmentsOf(document),
    {
      nothing: true,
      plus: (all, one) => all && one,
      ofField({ name, selectionSet }, type, sumOf) {
        if (name.value === "__typename") return true;
        const field = isObjectType(type) ? type.getFields()[name.value] : undefined;
        // The root row itself is checked for each viewer before it is delivered.
        if (!field || !(field.extensions.subscription || field.extensions.isSameForAll)) return false;
        return sumOf(selectionSet, getNamedType(field.type));
      },
    },
    schema,
  );
  return allSame(operation.selectionSet, schema.getSubscriptionType() ?? undefined);
}

/** The arguments of the subscription's field. */
export function subscriptionArguments(
  { field, prepared }: EventQuery,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const definition = prepared.schema.getSubscriptionType()?.getFields()[field.name.value];
  return definition ? getArgumentValues(definition, field, variables) : {};
}

/** All occurrences of the root field, in order. Validation ensures that they mean the same field, and that none is conditional. */
function rootFields(set: SelectionSetNode, fragments: FragmentDefinitionNode[]): FieldNode[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : fragments.find(({ name }) => name.value === selection.name.value);
    return inner ? rootFields(inner.selectionSet, fragments) : [];
  });
}

function variablesIn(nodes: (SelectionSetNode | FragmentDefinitionNode)[]): string[] {
  const names = new Set<string>();
  for (const node of nodes) visit(node, { Variable: ({ name }) => void names.add(name.value) });
  return [...names];
}
