import { readFileSync } from "node:fs";
import { changeFeedSql } from "postgraphile-change-feed";

/* The publication's migrations made the feed before there was a package: they are the versions of its SQL. */
const names = { roles: { login: ":API_LOGIN", anonymous: ":API_ANONYMOUS", member: ":API_MEMBER" } };

/** The SQL of a migration, without what graphile-migrate and the review write into it. */
function bodyOf(migration: string): string {
  const text = readFileSync(new URL(`../../migrations/committed/${migration}.sql`, import.meta.url), "utf8");
  return text.replace(/^(--!|-- allow:) .*\n/gm, "").trim();
}

test("000003 is version 1, and 000014 is version 2", () => {
  const upgrade = changeFeedSql(names, { from: 1 });
  expect(bodyOf("000014-change-feed-version-2")).toBe(upgrade.trim());
  expect(bodyOf("000003-change-feed")).toBe(changeFeedSql(names).slice(0, -upgrade.length).trim());
});
