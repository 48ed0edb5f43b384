/** A place in the primary's write-ahead log, which replicas replay. */
export interface WalPosition {
  /** Each promotion begins another timeline, with a higher number. */
  timeline: number;
  lsn: bigint;
}

/** Reads the current position of the primary, as parsePosition() takes it. What is committed stands before it. */
export const currentPosition =
  "select left(pg_walfile_name(lsn), 8) || '/' || lsn as position from pg_current_wal_insert_lsn() as lsn";

/** Stands for a write whose position is not known, because its connection broke. No replica replays as much. */
export const unknownPosition: WalPosition = { timeline: 0x7fffffff, lsn: 0xffffffff_ffffffffn };

const pattern = /^([0-7][0-9A-F]{7})\/([0-9A-F]{1,8}\/[0-9A-F]{1,8})$/i;

/**
 * Reads what printPosition() has written, such as a header of a client.
 *
 * @param text timeline and LSN: `00000001/0/16B3748`
 * @returns undefined for other text
 */
export function parsePosition(text: string): WalPosition | undefined {
  const [, timeline, lsn] = pattern.exec(text) ?? [];
  return timeline && lsn ? { timeline: Number.parseInt(timeline, 16), lsn: parseLsn(lsn) } : undefined;
}

/** Timeline and LSN: `00000001/0/16B3748`. */
export function printPosition({ timeline, lsn }: WalPosition): string {
  return `${timeline.toString(16).toUpperCase().padStart(8, "0")}/${printLsn(lsn)}`;
}

/** @param text as PostgreSQL prints a `pg_lsn`: `0/16B3748` */
export function parseLsn(text: string): bigint {
  const [high, low] = text.split("/").map((part) => BigInt(`0x${part}`)) as [bigint, bigint];
  return (high << 32n) + low;
}

/** An LSN as PostgreSQL writes it: `0/16B3748`. */
export function printLsn(lsn: bigint): string {
  return [lsn >> 32n, lsn & 0xffffffffn].map((part) => part.toString(16).toUpperCase()).join("/");
}

/** The later one of two positions, where each may be unknown. */
export function latest(one: WalPosition | undefined, other: WalPosition | undefined): WalPosition | undefined {
  if (!one || !other) return one ?? other;
  if (one.timeline !== other.timeline) return one.timeline > other.timeline ? one : other;
  return one.lsn > other.lsn ? one : other;
}
