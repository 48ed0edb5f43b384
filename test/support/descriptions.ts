import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from "graphql";

/** The types, fields, arguments and values that a reader of the schema finds without a description. */
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
  const missing: string[] = type.description ? [] : [type.name];
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      if (!field.description) missing.push(`${type.name}.${field.name}`);
      for (const { name, description } of "args" in field ? field.args : []) {
        if (!description) missing.push(`${type.name}.${field.name}(${name}:)`);
      }
    }
  }
  if (isEnumType(type)) {
    for (const value of type.getValues()) if (!value.description) missing.push(`${type.name}.${value.name}`);
  }
  return missing;
}
