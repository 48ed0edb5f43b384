import "postgraphile";
import {
  type PgCodecWithAttributes,
  type PgResource,
  type PgSelectSingleStep,
  withPgClientFromPgService,
} from "postgraphile/@dataplan/pg";
import {
  access,
  constant,
  context,
  type FieldArgs,
  type GrafastFieldConfig,
  lambda,
  type ObjectStep,
  object,
  type Step,
} from "postgraphile/grafast";
import type { GraphQLInputType, GraphQLOutputType } from "postgraphile/graphql";
import type { Change, ChangeKind, Feed } from "./Feed.ts";
import type { FeedReader } from "./FeedReader.ts";
import { cannotFollow, mayNotListen, notSignedIn, positionLost } from "./refusals.ts";

type Build = GraphileBuild.Build;
// biome-ignore lint/suspicious/noExplicitAny: the engine types the plan of each field differently
type Field = GrafastFieldConfig<any, any, any>;
type Fields = { [fieldName: string]: Field };

/** Options of a project. */
export interface ChangeFeedOptions {
  /** Follows the streams. Without it, the server does so, and executes the field for each event, which is `event` in the context. */
  reader?: FeedReader;
  /** The id of the signed-in user, from the context; undefined for a visitor. By default, `context.viewerId`. */
  viewerId?(context: Grafast.Context): string | undefined;
  /** The schema that holds the feed; by default, `change_feed`. */
  schema?: string;
  /** The descriptions that smart tags give, by name. */
  descriptionsOf?(tags: Record<string, unknown> | undefined): ReadonlyMap<string, string>;
  /** The row, or an error when there is none. By default, null. */
  presentRow?($row: PgSelectSingleStep): Step;
  /** Describes the field of added or updated rows: what an event has of each column of the primary key. For executors of their own. */
  describeRow?(field: Field, resource: PgResource, columns: Readonly<Record<string, "row_id" | "key">>): Field;
  /** The global id of the row with this key. Without it, there is no `deletedNodeId`. */
  nodeId?(typeName: string, key: readonly unknown[]): string;
}

/** For a server that follows the streams itself: where the events of a field come from. */
export interface FeedExtension {
  stream: TableFeed;
  /** The argument that names the key. */
  keyArgument: string | undefined;
  /** The key of all, where no argument names it. Without either, the key is the id of the signed-in user. */
  key: string | undefined;
  /** Says to the client that nothing can start after its `after`. */
  unknownAfter: string;
}

/** A stream of a table. */
export interface TableFeed extends Feed {
  keyColumn: string;
  /** Whether requests without a token may read the table. */
  isForAnonymous: boolean;
}

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    subscription?: FeedExtension;
  }
}

declare global {
  namespace DataplanPg {
    interface PgResourceExtensions {
      streams?: readonly TableFeed[];
    }
  }
  namespace Grafast {
    interface Context {
      /** The event that the field of a subscription is executed for. */
      event?: Change | undefined;
      /** The id of the signed-in user, whose subscriptions these are. */
      viewerId?: string | undefined;
    }
  }
}

const kinds: readonly string[] = ["added", "updated", "deleted"] satisfies ChangeKind[];

/**
 * A table with the smart tag `@subscription commentAdded post_id` has a subscription to its new rows,
 * `commentAdded(postId: ID!, after: ID)` (specification 4.4, 6); with `updated` or `deleted` behind the column, to those
 * changes. `@subscription noticeAdded user_id added viewer` has no argument: each signed-in user follows the key that is their own
 * id, and nobody can follow another one. A number in place of `viewer` is the key that all follow. `FeedReader` finds the events; for each one the field is executed, and reads the row.
 *
 * @throws at the build of the schema, when SQL has no stream for the tag
 */
export function changeFeedPlugin(options: ChangeFeedOptions = {}): GraphileConfig.Plugin {
  const { schema = "change_feed" } = options;
  return {
    name: "TableSubscriptionPlugin",
    version: "0.1.0",
    description:
      "Subscriptions to the rows of a table that are added, updated and deleted, by the smart tag @subscription.",
    gather: { hooks: { pgTables_PgResourceOptions: (info, event) => readStreams(info, event, schema) } },
    schema: {
      hooks: {
        init: (init, build) => registerDeletedRecord(init, build, options),
        GraphQLObjectType_fields: (fields, build, context) => addSubscriptions(fields, build, context, options),
      },
    },
  };
}

const streamsText = (schema: string) => `
select id, name, kind, key_column as "keyColumn", key_type as "keyType", id_type as "idType",
       may_read is null as "asksPolicies", number_column is not null as "hasNumbers", is_for_anonymous as "isForAnonymous"
  from ${schema}.stream_sources join ${schema}.stream_names using (id) where relation = $1::oid`;

async function readStreams(
  { resolvedPreset }: { resolvedPreset: GraphileConfig.ResolvedPreset },
  event: Parameters<NonNullable<GraphileConfig.GatherHooks["pgTables_PgResourceOptions"]>>[0],
  schema: string,
): Promise<void> {
  const { pgClass, resourceOptions, serviceName } = event;
  const service = resolvedPreset.pgServices?.find(({ name }) => name === serviceName);
  if (!service || pgClass.getTags().subscription === undefined) return;
  const streams = await withPgClientFromPgService(service, null, async (client) => {
    // A database of an earlier version has none. A review compares with it, so its schema is built nonetheless.
    const { rows } = await client.query<{ is_there: boolean }>({
      text: "select to_regclass($1) is not null as is_there",
      values: [`${schema}.stream_names`],
    });
    if (!rows[0]?.is_there) return undefined;
    return (await client.query<TableFeed>({ text: streamsText(schema), values: [pgClass._id] })).rows;
  });
  if (streams) resourceOptions.extensions = { ...resourceOptions.extensions, streams };
}

const deletedRecord = "DeletedRecord";

/** The fields of a subscription to deleted rows: nothing else can be read any more. */
function registerDeletedRecord<Init>(init: Init, build: Build, { nodeId }: ChangeFeedOptions): Init {
  const { GraphQLID, GraphQLNonNull } = build.graphql;
  const field = (name: string, type: GraphQLOutputType, description: string) => ({
    type,
    description,
    extensions: { isSameForAll: true },
    plan: ($record: Step) => access($record, name),
  });
  build.registerObjectType(
    deletedRecord,
    {},
    () => ({
      description: "A record that is deleted, or that you can no longer see.",
      fields: () => ({
        ...parentFields(build),
        id: field("id", new GraphQLNonNull(GraphQLID), "The record’s id."),
        ...(nodeId && {
          deletedNodeId: field("deletedNodeId", GraphQLID, "The nodeId of the same record, which caches remove."),
        }),
        after: field("after", GraphQLID, "The position of this event, as in `extensions.after`: continues after it."),
      }),
    }),
    "TableSubscriptionPlugin",
  );
  return init;
}

/** The row that a subscription to deleted rows is about, such as the post of deleted comments, by the name of the field. */
function parentFields(build: Build): Fields {
  const { GraphQLNonNull } = build.graphql;
  const fields: Fields = {};
  for (const resource of Object.values(build.pgResources) as PgResource[]) {
    for (const { column, kind } of tagsOf(resource)) {
      const parent = kind === "deleted" ? parentOf(build, resource, column) : undefined;
      const type = parent && build.getGraphQLTypeByPgCodec(parent.resource.codec as PgCodecWithAttributes, "output");
      if (!parent || !type || type instanceof GraphQLNonNull) continue;
      fields[parent.fieldName] = {
        type: type as GraphQLOutputType,
        description: "The record that it belonged to, where you follow the deleted records of one.",
        plan: ($record: Step) => ($record as ObjectStep).get(parent.fieldName),
      };
    }
  }
  return fields;
}

function addSubscriptions(
  fields: Fields,
  build: Build,
  { scope, fieldWithHooks }: GraphileBuild.ContextObjectFields,
  options: ChangeFeedOptions,
): Fields {
  if (!scope.isRootSubscription) return fields;
  for (const resource of Object.values(build.pgResources) as PgResource[]) {
    for (const tag of tagsOf(resource)) {
      const { fieldName } = tag;
      build.extend(
        fields,
        { [fieldName]: fieldWithHooks({ fieldName }, () => subscriptionField(build, resource, tag, options)) },
        `the subscription of ${resource.name}`,
      );
    }
  }
  return fields;
}

interface Tag {
  /** The whole tag. */
  tag: string;
  fieldName: string;
  column: string;
  kind: string;
  whose: string | undefined;
}

function tagsOf(resource: PgResource): Tag[] {
  const tags = resource.parameters ? [] : [resource.extensions?.tags?.subscription ?? []].flat();
  return tags.map((tag) => {
    const [fieldName = "", column = "", kind = "added", whose] = String(tag).split(" ");
    return { tag: String(tag), fieldName, column, kind, whose };
  });
}

function subscriptionField(
  build: Build,
  resource: PgResource,
  { tag, fieldName, column, kind, whose }: Tag,
  options: ChangeFeedOptions,
): Field {
  const { GraphQLID, GraphQLNonNull } = build.graphql;
  const codec = resource.codec as PgCodecWithAttributes;
  const attribute = codec.attributes[column];
  if (!attribute) throw new Error(`@subscription of ${resource.name}: the table has no column ${column}`);
  if (!kinds.includes(kind)) {
    throw new Error(`@subscription ${tag} of ${resource.name}: say added, updated or deleted instead of ${kind}`);
  }
  if (whose !== undefined && whose !== "viewer" && !/^\d+$/.test(whose)) {
    throw new Error(`@subscription ${tag} of ${resource.name}: say viewer or a number instead of ${whose}`);
  }
  const stream = findStream(resource, tag, column, kind);
  const keyArgument = build.inflection.attribute({ codec, attributeName: column });
  const primaryKey = resource.uniques.find(({ isPrimary }) => isPrimary)?.attributes ?? [];
  const id = primaryKey.find((attribute) => attribute !== column) ?? column;
  const type = build.inflection.tableType(codec);
  const isDeleted = kind === "deleted";
  const row = type.replace(/(?!^)[A-Z]/g, " $&").toLowerCase();
  const parent = parentOf(build, resource, column);
  const parentName = parent?.typeName.toLowerCase();
  // A row whose key has two columns is between two others: a member who leaves a chat no longer sees the chat.
  const goneType = (primaryKey.length > 1 && parentOf(build, resource, id)?.typeName) || type;
  const isNode = build.getNodeIdHandlerByTypeName?.()[goneType] !== undefined;
  const deletedNodeId = (rowId: string) =>
    isNode ? options.nodeId?.(goneType, [codec.attributes[id]?.codec.fromPg(rowId)]) : null;
  const key = {
    type: new GraphQLNonNull(build.getGraphQLTypeByPgCodec(attribute.codec, "input") as GraphQLInputType) as never,
    ...(attribute.description ? { description: attribute.description } : null),
  };
  const args: NonNullable<Field["args"]> = {
    ...(whose ? null : { [keyArgument]: key }),
    after: {
      type: GraphQLID,
      description: `Continues after the event that had this \`extensions.after\`${
        kind === "updated" ? "" : `, or after this ${row} if it was ${kind} once`
      }; 0 is the beginning.`,
    },
  };
  const source: FeedExtension = {
    stream,
    keyArgument: whose ? undefined : keyArgument,
    key: whose === "viewer" ? undefined : whose,
    unknownAfter: `There is no such ${stream.hasNumbers ? row : "event"}${
      parentName && !whose ? ` in this ${parentName}` : ""
    }, or it is too long ago to go on from. Load the list again.`,
  };
  const events = eventsOf(source, options);
  const field: Field = {
    type: isDeleted
      ? build.getOutputTypeByName(deletedRecord)
      : (build.getGraphQLTypeByPgCodec(codec, "output") as GraphQLOutputType),
    description:
      options.descriptionsOf?.(resource.extensions?.tags).get(fieldName) ??
      (isDeleted
        ? `The id of each ${row} as it is deleted, in order, once.`
        : `Each ${row} as it is ${kind}, in order, once.`),
    args,
    extensions: { subscription: source },
    subscribePlan: (_$root: Step, given: FieldArgs) =>
      lambda([context(), whose ? constant(undefined) : given.getRaw(keyArgument), given.getRaw("after")], events),
    plan: ($event: Step) => {
      const ofEvent = (property: "rowId" | "key" | "position") => access<string>($event, property);
      const $id = ofEvent("rowId");
      if (isDeleted) {
        const $parent = parent?.resource.get({ [parent.attribute]: ofEvent("key") } as never);
        return object({
          ...Object.fromEntries(Object.keys(parentFields(build)).map((name) => [name, constant(null)])),
          ...(parent && $parent ? { [parent.fieldName]: $parent as Step } : null),
          id: $id,
          ...(options.nodeId && { deletedNodeId: lambda($id, deletedNodeId) }),
          after: ofEvent("position"),
        });
      }
      const $row = resource.get(
        Object.fromEntries(primaryKey.map((one) => [one, ofEvent(one === id ? "rowId" : "key")])),
      );
      return options.presentRow?.($row as never) ?? ($row as Step);
    },
  };
  if (isDeleted || !options.describeRow) return field;
  const columns = Object.fromEntries(primaryKey.map((one) => [one, one === id ? "row_id" : "key"] as const));
  return options.describeRow(field, resource, columns);
}

/** Stands in for the stream of a database that has none yet: nobody may read it. */
const noStream = {
  id: 0,
  name: "",
  keyType: "bigint",
  idType: "bigint",
  asksPolicies: false,
  hasNumbers: false,
  isForAnonymous: false,
} as const;

function findStream(resource: PgResource, tag: string, column: string, kind: string): TableFeed {
  const streams = resource.extensions?.streams;
  if (!streams) return { ...noStream, kind: kind as ChangeKind, keyColumn: column };
  const ofKey = streams.filter(({ keyColumn }) => keyColumn === column);
  const found = ofKey.find((stream) => stream.kind === kind);
  if (found) return found;
  const { schemaName, name } = resource.extensions?.pg ?? {};
  const wanted = kinds.filter((one) => one === kind || ofKey.some((stream) => stream.kind === one));
  const which = ofKey.length > 0 ? `, kinds => '{${wanted.join(",")}}'` : "";
  throw new Error(
    `@subscription ${tag} of ${resource.name}: nothing records the ${kind} rows by ${column}. ` +
      `Call in a migration: select change_feed.stream('${schemaName}.${name}', '${column}'${which})`,
  );
}

interface Parent {
  resource: PgResource;
  /** The column that the key refers to. */
  attribute: string;
  typeName: string;
  /** The name of the field from a row to its parent. */
  fieldName: string;
}

/** The table that a column refers to. */
function parentOf(build: Build, resource: PgResource, column: string): Parent | undefined {
  const relations = Object.entries(resource.getRelations());
  const [relationName, relation] =
    relations.find(
      ([, { isReferencee, localAttributes }]) =>
        !isReferencee && localAttributes.length === 1 && localAttributes[0] === column,
    ) ?? [];
  if (!relationName || !relation) return undefined;
  const { registry } = resource;
  const codec = resource.codec as PgCodecWithAttributes;
  return {
    resource: relation.remoteResource as PgResource,
    attribute: relation.remoteAttributes[0] as string,
    typeName: build.inflection.tableType(relation.remoteResource.codec as PgCodecWithAttributes),
    fieldName: build.inflection.singleRelation({ registry, codec, relationName } as never),
  };
}

type Given = readonly [context: Grafast.Context, key: unknown, after: unknown];

/** The events of a field, for its callers. A server that follows the streams itself has one, in the context. */
function eventsOf({ stream, keyArgument, key, unknownAfter }: FeedExtension, options: ChangeFeedOptions) {
  const { reader, viewerId = ({ viewerId }) => viewerId } = options;
  return async function* follow([context, given, after]: Given): AsyncGenerator<Change> {
    if (context.event) return yield context.event;
    if (!reader) throw new Error("The plugin has no reader: give it one, or execute the field for an event");
    const viewer = viewerId(context) ?? "";
    if (viewer === "" && (keyArgument === undefined || !stream.isForAnonymous)) throw notSignedIn();
    const subscription = await reader.subscribe({
      feed: stream,
      key: keyArgument === undefined ? (key ?? viewer) : String(given),
      viewerId: viewer,
      ...(after == null ? null : { after: String(after) }),
      unknownAfter,
    });
    yield* subscription;
    if (subscription.reason === "forbidden") throw mayNotListen();
    if (subscription.reason === "lost") throw positionLost();
    if (subscription.reason) throw cannotFollow();
  };
}
