import pg from "pg";
import { refreshRollups } from "../../tools/support/analystContent.ts";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

/* Levels of past days stay as they were recorded, and fall when people leave. */
const database = useDatabase();
const jane = useAnalyst(database);

/** Records the levels, as the first refresh after that day does. */
const endDay = (day: string) => database.query("select rollups.record_levels($1)", [day]);
const follow = (first: number, last: number, day: string) =>
  database.query(
    `insert into app_public.follows (follower_id, followed_id, created_at)
     select users.id, 1, $3 from app_public.users where name = any (select 'Reader ' || n from generate_series($1::int, $2::int) as n)`,
    [first, last, `${day} 12:00Z`],
  );
const leave = (last: number) =>
  database.query(
    "delete from app_public.users where name = any (select 'Reader ' || n from generate_series(1, $1::int) as n)",
    [last],
  );
const followers = async () =>
  (
    await jane.ask(
      "select month, followers from followers_by_author_and_month where author_id = 1 and month < '2026-01-01' order by month",
    )
  ).rows.map((row) => row.join(" "));

beforeAll(async () => {
  await database.query(`
    update app_public.users set created_at = '2024-12-01 12:00Z';
    insert into app_public.users (name, created_at) select 'Reader ' || n, '2025-01-01 12:00Z' from generate_series(1, 200) as n`);
});

test("100 followers in May, 110 in June, 80 leave in July: 100, 110, 30", async () => {
  await follow(1, 100, "2025-05-10");
  await endDay("2025-05-31");
  await follow(101, 110, "2025-06-10");
  await endDay("2025-06-30");
  await leave(80);
  await endDay("2025-07-31");
  expect(await followers()).toEqual(["2025-05-01 100", "2025-06-01 110", "2025-07-01 30"]);
  const { rows } = await jane.ask(
    "select month, users, follows from levels_by_month where month between '2025-05-01' and '2025-07-01' order by 1",
  );
  const users = Number(rows[0]?.[1]);
  expect(rows).toEqual([
    ["2025-05-01", `${users}`, "100"],
    ["2025-06-01", `${users}`, "110"],
    ["2025-07-01", `${users - 80}`, "30"],
  ]);
});

test("what is recorded is not written again, whatever changes and however the clock jumps", async () => {
  const past = async () =>
    (await jane.ask("select * from levels_by_day where day between '2025-05-10' and '2025-07-31' order by day")).rows;
  const [before, followersBefore] = [await past(), await followers()];
  await database.query(`
    update app_public.users set created_at = created_at + interval '30 days' where name like 'Reader 9%';
    select app_private.erase_user(id) from app_public.users where name in ('Reader 91', 'Reader 105')`);
  // Far ahead, back, and on.
  for (const day of ["2026-10-01", "2025-07-31", "2025-08-01", "2025-08-02"]) await endDay(day);
  expect(await past()).toEqual(before);
  expect((await followers()).slice(0, 3)).toEqual(followersBefore.slice(0, 3));
  expect((await jane.ask("select follows from levels_by_day where day = '2025-08-02'")).rows).toEqual([["28"]]);
});

test("days on which nobody refreshed are estimates, and freshness counts them", async () => {
  await follow(111, 120, "2025-08-04");
  await endDay("2025-08-05");
  await endDay("2025-08-06");
  const { rows } = await jane.ask(
    "select day, follows, is_estimate from levels_by_day where day between '2025-08-03' and '2025-08-06' order by day",
  );
  expect(rows).toEqual([
    ["2025-08-03", "28", "t"],
    ["2025-08-04", "38", "t"],
    ["2025-08-05", "38", "f"],
    ["2025-08-06", "38", "f"],
  ]);
  const missed = async () => Number((await jane.ask("select levels_missed from freshness")).rows[0]?.[0]);
  const before = await missed();
  await endDay("2025-08-10");
  expect((await missed()) - before).toBe(3);
});

test("erase_user leaves numbers only", async () => {
  await database.query("select app_private.erase_user(id) from app_public.users where name = 'Reader 112'");
  await endDay("2025-08-11");
  const columns = await database.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid in ('rollups.levels'::regclass, 'rollups.follower_levels'::regclass) and attnum > 0 order by attnum",
  );
  // Of the followed user only.
  expect(columns.filter(({ name }) => name.endsWith("_id"))).toEqual([{ name: "author_id" }]);
  await database.query("select app_private.erase_user(1)");
  expect(await database.query("select from rollups.follower_levels where author_id = 1")).toEqual([]);
  expect((await jane.ask("select follows from levels_by_day where day = '2025-06-30'")).rows).toEqual([["110"]]);
});

test("the refresh records them once a day: what leaves later that day is in the level", async () => {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    await refreshRollups(client);
    const level = async () =>
      (await jane.ask("select users, is_estimate from levels_by_day where day = (select day - 1 from today)")).rows;
    const before = await level();
    await leave(130);
    await refreshRollups(client);
    expect(await level()).toEqual(before);
    expect(before[0]?.[1]).toBe("f");
  } finally {
    await client.end();
  }
});
