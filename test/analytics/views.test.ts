import { readFile } from "node:fs/promises";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const jane = useAnalyst(database);

beforeAll(async () => {
  await database.query(await readFile(new URL("views.sql", import.meta.url), "utf8"));
});

/** The rows of the view for the first days or months of test/analytics/views.sql, a line for each. */
const numbers: Record<string, { where?: string; rows: string[] }> = {
  days: { where: "day < '2020-01-02'", rows: ["2019-12-31", "2020-01-01"] },
  months: { where: "month < '2020-02-01'", rows: ["2019-12-01", "2020-01-01"] },
  totals_by_day: {
    where: "day < '2020-01-03' or day = '2020-02-07'",
    rows: [
      "2019-12-31 1 0 0 - - 0 0 0 0 0 0 0 0 0 0 0 0",
      "2020-01-01 0 1 1 10.0 10.0 1 1 0 0 0 0 0 0 0 0 1 1",
      "2020-01-02 0 0 0 - - 0 0 2 2 1 1 0 3 2 2 2 0",
      "2020-02-07 0 0 0 - - 0 0 0 0 0 0 1 0 0 0 0 0",
    ],
  },
  totals_by_month: {
    where: "month between '2020-01-01' and '2020-02-01'",
    rows: ["2020-01-01 0 3 2 341.3 606.3 2 2 2 2 1 1 0 3 2 2 2 2", "2020-02-01 0 1 0 - - 0 0 1 1 1 2 2 1 1 1 2 1"],
  },
  engagement_by_post: {
    rows: [
      "1 First first 1 2020-01-01 {go,sql} 12 3 2 1 2 4.5 2020-02-20 2020-01-01 10.0 2",
      "3 Late late 2 2020-01-31 {go} 5 0 0 0 0 - - 2020-01-03 672.5 1",
    ],
  },
  authors: {
    rows: ["1 2026-01-01 1 1 2 2 1 2020-01-01 2020-01-01 1", "2 2026-01-02 1 1 0 1 1 2020-01-31 2020-01-31 1"],
  },
  tags: { rows: ["go 2 2 3 2020-01-01 2020-01-31", "sql 1 1 3 2020-01-01 2020-01-01"] },
  tags_by_day: {
    where: "day < '2020-01-03' or posts_published > 0",
    rows: ["2020-01-01 go 1 0", "2020-01-01 sql 1 0", "2020-01-02 go 0 2", "2020-01-02 sql 0 2", "2020-01-31 go 1 0"],
  },
  followers_by_author_and_month: {
    rows: ["2020-01-01 1 1 0 1", "2020-02-01 1 1 2 2", "2020-02-01 2 1 0 1"],
  },
  activity_by_hour: {
    where: "hour < '2020-01-03'",
    rows: [
      "2020-01-01 20:00:00+00 1 0 0 2020-01-01",
      "2020-01-02 00:00:00+00 0 1 0 2020-01-02",
      "2020-01-02 09:00:00+00 0 1 0 2020-01-02",
      "2020-01-02 10:00:00+00 0 0 1 2020-01-02",
      "2020-01-02 11:00:00+00 0 0 1 2020-01-02",
      "2020-01-02 12:00:00+00 0 0 1 2020-01-02",
    ],
  },
  writer_growth_by_month: {
    where: "month between '2020-01-01' and '2020-04-01'",
    rows: ["2020-01-01 2 0 0 0", "2020-02-01 1 1 0 1", "2020-03-01 0 0 0 2", "2020-04-01 1 0 0 0"],
  },
  writer_growth_by_week: {
    where: "week < '2020-01-13' or week between '2020-02-10' and '2020-02-24'",
    rows: [
      "2019-12-30 2 0 0 0 2",
      "2020-01-06 0 0 0 2 0",
      "2020-02-10 0 0 1 0 1",
      "2020-02-17 1 0 0 1 1",
      "2020-02-24 0 0 0 1 0",
    ],
  },
  first_steps_by_cohort: { rows: ["2019-12-01 1 0 - 0 -", "2026-01-01 4 3 0.0 2 0.0"] },
  chat_replies_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 0 - -", "2020-02-01 1 45300.0 45300.0", "2020-03-01 0 - -"],
  },
  threads_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 2 0 0 0", "2020-02-01 1 0 0 0", "2020-03-01 0 0 0 0"],
  },
  moderation_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 1 0 0 - 0", "2020-02-01 1 1 1 36.0 0", "2020-03-01 0 0 0 - 0"],
  },
  active_writers_by_day: {
    where: "day in ('2020-01-01', '2020-01-02', '2020-01-09', '2020-01-31', '2020-02-10')",
    rows: ["2020-01-01 1 1", "2020-01-02 2 2", "2020-01-09 2 2", "2020-01-31 0 0", "2020-02-10 1 1"],
  },
  comments_by_author_and_day: { rows: ["2020-01-02 1 1 1", "2020-01-02 2 1 1", "2020-02-20 3 1 1"] },
  freshness: { rows: ["- - - 0"] },
  today: {
    rows: [
      (() => {
        const day = new Date(new Date().toISOString().slice(0, 10));
        const week = new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 86_400_000);
        const text = day.toISOString().slice(0, 10);
        return `${text} ${week.toISOString().slice(0, 10)} ${text.slice(0, 8)}01 ${text.slice(0, 5)}01-01`;
      })(),
    ],
  },
  levels_by_day: {
    where: "day in ('2019-12-31', '2020-01-01', '2020-01-31', '2020-02-07')",
    rows: ["2019-12-31 1 0 0 0 0 t", "2020-01-01 1 0 1 0 0 t", "2020-01-31 1 1 2 0 0 t", "2020-02-07 1 3 2 0 0 t"],
  },
  levels_by_month: {
    where: "month between '2019-12-01' and '2020-02-01'",
    rows: ["2019-12-01 1 0 0 0 0 t", "2020-01-01 1 1 2 0 0 t", "2020-02-01 1 3 2 0 0 t"],
  },
  reads_by_post_and_day: { rows: ["2020-01-05 1 3", "2020-01-05 3 1"] },
  retention_by_cohort_and_month: {
    where: "active_users > 0 or month in ('2020-01-01', '2026-01-01')",
    rows: [
      "2019-12-01 2020-01-01 1 1 0",
      "2019-12-01 2020-04-01 4 1 1",
      "2019-12-01 2026-01-01 73 1 0",
      "2026-01-01 2026-01-01 0 4 0",
    ],
  },
  changes_by_day: {
    where: "day = (now() at time zone 'UTC')::date and table_name = 'comments'",
    rows: [`${new Date().toISOString().slice(0, 10)} comments INSERT DATABASE 3`],
  },
};

describe("the numbers, counted by hand", () => {
  test.each(Object.entries(numbers))("of %s", async (view, { where = "true", rows }) => {
    const answer = await jane.ask(`select * from ${view} as seen where ${where} order by seen`);
    expect(answer.rows.map((row) => row.map((value) => value ?? "-").join(" "))).toEqual(rows);
  });
});

test("the days are the same in every time zone", async () => {
  const chatham = "set time zone 'Pacific/Chatham'";
  for (const question of [
    "select * from totals_by_day limit 10",
    "select * from engagement_by_post order by post_id",
  ]) {
    expect((await jane.ask(question, chatham)).rows).toEqual((await jane.ask(question)).rows);
  }
});

test("a series has a row for every day and month up to today", async () => {
  const { rows } = await jane.ask(`
    select (select count(*) - (max(day) - min(day) + 1) from totals_by_day),
           (select max(day) = (now() at time zone 'UTC')::date from totals_by_day),
           (select max(month) = date_trunc('month', now() at time zone 'UTC')::date from totals_by_month)`);
  expect(rows).toEqual([["0", "t", "t"]]);
});

test("no count is ever null", async () => {
  const columns = await jane.ask(`
    select attrelid::regclass::text, string_agg(format('count(*) - count(%I)', attname), ', ' order by attnum)
      from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = 'analytics'::regnamespace and atttypid = 'bigint'::regtype and attnum > 0
     group by attrelid`);
  for (const [view, nulls] of columns.rows) {
    // A year of days: with content, and without.
    const { rows } = await jane.ask(`select ${nulls} from (select * from ${view} limit 400) as seen`);
    expect({ view, nulls: new Set(rows[0]) }).toEqual({ view, nulls: new Set(["0"]) });
  }
});

test("a comment on the draft is a comment, but not the first answer", async () => {
  await database.query(`
    insert into app_public.posts (author_id, title, content, status, created_at, published_at)
      values (1, 'Discussed', 'Text.', 'PUBLISHED', '2026-01-10 00:00Z', '2026-01-20 00:00Z');
    insert into app_public.comments (post_id, author_id, text, created_at)
      select id, 2, 'Text.', created_at + days * interval '1 day' from app_public.posts, unnest('{1,11}'::int[]) as days
       where title = 'Discussed'`);
  const seen = await jane.ask(
    "select comments, comments_first_week, hours_to_first_comment from engagement_by_post where title = 'Discussed'",
  );
  expect(seen.rows).toEqual([["2", "1", "24.0"]]);
});

test("days from sign-up to the first comment and the first post: what is hidden does not count", async () => {
  await database.query(`
    insert into app_public.users (id, name, created_at) overriding system value
      values (301, 'Fay', '2026-03-01 00:00Z'), (302, 'Gus', '2026-03-02 00:00Z'), (303, 'Hal', '2026-03-03 00:00Z');
    insert into app_public.comments (post_id, author_id, text, created_at) values
      (4, 301, 'On a draft.', '2026-03-01 06:00Z'), (1, 301, 'First.', '2026-03-03 12:00Z'), (1, 301, 'Second.', '2026-03-04 12:00Z'),
      (1, 302, 'First.', '2026-03-05 12:00Z'), (4, 303, 'On a draft.', '2026-03-05 12:00Z');
    insert into app_public.posts (author_id, title, content, status, created_at, published_at) values
      (303, 'Shown', 'Text.', 'PUBLISHED', '2026-03-04 00:00Z', '2026-03-07 00:00Z'), (302, 'Not shown', 'Text.', 'DRAFT', '2026-03-04 00:00Z', null)`);
  const { rows } = await jane.ask("select * from first_steps_by_cohort where cohort = '2026-03-01'");
  expect(rows).toEqual([["2026-03-01", "3", "2", "3.0", "1", "4.0"]]);
});

test("a thread counts in the month of its first comment, with all its replies", async () => {
  await database.query(`
    insert into app_public.comments (post_id, author_id, text, created_at, reply_to_id)
      values (1, 2, 'Right.', '2020-02-21 10:00Z', 2), (1, 3, 'Wrong.', '2020-03-21 10:00Z', 2)`);
  const { rows } = await jane.ask(
    "select * from threads_by_month where month <= '2020-02-01' and threads > 0 order by 1",
  );
  expect(rows).toEqual([
    ["2020-01-01", "2", "1", "2", "2"],
    ["2020-02-01", "1", "0", "0", "0"],
  ]);
});
