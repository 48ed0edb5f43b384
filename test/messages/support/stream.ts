import { afterEach } from "@jest/globals";
import { MessageStream, type MessageStreamSettings } from "../../../src/messages/MessageStream.ts";
import type { TestDatabase } from "../../support/database.ts";
import { Reader } from "./Reader.ts";

/** Starts streams that end with their test. */
export function useStreams(database: TestDatabase): {
  start(settings?: Partial<MessageStreamSettings>): Promise<MessageStream>;
  logged: unknown[];
} {
  const running: MessageStream[] = [];
  const logged: unknown[] = [];
  const note = (...words: unknown[]) => logged.push(words);
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stream) => stream.stop()));
  });
  return {
    logged,
    async start(settings) {
      const stream = new MessageStream({
        connectionString: database.apiUrl,
        log: { info: note, warn: note } as unknown as MessageStreamSettings["log"],
        ...settings,
      });
      running.push(stream);
      await stream.start();
      return stream;
    },
  };
}

/** Subscribes, and reads all that comes. */
export async function read(stream: MessageStream, chatId: string, viewerId: string, after?: string): Promise<Reader> {
  return new Reader(await stream.subscribe({ chatId, viewerId, ...(after === undefined ? null : { after }) }));
}

/**
 * Waits until the stream has heard of everything that has been committed. A message whose notification is still on its way
 * when a subscription is asked for might have been committed after that, and is given to be sure.
 */
export async function hearAll(stream: MessageStream, chatId: string, viewerId: string): Promise<void> {
  const subscription = await stream.subscribe({ chatId, viewerId });
  await subscription.return();
}
