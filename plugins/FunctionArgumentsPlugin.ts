import type { PgResource } from "postgraphile/@dataplan/pg";
import type { GraphQLInputType } from "postgraphile/graphql";
import { type Build, descriptionsOf, smartTag } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * An argument of a function is required unless SQL gives it a default, and list items are never null. SQL types cannot
 * express either rule. `create_post(input …)` is `createPost(input: CreatePostInput!)`. The function's comment
 * describes its arguments: `@describe text The text of the message.`
 *
 * The smart tag `@pageArgument page` hides the argument `page` from clients: compiled/ gives it the number of rows that
 * a list reads, the limit and the offset together. The function may return the first rows alone then. Without it, all rows.
 */
export const FunctionArgumentsPlugin: GraphileConfig.Plugin = {
  name: "FunctionArgumentsPlugin",
  version,
  description: "Makes arguments without a default required, and describes them.",
  after: ["PgCustomTypeFieldPlugin"],
  schema: {
    hooks: {
      build(partialBuild) {
        // The build is complete here: this hook runs after PgCustomTypeFieldPlugin.
        const build = partialBuild as Build;
        const stock = build.pgGetArgDetailsFromParameters;
        build.pgGetArgDetailsFromParameters = (resource, given = resource.parameters, ...rest) => {
          const page = smartTag(resource as never, "pageArgument");
          const parameters = given.filter(({ name }: { name: string | null }) => page === undefined || name !== page);
          const details = stock(resource, parameters, ...rest);
          const descriptions = descriptionsOf(resource.extensions?.tags);
          return {
            ...details,
            makeFieldArgs() {
              const args = details.makeFieldArgs();
              for (const { graphqlArgName, postgresArgName, optional } of details.argDetails) {
                const argument = args[graphqlArgName];
                if (!argument) continue;
                argument.type = exactType(build, argument.type as GraphQLInputType, optional === true) as never;
                const description =
                  descriptions.get(postgresArgName ?? "") ?? typeDescription(resource as never, postgresArgName);
                if (description) argument.description = description;
              }
              return args;
            },
          };
        };
        return partialBuild;
      },
      GraphQLInputObjectType_fields_field(field, build) {
        return { ...field, type: exactItems(build, field.type as GraphQLInputType) as never };
      },
    },
  },
};

function exactType(build: Build, type: GraphQLInputType, isOptional: boolean): GraphQLInputType {
  const { GraphQLNonNull, getNullableType } = build.graphql;
  const exact = exactItems(build, getNullableType(type));
  return isOptional ? exact : new GraphQLNonNull(exact as never);
}

function exactItems(build: Pick<Build, "graphql">, type: GraphQLInputType): GraphQLInputType {
  const { GraphQLList, GraphQLNonNull, getNullableType, isListType } = build.graphql;
  if (!isListType(type)) return type;
  return new GraphQLList(new GraphQLNonNull(getNullableType(type.ofType as never) as never));
}

/** An argument of a composite type has the description of its type. */
function typeDescription(resource: PgResource, argumentName: string | null | undefined): string | undefined {
  const parameter = resource.parameters?.find(({ name }) => name === argumentName);
  if (parameter?.codec.attributes) return parameter.codec.description;
  return argumentName ? resource.codec.attributes?.[argumentName]?.description : undefined;
}
