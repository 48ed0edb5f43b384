import { type ApiError, invalidInput, type ValidationError } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import { getVariableValues, isInputType, typeFromAST } from "graphql";
import { inputError, inputErrors } from "./inputErrors.ts";
import type { PreparedOperation } from "./PreparedOperation.ts";
import { maxErrors } from "./parseAndValidate.ts";

/** Values in the variables: each variable, list item and object field. Each takes up to 5 µs of the event loop. */
const maxValues = 2_000;
/** Nested lists and objects in the variables. A scalar variable has depth 0. */
const maxDepth = 20;

/**
 * Coerces a request's variables to the types that the operation declares, and fills in defaults.
 *
 * graphql-js quotes the whole value in each of its messages. So errors are found and worded here, and graphql-js only
 * coerces values without errors.
 *
 * @param prepared of a valid document
 * @throws VALIDATION_ERROR with each error's path, through the arguments that use the variable; at most `maxErrors`. Or
 *   VALIDATION_ERROR with the limit that all variables together exceed
 */
export function coerceVariables(
  prepared: PreparedOperation,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const sizeError = variablesSizeError(given);
  if (sizeError) throw sizeError;
  const { schema, operation } = prepared;
  const definitions = operation.variableDefinitions ?? [];
  const errors: ValidationError[] = [];
  for (const { variable, type: typeNode, defaultValue } of definitions) {
    const name = variable.name.value;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const type = typeFromAST(schema, typeNode as never);
    if (!isInputType(type) || (value === undefined && defaultValue)) continue;
    if (inputErrors(value, type, [name]).next().done) continue;
    for (const error of inputErrors(value, type, prepared.pathOf(name))) {
      if (errors.push(error) === maxErrors) throw invalidInput(errors);
    }
  }
  if (errors.length > 0) throw invalidInput(errors);
  const { coerced } = getVariableValues(schema, definitions, given, { maxErrors: 1, hideSuggestions: true });
  if (!coerced) throw invalidInput([]);
  refuseNulls(prepared, coerced);
  return coerced;
}

/**
 * Refuses variables that are too many or too deeply nested to be coerced: 1 MB of `{}` takes half a second, and deep
 * nesting overflows the stack. Undeclared variables count too.
 */
function variablesSizeError(given: Readonly<Record<string, unknown>>): ApiError | undefined {
  let values = 0;
  let level: object[] = [given];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return limitError("variableDepth", maxDepth, depth, true);
    const next: object[] = [];
    for (const parent of level) {
      const children: unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      values += children.length;
      if (values > maxValues) return limitError("variableValues", maxValues, values, true);
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return undefined;
}

/**
 * Refuses null for a variable that is used where the schema promises a value. Validation allows a nullable variable there if the
 * variable or the place has a default, which stands for a missing value, not for null (CoerceArgumentValues() of the specification).
 *
 * @param coerced variables
 * @throws VALIDATION_ERROR with each such variable, at most `maxErrors`
 */
function refuseNulls(prepared: PreparedOperation, coerced: Readonly<Record<string, unknown>>): void {
  const nulls = Object.keys(coerced).filter((name) => coerced[name] === null);
  if (nulls.length === 0) return;
  const refused = nulls.filter((name) => prepared.requiredVariables.has(name)).slice(0, maxErrors);
  if (refused.length === 0) return;
  throw invalidInput(
    refused.map((name) => {
      return inputError(prepared.pathOf(name), "REQUIRED", "must not be null: it is used where a value is required.");
    }),
  );
}
