import type { AddedMessage } from "./AddedMessage.ts";

/**
 * Why a subscription has ended without its consumer's doing:
 * - `forbidden`: the viewer may not read the chat any longer, or there is no such chat or viewer
 * - `too-slow`: more messages were waiting for the consumer than are kept
 * - `unavailable`: the database could not be listened to for too long
 * - `stopping`: the service ends
 */
export type EndReason = "forbidden" | "too-slow" | "unavailable" | "stopping";

/** The messages added to a chat, each once, in the order of their numbers, for as long as the viewer may read it. */
export interface MessageSubscription extends AsyncIterableIterator<AddedMessage>, AsyncDisposable {
  readonly chatId: string;
  readonly viewerId: string;
  /** Why it ended; undefined while it goes on, and when the consumer itself has ended it. */
  readonly reason: EndReason | undefined;
  /** Resolves with `reason` when it ends, and never rejects. */
  readonly ended: Promise<EndReason | undefined>;
  /** Ends it. What is waiting is dropped. */
  return(): Promise<IteratorResult<AddedMessage>>;
}
