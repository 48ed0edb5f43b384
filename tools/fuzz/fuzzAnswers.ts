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
const requestsAtOnce = 40;
/** After so many rounds of requests the schema changes. */
const roundsOfSchema = 5;

/** Changes the schema now and then: answers must stay the same, with and without new statements. */
const change = (step: number) => `
  alter table app_public.posts drop column if exists extra_${step - roundsOfSchema}, add column extra_${step} int not null default ${step};
  comment on column app_public.posts.extra_${step} is '@listFilter'`;

/** Changes of types.sql and what undoes them. Until the service has followed, its schema promises what the database no longer has. */
const passing = [
  ["size type text using 'five'", "size type int using 1"],
  ["size type bigint using 99999999999", "size type int using 1"],
  ["size drop not null; update app_public.moments set size = null", "size type int using 1, alter size set not null"],
  ["is_odd type text using 'five'", "is_odd type boolean using false"],
  ["mood type text using 'ODD'", "mood type app_public.mood using 'CALM'"],
] as const;

/** The root fields of types.sql. Some of its rows have null where a tag promises a value, so its internal errors are right. */
const ofTypes = /^(kind|moment|plain|echo|nothing|shuffled|sumOf|words)/;
const ofContent = new RegExp(`^(?!${ofTypes.source.slice(1)})`);
/** Those of the rows that a passing change makes another type. */
const changed = /^moment/;

/** Compares compiled answers with the engine's until `count` requests are compared or `seconds` are over. */
export async function fuzzAnswers(count: number, seconds: number, seed: number): Promise<Comparison> {
  const database = new EmbeddedDatabase();
  await database.start();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  for (const file of ["../../test/support/people.sql", "everything.sql", "types.sql"]) {
    await owner.query(readFileSync(new URL(file, import.meta.url), "utf8"));
  }
  // Its view calls the column @notNull, which is not true; the two ways notice that in different rows.
  await owner.query("update app_public.kinds set a_int4 = 0 where a_int4 is null");
  const settings = { ...defaultSettings, port: 0, apiDatabaseUrl: database.apiUrl, token: { secret: "x".repeat(32) } };
  const app = await startApp(settings, pino({ level: "silent" }));
  const random = new Random(seed);
  const summary = newComparison();
  const endAt = Date.now() + seconds * 1_000;
  try {
    for (let step = 1; summary.requests < count && Date.now() < endAt; step++) {
      const cursors = await someCursors(app.pipeline, "3");
      const requests = Array.from({ length: requestsAtOnce }, () =>
        random.chance(0.8)
          ? plainRequest(random, app.schema, cursors, ofContent)
          : oddRequest(random, app.schema, 0, ofContent),
      );
      await compareAnswers(app.pipeline, requests, viewers, summary, "content");
      const typed = Array.from({ length: requestsAtOnce / 4 }, () =>
        plainRequest(random, app.schema, cursors, ofTypes),
      );
      await compareAnswers(app.pipeline, typed, viewers, summary);
      if (step % roundsOfSchema > 0) continue;
      const [break_, mend] = random.pick(passing);
      await owner.query(`alter table app_public.moments alter ${break_}`);
      const unsettled = Array.from({ length: 10 }, () => plainRequest(random, app.schema, cursors, changed));
      await compareAnswers(app.pipeline, unsettled, viewers, summary, "unsettled");
      await owner.query(`alter table app_public.moments alter ${mend}; ${change(step)}`);
      await app.rebuild();
    }
  } finally {
    await app.close();
    await owner.end();
    await database.stop();
  }
  return summary;
}
