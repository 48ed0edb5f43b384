import { AccessTokenPlugin } from "./AccessTokenPlugin.ts";
import { DescriptionsPlugin } from "./DescriptionsPlugin.ts";
import { FlatMutationsPlugin } from "./FlatMutationsPlugin.ts";
import { FunctionArgumentsPlugin } from "./FunctionArgumentsPlugin.ts";
import { IdPlugin } from "./IdPlugin.ts";
import { InlineFunctionsPlugin } from "./InlineFunctionsPlugin.ts";
import { LimitOffsetPlugin } from "./LimitOffsetPlugin.ts";
import { ListFilterPlugin } from "./ListFilterPlugin.ts";
import { ListOrderPlugin } from "./ListOrderPlugin.ts";
import { ManyToManyPlugin } from "./ManyToManyPlugin.ts";
import { NamesPlugin } from "./NamesPlugin.ts";
import { NotFoundPlugin } from "./NotFoundPlugin.ts";
import { RateLimitedPlugin } from "./RateLimitedPlugin.ts";
import { SharedFieldsPlugin } from "./SharedFieldsPlugin.ts";
import { TableSubscriptionPlugin } from "./TableSubscriptionPlugin.ts";
import { TimestampFormatPlugin } from "./TimestampFormatPlugin.ts";
import { UnauthorizedWhenNullPlugin } from "./UnauthorizedWhenNullPlugin.ts";

/** What makes the reflection of any PostgreSQL schema look as the specification wants it. None names a table. */
export const plugins: GraphileConfig.Plugin[] = [
  // What things are called.
  NamesPlugin,
  // What values look like.
  IdPlugin,
  TimestampFormatPlugin,
  // What functions are.
  FunctionArgumentsPlugin,
  FlatMutationsPlugin,
  InlineFunctionsPlugin,
  AccessTokenPlugin,
  RateLimitedPlugin,
  // What is told of as it happens.
  TableSubscriptionPlugin,
  SharedFieldsPlugin,
  // What lists are: across join tables, narrowed, ordered, paged.
  ManyToManyPlugin,
  ListFilterPlugin,
  ListOrderPlugin,
  LimitOffsetPlugin,
  // What is said of that which is not there, or not to be seen.
  NotFoundPlugin,
  UnauthorizedWhenNullPlugin,
  // What a reader of the schema is told.
  DescriptionsPlugin,
];
