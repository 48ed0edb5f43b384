import pg from "pg";
import { refreshRollups } from "../../tools/support/analystContent.ts";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

/*
 * EXPLAIN tells a reader how many rows each step of a plan has read and removed. PostgreSQL runs a leakproof comparison, such
 * as `=` on text, before a view's own conditions. So the plan must not depend on rows that the view leaves out.
 */
const database = useDatabase();
const jane = useAnalyst(database);

const draftId = "9101";
const draftersId = "9102";

/**
 * For each type: values that stand in rows that no view shows, each beside a value that stands nowhere. No shown
 * value lies between the two.
 */
const probes: Record<string, [hidden: string, missing: string][]> = {
  text: [
    ["a-hidden-slug", "a-hidden-slub"],
    ["A hidden title", "A hidden titla"],
    ["hidden-tag", "hidden-tab"],
  ],
  "text[]": [["{hidden-tag}", "{hidden-tab}"]],
  bigint: [
    [draftId, "9191"],
    [draftersId, "9192"],
  ],
};

beforeAll(async () => {
  await database.query(`
    insert into app_public.users (id, name) overriding system value values (${draftersId}, 'Writes drafts only');
    insert into app_public.posts (author_id, title, content, status)
      select 1, 'Shown ' || n, 'Text.', 'PUBLISHED' from generate_series(1, 300) as n;
    insert into app_public.posts (id, author_id, title, content) overriding system value
      values (${draftId}, ${draftersId}, 'A hidden title', 'Text.');
    alter table app_public.posts disable trigger user;
    update app_public.posts set slug = 'a-hidden-slug' where id = ${draftId};
    alter table app_public.posts enable trigger user;
    insert into app_public.tags (name) values ('shown'), ('hidden-tag');
    insert into app_public.post_tags (post_id, tag_id, position) select posts.id, tags.id, 1
      from app_public.posts, app_public.tags where (tags.name = 'hidden-tag') = (posts.id = ${draftId});
    insert into app_public.comments (post_id, author_id, text) select id, 2, 'Comment' from app_public.posts`);
  await database.query("vacuum (analyze) app_public.posts, app_public.tags, app_public.post_tags, app_public.comments");
  // Finished days are rolled up, and today is computed from the tables: both ways are probed.
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await refreshRollups(owner);
  await owner.end();
});

const conditions = ["= '$'", "< '$'", ">= '$'", "in ('$', '$')", "is not distinct from '$'"];

async function columns(): Promise<{ view: string; column: string; type: string }[]> {
  return database.query(
    `select attrelid::regclass::text as view, attname as column, format_type(atttypid, null) as type
       from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'analytics'::regnamespace and attnum > 0 and format_type(atttypid, null) = any ($1)
        and (atttypid <> 'bigint'::regtype or attname like '%\\_id')
      order by 1, attnum`,
    [Object.keys(probes)],
  );
}

/**
 * The plan without what differs for any value: times, the value itself, and memory, which the first run of an aggregate has more of,
 * also after roles or tables elsewhere on the server have changed.
 */
async function planOf(session: pg.Client, view: string, filter: string, value: string): Promise<string> {
  const { rows } = await session.query(
    `explain (analyze, verbose, timing off, summary off, buffers off, format json) select * from ${view} where ${filter.replaceAll("$", value)}`,
  );
  return JSON.stringify(rows)
    .replaceAll(value, "…")
    .replaceAll(/"Peak Memory Usage":\d+/g, "");
}

test("every view has columns to probe, as far as it names texts and ids", async () => {
  const probed = (await columns()).map(({ view, column }) => `${view}.${column}`);
  expect(probed).toEqual(
    expect.arrayContaining([
      "analytics.engagement_by_post.slug",
      "analytics.engagement_by_post.tags",
      "analytics.tags.tag",
      "analytics.tags_by_day.tag",
      "analytics.engagement_by_post.post_id",
    ]),
  );
});

test("the plan of no query tells whether a value stands in a row that the view leaves out", async () => {
  const session = new pg.Client({ connectionString: jane.url });
  await session.connect();
  const told: string[] = [];
  try {
    for (const { view, column, type } of await columns()) {
      for (const [hidden, missing] of probes[type] ?? []) {
        for (const filter of conditions.map((condition) => `${column} ${condition}`)) {
          const plan = await planOf(session, view, filter, hidden);
          const isTold = async () => plan !== (await planOf(session, view, filter, missing));
          // Statistics that were collected in between change both plans.
          if ((await isTold()) && plan === (await planOf(session, view, filter, hidden)) && (await isTold())) {
            told.push(`${view}: ${filter} (${hidden})`);
          }
        }
      }
    }
  } finally {
    await session.end();
  }
  expect(told).toEqual([]);
});
