import { linesAt } from "./git.ts";

/** Where the service's SQL is. The commands of src/dba, and what they share with src/migrations and src/transfer, run apart from it. */
const folders = ["src", "plugins", ":!src/dba", ":!src/migrations", ":!src/transfer"];
const comment = /^\s*(\*|\/\*|\/\/)/;

/** The functions and relations that the service's TypeScript names, as it was at the commit `base`, with the first place of each. */
export function servicePlaces(base: string): Map<string, string> {
  const places = new Map<string, string>();
  for (const { place, text } of linesAt(base, "app_(public|hidden|private)\\.[a-z]", folders)) {
    if (comment.test(text)) continue;
    for (const [name] of text.matchAll(/\bapp_(?:public|hidden|private)\.\w+/g)) {
      if (!places.has(name)) places.set(name, place);
    }
  }
  return places;
}
