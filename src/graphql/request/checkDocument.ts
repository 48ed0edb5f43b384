import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from "graphql";
import { introspectionSize, standardIntrospectionSize } from "./introspectionSize.ts";
import { limitError } from "./limitError.ts";
import type { Limits } from "./limits.ts";
import { requestVariables } from "./requestVariables.ts";
import { weigh } from "./weigh.ts";

/** What an operation asks for, each number in the unit of the limit of its name. */
export interface Cost {
  selections: number;
  depth: number;
  rootFields: number;
  nodes: number;
  aliases: number;
  directives: number;
}

/**
 * Counts what one operation of a document asks for, in time that is linear in the document's length, whatever it says: it
 * need not be valid, so this goes before validation, which takes longer. @skip and @include do not make anything count
 * less.
 *
 * @param given the variables as the request has them, unchecked: wrong ones are not refused here
 * @returns the cost, and a VALIDATION_ERROR for each limit that it is above
 */
export function checkDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  limits: Limits,
): { cost: Cost; errors: GraphQLError[] } {
  const variables = requestVariables(operation, given);
  const weight = weigh(schema, document, operation, variables, limits);
  const { selections, depth, rootFields, nodes } = weight;
  const cost: Cost = {
    selections,
    depth,
    rootFields,
    nodes,
    aliases: weight.aliases.length,
    directives: weight.directives.length,
  };
  // Where a limit is passed: a field or a directive where it is one, else the operation.
  const places = {
    selections: operation,
    depth: weight.deepest,
    rootFields: operation,
    nodes: operation,
    aliases: weight.aliases[limits.aliases],
    directives: weight.directives[limits.directives],
  };
  const errors = (Object.keys(cost) as (keyof Cost)[])
    .filter((name) => cost[name] > limits[name])
    .map((name) => limitError(name, limits[name], cost[name], { node: places[name] }));
  if (weight.introspected.length > 0) {
    const most = standardIntrospectionSize(schema) * limits.introspection;
    const asked = introspectionSize(schema, document, weight.introspected, variables, most);
    if (asked > most) {
      errors.push(limitError("introspection", most, asked, { node: weight.introspected[0], orMore: true }));
    }
  }
  return { cost, errors };
}
