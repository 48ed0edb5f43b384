/** The one channel; the triggers of migrations/…/610-live-messages.sql ring it. */
export const channel = "content_service_messages";

/** What a notification says. */
export type Notification =
  /** The chat has grown, from that number on; without one, who may read it has changed. */
  | { chatId: string; number?: number }
  /** What that user may read has changed. */
  | { userId: string }
  /** Ours: everything that was committed before the query of that name has been told. */
  | { barrier: string };

/** Reads a payload. Anyone who can connect can ring: undefined for whatever is not one of ours. */
export function readNotification(payload: string | undefined): Notification | undefined {
  const [, name = "", value = ""] = /^(\w{1,20}):([\w-]{0,40})$/.exec(payload ?? "") ?? [];
  if (name === "barrier") return { barrier: value };
  if (name === "user") return { userId: value };
  if (!/^\d+$/.test(name) || !/^\d{0,16}$/.test(value)) return undefined;
  return value === "" ? { chatId: name } : { chatId: name, number: Number(value) };
}
