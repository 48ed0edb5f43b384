import type { ListeningConnection } from "./ListeningConnection.ts";

/** Reads the name of the channel that the triggers notify. The name is random: any login may listen to a channel it knows. */
export async function readChannel(connection: ListeningConnection): Promise<string> {
  const [row] = await connection.ask<{ name: string }>({
    text: "select name from change_feed.notification_channels where purpose = 'streams'",
  });
  if (!row) throw new Error("change_feed.notification_channels names no channel for streams");
  return row.name;
}

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
