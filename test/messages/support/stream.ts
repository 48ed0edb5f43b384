import { pino } from "pino";
import { FeedReader, type FeedReaderSettings, Listener, type ListenerSettings } from "postgraphile-change-feed";
import type { TestDatabase } from "../../support/database.ts";
import { ofChat } from "./chats.ts";
import { Reader } from "./Reader.ts";

export type StreamSettings = Partial<FeedReaderSettings & ListenerSettings>;

/** Starts streams that end with their test, each with a listener of its own. */
export function useStreams(database: Pick<TestDatabase, "apiUrl">): {
  start(settings?: StreamSettings): Promise<FeedReader>;
} {
  const running: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stop) => stop()));
  });
  return {
    async start(settings) {
      const all = { connectionString: database.apiUrl, log: pino({ level: "silent" }), ...settings };
      const listener = new Listener(all);
      const stream = new FeedReader(listener, all);
      running.push(async () => {
        stream.stop();
        await listener.close();
      });
      await stream.start(await listener.start());
      return stream;
    },
  };
}

/** Subscribes, and reads all that comes. */
export async function read(stream: FeedReader, chatId: string, viewerId: string, after?: string): Promise<Reader> {
  return new Reader(
    await stream.subscribe({ ...ofChat(chatId), viewerId, ...(after === undefined ? null : { after }) }),
  );
}

/**
 * Waits until the stream has heard of all that was committed. A message whose notification has not arrived when a
 * subscription is requested may have been committed after the request, and is delivered to be safe.
 */
export async function hearAll(stream: FeedReader, chatId: string, viewerId: string): Promise<void> {
  const subscription = await stream.subscribe({ ...ofChat(chatId), viewerId });
  await subscription.return();
}
