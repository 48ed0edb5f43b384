import type { AddedMessage } from "./AddedMessage.ts";

/**
 * Why a subscription has ended, when its consumer did not end it:
 * - `forbidden`: the viewer may no longer read the chat, or there is no such chat or viewer
 * - `too-slow`: more messages were waiting for the consumer than the buffer holds
 * - `unavailable`: the database was away for too long
 * - `stopping`: the service stops
 */
export type EndReason = "forbidden" | "too-slow" | "unavailable" | "stopping";

/** The messages added to a chat, each once, in the order of their numbers, for as long as the viewer may read it. */
export interface MessageSubscription extends AsyncIterableIterator<AddedMessage>, AsyncDisposable {
  readonly chatId: string;
  readonly viewerId: string;
  /** Why the subscription ended; undefined while it goes on, and when its consumer ended it. */
  readonly reason: EndReason | undefined;
  /** Resolves with `reason` at the end. Never rejects. */
  readonly ended: Promise<EndReason | undefined>;
  /** Ends the subscription. Waiting messages are dropped. */
  return(): Promise<IteratorResult<AddedMessage>>;
}
