import pg from "pg";
import type { Arena } from "../Arena.ts";
import { isWhole, tally } from "../tally.ts";
import type { Outcome } from "./Outcome.ts";

/**
 * Many concurrent transactions insert, roll back, and roll back to savepoints. Listeners receive exactly the committed
 * rows.
 */
export async function transactions(arena: Arena, concurrent = 50, each = 20): Promise<Outcome> {
  const chatId = await arena.openChat(10);
  const listeners = await arena.listen(chatId, 10);
  await Promise.all(
    Array.from({ length: concurrent }, (_, index) => write(arena.database.ownerUrl, chatId, each, index)),
  );
  const written = await arena.written(chatId);
  const counts = await tally(listeners, written);
  for (const listener of listeners) await listener.stop();
  return {
    title: `${concurrent * each} inserts in ${concurrent} transactions at once, with rollbacks and savepoints`,
    messages: written.length,
    counts,
    note: `${concurrent * each - written.length} rolled back`,
    isGood: isWhole(counts) && written.length > 0,
  };
}

/** Runs one transaction. Every fourth is rolled back; in the others, every fifth insert is. */
async function write(ownerUrl: string, chatId: string, inserts: number, index: number): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query("begin");
  for (let turn = 0; turn < inserts; turn++) {
    await client.query("savepoint here");
    await client.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, $2)", [
      chatId,
      `Transaction ${index}, insert ${turn}`,
    ]);
    await client.query(turn % 5 === 4 ? "rollback to savepoint here" : "release savepoint here");
  }
  await client.query(index % 4 === 3 ? "rollback" : "commit");
  await client.end();
}
