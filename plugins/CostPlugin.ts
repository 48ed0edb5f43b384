import "postgraphile";
import type { Build, Field, FieldContext } from "./support/fields.ts";

/** A count reads the rows that it counts; a function usually counts or looks up others. */
const functionCost = 100;
/** A list is looked up and sorted, once for each parent object. */
const listCost = 10;

/**
 * Says how many rows the database reads for a field besides those that it returns, for each parent object
 * (`extensions.cost`): 100 for the `totalCount` of a connection and for a function, 10 for a list or a connection.
 * src/graphql/request adds up the costs of an operation before it runs (MAX_QUERY_COST).
 */
export const CostPlugin: GraphileConfig.Plugin = {
  name: "CostPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: priceField } },
};

function priceField(field: Field, _build: Build, { scope }: FieldContext): Field {
  const cost = costOf(scope);
  return cost === 0 ? field : { ...field, extensions: { ...field.extensions, cost } };
}

function costOf(scope: FieldContext["scope"]): number {
  if (scope.isPgFieldSimpleCollection || scope.isPgFieldConnection) return listCost;
  // The engine names the function's resource for lists only.
  const isFunction = /^(query|type)Field:/.test(scope.fieldBehaviorScope ?? "");
  return scope.isPgConnectionTotalCountField || isFunction ? functionCost : 0;
}
