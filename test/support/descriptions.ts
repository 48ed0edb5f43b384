import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from "graphql";

/** The types and fields that a reader of the schema finds without a description. The comments of SQL are theirs. */
export function undescribed(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap(undescribedIn);
}

/** The lists whose description does not say their order. */
export function unordered(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !isIntrospectionType(type) && !/(Connection|Edge)$/.test(type.name))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
    .filter(({ field }) => /^\[|Connection$/.test(String(field.type)) && !/first|order/i.test(field.description ?? ""))
    .map(({ type, field }) => `${type.name}.${field.name}`);
}

function undescribedIn(type: GraphQLNamedType): string[] {
  const fields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
  const silent = Object.values(fields).filter(({ description }) => !description);
  return [...(type.description ? [] : [type.name]), ...silent.map(({ name }) => `${type.name}.${name}`)];
}
