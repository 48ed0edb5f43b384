/**
 * A preset for PostGraphile 5 whose operations are SQL statements that return their results.
 *
 * @packageDocumentation
 */
import "postgraphile";
import type { ErrorLog } from "@content-service/errors/formatError.ts";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { BehaviorCachePlugin } from "./BehaviorCachePlugin.ts";
import { CatalogueNamesPlugin } from "./CatalogueNamesPlugin.ts";
import { ClashingNamesPlugin, NameClashesPlugin, type ServedNames } from "./ClashingNamesPlugin.ts";
import { compiledOperationsPlugin } from "./CompiledOperationsPlugin.ts";
import { CompositeArgumentsPlugin } from "./CompositeArgumentsPlugin.ts";
import { ConstraintErrorsPlugin } from "./ConstraintErrorsPlugin.ts";
import type { PageSizes } from "./compiled/fieldSource.ts";
import { DescriptionsPlugin } from "./DescriptionsPlugin.ts";
import { errorTypesPlugin } from "./ErrorTypesPlugin.ts";
import { FieldPlansPlugin } from "./FieldPlansPlugin.ts";
import { FieldSourcesPlugin } from "./FieldSourcesPlugin.ts";
import { FlatMutationsPlugin } from "./FlatMutationsPlugin.ts";
import { FunctionArgumentsPlugin } from "./FunctionArgumentsPlugin.ts";
import { IdPlugin } from "./IdPlugin.ts";
import { InlineFunctionsPlugin } from "./InlineFunctionsPlugin.ts";
import { limitOffsetPlugin } from "./LimitOffsetPlugin.ts";
import { ListFilterPlugin } from "./ListFilterPlugin.ts";
import { ListFunctionsPlugin } from "./ListFunctionsPlugin.ts";
import { ListOrderPlugin } from "./ListOrderPlugin.ts";
import { ManyToManyPlugin } from "./ManyToManyPlugin.ts";
import { MutationRowsPlugin } from "./MutationRowsPlugin.ts";
import { makeMaskError } from "./maskError.ts";
import { NamesPlugin } from "./NamesPlugin.ts";
import { NodeIdPlugin } from "./NodeIdPlugin.ts";
import { NotFoundPlugin } from "./NotFoundPlugin.ts";
import { PresentRelationsPlugin } from "./PresentRelationsPlugin.ts";
import { RequiresPlugin } from "./RequiresPlugin.ts";
import { makeCodecsExact } from "./support/exactCodecs.ts";
import { TimestampFormatPlugin } from "./TimestampFormatPlugin.ts";
import { UnauthorizedWhenNullPlugin } from "./UnauthorizedWhenNullPlugin.ts";
import { UnmappedObjectsPlugin } from "./UnmappedObjectsPlugin.ts";

export type { ErrorLog } from "@content-service/errors/formatError.ts";
export { type ServedNames, servedNamesOf } from "./ClashingNamesPlugin.ts";
export type { PageSizes } from "./compiled/fieldSource.ts";
export { makeSchema } from "./makeSchema.ts";
export type { UnmappedObject } from "./support/unmapped.ts";
export { unmappedObjectsOf } from "./UnmappedObjectsPlugin.ts";

/** Options of a project. */
export interface PresetOptions {
  /** The sizes of the pages of lists and connections. By default, 20 rows, at most 100, with an offset of at most 10,000. */
  pages?: Partial<PageSizes>;
  /** Takes the errors that clients see as INTERNAL_SERVER_ERROR. By default, `console`. Pino's loggers fit. */
  log?: ErrorLog;
  /** Further values of the enum ErrorReason, with their descriptions. */
  errorReasons?: Record<string, string>;
  /** Names that clients know, as servedNamesOf() has made them of an earlier schema: new objects take none of them. */
  servedNames?: ServedNames;
  /** The heap for compiled statements of a schema, in bytes, roughly. Default: 32 MB. */
  cacheBytes?: number;
}

const makePlugins = ({ pages, cacheBytes = 32e6, errorReasons = {} }: PresetOptions): GraphileConfig.Plugin[] => [
  // Names.
  NamesPlugin,
  CatalogueNamesPlugin,
  ClashingNamesPlugin,
  // Names and functions that GraphQL cannot have.
  UnmappedObjectsPlugin,
  // Describes what each field reads. First, so that the others can add to it.
  FieldSourcesPlugin,
  // Scalars.
  IdPlugin,
  TimestampFormatPlugin,
  // Globally unique ids.
  NodeIdPlugin,
  // Functions and mutations.
  FunctionArgumentsPlugin,
  CompositeArgumentsPlugin,
  FlatMutationsPlugin,
  MutationRowsPlugin,
  InlineFunctionsPlugin,
  // Lists: through join tables, filtered, ordered, paged.
  ManyToManyPlugin,
  ListFilterPlugin,
  ListOrderPlugin,
  RequiresPlugin,
  ListFunctionsPlugin,
  limitOffsetPlugin({ defaultSize: 20, maxSize: 100, maxOffset: 10_000, ...pages }),
  // Errors for missing rows and hidden values, and rows that are never missing.
  NotFoundPlugin,
  UnauthorizedWhenNullPlugin,
  PresentRelationsPlugin,
  // Plans, from what the plugins before have described.
  FieldPlansPlugin,
  // Enums of errors, for code generators.
  errorTypesPlugin(errorReasons),
  // Descriptions. Last, to describe the fields and arguments that the others add.
  DescriptionsPlugin,
  // Execution.
  ConstraintErrorsPlugin,
  compiledOperationsPlugin(cacheBytes),
];

/** Upstream's plugins that the preset replaces, or whose fields it has no place for. */
const disablePlugins = [
  // Global ids as arguments of anything but node(nodeId:).
  "NodeAccessorPlugin",
  "PgNodeIdAttributesPlugin",
  // Query as a Node, which Relay needed before its version 2.
  "RegisterQueryNodePlugin",
  // `query: Query` in every payload.
  "QueryQueryPlugin",
  "MutationPayloadQueryPlugin",
  // Writes are functions; there are no generated insert, update and delete mutations.
  "PgMutationCreatePlugin",
  "PgMutationUpdateDeletePlugin",
  "PgMutationPayloadEdgePlugin",
  // Lists have one order, one way of paging, and the filters that SQL names.
  "PgFirstLastBeforeAfterArgsPlugin",
  "PgConditionArgumentPlugin",
  "PgConditionCustomFieldsPlugin",
  "PgConnectionArgOrderByPlugin",
  "PgConnectionArgOrderByDefaultValuePlugin",
  "PgOrderAllAttributesPlugin",
  "PgOrderByPrimaryKeyPlugin",
  "PgOrderCustomFieldsPlugin",
  // A part of the schema that cannot be built fails the start; it is not left out.
  "SwallowErrorsPlugin",
];

/** Shapes the schema that PostGraphile reflects from any PostgreSQL schema, and runs operations as one statement. */
export function makePreset(options: PresetOptions = {}): GraphileConfig.Preset {
  makeCodecsExact();
  return {
    // Names are found before anything is made with them.
    extends: [{ plugins: [BehaviorCachePlugin, NameClashesPlugin] }, PostGraphileAmberPreset],
    plugins: makePlugins(options),
    disablePlugins,
    schema: {
      // A connection has no null in place of a row. Of lists, the tag `@notNull items` says so.
      pgForbidSetofFunctionsToReturnNull: true,
      servedNames: options.servedNames,
      defaultBehavior: "-resource:insert -resource:update -resource:delete +list +connection -orderBy",
    },
    grafserv: { outputDataAsString: true, maskError: makeMaskError(options.log ?? console) },
  };
}

/** makePreset() without options. */
export default makePreset();
