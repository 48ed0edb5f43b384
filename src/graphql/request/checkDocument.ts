import { limitError, locatedAt } from "@content-service/errors/limitError.ts";
import type { GraphQLError } from "graphql";
import type { QueryLimits } from "../../settings.ts";
import { introspectionCost, standardIntrospectionCost } from "./introspectionCost.ts";
import type { PreparedOperation } from "./PreparedOperation.ts";
import { requestVariables } from "./pageSize.ts";
import { weigh } from "./weigh.ts";

/** The cost of an operation. Each number has the unit of the limit of the same name. */
export interface Cost {
  selections: number;
  depth: number;
  rootFields: number;
  mutations: number;
  nodes: number;
  cost: number;
}

/** Fields of Query, Mutation or Subscription, those of fragments included. No operator has a reason to change it. */
const maxRootFields = 20;

/** Values of introspection that one operation may ask for, as a multiple of the standard introspection query's. */
const introspectionAllowance = 2;

/**
 * Counts what an operation asks for. The time is linear in the length of the document, which need not be valid: this runs
 * before validation, which takes longer. `@skip` and `@include` do not reduce a count.
 *
 * @param given the request's variables, unchecked: invalid ones are not refused here
 * @returns the cost, and a VALIDATION_ERROR for each limit that it exceeds
 */
export function checkDocument(
  prepared: PreparedOperation,
  given: Readonly<Record<string, unknown>>,
  adjustable: QueryLimits,
): { cost: Cost; errors: GraphQLError[] } {
  const limits = { ...adjustable, rootFields: maxRootFields };
  const { schema, document, operation } = prepared;
  const weight = weigh(prepared, requestVariables(operation, given));
  const { selections, depth, rootFields, nodes } = weight;
  const cost: Cost = {
    selections,
    depth,
    rootFields,
    mutations: operation.operation === "mutation" ? rootFields : 0,
    nodes,
    cost: weight.cost,
  };
  const errors = (Object.keys(cost) as (keyof Cost)[])
    .filter((name) => cost[name] > limits[name])
    .map((name) =>
      locatedAt((name === "depth" && weight.deepest) || operation, limitError(name, limits[name], cost[name])),
    );
  if (weight.introspected.length > 0) {
    const max = standardIntrospectionCost(schema) * introspectionAllowance;
    const asked = introspectionCost(schema, document, weight.introspected);
    if (asked > max) errors.push(locatedAt(weight.introspected[0], limitError("introspection", max, asked)));
  }
  return { cost, errors };
}
