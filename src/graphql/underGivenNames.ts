import {
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLInputField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import type { ValidationFault } from "../errors/ApiError.ts";

type Input = GraphQLArgument | GraphQLInputField;

/**
 * SQL names its faults by the current names of inputs. A request that used a former name (FormerInputsPlugin) gets the
 * former name back, so that a client that does not know the new one still finds the field.
 */
export function underGivenNames(
  formatted: GraphQLFormattedError,
  { nodes, path }: GraphQLError,
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): GraphQLFormattedError {
  const faults = formatted.extensions?.["validationErrors"] as ValidationFault[] | undefined;
  const node = nodes?.[0];
  // Mutations are root fields.
  const mutation = schema.getRootType(OperationTypeNode.MUTATION);
  const definition =
    node?.kind === Kind.FIELD && path?.length === 1 ? mutation?.getFields()[node.name.value] : undefined;
  if (!faults || node?.kind !== Kind.FIELD || !definition) return formatted;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (!coerced) return formatted;
  const given = getArgumentValues(definition, node, coerced);
  const validationErrors = faults.map((fault) => {
    const renamed = givenPath(fault.path, given, definition.args);
    return { ...fault, path: renamed, field: renamed.findLast((step) => typeof step === "string") ?? null };
  });
  return { ...formatted, extensions: { ...formatted.extensions, validationErrors } };
}

function givenPath(path: ValidationFault["path"], given: unknown, inputs: readonly Input[]): ValidationFault["path"] {
  const [step, ...rest] = path;
  if (step === undefined || given === null || typeof given !== "object") return path;
  const values = given as Record<string | number, unknown>;
  // An item of a list.
  if (typeof step === "number") return [step, ...givenPath(rest, values[step], inputs)];
  const input = inputs.find(({ name }) => name === step);
  const former = input?.extensions.hasFormerName?.name;
  const name = former !== undefined && values[step] === undefined && values[former] !== undefined ? former : step;
  const type = input && getNamedType(input.type);
  return [name, ...givenPath(rest, values[name], isInputObjectType(type) ? Object.values(type.getFields()) : [])];
}
