import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import pg from "pg";
import { analyticsContract } from "../../src/dba/analyticsContract.ts";
import { useDatabase } from "../support/database.ts";

const file = new URL("../../migrations/snapshots/analytics.txt", import.meta.url);
const database = useDatabase();

test("the views are those in snapshots/analytics.txt (npm run snapshots writes it)", async () => {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    const contract = await analyticsContract(owner);
    if (process.env.WRITE_SNAPSHOTS === "1") writeFileSync(file, contract);
    expect(contract).toBe(readFileSync(file, "utf8"));
  } finally {
    await owner.end();
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

test("no view has a timestamp column, whose day would depend on the reader's time zone", async () => {
  const moments = await database.query(`
    select attrelid::regclass::text, attname from pg_attribute join pg_class on pg_class.oid = attrelid
     where relnamespace = 'analytics'::regnamespace and atttypid in ('timestamptz'::regtype, 'timestamp'::regtype)`);
  expect(moments).toEqual([]);
});
