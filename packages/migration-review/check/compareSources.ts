import { type ApiSources, renaming } from "./apiSources.ts";
import type { Finding } from "./finding.ts";

/**
 * Finds fields that keep their name and get other values, because the name moved to another column, foreign key or function.
 * A thing that is gone or was renamed does not count: its field may stay as something else.
 */
export function compareSources(before: ApiSources, after: ApiSources): Finding[] {
  const present = new Set([...after.values()].flatMap((things) => [...things]));
  return [...after].flatMap(([name, things]): Finding[] => {
    const old = [...(before.get(name) ?? [])].find((thing) => !things.has(thing) && present.has(thing));
    const [now] = things;
    if (old === undefined || now === undefined) return [];
    return [
      {
        level: "refused",
        name,
        message: `${name} is ${old}, and this migration makes it ${now}.`,
        reason: "Clients would get other values under the same name.",
        advice: `Keep the name where it is, and give the other one its own: ${renaming(now)}`,
      },
    ];
  });
}
