import type { ApiError } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import { type ASTNode, GraphQLError } from "graphql";
import type { QueryLimits } from "../../settings.ts";
import { introspectionCost, standardIntrospectionCost } from "./introspectionCost.ts";
import type { PreparedOperation } from "./PreparedOperation.ts";
import { type Cost, type Weight, weigh } from "./weigh.ts";

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
  limits: QueryLimits,
): { cost: Cost; errors: GraphQLError[] } {
  const { schema, document, operation } = prepared;
  const { cost, introspected, deepest } = weightOf(prepared, given);
  const errors = (Object.keys(cost) as (keyof Cost)[])
    .filter((name) => cost[name] > limits[name])
    .map((name) => locatedAt((name === "depth" && deepest) || operation, limitError(name, limits[name], cost[name])));
  if (introspected.length > 0) {
    const max = standardIntrospectionCost(schema) * introspectionAllowance;
    const asked = introspectionCost(schema, document, introspected);
    if (asked > max) errors.push(locatedAt(introspected[0], limitError("introspection", max, asked)));
  }
  return { cost, errors };
}

const absent = Symbol("absent");
/** The last weight of an operation, and the values that it came from. */
const lastWeights = new WeakMap<PreparedOperation, { values: readonly unknown[]; weight: Weight }>();

/** Most requests of an operation differ in other variables than those that weigh, such as an id. */
function weightOf(prepared: PreparedOperation, given: Readonly<Record<string, unknown>>): Weight {
  const last = lastWeights.get(prepared);
  const givenValue = (name: string) => (Object.hasOwn(given, name) ? given[name] : absent);
  if (last && [...last.weight.variables].every((name, place) => givenValue(name) === last.values[place])) {
    return last.weight;
  }
  const weight = weigh(prepared, given);
  const values = Array.from(weight.variables, givenValue);
  if (values.every(isSmall)) lastWeights.set(prepared, { values, weight });
  return weight;
}

/** Whether a value may stay in memory after its request. */
function isSmall(value: unknown): boolean {
  return typeof value === "string" ? value.length < 100 : typeof value !== "object" || value === null;
}

/** An error with its place in the document. */
function locatedAt(node: ASTNode | undefined, error: ApiError): GraphQLError {
  return new GraphQLError(error.message, { nodes: node ?? null, originalError: error });
}
