import { readFileSync } from "node:fs";
import type { Settings } from "graphile-migrate";
import JSON5 from "json5";

/** The checkout's root: where `.gmrc` and `migrations/` are. */
export const projectRoot = new URL("../../", import.meta.url);

/** What `.gmrc` says, which graphile-migrate's own command line reads as well. */
export const gmrc: Settings & { placeholders: Record<`:${string}`, string> } = JSON5.parse(
  readFileSync(new URL(".gmrc", projectRoot), "utf8"),
);

function roleNamed(placeholder: `:${string}`): string {
  const name = gmrc.placeholders[placeholder];
  if (name === undefined) throw new Error(`.gmrc has no placeholder ${placeholder}, which the migrations need`);
  return name;
}

/** The database roles that the SQL names, by what they are for; `.gmrc` has their names, so that the SQL and this agree. */
export const roles = {
  login: roleNamed(":API_LOGIN"),
  anonymous: roleNamed(":API_ANONYMOUS"),
  member: roleNamed(":API_MEMBER"),
  analyst: roleNamed(":ANALYST"),
};
