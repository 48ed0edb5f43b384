import {
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;

/** The field or enum value at a coordinate such as `Post.title` or `PostStatus.DRAFT`. For an argument, its field. */
function memberAt(schema: GraphQLSchema, coordinate: string): Member | undefined {
  const [, typeName = "", memberName = ""] = /^(\w+)\.(\w+)/.exec(coordinate) ?? [];
  return membersOf(schema, typeName)[memberName];
}

/** The fields or enum values of a type, by name. */
export function membersOf(schema: GraphQLSchema, typeName: string): Record<string, Member> {
  const type = schema.getType(typeName);
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return type.getFields();
  if (isEnumType(type)) return Object.fromEntries(type.getValues().map((value) => [value.name, value]));
  return {};
}

/** The type of a field in SDL; undefined for an enum value or a type. */
export function typeAt(schema: GraphQLSchema, coordinate: string): string | undefined {
  const member = memberAt(schema, coordinate);
  return member && "type" in member ? String(member.type) : undefined;
}

/** Whether the field, enum value or argument is deprecated. */
export function isDeprecated(schema: GraphQLSchema, coordinate: string): boolean {
  const member = memberAt(schema, coordinate);
  const argumentName = /\((\w+):\)$/.exec(coordinate)?.[1];
  const argument = member && "args" in member ? member.args.find(({ name }) => name === argumentName) : undefined;
  return Boolean(member?.deprecationReason ?? argument?.deprecationReason);
}
