/** A stream as change_feed.stream_sources describes it: what subscriptions can follow. */
export interface Stream {
  id: number;
  kind: StreamKind;
  keyType: IdType;
  /** The type of the table's primary key, or of its part besides the key. */
  idType: IdType;
  /** Whether the policies decide who may read, rather than a function of the stream. Then each viewer has to be asked. */
  asksPolicies: boolean;
}

export type StreamKind = "added" | "updated" | "deleted";

type IdType = "bigint" | "uuid";
