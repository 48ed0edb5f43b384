import { isEnumCodec, type PgCodec, type PgCodecWithAttributes, type PgResource } from "postgraphile/@dataplan/pg";
import { orderSentence } from "./ListOrderPlugin.ts";
import {
  type Build,
  descriptionsOf,
  type Field,
  type FieldContext,
  isListField,
  relationOf,
} from "./support/fields.ts";
import { version } from "./support/version.ts";

type Scope = FieldContext["scope"];

/**
 * Describes every field and argument. Columns, tables, functions and types have comments in SQL; this plugin describes
 * the fields and arguments that the engine adds.
 */
export const DescriptionsPlugin: GraphileConfig.Plugin = {
  name: "DescriptionsPlugin",
  version,
  description: "Describes the fields and arguments that the engine adds.",
  after: ["ListFilterPlugin", "LimitOffsetPlugin", "NotFoundPlugin"],
  schema: {
    hooks: {
      GraphQLObjectType_fields_field(field, build, context) {
        const description = fieldDescription(build, context) ?? field.description;
        const args = keyDescriptions(context.scope, build, field);
        return { ...field, ...(description ? { description } : null), ...(args ? { args } : null) };
      },
      GraphQLObjectType(config, build, { scope }) {
        const description = typeDescription(build, config.name, scope);
        return description ? { ...config, description } : config;
      },
      GraphQLInputObjectType(config, _build, { scope }) {
        const description = scope.pgCodec?.description;
        return description ? { ...config, description } : config;
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

type TypeScope = GraphileBuild.ContextObject["scope"];

function typeDescription(
  { inflection }: Pick<Build, "inflection">,
  name: string,
  scope: TypeScope,
): string | undefined {
  if (scope.isRootQuery) return "All that can be read.";
  if (scope.isRootMutation)
    return "All that can be changed. Mutations of one request run in order, each in a transaction of its own.";
  if (scope.isRootSubscription) return "All that is sent as it happens.";
  if (scope.isConnectionType) return `A page of ${words(inflection.pluralize(rowOf(name)))}, with cursors.`;
  return scope.isConnectionEdgeType ? `One ${words(rowOf(name))} of a page, with its cursor.` : undefined;
}

function fieldDescription(build: Build, { scope, Self }: FieldContext): string | undefined {
  const { pgFieldResource: resource, fieldName, isRootQuery } = scope;
  if (scope.isConnectionType || scope.isConnectionEdgeType) return partDescription(build, fieldName, Self.name);
  if (scope.isPgRowByUniqueConstraintField && resource) {
    return `The ${words(build.inflection.tableType(resource.codec))} of this ${keyWords(scope)}, or NOT_FOUND.`;
  }
  if (scope.isPgSingleRelationField) return relationDescription(build, scope, Self.name);
  if (scope.pgFieldAttribute) return keyDescription(build, scope);
  // The SQL comment of a function is its description.
  if (!resource || resource.parameters) return undefined;
  const crossed = descriptionsOf(scope.pgCrossing?.toLeft.extensions?.tags).get("list");
  if (crossed) return crossed;
  if (!isListField(scope)) return undefined;
  const things = words(build.inflection.pluralize(build.inflection.tableType(resource.codec)));
  const rows = isRootQuery
    ? `The ${things} that you may see.`
    : `The ${words(fieldName.replace(/Connection$/, ""))} of this ${words(Self.name)} that you may see.`;
  return [rows, orderSentence(build, resource)].filter(Boolean).join(" ");
}

/** The fields of a connection and of its edges. */
function partDescription(build: Build, fieldName: string, typeName: string): string | undefined {
  const thing = words(rowOf(typeName));
  const things = words(build.inflection.pluralize(rowOf(typeName)));
  const descriptions: Readonly<Record<string, string>> = {
    nodes: `The ${things} of this page.`,
    edges: `The ${things} of this page, with cursors.`,
    totalCount: `The number of ${things} on all pages.`,
    node: `The ${thing}.`,
    cursor: "For `after` and `before`.",
  };
  return descriptions[fieldName];
}

/** The type of the rows of a connection or an edge. */
function rowOf(typeName: string): string {
  return typeName.replace(/(Connection|Edge)$/, "");
}

/** A relation has the description of its foreign key column, or the words of the smart tag `@forwardDescription`. */
function relationDescription(build: Build, { pgRelationDetails }: Scope, typeName: string): string | undefined {
  const relation = relationOf(pgRelationDetails);
  const [column] = relation?.localAttributes ?? [];
  if (relation?.isReferencee) {
    const thing = words(build.inflection.tableType(relation.remoteResource.codec));
    return `The ${thing} of this ${words(typeName)}; null if you may see none.`;
  }
  const { forwardDescription } = relation?.extensions?.tags ?? {};
  if (typeof forwardDescription === "string") return forwardDescription;
  return column === undefined ? undefined : pgRelationDetails?.codec.attributes[column]?.description;
}

/** The column of a foreign key has the description of the row that it leads to: `authorId` is the id of the author. */
function keyDescription(build: Build, { pgCodec: codec, pgFieldAttribute }: Scope): string | undefined {
  const { description } = pgFieldAttribute ?? {};
  const resource = codec && (build.pgTableResource(codec as PgCodecWithAttributes, false) as PgResource | null);
  const isKey = Object.values(resource?.getRelations() ?? {}).some(
    ({ isReferencee, localAttributes: [column, ...others] }) =>
      !isReferencee && others.length === 0 && codec?.attributes?.[column as string] === pgFieldAttribute,
  );
  return isKey && description?.startsWith("The ") ? `The id of the ${description.slice("The ".length)}` : undefined;
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
    const [sentence] = description?.split(/(?<=[.;])\s/) ?? [];
    if (argument && sentence) args[argumentName] = { ...argument, description: sentence };
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
