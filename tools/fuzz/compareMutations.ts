import type { Random } from "@content-service/testing/Random.ts";
import { lexicographicSortSchema } from "graphql";
import { ResultNotRead } from "pg-caller-pool";
import type { App } from "../../src/app.ts";
import { answer } from "./compareAnswers.ts";
import { randomMutation } from "./randomMutation.ts";

/** A service and its database. Two of them have the same content. */
export interface Side {
  app: Pick<App, "pipeline" | "schema">;
  query(sql: string): Promise<Record<string, unknown>[]>;
}

export interface MutationComparison {
  mutations: number;
  /** Mutations that a compiled statement has tried. */
  compiled: number;
  /** Mutations that the engine has run again, since it had to word the answer. */
  unread: number;
  /** Mutations that have changed something, or could have. */
  done: number;
  differences: { query: string; variables: unknown; viewer: string; compiled: string; engine: string }[];
}

/** Timestamps in each format, and versions and cursors, which hold timestamps. */
const times = /(?<=")[0-9a-f]{13}(?=")|\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|\b1\d{9}(\d{3})?\b|Wy[IJ][\w+/]+=*/g;

/** Without times, and the slugs that posts have in the trash, which are random. */
const rows = `select jsonb_agg(row order by row) as rows from (
  select to_jsonb(posts) - '{created_at,updated_at,published_at,first_published_at,listed_at}'::text[] - case status when 'TRASHED' then 'slug' else '' end as row
    from app_public.posts
  union all select to_jsonb(comments) - '{created_at,updated_at}'::text[] from app_public.comments
  union all select to_jsonb(notifications) - '{created_at,read_at}'::text[] || jsonb_build_object('is_read', read_at is not null) from app_public.notifications
  union all select to_jsonb(post_tags) - 'listed_at' from app_public.post_tags
  union all select to_jsonb(messages) - '{created_at,relist_at,edited_at,deleted_at}'::text[] from app_public.messages) as all_rows`;

/** The response of a service, without the parts that differ by the time. */
export async function answerWithoutTimes(
  { app }: Pick<Side, "app">,
  query: string,
  variables: object,
  viewer: string,
): Promise<string> {
  const { text } = await answer(app.pipeline, app.pipeline.served, query, { ...variables }, viewer);
  return text.replace(times, "now");
}

/** Runs random mutations on both sides, one of which leaves all to the engine, and compares the answers and, at the end, the rows. */
export async function compareMutations(
  compiling: Side,
  engine: Side,
  count: number,
  viewers: readonly string[],
  random: Random,
): Promise<MutationComparison> {
  const summary: MutationComparison = { mutations: 0, compiled: 0, unread: 0, done: 0, differences: [] };
  const { databaseAccess } = compiling.app.pipeline.served;
  const { atOnce } = databaseAccess;
  databaseAccess.atOnce = async (caller, statements) => {
    summary.compiled++;
    const setBack = await rememberSequences(compiling);
    try {
      return await atOnce(caller, statements);
    } catch (error) {
      if (error instanceof ResultNotRead) {
        summary.unread++;
        await setBack();
      }
      throw error;
    }
  };
  // The schema's fields have another order in each build. Sorted, the same seed gives the same requests.
  const schema = lexicographicSortSchema(compiling.app.schema);
  for (; summary.mutations < count; summary.mutations++) {
    const { query, variables: make } = randomMutation(random, schema);
    const variables = make();
    const viewer = random.pick(viewers);
    const compiled = await answerWithoutTimes(compiling, query, variables, viewer);
    const expected = await answerWithoutTimes(engine, query, variables, viewer);
    if (compiled !== expected) summary.differences.push({ query, variables, viewer, compiled, engine: expected });
    if (!expected.startsWith('{"errors"')) summary.done++;
  }
  databaseAccess.atOnce = atOnce;
  const [left, right] = await Promise.all(
    [compiling, engine].map(async ({ query }) => JSON.stringify(await query(rows))),
  );
  if (left !== right)
    summary.differences.push({ query: rows, variables: {}, viewer: "", compiled: left ?? "", engine: right ?? "" });
  return summary;
}

/** Statements that were rolled back have taken numbers all the same. @returns sets sequences back to where they are now */
async function rememberSequences({ query }: Side): Promise<() => Promise<unknown>> {
  const [row] = await query(`
    select string_agg(format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value), ';') as back
      from pg_sequences where last_value is not null`);
  return () => query(String(row?.["back"] ?? ""));
}
