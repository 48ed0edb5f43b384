import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { useDatabase } from "../support/database.ts";

/*
 * One rule a file: a query that lists its offenders, the reason on its first line. Its last line is an offence, which it
 * must find: a rule that cannot fail is none.
 */
const folder = new URL("../../migrations/rules/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
const database = useDatabase();

describe.each(files)("%s", (file) => {
  const rule = readFileSync(new URL(file, folder), "utf8");

  test("finds no offender", async () => {
    expect(await offenders(rule)).toEqual([]);
  });

  test("would find one", async () => {
    const offence = /^-- offence: (.+)$/m.exec(rule)?.[1];
    expect(offence).toBeDefined();
    expect(await offenders(rule, offence)).not.toEqual([]);
  });
});

/** What the rule finds, after an offence that is undone again. */
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
