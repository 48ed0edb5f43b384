import type { Finding } from "./finding.ts";
import type { Behaviours, Properties } from "./readBehaviours.ts";

/** Values that are too long to print. */
const untold = new Set(["body", "definition"]);

/**
 * Names each thing that was there before and behaves differently now, with what has changed. Nothing of this is an error, and no
 * other section of the review may notice it. What is new or gone is reported elsewhere.
 */
export function compareBehaviours(before: Behaviours, after: Behaviours): Finding[] {
  return [...before].flatMap(([thing, old]): Finding[] => {
    const now = after.get(thing);
    const changes = now ? changesOf(old, now) : [];
    if (changes.length === 0) return [];
    const [kind = "", name = ""] = /^(\w+) (.*)$/s.exec(thing)?.slice(1) ?? [];
    return [
      {
        level: "dangerous",
        name: kind === "function" ? name.replace(/\(.*/s, "") : name,
        message: `The ${thing} changes its behaviour: ${changes.join("; ")}.`,
        reason: "Nothing fails, so only you can see whether rows, rights and results are as they should be.",
        advice: "Look at it, and at the tests of what uses it.",
      },
    ];
  });
}

function changesOf(before: Properties, after: Properties): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((property) => {
    const [old, now] = [before.get(property), after.get(property)];
    if (old === now) return [];
    if (untold.has(property)) return [`it has another ${property}`];
    const [, role, right] = /^right of (.*): (.*)$/.exec(property) ?? [];
    if (role) return [`${role} ${now ? "may" : "may no longer"} ${right}`];
    return [`it is ${oneLine(now)}, and was ${oneLine(old)}`];
  });
}

function oneLine(value = "nothing"): string {
  return value.replace(/\s+/g, " ");
}
