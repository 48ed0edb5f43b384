import pg from "pg";
import { type ContentSize, fillForAnalysts, refreshRollups } from "../../tools/support/analystContent.ts";
import { useDatabase } from "../support/database.ts";

/*
 * The views read the days that a query asks for, however many rows the tables have. Counted are the pages that a statement reads
 * (EXPLAIN's buffers), because clocks depend on the machine.
 */
const database = useDatabase();
let analyst: pg.Client;
const small: ContentSize = { users: 60, posts: 600, comments: 3_000, tags: 20, days: 150 };
const sizes: Record<string, ContentSize> = {
  small,
  "six times the rows": { ...small, users: 360, posts: 3_600, comments: 18_000 },
  "twice the days": { ...small, users: 120, posts: 1_200, comments: 6_000, days: 300 },
};

const lastDays = "day >= now() - interval '30 days'";
/** Without the current month, which is not rolled up: its rows are counted from the tables. */
const lastMonths = "month >= date_trunc('month', now() - interval '3 months') and month < date_trunc('month', now())";
/** Each reads a part of its view, in the style of docs/analysts.md. */
const questions: Record<string, string> = {
  totals_by_day: `select * from totals_by_day where ${lastDays}`,
  tags_by_day: `select * from tags_by_day where ${lastDays}`,
  // Without today, which is not rolled up: its writers are counted from the tables, 28 days back.
  active_writers_by_day: `select * from active_writers_by_day where ${lastDays} and day < now() - interval '1 day'`,
  totals_by_month: `select * from totals_by_month where ${lastMonths}`,
  levels_by_day: `select * from levels_by_day where ${lastDays} and day < now() - interval '1 day'`,
  levels_by_month: `select * from levels_by_month where ${lastMonths}`,
  "followers_by_author_and_month of an author": "select * from followers_by_author_and_month where author_id = 3",
  "reads_of_posts()": "select * from reads_of_posts('{201}')",
  // As many posts, comments and followers of an author as at the other sizes.
  "totals_of_authors()": "select * from totals_of_authors('{3,4}')",
  "comments_of_author()": "select * from comments_of_author(3)",
  // As many posts as at the other sizes, with as many comments.
  "engagement_of_posts()": "select * from engagement_of_posts('{201,202,203}')",
  "engagement_of_posts() of a draft": "select * from engagement_of_posts('{11}')",
};
/** Their numbers are counted from the rows of those days, which are as many in twice the days. */
const questionsOfRows: Record<string, string> = {
  activity_by_hour: `select * from activity_by_hour where ${lastDays}`,
  comments_by_author_and_day: `select * from comments_by_author_and_day where ${lastDays}`,
  "engagement_of_days()": "select * from engagement_of_days((select day - 30 from today), (select day from today))",
  reads_by_post_and_day: `select * from reads_by_post_and_day where ${lastDays}`,
};
const all = { ...questions, ...questionsOfRows };
/** Totals read all rows: those of a view, and the same from the tables. */
const totals: Record<string, { view: string; tables: string }> = {
  tags: {
    view: "select tag, posts_published, comments from tags",
    tables: `select tag_id, count(*), sum(comments)
               from app_public.post_tags
               left join (select post_id, count(*) as comments from app_public.comments where is_public group by post_id) as said using (post_id)
              where is_public group by tag_id`,
  },
  authors: {
    view: "select author_id, posts_published, comments_received, followers from authors",
    tables: `select author_id, posts_published, comments_received, followers
               from (select author_id, count(*) as posts_published from app_public.posts where is_public group by author_id) as published
               left join (select posts.author_id, count(*) as comments_received
                            from app_public.posts join app_public.comments on post_id = posts.id
                           where posts.is_public and comments.author_id <> posts.author_id group by 1) as received using (author_id)
               left join (select followed_id as author_id, count(*) as followers from app_public.follows group by 1) as followed using (author_id)`,
  },
};

/** For each size and question, the pages read. */
const pages: Record<string, Record<string, number>> = {};

beforeAll(async () => {
  analyst = new pg.Client({ connectionString: database.ownerUrl });
  await analyst.connect();
  database.ends.defer(() => analyst.end());
  await analyst.query("set search_path = analytics; set timezone = 'UTC'; set max_parallel_workers_per_gather = 0");
  for (const [name, size] of Object.entries(sizes)) {
    await fillForAnalysts(analyst, size);
    // Refreshed day after day, the rows of a day lie together. A refresh that exchanges all rows at once would scatter them.
    await analyst.query("refresh materialized view rollups.tags with no data");
    await refreshRollups(analyst);
    await analyst.query("vacuum (analyze)");
    pages[name] = {};
    for (const [question, sql] of Object.entries(all)) pages[name][question] = await pagesOf(sql);
  }
});

/** Twice: the first time, functions are planned, which reads the catalogue. */
async function pagesOf(sql: string): Promise<number> {
  let pages = Number.NaN;
  for (let time = 0; time < 2; time++) {
    const { rows } = await analyst.query(`explain (analyze, buffers, timing off, format json) ${sql}`);
    const plan = rows[0]["QUERY PLAN"][0].Plan;
    pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  }
  return pages;
}

test.each(Object.entries(totals))(
  "%s reads no more than twice the pages of its tables",
  async (_name, { view, tables }) => {
    // Of the last size.
    expect(await pagesOf(view)).toBeLessThan(2 * (await pagesOf(tables)));
  },
);

/** What counts each column of a period that no rollup has. */
const counts = {
  new_users: "sign_ups",
  posts_created: "created_posts",
  post_writers: "created_posts",
  posts_published: "publications",
  median_hours: "publications",
  slowest_tenth_hours: "publications",
  authors: "publications",
  new_authors: "debuts",
  comments: "writing",
  commenters: "writing",
  posts_commented: "writing",
  writers: "writing",
  new_follows: "follows",
  unfollows: "follows",
  messages: "messages",
  senders: "messages",
  active_chats: "messages",
};

test.each(Object.entries(counts))("a query for %s counts %s and nothing else", async (column, counted) => {
  const { rows } = await analyst.query(`explain (verbose) select ${column} from totals_by_month`);
  const calls = rows
    .map((row) => row["QUERY PLAN"])
    .join("\n")
    .match(/(?<=rollups\.count_)\w+/g);
  expect(new Set(calls)).toEqual(new Set([counted]));
});

test.each(["users", "follows", "posts_published", "chats", "chat_members"])(
  "a query for the level of %s counts no other",
  async (column) => {
    const { rows } = await analyst.query(`explain (verbose) select ${column} from levels_by_month`);
    expect(
      rows
        .map((row) => row["QUERY PLAN"])
        .join("\n")
        .match(/count_level\('\w+'/g),
    ).toHaveLength(1);
  },
);

test("the generated rows are possible: they have the visibility of their posts", async () => {
  const { rows } = await analyst.query(`
    select (select count(*)::int from app_public.comments c join app_public.posts p on p.id = post_id where c.is_public <> p.is_public) as comments,
           (select count(*)::int from app_public.post_tags t join app_public.posts p on p.id = post_id
             where (t.is_public, t.listed_at) is distinct from (p.is_public, p.listed_at)) as tags`);
  expect(rows).toEqual([{ comments: 0, tags: 0 }]);
});

describe.each(Object.keys(sizes).slice(1))("with %s, as many pages are read as with few:", (size) => {
  test.each(Object.keys(size === "twice the days" ? all : questions))("%s", (question) => {
    expect(pages[size]?.[question]).toBeLessThan(1.25 * (pages["small"]?.[question] ?? 0) + 70);
  });
});
