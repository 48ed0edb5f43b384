/** The meaning of a payload. */
export type Notification =
  /** The stream has new events of that key, from that number on. Without a number: the right to read the key has changed. */
  | { streamId: number; key: string; number?: number }
  /** The rights of that user have changed. */
  | { userId: string };

/** Reads a payload: undefined for a payload that is not one of ours. */
export function readNotification(payload: string): Notification | undefined {
  const [, userId] = /^user:([\w-]{1,40})$/.exec(payload) ?? [];
  if (userId) return { userId };
  const [, streamId, key, number] = /^(\d{1,10}):([\w-]{1,40}):(\d{0,16})$/.exec(payload) ?? [];
  if (!streamId || !key) return undefined;
  return { streamId: Number(streamId), key, ...(number ? { number: Number(number) } : null) };
}
