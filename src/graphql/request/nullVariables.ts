import { invalidInput } from "@content-service/errors/ApiError.ts";
import {
  type DocumentNode,
  type GraphQLSchema,
  isNonNullType,
  type OperationDefinitionNode,
  TypeInfo,
  ValidationContext,
} from "graphql";

/** By operation: documents are cached by their text. */
const required = new WeakMap<OperationDefinitionNode, ReadonlySet<string>>();

/**
 * Refuses null for a variable that is used where the schema promises a value. Validation allows a nullable variable there if the
 * variable or the place has a default, which stands for a missing value, not for null (CoerceArgumentValues() of the specification).
 *
 * @param document valid
 * @param coerced of the operation
 * @throws VALIDATION_ERROR with each such variable, at most `limits.errors`
 */
export function refuseNullVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  coerced: Readonly<Record<string, unknown>>,
  limits: { errors: number },
): void {
  const nulls = Object.keys(coerced).filter((name) => coerced[name] === null);
  if (nulls.length === 0) return;
  const names = required.get(operation) ?? requiredVariables(schema, document, operation);
  required.set(operation, names);
  const refused = nulls.filter((name) => names.has(name)).slice(0, limits.errors);
  if (refused.length === 0) return;
  throw invalidInput(
    refused.map((name) => {
      const message = `\`${name}\` must not be null: it is used where a value is required.`;
      return { path: [name], field: name, code: "REQUIRED", message };
    }),
  );
}

function requiredVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlySet<string> {
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const usages = context.getRecursiveVariableUsages(operation).filter(({ type }) => isNonNullType(type));
  return new Set(usages.map(({ node }) => node.name.value));
}
