import { readFileSync } from "node:fs";
import pg from "pg";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { defaultSettings } from "../../src/settings.ts";
import { EmbeddedDatabase } from "../support/EmbeddedDatabase.ts";
import { Random } from "../support/Random.ts";
import { type Comparison, compareAnswers, newComparison, someCursors } from "./compareAnswers.ts";
import { oddRequest, plainRequest } from "./plainRequest.ts";

/** Anonymous, an author with drafts, a member, an admin. */
const viewers = ["", "1", "2", "3"];
const requestsAtOnce = 100;

/** Changes the schema now and then: answers must stay the same, with and without new statements. */
const change = (step: number) => `
  alter table app_public.posts add column extra_${step} int not null default ${step};
  comment on column app_public.posts.extra_${step} is '@listFilter'`;

/** Compares compiled answers with the engine's until `count` requests are compared or `seconds` are over. */
export async function fuzzAnswers(count: number, seconds: number, seed: number): Promise<Comparison> {
  const database = new EmbeddedDatabase();
  await database.start();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  for (const file of ["../../test/support/people.sql", "everything.sql"]) {
    await owner.query(readFileSync(new URL(file, import.meta.url), "utf8"));
  }
  const settings = { ...defaultSettings, port: 0, apiDatabaseUrl: database.apiUrl, token: { secret: "x".repeat(32) } };
  const app = await startApp(settings, pino({ level: "error" }));
  const random = new Random(seed);
  const summary = newComparison();
  const endAt = Date.now() + seconds * 1_000;
  try {
    for (let step = 1; summary.requests < count && Date.now() < endAt; step++) {
      const cursors = await someCursors(app.pipeline, "3");
      const requests = Array.from({ length: requestsAtOnce }, () =>
        random.chance(0.8) ? plainRequest(random, app.schema, cursors) : oddRequest(random, app.schema, 0),
      );
      await compareAnswers(app.pipeline, requests, viewers, summary);
      if (step % 20 > 0) continue;
      await owner.query(change(step));
      await app.rebuild();
    }
  } finally {
    await app.close();
    await owner.end();
    await database.stop();
  }
  return summary;
}
