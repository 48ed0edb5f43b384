import { StartError } from "../../support/StartError.ts";
import { linesAt } from "./git.ts";

/** Where the service's SQL is. The commands of src/dba, and what they share with src/migrations and src/transfer, run apart from it. */
const folders = ["src", "plugins", ":!src/dba", ":!src/migrations", ":!src/transfer"];
const comment = /^\s*(\*|\/\*|\/\/)/;

/**
 * The functions and relations that the service's TypeScript names, as it was at the commit `base`, with the first place of each.
 *
 * @throws StartError when there is none: the commit does not have the service
 */
export function servicePlaces(directory: string, base: string): Map<string, string> {
  const places = new Map<string, string>();
  const names = "(app_(public|hidden|private)|change_feed|conventions)\\.[a-z]";
  for (const { place, text } of linesAt(directory, base, names, folders)) {
    if (comment.test(text)) continue;
    for (const [name] of text.matchAll(/\b(?:app_(?:public|hidden|private)|change_feed|conventions)\.\w+/g)) {
      if (!places.has(name)) places.set(name, place);
    }
  }
  if (places.size === 0) throw new StartError(`The commit ${base} has no TypeScript of the service in ${folders[0]}/.`);
  return places;
}
