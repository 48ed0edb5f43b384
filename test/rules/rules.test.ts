import { readdirSync, readFileSync } from "node:fs";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import { useDatabase } from "../support/database.ts";

/*
 * Each file of migrations/rules is one rule: a query that lists its offenders, with the reason on the first line. The last
 * lines are offences that the query must find, which proves that the rule can fail, and what it must not take for one.
 */
const folder = new URL("../../migrations/rules/", import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
const database = useDatabase();

beforeAll(() =>
  // The views of analysts, which a rule computes, have a row for each day since the first user.
  database.query(`
    update app_public.users set created_at = now();
    create table app_public.theirs (name text check (name <> ''));
    create type app_public.their_state as enum ('on');
    create function app_public.their_state() returns app_public.their_state language sql security definer as $$select 'on'::app_public.their_state$$;
    grant execute on function app_public.their_state() to public;
    alter extension unaccent add table app_public.theirs;
    alter extension unaccent add type app_public.their_state;
    alter extension unaccent add function app_public.their_state()`),
);

describe.each(files)("%s", (file) => {
  const rule = readFileSync(new URL(file, folder), "utf8");

  test("finds no offender, nor any among the objects of an extension, which no migration can change", async () => {
    expect(await offenders(rule)).toEqual([]);
  });

  // A rule without an offence fails: test.each refuses an empty list.
  test.each([...rule.matchAll(/^-- offence: (.+)$/gm)].map(([, sql = ""]) => sql))(
    "finds the offence: %s",
    async (offence) => {
      expect(await offenders(rule, offence)).not.toEqual([]);
    },
  );

  for (const [, sql = ""] of rule.matchAll(/^-- harmless: (.+)$/gm)) {
    test(`finds no offender: ${sql}`, async () => {
      expect(await offenders(rule, sql)).toEqual([]);
    });
  }
});

test("checks have a message: a partition inherits the checks of its table, and has its own", async () => {
  const rule = readFileSync(new URL("checks_have_a_message.sql", folder), "utf8");
  const partitioned = `
    create table app_public.walks (walked_on date not null, constraint walks_check check (walked_on > '2020-01-01'))
      partition by range (walked_on);
    comment on constraint walks_check on app_public.walks is 'Too long ago.';
    create table app_public.walks_created partition of app_public.walks for values from ('2025-01-01') to ('2026-01-01');
    create table app_public.walks_attached (
      walked_on date not null,
      constraint walks_check check (walked_on > '2020-01-01'),
      constraint odd check (walked_on <> '2024-02-29')
    );
    alter table app_public.walks attach partition app_public.walks_attached for values from ('2024-01-01') to ('2025-01-01')`;
  expect(await offenders(rule, partitioned)).toEqual(["app_public.walks_attached: odd"]);
});

test("inputs fit their table: a field whose column has another type is named with both types", async () => {
  const rule = readFileSync(new URL("inputs_fit_their_table.sql", folder), "utf8");
  const offence = "alter type app_public.update_post_input add attribute author_id text";
  const advice = "The column of this name is bigint, and the field text: give the field the type of the column.";
  expect(await offences(rule, offence)).toEqual([expect.objectContaining({ advice })]);
});

/** The names of what the rule lists after the offence. */
async function offenders(rule: string, offence?: string): Promise<string[]> {
  return (await offences(rule, offence)).map(({ offender }) => offender);
}

/** What the rule lists after the offence, which is rolled back. */
function offences(rule: string, offence = ""): Promise<{ offender: string }[]> {
  return rolledBack(database.owner, async (owner) => {
    await owner.query(offence);
    return (await owner.query<{ offender: string }>(rule)).rows;
  });
}
