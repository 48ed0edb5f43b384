import "postgraphile";
import { isEnumCodec, type PgCodec, type PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { type Build, descriptionsOf, type Field, type FieldContext } from "./support/fields.ts";

type Scope = FieldContext["scope"];

/**
 * Describes every field and argument. Columns, tables, functions and types have comments in SQL; this plugin describes
 * the fields and arguments that the engine adds.
 */
export const DescriptionsPlugin: GraphileConfig.Plugin = {
  name: "DescriptionsPlugin",
  version: "1.0.0",
  after: ["ListFilterPlugin", "LimitOffsetPlugin", "NotFoundPlugin"],
  schema: {
    hooks: {
      GraphQLObjectType_fields_field(field, build, context) {
        const description = fieldDescription(build, context) ?? field.description;
        const args = keyDescriptions(context.scope, build, field);
        return { ...field, ...(description ? { description } : null), ...(args ? { args } : null) };
      },
      GraphQLEnumType_values_value(value, build, { Self, scope }) {
        const codec = Object.values<PgCodec>(build.pgCodecs).find(
          (candidate) => isEnumCodec(candidate) && build.getGraphQLTypeNameByPgCodec(candidate, "output") === Self.name,
        );
        const description = descriptionsOf(codec?.extensions?.tags).get(scope.valueName);
        return description ? { ...value, description } : value;
      },
    },
  },
};

function fieldDescription(build: Build, { scope, Self }: FieldContext): string | undefined {
  const { pgFieldResource: resource, fieldName, isRootQuery } = scope;
  if (scope.isPgRowByUniqueConstraintField && resource) {
    return `The ${words(build.inflection.tableType(resource.codec))} of this ${keyWords(scope)}. NOT_FOUND when there is none that you may see.`;
  }
  if (scope.isPgSingleRelationField) return relationDescription(scope);
  // The SQL comment of a function is its description.
  if (!resource || resource.parameters) return undefined;
  if (scope.isPgFieldConnection) {
    return `The same rows as ${fieldName.replace(/Connection$/, "")}, to page through by cursor.`;
  }
  if (!scope.isPgFieldSimpleCollection) return undefined;
  const things = words(build.inflection.pluralize(build.inflection.tableType(resource.codec)));
  return isRootQuery
    ? `The ${things} that you may see.`
    : `The ${things} of this ${words(Self.name)} that you may see.`;
}

/** A relation has the description of its foreign key column. */
function relationDescription({ pgRelationDetails }: Scope): string | undefined {
  if (!pgRelationDetails) return undefined;
  const { registry, codec, relationName } = pgRelationDetails;
  const relation = registry.pgRelations[codec.name]?.[relationName];
  const [column] = relation?.localAttributes ?? [];
  return relation?.isReferencee || column === undefined ? undefined : codec.attributes[column]?.description;
}

function keyDescriptions(
  { pgFieldResource, pgFieldResourceUnique }: Scope,
  build: Build,
  field: Field,
): Field["args"] | undefined {
  const codec = pgFieldResource?.codec as PgCodecWithAttributes | undefined;
  if (!codec || !pgFieldResourceUnique) return undefined;
  const args = { ...field.args };
  for (const attributeName of pgFieldResourceUnique.attributes) {
    const argumentName = build.inflection.attribute({ codec, attributeName });
    const description = codec.attributes[attributeName]?.description;
    const argument = args[argumentName];
    if (argument && description) args[argumentName] = { ...argument, description };
  }
  return args;
}

function keyWords({ pgFieldResourceUnique }: Scope): string {
  return (pgFieldResourceUnique?.attributes ?? []).join(" and ").replaceAll("_", " ");
}

/** Separates the words of a type name: `PostTag` is "post tag". */
function words(typeName: string): string {
  return typeName.replace(/(?<=[a-z0-9])[A-Z]/g, " $&").toLowerCase();
}
