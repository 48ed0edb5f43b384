/** The channel that the triggers of migrations/committed/000007-live-messages.sql notify. */
export const channel = "content_service_messages";

/** The meaning of a payload. */
export type Notification =
  /** The chat has new messages, from that number on. Without a number: the right to read the chat has changed. */
  | { chatId: string; number?: number }
  /** The rights of that user have changed. */
  | { userId: string };

/** Reads a payload. Anyone who can connect can notify: undefined for a payload that is not one of ours. */
export function readNotification(payload: string): Notification | undefined {
  const [, name = "", value = ""] = /^(\w{1,20}):([\w-]{0,40})$/.exec(payload) ?? [];
  if (name === "user") return { userId: value };
  if (!/^\d+$/.test(name) || !/^\d{0,16}$/.test(value)) return undefined;
  return value === "" ? { chatId: name } : { chatId: name, number: Number(value) };
}
