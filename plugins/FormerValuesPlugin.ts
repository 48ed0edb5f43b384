import "postgraphile";
import { isEnumCodec, type PgCodec } from "postgraphile/@dataplan/pg";
import type { GraphQLEnumValueConfigMap } from "postgraphile/graphql";
import { type Build, descriptionsOf, linesOf } from "./support/fields.ts";

/**
 * A value of an enum that was renamed keeps its former name, deprecated: `@formerValue NEW OLD` in the comment of the type.
 * Clients may send both names. Answers have the former one until the tag is removed, because clients compare it.
 */
export const FormerValuesPlugin: GraphileConfig.Plugin = {
  name: "FormerValuesPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLEnumType_values: addFormerValues } },
};

function addFormerValues(
  values: GraphQLEnumValueConfigMap,
  build: Build,
  { Self }: GraphileBuild.ContextEnumValues,
): GraphQLEnumValueConfigMap {
  const codec = Object.values<PgCodec>(build.pgCodecs).find(
    (candidate) => isEnumCodec(candidate) && build.getGraphQLTypeNameByPgCodec(candidate, "output") === Self.name,
  );
  const tags = codec?.extensions?.tags;
  for (const line of linesOf(tags, "formerValue")) {
    const [name = "", former = "", ...others] = line.split(" ");
    const value = values[name];
    if (!value || !/^\w+$/.test(former) || others.length > 0) {
      throw new Error(`@formerValue ${line} of ${codec?.name}: it needs the name of a value and its former name`);
    }
    const description = descriptionsOf(tags).get(name);
    // Of two names with the same value, graphql-js writes the last one.
    build.extend(
      values,
      { [former]: { ...value, ...(description ? { description } : null), deprecationReason: `Use ${name}.` } },
      `the former name of ${Self.name}.${name}`,
    );
  }
  return values;
}
