import { readFileSync, writeFileSync } from "node:fs";
import { withClient } from "@content-service/support/withClient.ts";
import { chartQuery, drawChart } from "../../docs/chart.ts";
import { analystsDocument, readAnalystQuestions } from "../../tools/support/analystQuestions.ts";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";
import { psqlTable } from "../support/psqlTable.ts";

/*
 * The queries of docs/analysts.md give the printed results, for an analyst, on the sample content, on the document's date.
 * npm run snapshots writes the results.
 */
const file = analystsDocument;
const chart = new URL("../../docs/chart.svg", import.meta.url);
const text = readFileSync(file, "utf8");
const sampleContent = readFileSync(new URL("../../src/migrations/sample-content.sql", import.meta.url), "utf8");
const writes = process.env.WRITE_SNAPSHOTS === "1";

const questions = readAnalystQuestions(text);

const database = useDatabase();
const jane = useAnalyst(database);
/** Replaces now(), called without its schema, and analytics.today by those of another time. */
const onThatDay = "set search_path = that_day, pg_catalog, analytics";
const atNewYear = "set search_path = new_year, pg_catalog, analytics";
/** At New Year in UTC, it is the day before in the first of them. */
const zones = ["America/Los_Angeles", "Europe/Berlin", "Pacific/Auckland"];

/** A schema with the view `today` as it is, by a clock that stands still. */
const clock = (schema: string, time: string) => `
  create schema ${schema};
  grant usage on schema ${schema} to public;
  create function ${schema}.now() returns timestamptz language sql stable return timestamptz '${time}';
  grant execute on function ${schema}.now() to public;
  do $$ begin
    execute 'create view ${schema}.today as ' || replace(pg_get_viewdef('analytics.today'), 'now()', '${schema}.now()');
  end $$;
  grant select on ${schema}.today to public`;

beforeAll(async () => {
  await database.query(`
    set local app.is_import = on; truncate app_public.users, app_public.tags, app_public.chats restart identity cascade; set local app.is_import = off;
    truncate app_public.audit_trail;
    ${clock("that_day", "2025-06-30 12:00Z")};
    ${clock("new_year", "2025-01-01 00:17Z")}`);
  // Triggers read the real clock: a post that was scheduled for a week after that day would be published today.
  const scheduled = /^update app_public\.posts set publish_at = .*;$/m;
  expect(sampleContent).toMatch(scheduled);
  await withClient(database.ownerUrl, async (owner) => {
    await owner.query("set search_path = that_day, pg_catalog");
    await owner.query(sampleContent.replace(scheduled, ""));
  });
});

test("the document has twelve queries, and no other SQL", () => {
  expect(questions).toHaveLength(12);
  expect(text.match(/```sql/g)).toHaveLength(12);
});

describe("the document's query", () => {
  test.each(questions)("$title", async ({ sql, printed }) => {
    const answer = await jane.ask(sql, onThatDay);
    expect(answer.rows.length).toBeGreaterThan(0);
    const prints = `${psqlTable(answer)}\n`;
    if (writes) {
      const block = (answer: string) => `\`\`\`sql\n${sql}\`\`\`\n\n\`\`\`text\n${answer}\`\`\``;
      writeFileSync(
        file,
        readFileSync(file, "utf8").replace(block(printed), () => block(prints)),
      );
    } else {
      expect(prints).toBe(printed);
    }
    expect(sql).not.toMatch(/\bnow\(|current_/);
    // The driver's zone, whatever the day is there.
    for (const [when, { rows }] of [
      [onThatDay, answer] as const,
      [atNewYear, await jane.ask(sql, atNewYear)] as const,
    ]) {
      for (const zone of zones) {
        const there = await jane.ask(sql, `${when}; set time zone '${zone}'`);
        expect({ zone, when, rows: there.rows }).toEqual({ zone, when, rows });
      }
    }
    // The query also runs with today's date.
    await expect(jane.ask(sql)).resolves.toBeDefined();
  });
});

test.each(zones)("at 00:17 UTC of 1 January, it is the new year in %s", async (zone) => {
  const before = `${atNewYear}; set time zone '${zone}'`;
  const { rows: today } = await jane.ask("select day, week, month, year from today", before);
  expect(today).toEqual([["2025-01-01", "2024-12-30", "2025-01-01", "2025-01-01"]]);
  const { sql } = questions.find(({ title }) => title === "How busy are the chats?") ?? { sql: "" };
  const { rows } = await jane.ask(sql, before);
  expect(rows.map(([day]) => day)).toEqual(["2024-12-29", "2024-12-30", "2024-12-31", "2025-01-01"]);
});

test("the chart shows the result of the first query", async () => {
  expect(questions[0]?.sql.trim()).toBe(chartQuery);
  const drawn = drawChart((await jane.ask(chartQuery, onThatDay)).rows);
  if (writes) writeFileSync(chart, drawn);
  expect(drawn).toBe(readFileSync(chart, "utf8"));
});

test("the document's table lists every view", async () => {
  const views = await jane.ask("select viewname from pg_views where schemaname = 'analytics'");
  expect(views.rows.flat().filter((view) => !text.includes(`\`${view}\``))).toEqual([]);
});
