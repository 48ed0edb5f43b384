import { Random } from "@content-service/testing/Random.ts";
import { type Comparison, compareAnswers, newComparison, someCursors } from "./compareAnswers.ts";
import { compareMutations, type MutationComparison, type Side } from "./compareMutations.ts";
import { content, type FuzzedService, readSql, startFuzzedService } from "./fuzzedService.ts";
import { oddRequest, plainRequest } from "./plainRequest.ts";

/** Anonymous, an author with drafts, a member, an admin, somebody who is banned. */
const viewers = ["", "1", "2", "3", "4"];
/** Mallory is banned. */
const writers = ["", "1", "1", "2", "3", "4"];
const requestsAtOnce = 40;
/** The tables of types.sql have no policies. */
const anyone = [""];
const typedAtOnce = 160;
const unsettledAtOnce = 30;
const mutationsAtOnce = 250;
/** Of a large request, some field is seldom compiled, and then none is. */
const smallRoom = 8;
/** After so many rounds of requests the schema changes. */
const roundsOfSchema = 3;

/** Changes the schema now and then: answers must stay the same, with and without new statements. */
const changeOf = (step: number) => `
  alter table app_public.posts drop column if exists extra_${step - roundsOfSchema}, add column extra_${step} int not null default ${step};
  comment on column app_public.posts.extra_${step} is '@listFilter'`;

/** Changes of types.sql and what undoes them. Until the service has followed, its schema promises what the database no longer has. */
const passing = [
  ["size type text using 'five'", "size type int using 1"],
  ["size type bigint using 99999999999", "size type int using 1"],
  [
    "day drop not null; update app_public.moments set day = null",
    "day type date using 'infinity', alter day set not null",
  ],
  ["rank drop not null; update app_public.moments set rank = null", "rank type int using 1, alter rank set not null"],
  ["is_odd type text using 'five'", "is_odd type boolean using false"],
  ["mood type text using 'ODD'", "mood type app_public.mood using 'CALM'"],
] as const;

/** The root fields of types.sql. Some of its rows have null where a tag promises a value, so its internal errors are right. */
const ofTypes = /^(kind|moment|plain|echo|nothing|shuffled|sumOf|words)/;
const ofContent = new RegExp(`^(?!${ofTypes.source.slice(1)})`);
/** The fields of rows whose type a passing change alters. */
const changed = /^moment/;

/** Compares compiled answers with the engine's until `count` requests are compared or `seconds` are over. */
export async function fuzzAnswers(count: number, seconds: number, seed: number): Promise<Comparison> {
  // The view of types.sql calls the column @notNull, which is not true; the two ways notice that in different rows.
  const isTrue = "update app_public.kinds set a_int4 = 0 where a_int4 is null";
  await using service = await startFuzzedService([...content, readSql("types.sql"), isTrue]);
  const { app, owner } = service;
  const random = new Random(seed);
  const summary = newComparison();
  const endAt = Date.now() + seconds * 1_000;
  for (let step = 1; summary.requests < count && Date.now() < endAt; step++) {
    const cursors = await someCursors(app.pipeline, "3");
    const requests = Array.from({ length: requestsAtOnce }, () =>
      random.chance(0.8)
        ? plainRequest(random, app.schema, cursors, ofContent)
        : oddRequest(random, app.schema, 0, ofContent),
    );
    await compareAnswers(app.pipeline, requests, viewers, summary, "content");
    const typed = Array.from({ length: typedAtOnce }, () =>
      plainRequest(random, app.schema, cursors, ofTypes, smallRoom),
    );
    await compareAnswers(app.pipeline, typed, anyone, summary);
    if (step % roundsOfSchema > 0) continue;
    for (const [change, mend] of passing) {
      await owner.query(`alter table app_public.moments alter ${change}`);
      const unsettled = Array.from({ length: unsettledAtOnce }, () =>
        plainRequest(random, app.schema, cursors, changed, smallRoom),
      );
      await compareAnswers(app.pipeline, unsettled, anyone, summary, "unsettled");
      await owner.query(`alter table app_public.moments alter ${mend}`);
    }
    await owner.query(changeOf(step));
    await app.rebuild();
  }
  return summary;
}

/** Runs random mutations on two services, one of which compiles them. Each batch finds its content as it was. */
export async function fuzzMutations(count: number, seconds: number, seed: number): Promise<MutationComparison> {
  const random = new Random(seed);
  const total: MutationComparison = { mutations: 0, compiled: 0, unread: 0, done: 0, differences: [] };
  const endAt = Date.now() + seconds * 1_000;
  while (total.mutations < count && Date.now() < endAt) {
    await using compiling = await startFuzzedService(content, { rateLimitSignIn: 0 });
    await using engine = await startFuzzedService(content, { rateLimitSignIn: 0, compileQueries: false });
    const most = Math.min(mutationsAtOnce, count - total.mutations);
    const batch = await compareMutations(sideOf(compiling), sideOf(engine), most, writers, random);
    for (const key of ["mutations", "compiled", "unread", "done"] as const) total[key] += batch[key];
    total.differences.push(...batch.differences);
  }
  return total;
}

function sideOf({ app, owner }: FuzzedService): Side {
  return { app, query: async (sql) => (await owner.query(sql)).rows };
}
