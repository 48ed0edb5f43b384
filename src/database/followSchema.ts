import type { Listener } from "./Listener.ts";

/** The channel that migrations/hooks/tell_services.sql notifies. */
const channel = "schema_changed";
const settledAfterMs = 1_000;

/**
 * Calls `onChange` after each migration, wherever it was run: `npm run db:watch`, another instance, or `notify
 * schema_changed` in psql. A restored connection counts as a change, since a notification may have been missed. It has to
 * last for a while first: one rebuild for each of many losses in a row would delay messages.
 */
export function followSchema(listener: Listener, onChange: () => void): void {
  listener.handle(channel, {
    notified: onChange,
    restored(connection) {
      setTimeout(() => connection.isLost || onChange(), settledAfterMs).unref();
    },
  });
}
