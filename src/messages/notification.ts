import type { ListeningConnection } from "../database/ListeningConnection.ts";

/** Reads the name of the channel that the triggers notify. The name is random: any login may listen to a channel it knows. */
export async function readChannel(connection: ListeningConnection): Promise<string> {
  const [row] = await connection.ask<{ name: string }>({
    text: "select name from app_private.notification_channels where purpose = 'messages'",
  });
  if (!row) throw new Error("app_private.notification_channels names no channel for messages");
  return row.name;
}

/** The meaning of a payload. */
export type Notification =
  /** The chat has new messages, from that number on. Without a number: the right to read the chat has changed. */
  | { chatId: string; number?: number }
  /** The rights of that user have changed. */
  | { userId: string };

/** Reads a payload: undefined for a payload that is not one of ours. */
export function readNotification(payload: string): Notification | undefined {
  const [, name = "", value = ""] = /^(\w{1,20}):([\w-]{0,40})$/.exec(payload) ?? [];
  if (name === "user") return { userId: value };
  if (!/^\d+$/.test(name) || !/^\d{0,16}$/.test(value)) return undefined;
  return value === "" ? { chatId: name } : { chatId: name, number: Number(value) };
}
