import pg from "pg";
import type { TestDatabase } from "../../support/database.ts";

/** Several connections that write messages into one chat for as long as they are let. */
export class Writers {
  /** How many messages have been committed. */
  committed = 0;
  #isOn = true;
  readonly #finished: Promise<unknown>;

  constructor(database: TestDatabase, chatId: string, count: number) {
    this.#finished = Promise.all(Array.from({ length: count }, () => this.#write(database.ownerUrl, chatId)));
  }

  /** Resolves when the last one has committed. */
  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#finished;
  }

  async #write(ownerUrl: string, chatId: string): Promise<void> {
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    while (this.#isOn) {
      await client.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'Hello')", [
        chatId,
      ]);
      this.committed += 1;
    }
    await client.end();
  }
}
