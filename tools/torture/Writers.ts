import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** Writers that together insert 20 messages a second by plain SQL until they are stopped. */
export class Writers {
  #isOn = true;
  readonly #finished: Promise<unknown>;

  constructor(ownerUrl: string, chatId: string, count = 4, perSecond = 20) {
    const every = (count / perSecond) * 1_000;
    this.#finished = Promise.all(Array.from({ length: count }, () => this.#write(ownerUrl, chatId, every)));
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#finished;
  }

  /** Reconnects when the database is back. A failed insert is not counted: the table has the messages that count. */
  async #write(ownerUrl: string, chatId: string, every: number): Promise<void> {
    while (this.#isOn) {
      const client = new pg.Client({ connectionString: ownerUrl });
      client.on("error", () => {});
      try {
        await client.connect();
        while (this.#isOn) {
          await client.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'Hello')", [
            chatId,
          ]);
          await delay(every);
        }
      } catch {
        await delay(50);
      }
      await client.end().catch(() => {});
    }
  }
}
