import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";
import { Refusal, type ValidationFault } from "../errors.ts";

const maxFaults = 10;

/**
 * Checks a request's variables against the operation's, so that each one that cannot be coerced is told with its path,
 * and none with its value (DECISIONS.md, "Errors").
 *
 * @throws Refusal VALIDATION_ERROR with every fault, at most ten
 */
export function checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  given: Record<string, unknown>,
): void {
  const faults: ValidationFault[] = [];
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as never);
    // Validation has seen to it that it is one.
    if (!isInputType(type)) continue;
    const value = given[name];
    if (value === undefined || value === null) {
      if (isNonNullType(type) && !(value === undefined && defaultValue)) faults.push(fault([name], type, value));
      continue;
    }
    coerceInputValue(value, type, (path, invalid) => {
      faults.push(inputFault([name, ...path], type, invalid));
    });
  }
  if (faults.length > 0) {
    throw new Refusal("VALIDATION_ERROR", "Input failed validation", { validationErrors: faults.slice(0, maxFaults) });
  }
}

/** What graphql-js found at `path`, below the variable's own type. */
function inputFault(path: (string | number)[], root: GraphQLInputType, invalid: unknown): ValidationFault {
  const type = path.slice(1).reduce<GraphQLInputType | undefined>(typeBelow, root);
  const bare = type && isNonNullType(type) ? type.ofType : type;
  if (bare && isInputObjectType(bare) && invalid !== null && typeof invalid === "object" && !Array.isArray(invalid)) {
    // The object itself is at fault: a field too many, or one that is missing.
    const fields = bare.getFields();
    const unknown = Object.keys(invalid).find((name) => !(name in fields));
    if (unknown !== undefined) {
      const message = `${bare.name} has no field of this name.`;
      return { path: [...path, unknown], field: unknown, code: "INVALID", message };
    }
    const missing = Object.values(fields).find((field) => isNonNullType(field.type) && !(field.name in invalid));
    if (missing) return fault([...path, missing.name], missing.type, undefined);
  }
  return fault(path, type ?? root, invalid);
}

function typeBelow(type: GraphQLInputType | undefined, step: string | number): GraphQLInputType | undefined {
  const bare = type && isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return typeof step === "number" ? bare.ofType : undefined;
  return isInputObjectType(bare) ? bare.getFields()[step]?.type : undefined;
}

function fault(path: (string | number)[], type: GraphQLInputType, value: unknown): ValidationFault {
  const field = path.findLast((step) => typeof step === "string") ?? null;
  if (value === undefined || value === null) return { path, field, code: "REQUIRED", message: "This is required." };
  const named = getNamedType(type);
  const message = isEnumType(named)
    ? `This is one of ${named
        .getValues()
        .map(({ name }) => name)
        .join(", ")}.`
    : `This is of the type ${String(isNonNullType(type) ? type.ofType : type)}.`;
  return { path, field, code: "INVALID", message };
}
