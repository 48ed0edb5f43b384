import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "@jest/globals";
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
  users_by_day: { where: "day < '2020-01-02'", rows: ["2019-12-31 1 1", "2020-01-01 0 1"] },
  users_by_month: { where: "month in ('2019-12-01', '2026-01-01')", rows: ["2019-12-01 1 1", "2026-01-01 4 5"] },
  posts_by_day: {
    where: "day < '2020-01-05'",
    rows: ["2019-12-31 0 0", "2020-01-01 1 1", "2020-01-02 0 0", "2020-01-03 2 0", "2020-01-04 0 0"],
  },
  posts_by_month: { where: "month < '2020-03-01'", rows: ["2019-12-01 0 0", "2020-01-01 3 2", "2020-02-01 1 0"] },
  time_to_publish: { rows: ["1 1 2020-01-01 2020-01-01 10.0", "3 2 2020-01-03 2020-01-31 672.5"] },
  time_to_publish_by_month: {
    where: "month between '2020-01-01' and '2020-02-01'",
    rows: ["2020-01-01 2 341.3 606.3", "2020-02-01 0 - -"],
  },
  engagement_by_post: {
    rows: [
      "1 First first 1 2020-01-01 {go,sql} 12 3 2 1 2 4.5 2020-02-20",
      "3 Late late 2 2020-01-31 {go} 5 0 0 0 0 - -",
    ],
  },
  authors: {
    rows: ["1 2026-01-01 1 1 1 2 2 1 2020-01-01 2020-01-01", "2 2026-01-02 1 1 1 0 1 1 2020-01-31 2020-01-31"],
  },
  authors_by_day: { where: "authors > 0", rows: ["2020-01-01 1 1", "2020-01-31 1 1"] },
  authors_by_month: { where: "month < '2020-03-01'", rows: ["2019-12-01 0 0", "2020-01-01 2 2", "2020-02-01 0 0"] },
  tags: { rows: ["go 2 2 3 2020-01-01 2020-01-31", "sql 1 1 3 2020-01-01 2020-01-01"] },
  tags_by_day: {
    where: "day < '2020-01-03' or posts_published > 0",
    rows: ["2020-01-01 go 1", "2020-01-01 sql 1", "2020-01-02 go 0", "2020-01-02 sql 0", "2020-01-31 go 1"],
  },
  tags_by_month: {
    where: "month < '2020-03-01'",
    rows: ["2020-01-01 go 2", "2020-01-01 sql 1", "2020-02-01 go 0", "2020-02-01 sql 0"],
  },
  comments_by_day: {
    where: "day between '2020-01-01' and '2020-01-02'",
    rows: ["2020-01-01 0 0 0", "2020-01-02 2 2 1"],
  },
  comments_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 2 2 1", "2020-02-01 1 1 1", "2020-03-01 0 0 0"],
  },
  followers_by_day: {
    where: "day in ('2020-01-01', '2020-01-02', '2020-02-05', '2020-02-06')",
    rows: ["2020-01-01 0 0", "2020-01-02 1 1", "2020-02-05 1 2", "2020-02-06 1 3"],
  },
  followers_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 1 1", "2020-02-01 2 3", "2020-03-01 0 3"],
  },
  followers_by_author_and_month: {
    where: "month < '2020-04-01'",
    rows: ["2020-01-01 1 1 1", "2020-02-01 1 1 2", "2020-02-01 2 1 1", "2020-03-01 1 0 2", "2020-03-01 2 0 1"],
  },
  active_writers_by_day: {
    where: "day in ('2020-01-01', '2020-01-02', '2020-01-09', '2020-01-31', '2020-02-10')",
    rows: [
      "2020-01-01 1 1 0 1 1",
      "2020-01-02 2 0 2 2 2",
      "2020-01-09 0 0 0 2 2",
      "2020-01-31 0 0 0 0 0",
      "2020-02-10 1 1 0 1 1",
    ],
  },
  active_writers_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 2 2 2 0", "2020-02-01 2 1 1 1", "2020-03-01 0 0 0 0"],
  },
  chat_by_day: {
    where: "day in ('2020-01-01', '2020-01-02', '2020-02-02')",
    rows: ["2020-01-01 0 0 0", "2020-01-02 3 2 2", "2020-02-02 1 1 1"],
  },
  chat_by_month: {
    where: "month between '2020-01-01' and '2020-03-01'",
    rows: ["2020-01-01 3 2 2", "2020-02-01 1 1 1", "2020-03-01 0 0 0"],
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

  test("of every existing view", async () => {
    const views = await jane.ask("select viewname from pg_views where schemaname = 'analytics' order by 1");
    expect(views.rows.flat()).toEqual(Object.keys(numbers).sort());
  });
});

test("the days are the same in every time zone", async () => {
  const chatham = "set time zone 'Pacific/Chatham'";
  for (const question of ["select * from posts_by_day limit 10", "select * from engagement_by_post order by post_id"]) {
    expect((await jane.ask(question, chatham)).rows).toEqual((await jane.ask(question)).rows);
  }
});

test("a series has a row for every day and month up to today", async () => {
  const { rows } = await jane.ask(`
    select (select count(*) - (max(day) - min(day) + 1) from posts_by_day),
           (select max(day) = (now() at time zone 'UTC')::date from posts_by_day),
           (select max(month) = date_trunc('month', now() at time zone 'UTC')::date from posts_by_month)`);
  expect(rows).toEqual([["0", "t", "t"]]);
});

test("no count is ever null", async () => {
  const columns = await jane.ask(`
    select attrelid::regclass::text, attname from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = 'analytics'::regnamespace and atttypid = 'bigint'::regtype and attnum > 0`);
  for (const [view, column] of columns.rows) {
    const { rows } = await jane.ask(`select count(*) from ${view} where ${column} is null`);
    expect({ view, column, nulls: rows[0]?.[0] }).toEqual({ view, column, nulls: "0" });
  }
});

test("a query for a week reads only that week, through an index", async () => {
  const { rows } = await jane.ask(
    "explain (costs off) select * from comments_by_day where day > '2020-01-01'",
    "set enable_seqscan = off",
  );
  expect(rows.join("\n")).toMatch(/Index.*comments_created_at_day_idx/);
});
