import {
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";
import type { ValidationFault } from "../../errors.ts";
import { inputFaults } from "./inputFaults.ts";
import type { Limits } from "./limits.ts";
import { variablesSizeError } from "./variablesSizeError.ts";

/**
 * A request's variables as its operation declares them, defaults filled in.
 *
 * graphql-js would quote what was sent, and print all of it for each fault: so the faults are found and worded here
 * first, and graphql-js only puts together what has none.
 *
 * @param operation of a document that has passed validation
 * @throws GraphQLError VALIDATION_ERROR with each fault's path, from the variable's name on; at most `limits.errors`.
 *   Or VALIDATION_ERROR with the limit that the variables as a whole are beyond
 */
export function coerceVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  limits: Pick<Limits, "errors" | "variableValues" | "variableDepth">,
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
  if (faults.length > 0) throw inputError(faults);
  const { coerced } = getVariableValues(schema, definitions, given, { maxErrors: 1, hideSuggestions: true });
  if (!coerced) throw inputError([]);
  return coerced;
}

function inputError(validationErrors: ValidationFault[]): GraphQLError {
  return new GraphQLError("Input failed validation", { extensions: { code: "VALIDATION_ERROR", validationErrors } });
}
