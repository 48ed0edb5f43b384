/**
 * Subscriptions to any table of PostgreSQL by SQL alone: each change once, in the order of commits, none lost.
 *
 * @packageDocumentation
 */

export { changeFeedSql, type FeedNames, type FeedOwner, installChangeFeed, latestVersion } from "./install.ts";
export { type Channel, type ChannelHandler, Listener, type ListenerSettings } from "./Listener.ts";
export type { Barrier, ListeningConnection } from "./ListeningConnection.ts";
export type { Log } from "./Log.ts";
export { cannotFollow, mayNotListen, notSignedIn } from "./refusals.ts";
export type { EndReason, Stream, StreamEvent, StreamKind, StreamSubscription } from "./Stream.ts";
export { Streams, type StreamsSettings, type StreamsStatus, type SubscriptionWish } from "./Streams.ts";
export {
  type SubscriptionExtension,
  type SubscriptionOptions,
  type TableStream,
  tableSubscriptionPlugin,
} from "./TableSubscriptionPlugin.ts";
