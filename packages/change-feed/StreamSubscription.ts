import type { StreamEvent } from "./StreamEvent.ts";

/**
 * Why a subscription has ended, when its consumer did not end it:
 * - `forbidden`: the viewer may no longer read the key, or there is no such key or viewer
 * - `too-slow`: more events were waiting for the consumer than the buffer holds
 * - `unavailable`: the database was away for too long
 * - `stopping`: the service stops
 */
export type EndReason = "forbidden" | "too-slow" | "unavailable" | "stopping";

/** The changes of the rows with one key, each once, in the order of their numbers, for as long as the viewer may read the key. */
export interface StreamSubscription extends AsyncIterableIterator<StreamEvent>, AsyncDisposable {
  readonly key: string;
  readonly viewerId: string;
  /** Why the subscription ended; undefined while it goes on, and when its consumer ended it. */
  readonly reason: EndReason | undefined;
  /** Resolves with `reason` at the end. Never rejects. */
  readonly ended: Promise<EndReason | undefined>;
  /** Called again only when the call before has been answered, as `for await` does. */
  next(): Promise<IteratorResult<StreamEvent>>;
  /** Ends the subscription. Waiting events are dropped. */
  return(): Promise<IteratorResult<StreamEvent>>;
}
