import "postgraphile";
import type { PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { constant, type Step } from "postgraphile/grafast";
import type { GraphQLInputType, GraphQLOutputType } from "postgraphile/graphql";
import { type Build, type Field, type Fields, type FieldsContext, smartTag } from "./support/fields.ts";

/** Read by src/graphql/eventQuery.ts to execute the field for each event. */
export interface SubscriptionExtension {
  /** The root field that returns one row by its id. It is executed for each event. */
  rowField: string;
  /** The argument that names the stream. */
  streamArgument: string;
}

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    subscription?: SubscriptionExtension;
  }
}

/**
 * A table with the smart tag `@subscription messageAdded chat_id` has a subscription to its new rows,
 * `messageAdded(chatId: ID!)` (specification 4.4, 6). This plugin only declares the field; src/messages reads the rows.
 */
export const TableSubscriptionPlugin: GraphileConfig.Plugin = {
  name: "TableSubscriptionPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields: addSubscriptions } },
};

function addSubscriptions(fields: Fields, build: Build, { scope, fieldWithHooks }: FieldsContext): Fields {
  if (!scope.isRootSubscription) return fields;
  for (const resource of Object.values(build.pgResources) as PgResource[]) {
    const tag = resource.parameters ? undefined : smartTag(resource, "subscription");
    if (typeof tag !== "string") continue;
    const [fieldName = "", column = ""] = tag.split(" ");
    build.extend(
      fields,
      { [fieldName]: fieldWithHooks({ fieldName }, () => subscriptionField(build, resource, column)) },
      `the subscription of ${resource.name}`,
    );
  }
  return fields;
}

function subscriptionField(build: Build, resource: PgResource, column: string): Field {
  const { GraphQLID, GraphQLNonNull } = build.graphql;
  const codec = resource.codec as PgCodecWithAttributes;
  const attribute = codec.attributes[column];
  if (!attribute) throw new Error(`@subscription of ${resource.name}: the table has no column ${column}`);
  const streamArgument = build.inflection.attribute({ codec, attributeName: column });
  const unique = resource.uniques.find(({ isPrimary }) => isPrimary);
  const rowField = build.inflection.rowByUnique({ resource: resource as never, unique: unique as never });
  const type = build.inflection.tableType(codec);
  return {
    type: build.getGraphQLTypeByPgCodec(codec, "output") as GraphQLOutputType,
    description: `Each ${type.toLowerCase()} as it is added, over WebSocket, in order, once.`,
    args: {
      [streamArgument]: {
        type: new GraphQLNonNull(build.getGraphQLTypeByPgCodec(attribute.codec, "input") as GraphQLInputType) as never,
        ...(attribute.description ? { description: attribute.description } : null),
      },
      after: {
        type: GraphQLID,
        description: `Where to go on from: first each ${type.toLowerCase()} since this one, then those to come.`,
      },
    },
    extensions: { subscription: { rowField, streamArgument } },
    // Never executed: for each event, src/graphql/Subscription.ts executes rowField, which queries use as well.
    subscribePlan: () => constant([]) as Step,
    plan: () => constant(null) as Step,
  };
}
