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
  "six times the rows": { ...small, posts: 3_600, comments: 18_000 },
  "twice the days": { ...small, posts: 1_200, comments: 6_000, days: 300 },
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
    // Twice: the first time, functions are planned, which reads the catalogue.
    for (const [question, sql] of [...Object.entries(questions), ...Object.entries(questions)]) {
      const { rows } = await analyst.query(`explain (analyze, buffers, timing off, format json) ${sql}`);
      const plan = rows[0]["QUERY PLAN"][0].Plan;
      pages[name][question] = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    }
  }
}, 120_000);

describe.each(Object.keys(sizes).slice(1))("with %s, as many pages are read as with few:", (size) => {
  test.each(Object.keys(questions))("%s", (question) => {
    expect(pages[size]?.[question]).toBeLessThan(1.25 * (pages["small"]?.[question] ?? 0) + 40);
  });
});
