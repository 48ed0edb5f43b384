import type { Answer } from "../../tools/support/post.ts";
import type { TestService } from "./service.ts";

/** Asks as Bob while a transaction of the owner's has run that SQL, and commits it when the request waits for it. */
export async function askMeanwhile({ database, ask }: TestService, sql: string, query: string): Promise<Answer> {
  const held = await database.hold(sql);
  const asked = ask(query, { as: "bob" });
  await held.somebodyWaits();
  await held.commit();
  return asked;
}
