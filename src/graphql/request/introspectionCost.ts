import { countCeiling } from "@content-service/errors/limitError.ts";
import { fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
} from "graphql";
import { selectOperation } from "./Documents.ts";
import { sumUp } from "./sumUp.ts";

/** How long each list of introspection is on average, by its field's name, and how long the longest one of a type is. */
interface ListSizes {
  average: Readonly<Record<string, number>>;
  longestOfType: number;
}

const sizes = new WeakMap<GraphQLSchema, ListSizes>();

const standardQuery = parse(getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, oneOf: true }));
const standardFields = selectOperation(standardQuery).selectionSet.selections as FieldNode[];

/** About how many values the result of the standard introspection query holds. The number grows with the schema. */
export function standardIntrospectionCost(schema: GraphQLSchema): number {
  return introspectionCost(schema, standardQuery, standardFields);
}

/**
 * About how many values the result of these fields of introspection holds: list sizes multiplied down each path.
 *
 * @param fields the fields `__schema` and `__type` of an operation
 */
export function introspectionCost(schema: GraphQLSchema, document: DocumentNode, fields: readonly FieldNode[]): number {
  const { average, longestOfType } = sizes.get(schema) ?? measure(schema);
  const costOf = sumUp<number>(fragmentsOf(document), {
    nothing: 0,
    plus: (sum, other) => Math.min(sum + other, countCeiling),
    ofField({ name, selectionSet }, _type, sumOf) {
      const items = average[name.value] ?? 1;
      return 1 + (selectionSet ? items * (1 + sumOf(selectionSet)) : 0);
    },
  });
  return fields.reduce((sum, { name, selectionSet }) => {
    // A client chooses the type, so it counts as the largest one.
    const types = name.value === "__type" ? longestOfType / (average["fields"] ?? 1) : 1;
    return Math.min(countCeiling, Math.ceil(sum + 1 + types * costOf(selectionSet)));
  }, 0);
}

/** How many lists and non-nulls are around a named type. */
function wrappersOf(type: GraphQLOutputType): number {
  return "ofType" in type ? 1 + wrappersOf(type.ofType) : 0;
}

function measure(schema: GraphQLSchema): ListSizes {
  const types = Object.values(schema.getTypeMap());
  const withFields = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = withFields.flatMap((type) => Object.values(type.getFields()));
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const wrappers = sum(fields.map(({ type }) => wrappersOf(type))) / fields.length;
  const inputFields = sum(types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length));
  const enumValues = sum(types.filter(isEnumType).map((type) => type.getValues().length));
  const average = {
    types: types.length,
    directives: schema.getDirectives().length,
    fields: fields.length / types.length,
    args: sum(fields.map(({ args }) => args.length)) / fields.length,
    inputFields: inputFields / types.length,
    enumValues: enumValues / types.length,
    // So that a chain of `ofType` as long as in the standard query counts as many types as the schema has on average.
    ofType: wrappers / (1 + wrappers),
    interfaces: sum(withFields.map((type) => type.getInterfaces().length)) / types.length,
  };
  const longestOfType = Math.max(...withFields.map((type) => Object.keys(type.getFields()).length));
  const measured = { average, longestOfType };
  sizes.set(schema, measured);
  return measured;
}
