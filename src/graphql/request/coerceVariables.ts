import { invalidInput, type ValidationFault } from "@content-service/errors/ApiError.ts";
import { type GraphQLSchema, getVariableValues, isInputType, type OperationDefinitionNode, typeFromAST } from "graphql";
import type { QueryLimits } from "../../settings.ts";
import { inputFaults } from "./inputFaults.ts";
import { variablesSizeError } from "./variablesSizeError.ts";

/**
 * Coerces a request's variables to the types that the operation declares, and fills in defaults.
 *
 * graphql-js quotes the whole value in each of its messages. So faults are found and worded here, and graphql-js only
 * coerces values without faults.
 *
 * @param operation of a validated document
 * @throws VALIDATION_ERROR with each fault's path, which starts at the variable's name; at most `limits.errors`. Or
 *   VALIDATION_ERROR with the limit that all variables together exceed
 */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  limits: Pick<QueryLimits, "errors" | "variableValues" | "variableDepth">,
): Record<string, unknown> {
  const sizeError = variablesSizeError(given, limits);
  if (sizeError) throw sizeError;
  const definitions = operation.variableDefinitions ?? [];
  const faults: ValidationFault[] = [];
  for (const { variable, type: typeNode, defaultValue } of definitions) {
    const name = variable.name.value;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const type = typeFromAST(schema, typeNode as never);
    if (!isInputType(type) || (value === undefined && defaultValue)) continue;
    faults.push(...inputFaults(value, type, name, limits.errors - faults.length));
  }
  if (faults.length > 0) throw invalidInput(faults);
  const { coerced } = getVariableValues(schema, definitions, given, { maxErrors: 1, hideSuggestions: true });
  if (!coerced) throw invalidInput([]);
  return coerced;
}
