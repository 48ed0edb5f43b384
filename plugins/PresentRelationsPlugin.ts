import { type PgCodec, TYPES } from "postgraphile/@dataplan/pg";
import type { GraphQLOutputType } from "postgraphile/graphql";
import { type Build, type Field, type FieldContext, relationOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * A foreign key with the smart tag `@notNull` leads to a row that each viewer may see, so its field is never null. `@notNull inherited` leads to a row
 * that whoever sees the referring row may see. Nothing here compares the tag with the policies.
 *
 * `@notNull items` of an array column says that no item is null, as it does of a function that returns rows. The cursor of an edge is never null.
 */
export const PresentRelationsPlugin: GraphileConfig.Plugin = {
  name: "PresentRelationsPlugin",
  version,
  description: "Makes relations to rows that are always visible non-null: @notNull.",
  schema: { hooks: { GraphQLObjectType_fields_field: requireRow, GraphQLInterfaceType_fields_field: promiseLess } },
};

function requireRow(field: Field, build: Build, { scope }: FieldContext): Field {
  const { pgRelationDetails: details, isPgSingleRelationField, pgFieldAttribute } = scope;
  const { GraphQLList, GraphQLNonNull, getNamedType } = build.graphql;
  if (scope.isConnectionEdgeType && scope.fieldName === "cursor") {
    return { ...field, type: new GraphQLNonNull(getNamedType(field.type)) };
  }
  if (pgFieldAttribute?.codec.arrayOfCodec && String(pgFieldAttribute.extensions?.tags?.["notNull"]) === "items") {
    const item = new GraphQLNonNull(getNamedType(field.type));
    return { ...field, type: new GraphQLNonNull(new GraphQLList(item)) };
  }
  // GraphQL has no infinity and no NaN: such a value is null, with an error, and takes nothing else with it, unless `@notNull` promises more.
  if (isFloat(pgFieldAttribute?.codec) && pgFieldAttribute?.extensions?.tags?.["notNull"] === undefined)
    return { ...field, type: build.graphql.getNullableType(field.type) };
  if (!details || !isPgSingleRelationField) return field;
  const relation = relationOf(details);
  if (!relation || relation.extensions?.tags?.["notNull"] === undefined) return field;
  // The engine applies the tag in both directions, but not every row is referred to.
  if (relation.isReferencee) return { ...field, type: build.graphql.getNullableType(field.type) };
  const nullable = relation.localAttributes.find((name) => !isNotNull(details.codec.attributes[name]));
  if (nullable !== undefined)
    throw new Error(`@notNull of ${details.relationName}: the column ${nullable} is nullable`);
  return { ...field, type: new GraphQLNonNull(build.graphql.getNullableType(field.type)) };
}

/** A field of several tables' interface promises no more than each of them does: these have limits, and lists that can be null. */
function promiseLess<Field extends { type: GraphQLOutputType; args?: unknown }>(
  field: Field,
  { graphql }: Build,
  { scope }: { scope: object },
): Field {
  const { GraphQLList, getNamedType, getNullableType, isLeafType, isListType } = graphql;
  if (!("pgPolymorphism" in scope) || isLeafType(getNamedType(field.type))) return field;
  const plain = (type: GraphQLOutputType): GraphQLOutputType => {
    const inner = getNullableType(type);
    return isListType(inner) ? new GraphQLList(plain(inner.ofType as never)) : inner;
  };
  return { ...field, type: plain(field.type), args: {} };
}

function isFloat(codec: PgCodec | undefined): boolean {
  const base = codec?.domainOfCodec ?? codec;
  return base === TYPES.float || base === TYPES.float4;
}

type Column = {
  notNull?: boolean | undefined;
  extensions?: { tags?: Record<string, unknown> | undefined } | undefined;
};

function isNotNull(column: Column | undefined): boolean {
  return column?.notNull === true || column?.extensions?.tags?.["notNull"] !== undefined;
}
