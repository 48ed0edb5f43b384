/**
 * A row of a table has been added, updated or deleted. Subscribers that are served by the same read receive the same object, so
 * that a WeakMap can share what is computed for one with the others.
 */
export interface StreamEvent {
  readonly rowId: string;
  readonly key: string;
  /** The event's place among those of its stream and key: later events have higher numbers, and no two have the same. */
  readonly number: number;
  /** Changes with each update of the row. Undefined where rows keep their key and who may read them. */
  readonly version?: string;
}
