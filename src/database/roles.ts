import { readFileSync } from "node:fs";
import JSON5 from "json5";

/** The settings of graphile-migrate, which its own command line reads as well. */
const gmrc: { placeholders: Record<string, string> } = JSON5.parse(
  readFileSync(new URL("../../.gmrc", import.meta.url), "utf8"),
);

function roleOf(placeholder: string): string {
  const name = gmrc.placeholders[placeholder];
  if (name === undefined) throw new Error(`.gmrc has no placeholder ${placeholder}`);
  return name;
}

/** The database roles by purpose. Their names come from `.gmrc`, so that SQL and TypeScript agree. */
export const roles = {
  login: roleOf(":API_LOGIN"),
  anonymous: roleOf(":API_ANONYMOUS"),
  member: roleOf(":API_MEMBER"),
  analyst: roleOf(":ANALYST"),
};
