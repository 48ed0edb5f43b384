import type { PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { cacheTag, computedTag } from "postgraphile-change-feed";
import {
  type Build,
  type Field,
  type FieldContext,
  functionOf,
  isListField,
  relationOf,
} from "postgraphile-compiled-preset/plugin";

type Scope = FieldContext["scope"];

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The tag of the table whose primary key this field is. */
    keyOf?: string;
    /** The tags of tables, and `computed`, on which a response with this field depends besides the rows that it shows. */
    dependsOn?: readonly string[];
  }
}

/**
 * Says in `field.extensions` what a cached response depends on (src/graphql/TaggedOperation.ts): a list on all rows of its table, and of the join
 * table that it goes through; the value of a function on anything.
 */
export const CacheTagsPlugin: GraphileConfig.Plugin = {
  name: "CacheTagsPlugin",
  schema: { hooks: { GraphQLObjectType_fields_field: describeField } },
};

function describeField(field: Field, build: Build, { scope }: FieldContext): Field {
  const keyOf = keyTable(scope, build);
  const dependsOn = dependencies(scope, build);
  if (keyOf === undefined && dependsOn.length === 0) return field;
  const extensions = keyOf === undefined ? { dependsOn } : { keyOf };
  return { ...field, extensions: { ...field.extensions, ...extensions } };
}

function keyTable({ pgFieldAttribute: attribute, pgCodec: codec }: Scope, build: Build): string | undefined {
  if (!attribute || !codec?.attributes) return undefined;
  const table = build.pgTableResource(codec as PgCodecWithAttributes, false);
  const [name, ...others] = table?.uniques.find(({ isPrimary }) => isPrimary)?.attributes ?? [];
  const isKey = name !== undefined && others.length === 0 && codec.attributes[name] === attribute;
  return isKey ? tagOf(codec) : undefined;
}

function dependencies(scope: Scope, build: Build): string[] {
  const relation = relationOf(scope.pgRelationDetails);
  if (isListField(scope) || (scope.isPgSingleRelationField && relation?.isReferencee)) {
    const codecs = [scope.pgFieldResource?.codec ?? relation?.remoteResource.codec, scope.pgCrossing?.junction.codec];
    return codecs.flatMap((codec) => (codec ? [tagOf(codec)] : []));
  }
  const called = scope.isRootMutation ? undefined : functionOf(scope, build);
  return called ? [tagOf(called.codec)] : [];
}

function tagOf(codec: PgResource["codec"]): string {
  const { schemaName, name } = codec.extensions?.pg ?? {};
  return codec.attributes && schemaName && name ? cacheTag(schemaName, name) : computedTag;
}
