import { type ApiError, notFound, refusedValue } from "@content-service/errors/ApiError.ts";
import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
} from "graphql";
import type { FieldSource } from "./fieldSource.ts";
import { type SelectedFields, selectedFields } from "./selectedFields.ts";
import { Variables } from "./Variables.ts";

type Path = readonly (string | number)[];

/** What makes an error of a field's null: the viewer may not see the value, or the row does not exist. Undefined if null is a value. */
export function nullError(source: FieldSource | undefined): (() => ApiError) | undefined {
  if (source?.kind === "value" && source.isRefusedWhenNull) return refusedValue;
  return source?.kind === "row" && source.isRequired ? notFound : undefined;
}

/** Whether the text of a result may have a null that is an error. A text that is found by mistake costs time only. */
export function mayHaveNull(data: string, statements: readonly { hasNullErrors: boolean }[]): boolean {
  return statements.some(({ hasNullErrors }) => hasNullErrors) && data.includes(":null");
}

/**
 * The errors of nulls in the result of a compiled operation, as the engine gives them.
 *
 * @param data the result of a compiled operation
 */
export function nullErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
  data: unknown,
): GraphQLError[] {
  const fragments = fragmentsOf(document);
  const variables = new Variables(values, new Set());
  const selected = new Map<readonly Pick<FieldNode, "selectionSet">[], SelectedFields>();
  const errors: GraphQLError[] = [];

  /** The rows of a list have the same nodes. */
  function fieldsOf(type: GraphQLObjectType, nodes: readonly Pick<FieldNode, "selectionSet">[]): SelectedFields {
    const sets = nodes.map(({ selectionSet }) => selectionSet);
    const fields = selected.get(nodes) ?? selectedFields(sets, type, fragments, variables);
    selected.set(nodes, fields);
    return fields;
  }

  function look(
    type: GraphQLObjectType,
    nodes: readonly Pick<FieldNode, "selectionSet">[],
    value: unknown,
    path: Path,
  ) {
    if (value === null) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) look(type, nodes, item, [...path, index]);
      return;
    }
    for (const [key, fieldNodes] of fieldsOf(type, nodes)) {
      const field = type.getFields()[fieldNodes[0]?.name.value ?? ""];
      if (field) lookAt(field, fieldNodes, (value as Record<string, unknown>)[key], [...path, key]);
    }
  }

  function lookAt(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[], value: unknown, path: Path) {
    const error = value === null ? nullError(field.extensions.source?.source) : undefined;
    if (error) errors.push(new GraphQLError("", { nodes, path, originalError: error() }));
    const inner = getNamedType(field.type);
    if (isObjectType(inner)) look(inner, nodes, value, path);
  }

  look(schema.getRootType(operation.operation) as GraphQLObjectType, [operation], data, []);
  return errors;
}
