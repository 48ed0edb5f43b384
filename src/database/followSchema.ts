import { setTimeout as delay } from "node:timers/promises";
import { oneAtATime } from "../support/oneAtATime.ts";
import type { Listener } from "./Listener.ts";

/** The channel that migrations/hooks/tell_services.sql notifies. */
const channel = "schema_changed";
const pauseMs = 1_000;

/**
 * Calls `check` after each migration, wherever it was run: `npm run db:watch`, another instance, or `notify schema_changed` in
 * psql. A restored connection counts as a notification, since one may have been missed. It has to last for a while first: one
 * check for each of many losses in a row would delay messages.
 *
 * A notification is only a hint: every login can send any number of them. Those that arrive during a check, or within a
 * second after it, share one further check.
 *
 * @param check never rejects
 * @returns a function that stops following, and waits for a running check
 */
export function followSchema(listener: Listener, check: () => Promise<unknown>): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let checking: Promise<unknown> | undefined;
  const follow = oneAtATime(async () => {
    if (signal.aborted) return;
    checking = check();
    await checking;
    await delay(pauseMs, undefined, { ref: false, signal }).catch(() => {});
  });
  listener.handle(channel, {
    notified: () => void follow(),
    restored(connection) {
      setTimeout(() => connection.isLost || void follow(), pauseMs).unref();
    },
  });
  return async () => {
    stopping.abort();
    await checking;
  };
}
