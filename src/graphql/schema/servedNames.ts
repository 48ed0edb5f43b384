import { readFileSync } from "node:fs";
import type { ServedNames } from "postgraphile-compiled-preset";

/** The file of the names that this release has served, which `npm run db:snapshot` writes. */
export const servedNamesFile = "src/graphql/schema/servedNames.json";

/** Its names. What a later migration adds takes none of them. */
export const committedNames: ServedNames = JSON.parse(
  readFileSync(new URL("servedNames.json", import.meta.url), "utf8"),
);

/** The file's text, one name a line. */
export function printNames(names: ServedNames): string {
  return `${JSON.stringify(names, null, 2)}\n`;
}
