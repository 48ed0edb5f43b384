/** A stream as change_feed.stream_sources describes it: what subscriptions can follow. */
export interface Feed {
  id: number;
  /** The table, the key column and the kind, for logs and metrics: `shop.orders customer_id added`. */
  name: string;
  kind: ChangeKind;
  keyType: IdType;
  /** The type of the table's primary key, or of its part besides the key. */
  idType: IdType;
  /** Whether the policies decide who may read, rather than a function of the stream. Then each viewer has to be asked. */
  asksPolicies: boolean;
  /** Whether the rows have numbers of their own. Then the id of a row is the position of its event. */
  hasNumbers: boolean;
}

/** What has happened to a row. */
export type ChangeKind = "added" | "updated" | "deleted";

type IdType = "bigint" | "uuid";

/**
 * A row of a table has been added, updated or deleted. Subscribers that are served by the same read receive the same object, so
 * that a WeakMap can share what is computed for one with the others.
 */
export interface Change {
  readonly rowId: string;
  readonly key: string;
  /** The event's place among those of its stream and key: later events have higher numbers, and no two have the same. */
  readonly number: number;
  /** Tells the event from one of another history that has its number: after a restore, numbers are given again. Undefined where rows have no mark. */
  readonly mark?: number;
  /** What a client says to continue after this event. */
  readonly position: string;
  /** Changes with each update of the row. Undefined where rows keep their key and who may read them. */
  readonly version?: string;
}

/**
 * Why a subscription has ended, when its consumer did not end it:
 * - `forbidden`: the viewer may no longer read the key, or there is no such key or viewer
 * - `lost`: the events that it had are no longer in the history: a restore, a failover that lost commits, a truncate. The client has to begin again
 * - `too-slow`: the consumer is so far behind that its next events are no longer kept
 * - `failed`: the statements of this subscription fail, or those of its stream. Others go on
 * - `unavailable`: the database was away for too long
 * - `stopping`: the service stops
 */
export type EndReason = "forbidden" | "lost" | "too-slow" | "failed" | "unavailable" | "stopping";

/** The changes of the rows with one key, each once, in the order of their numbers, for as long as the viewer may read the key. */
export interface FeedSubscription extends AsyncIterableIterator<Change>, AsyncDisposable {
  readonly key: string;
  readonly viewerId: string;
  /** Why the subscription ended; undefined while it goes on, and when its consumer ended it. */
  readonly reason: EndReason | undefined;
  /** The events that wait behind the one that next() has returned. */
  readonly waiting: readonly Change[];
  /** Resolves with `reason` at the end. Never rejects. */
  readonly ended: Promise<EndReason | undefined>;
  /** Called again only when the call before has been answered, as `for await` does. */
  next(): Promise<IteratorResult<Change>>;
  /** Ends the subscription. Waiting events are dropped. */
  return(): Promise<IteratorResult<Change>>;
}
