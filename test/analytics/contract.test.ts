import { readFileSync, writeFileSync } from "node:fs";
import pg from "pg";
import { analyticsContract, dbtSources, readAnalystViews } from "../../src/commands/snapshots/analystViews.ts";
import { useDatabase } from "../support/database.ts";

const sources = new URL("../../migrations/snapshots/sources.yml", import.meta.url);
const file = new URL("../../migrations/snapshots/analytics.txt", import.meta.url);
const database = useDatabase();

test("the views are those in snapshots/analytics.txt (npm run snapshots writes it)", async () => {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    const contract = analyticsContract(await readAnalystViews(owner));
    if (process.env.WRITE_SNAPSHOTS === "1") writeFileSync(file, contract);
    expect(contract).toBe(readFileSync(file, "utf8"));
  } finally {
    await owner.end();
  }
});

test("dbt's sources are those in snapshots/sources.yml (npm run snapshots writes it)", async () => {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    const written = dbtSources(await readAnalystViews(owner));
    if (process.env.WRITE_SNAPSHOTS === "1") writeFileSync(sources, written);
    expect(written).toBe(readFileSync(sources, "utf8"));
  } finally {
    await owner.end();
  }
});

test("the key that each view's comment names is the key of its rows", async () => {
  await database.query(readFileSync(new URL("views.sql", import.meta.url), "utf8"));
  const views = await database.query<{ view: string; comment: string }>(
    "select oid::regclass::text as view, obj_description(oid, 'pg_class') as comment from pg_class where relnamespace = 'analytics'::regnamespace",
  );
  for (const { view, comment } of views) {
    const key = /Key: ([\w, ]+)\.$/.exec(comment)?.[1] ?? (comment.endsWith("One row.") ? "()" : undefined);
    expect({ view, key }).toEqual({ view, key: expect.any(String) });
    const doubles = await database.query(`select count(*) from ${view} group by ${key} having count(*) > 1`);
    expect({ view, doubles }).toEqual({ view, doubles: [] });
  }
});

/** No comment is left out, and the view's columns are all that a condition can see. */
const withoutHiddenRows = ["analytics.comments_by_author_and_day"];

test("every view that reads a table is a security barrier, so that conditions of the reader never see hidden rows", async () => {
  // The others read functions only, which return nothing that is hidden. There, a barrier would keep conditions from the days.
  const open = await database.query(
    `select oid::regclass::text as view from pg_class
      where relnamespace = 'analytics'::regnamespace and not coalesce('security_barrier=true' = any (reloptions), false)
        -- A table's name, which no parenthesis follows.
        and pg_get_viewdef(oid) ~ 'app_[a-z]+\\.[a-z_]+(?![a-z_(])' and not oid::regclass::text = any ($1)`,
    [withoutHiddenRows],
  );
  expect(open).toEqual([]);
});

test("no view has a timestamp column, whose day would depend on the reader's time zone, but the one that is there for local hours", async () => {
  const timestamps = await database.query(`
    select format('%s.%s', attrelid::regclass, attname) as name from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = 'analytics'::regnamespace and atttypid in ('timestamptz'::regtype, 'timestamp'::regtype)`);
  expect(timestamps).toEqual([{ name: "analytics.activity_by_hour.hour" }]);
});
