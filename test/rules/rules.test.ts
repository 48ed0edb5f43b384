import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { useDatabase } from "../support/database.ts";

/*
 * Each file of migrations/rules is one rule: a query that lists its offenders, with the reason on the first line. The last
 * lines are offences that the query must find, which proves that the rule can fail.
 */
const folder = new URL("../../migrations/rules/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
const database = useDatabase();

describe.each(files)("%s", (file) => {
  const rule = readFileSync(new URL(file, folder), "utf8");

  test("finds no offender", async () => {
    expect(await offenders(rule)).toEqual([]);
  });

  // A rule without an offence fails: test.each refuses an empty list.
  test.each([...rule.matchAll(/^-- offence: (.+)$/gm)].map(([, sql = ""]) => sql))(
    "finds the offence: %s",
    async (offence) => {
      expect(await offenders(rule, offence)).not.toEqual([]);
    },
  );
});

/** The offenders that the rule lists after the offence, which is rolled back. */
async function offenders(rule: string, offence = ""): Promise<string[]> {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    await owner.query(`begin; ${offence}`);
    const { rows } = await owner.query<{ offender: string }>(rule);
    return rows.map(({ offender }) => offender);
  } finally {
    await owner.end();
  }
}
