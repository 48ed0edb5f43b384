import { readFileSync } from "node:fs";
import type { Settings } from "graphile-migrate";
import JSON5 from "json5";

/** The directory that holds `.gmrc` and `migrations/`. */
export const projectRoot = new URL("../../", import.meta.url);

/** The settings in `.gmrc`, which graphile-migrate's own command line reads as well. */
export const gmrc: Settings & { placeholders: Record<`:${string}`, string> } = JSON5.parse(
  readFileSync(new URL(".gmrc", projectRoot), "utf8"),
);

function roleName(placeholder: `:${string}`): string {
  const name = gmrc.placeholders[placeholder];
  if (name === undefined) throw new Error(`.gmrc has no placeholder ${placeholder}, which the migrations need`);
  return name;
}

/** The database roles by purpose. Their names come from `.gmrc`, so that SQL and TypeScript agree. */
export const roles = {
  login: roleName(":API_LOGIN"),
  anonymous: roleName(":API_ANONYMOUS"),
  member: roleName(":API_MEMBER"),
  analyst: roleName(":ANALYST"),
};
