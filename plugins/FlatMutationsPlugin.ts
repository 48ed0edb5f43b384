import type { PgResource } from "postgraphile/@dataplan/pg";
import type { FieldArgs, Step } from "postgraphile/grafast";
import type { GraphQLOutputType } from "postgraphile/graphql";
import { type Build, type Fields, type FieldsContext, mayReturnNulls, resourcesOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

declare global {
  namespace GraphileBuild {
    interface BehaviorStrings {
      flatMutationField: true;
    }
  }
}

/**
 * A volatile function is a mutation with the function's own signature: the field has the same
 * arguments and the same result, without an input object, a payload or a `clientMutationId`. Each mutation is one
 * transaction.
 */
export const FlatMutationsPlugin: GraphileConfig.Plugin = {
  name: "FlatMutationsPlugin",
  version,
  description: "Adds a mutation with the function's own signature for each volatile function.",
  schema: {
    // PostGraphile wraps every function with the behavior mutationField in an input object and a payload.
    entityBehavior: {
      pgResource: {
        inferred: { provides: ["flatMutations"], callback: addFlatBehavior },
        override: { provides: ["flatMutations"], callback: removeStockBehavior },
      },
    },
    behaviorRegistry: {
      add: {
        flatMutationField: { description: "a mutation with the function's own signature", entities: ["pgResource"] },
      },
    },
    hooks: { GraphQLObjectType_fields: addMutations },
  },
};

type Behavior = GraphileBuild.BehaviorString;

function addFlatBehavior(behavior: Behavior, resource: PgResource): Behavior[] {
  return resource.isMutation && resource.parameters ? ["flatMutationField", behavior] : [behavior];
}

function removeStockBehavior(behavior: Behavior, resource: PgResource): Behavior[] {
  return resource.isMutation && resource.parameters ? [behavior, "-mutationField" as Behavior] : [behavior];
}

function addMutations(fields: Fields, build: Build, { scope, fieldWithHooks }: FieldsContext): Fields {
  if (!scope.isRootMutation) return fields;
  for (const resource of resourcesOf(build)) {
    if (!resource.isMutation || !resource.parameters) continue;
    if (!build.behavior.pgResourceMatches(resource, "flatMutationField")) continue;
    const fieldName = build.inflection.customMutationField({ resource: resource as never });
    build.recoverable(fields, () => addMutation(fields, build, resource, fieldName, fieldWithHooks));
  }
  return fields;
}

function addMutation(
  fields: Fields,
  build: Build,
  resource: PgResource,
  fieldName: string,
  fieldWithHooks: FieldsContext["fieldWithHooks"],
): Fields {
  const { makeArgs, makeFieldArgs } = build.pgGetArgDetailsFromParameters(resource as never);
  const deprecated = resource.extensions?.tags?.deprecated;
  return build.extend(
    fields,
    {
      [fieldName]: fieldWithHooks(
        { fieldName, fieldBehaviorScope: "flatMutationField", pgFieldResource: resource } as never,
        () => ({
          type: resultType(build, resource),
          args: makeFieldArgs(),
          plan: (_$root: Step, args: FieldArgs) => resource.execute(makeArgs(args) as never, "mutation"),
          ...(resource.description ? { description: resource.description } : null),
          ...(deprecated ? { deprecationReason: String(deprecated) } : null),
        }),
      ),
    },
    `the mutation ${fieldName}`,
  );
}

/** The function's result type. Nullable, so that a failed mutation does not remove the results of the others. */
function resultType(build: Build, resource: PgResource): GraphQLOutputType {
  const { codec, isUnique, name } = resource;
  const { GraphQLList, GraphQLNonNull } = build.graphql;
  const item = build.getGraphQLTypeByPgCodec((codec.arrayOfCodec ?? codec) as never, "output");
  if (!item) throw new Error(`The API has no GraphQL type for the result of ${name}: ${codec.name}`);
  const type = item as GraphQLOutputType;
  if (isUnique && !codec.arrayOfCodec) return type;
  return new GraphQLList(mayReturnNulls(resource) ? type : new GraphQLNonNull(type as never));
}
