/**
 * Subscriptions to any table of PostgreSQL by SQL alone: each change once, in the order of commits, none lost.
 *
 * @packageDocumentation
 */

export { cacheTag, computedTag, rowTag } from "./cacheTags.ts";
export {
  type ChangeFeedOptions,
  changeFeedPlugin,
  type FeedExtension,
  type TableFeed,
} from "./changeFeedPlugin.ts";
export type { EndpointSettings } from "./EndpointClient.ts";
export type { Change, ChangeKind, EndReason, Feed, FeedSubscription } from "./Feed.ts";
export {
  FeedReader,
  type FeedReaderSettings,
  type FeedReaderStatus,
  type FeedRequest,
  type OpenSettings,
} from "./FeedReader.ts";
export { changeFeedSql, type FeedNames, type FeedOwner, installChangeFeed, latestVersion } from "./install.ts";
export { type Channel, type ChannelHandler, Listener, type ListenerSettings } from "./Listener.ts";
export type { Barrier, ListeningConnection } from "./ListeningConnection.ts";
export type { Log } from "./Log.ts";
export { cannotFollow, mayNotListen, notSignedIn, positionLost } from "./refusals.ts";
export { type WebhookPool, WebhookSender, type WebhookSettings, type WebhookTrouble } from "./WebhookSender.ts";
