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

/** The field or value at a coordinate: `Post.title`, `PostStatus.DRAFT`; of `Post.comments(limit:)`, the field. */
function memberAt(schema: GraphQLSchema, coordinate: string): Member | undefined {
  const [, typeName = "", memberName = ""] = /^(\w+)\.(\w+)/.exec(coordinate) ?? [];
  return membersOf(schema, typeName)[memberName];
}

/** The fields or values of a type, by name. */
export function membersOf(schema: GraphQLSchema, typeName: string): Record<string, Member> {
  const type = schema.getType(typeName);
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return type.getFields();
  if (isEnumType(type)) return Object.fromEntries(type.getValues().map((value) => [value.name, value]));
  return {};
}

/** The type of a field, as a schema prints it; undefined for what has none. */
export function typeAt(schema: GraphQLSchema, coordinate: string): string | undefined {
  const member = memberAt(schema, coordinate);
  return member && "type" in member ? String(member.type) : undefined;
}

/** Whether clients have been told that it will go: the field or value, or the argument itself. */
export function isDeprecated(schema: GraphQLSchema, coordinate: string): boolean {
  const member = memberAt(schema, coordinate);
  const argumentName = /\((\w+):\)$/.exec(coordinate)?.[1];
  const argument = member && "args" in member ? member.args.find(({ name }) => name === argumentName) : undefined;
  return Boolean(member?.deprecationReason ?? argument?.deprecationReason);
}
