import { setTimeout as delay } from "node:timers/promises";
import { roles } from "@content-service/migration-review/migrations/gmrc.ts";
import type { Arena } from "../Arena.ts";
import { type CallOutcome, calls, killAll } from "./calls.ts";

/** `/readyz` asks the database at most once a second. */
const noticeMs = 3_000;

/** The database gives the service's role no connection, then too few, then as many as before. */
export async function fewConnections(arena: Arena): Promise<CallOutcome> {
  const url = arena.service.url.replace("ws:", "http:").replace("/graphql", "/readyz");
  const answers: string[] = [];
  const limitTo = async (limit: number) => {
    await arena.query(`alter role ${roles.login} connection limit ${limit}`);
    await killAll(arena);
    await delay(noticeMs);
    const response = await fetch(url);
    answers.push(`limit ${limit}: ${response.status} ${JSON.stringify(await response.json())}`);
  };
  try {
    const outcome = await calls(arena, "the role may have no connection, then 3, then all", 1, async () => {
      await limitTo(0);
      await limitTo(3);
      await limitTo(-1);
    });
    const [none = "", , all = ""] = answers;
    const isTold = /^limit 0: 503 .*no free connection/.test(none) && all.startsWith("limit -1: 200");
    const examples = isTold ? outcome.examples : [...answers, ...outcome.examples];
    return { ...outcome, examples, isGood: outcome.isGood && isTold };
  } finally {
    await arena.query(`alter role ${roles.login} connection limit -1`);
  }
}
