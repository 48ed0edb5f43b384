import { StartError } from "../../support/StartError.ts";
import { linesAt } from "./git.ts";

/** Where the service's SQL is. The commands of src/dba, and what they share with src/migrations and src/transfer, run apart from it. */
const files = ["src/*.ts", "plugins/*.ts", ":!src/dba", ":!src/migrations", ":!src/transfer"];
/** The schemas of the machines, for regular expressions: conventions.is_covered() has them, beside those of the publication. */
export const machineSchemas = "change_feed|conventions|rollups";
const schemaNames = `app_(public|hidden|private)|${machineSchemas}`;
const named = new RegExp(`\\b(${schemaNames})\\.\\w+`, "g");
const comment = /^\s*(\*|\/\*|\/\/)/;

/**
 * The functions and relations that the service's TypeScript names, as it was at the commit `base`, with the first place of each.
 *
 * @throws StartError when there is none: the commit does not have the service
 */
export function servicePlaces(directory: string, base: string): Map<string, string> {
  const places = new Map<string, string>();
  for (const { place, text } of linesAt(directory, base, `(${schemaNames})\\.[a-z]`, files)) {
    if (comment.test(text)) continue;
    for (const [name] of text.matchAll(named)) {
      if (!places.has(name)) places.set(name, place);
    }
  }
  if (places.size === 0) throw new StartError(`The commit ${base} has no TypeScript of the service in src/.`);
  return places;
}
