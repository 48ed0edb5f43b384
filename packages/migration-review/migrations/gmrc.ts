import { readFileSync } from "node:fs";
import type { Settings } from "graphile-migrate";
import JSON5 from "json5";

/** The directory that holds `.gmrc` and `migrations/`. */
export const projectRoot = new URL("../../../", import.meta.url);

type RolePlaceholder = ":API_LOGIN" | ":API_ANONYMOUS" | ":API_MEMBER" | ":ANALYST";

/** The settings in `.gmrc`, which graphile-migrate's own command line reads as well. */
export const gmrc: Settings & { placeholders: Record<RolePlaceholder, string> } = JSON5.parse(
  readFileSync(new URL(".gmrc", projectRoot), "utf8"),
);

/** The database roles by purpose. Their names come from `.gmrc`, so that SQL and TypeScript agree. */
export const roles = {
  login: gmrc.placeholders[":API_LOGIN"],
  anonymous: gmrc.placeholders[":API_ANONYMOUS"],
  member: gmrc.placeholders[":API_MEMBER"],
  analyst: gmrc.placeholders[":ANALYST"],
};
