import { setTimeout as delay } from "node:timers/promises";
import { oneAtATime } from "@content-service/support/oneAtATime.ts";
import type { Listener, ListeningConnection } from "postgraphile-change-feed";

/** The channel that migrations/hooks/tell_services.sql notifies. */
const channel = "schema_changed";
const pauseMs = 1_000;

/**
 * Calls `check` after each migration, wherever it was run: `npm run db:watch`, another instance, or `notify schema_changed` in
 * psql. A restored connection counts as a notification, since one may have been missed. It has to last for a while first: one
 * check for each of many losses in a row would delay messages.
 *
 * A notification is only a hint: every login can send a million of them a second. So the connection stops listening after
 * the first one. A second later it listens again, and one more check finds what was not heard.
 *
 * @param check never rejects
 * @returns a function that stops following, and waits for a running check
 */
export function followSchema(listener: Listener, check: () => Promise<unknown>): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let connection: ListeningConnection | undefined;
  let checking: Promise<unknown> | undefined;

  const follow = oneAtATime(async () => {
    await say("unlisten");
    await runCheck();
    await delay(pauseMs, undefined, { ref: false, signal }).catch(() => {});
    await say("listen");
    await runCheck();
  });
  async function say(command: "listen" | "unlisten"): Promise<void> {
    const current = connection;
    // A lost connection is replaced by one that listens.
    if (!signal.aborted) await current?.ask({ text: `${command} ${channel}` }).catch((error) => current.fail(error));
  }
  async function runCheck(): Promise<void> {
    if (signal.aborted) return;
    checking = check();
    await checking;
  }

  listener.handle(channel, {
    notified(_payload, current) {
      connection = current;
      void follow();
    },
    restored(current) {
      connection = current;
      setTimeout(() => current.isLost || void follow(), pauseMs).unref();
    },
  });
  return async () => {
    stopping.abort();
    await checking;
  };
}
