import { tableSubscriptionPlugin } from "@content-service/change-feed/TableSubscriptionPlugin.ts";
import { notFound } from "@content-service/errors/ApiError.ts";
import { AccessTokenPlugin } from "./AccessTokenPlugin.ts";
import { CompositeArgumentsPlugin } from "./CompositeArgumentsPlugin.ts";
import { DescriptionsPlugin } from "./DescriptionsPlugin.ts";
import { ErrorTypesPlugin } from "./ErrorTypesPlugin.ts";
import { FieldExtensionsPlugin } from "./FieldExtensionsPlugin.ts";
import { FieldSourcesPlugin } from "./FieldSourcesPlugin.ts";
import { FlatMutationsPlugin } from "./FlatMutationsPlugin.ts";
import { FunctionArgumentsPlugin } from "./FunctionArgumentsPlugin.ts";
import { IdPlugin } from "./IdPlugin.ts";
import { InlineFunctionsPlugin } from "./InlineFunctionsPlugin.ts";
import { LeftOutPlugin } from "./LeftOutPlugin.ts";
import { LimitOffsetPlugin } from "./LimitOffsetPlugin.ts";
import { ListFilterPlugin } from "./ListFilterPlugin.ts";
import { ListFunctionsPlugin } from "./ListFunctionsPlugin.ts";
import { ListOrderPlugin } from "./ListOrderPlugin.ts";
import { ManyToManyPlugin } from "./ManyToManyPlugin.ts";
import { MutationRowsPlugin } from "./MutationRowsPlugin.ts";
import { NamesPlugin } from "./NamesPlugin.ts";
import { NodeIdPlugin, writeNodeId } from "./NodeIdPlugin.ts";
import { NotFoundPlugin } from "./NotFoundPlugin.ts";
import { PresentRelationsPlugin } from "./PresentRelationsPlugin.ts";
import { RequiresPlugin } from "./RequiresPlugin.ts";
import { descriptionsOf } from "./support/fields.ts";
import { presentRow } from "./support/presentRow.ts";
import { TimestampFormatPlugin } from "./TimestampFormatPlugin.ts";
import { UnauthorizedWhenNullPlugin } from "./UnauthorizedWhenNullPlugin.ts";

/** Shape the schema that PostGraphile reflects from any PostgreSQL schema as the specification requires. */
export const plugins: GraphileConfig.Plugin[] = [
  // Names.
  NamesPlugin,
  // Names and functions that GraphQL cannot have.
  LeftOutPlugin,
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
  AccessTokenPlugin,
  // Subscriptions.
  tableSubscriptionPlugin({ descriptionsOf, presentRow: presentRow(notFound), nodeId: writeNodeId }),
  // Lists: through join tables, filtered, ordered, paged.
  ManyToManyPlugin,
  ListFilterPlugin,
  ListOrderPlugin,
  RequiresPlugin,
  ListFunctionsPlugin,
  LimitOffsetPlugin,
  // Facts about fields, for the service.
  FieldExtensionsPlugin,
  // Errors for missing rows and hidden values, and rows that are never missing.
  NotFoundPlugin,
  UnauthorizedWhenNullPlugin,
  PresentRelationsPlugin,
  // Enums of errors, for code generators.
  ErrorTypesPlugin,
  // Descriptions. Last, to describe the fields and arguments that the others add.
  DescriptionsPlugin,
];
