import { readdirSync, readFileSync } from "node:fs";
import { changeFeedSql } from "postgraphile-change-feed";

/* The publication's migrations made the feed before there was a package: they are the versions of its SQL. */
const folder = new URL("../../migrations/committed/", import.meta.url);
const names = { roles: { login: ":API_LOGIN", anonymous: ":API_ANONYMOUS", member: ":API_MEMBER" } };

/** The SQL of a migration, without what graphile-migrate and the review write into it. */
function bodyOf(title: string): string {
  const file = readdirSync(folder).find((each) => each.endsWith(`-${title}.sql`)) as string;
  const text = readFileSync(new URL(file, folder), "utf8");
  return text.replace(/^(--!|-- allow:) .*\n/gm, "").trim();
}

test.each([
  [1, "change-feed"],
  [2, "change-feed-version-2"],
  [3, "change-feed-version-3"],
  [4, "change-feed-version-4"],
  [5, "change-feed-version-5"],
  [6, "change-feed-version-6"],
  [7, "change-feed-version-7"],
  [8, "change-feed-version-8"],
  [9, "change-feed-version-9"],
  [10, "change-feed-version-10"],
  [11, "change-feed-version-11"],
  [12, "change-feed-version-12"],
  [13, "change-feed-version-13"],
])("version %i is the migration %s", (version, title) => {
  const upgrade = changeFeedSql(names, { from: version - 1 });
  const rest = changeFeedSql(names, { from: version });
  expect(bodyOf(title)).toBe(upgrade.slice(0, upgrade.length - rest.length).trim());
});
