import type { Exposure } from "../catalogue/exposures.ts";
import type { Finding } from "../finding.ts";
import { type ApiSources, renaming } from "./apiSources.ts";

/**
 * Finds fields that keep their name and get other values, because the name moved to another column, foreign key or function.
 * A thing that is gone or was renamed does not count: its field may stay as something else.
 */
export function compareSources(before: ApiSources, after: ApiSources): Finding[] {
  const present = new Set([...after.values()].flatMap((things) => [...things]));
  return [...after].flatMap(([object, things]): Finding[] => {
    const old = [...(before.get(object) ?? [])].find((thing) => !things.has(thing) && present.has(thing));
    const [now] = things;
    if (old === undefined || now === undefined) return [];
    return [
      {
        rule: "field-moved",
        object,
        severity: "refused",
        message: `${object} is ${old}, and this migration makes it ${now}.`,
        reason: "Clients would get other values under the same name.",
        advice: `Keep the name where it is, and give the other one its own: ${renaming(now)}`,
      },
    ];
  });
}

/** Adds to the finding of a field that disappears how its name can stay, when the thing that it was made from has a new name only. */
export function keepName(finding: Finding, sources: ApiSources, before: Exposure[], after: Exposure[]): Finding {
  if (finding.rule !== "field-removed" || finding.severity !== "refused") return finding;
  const things = sources.get(finding.object);
  const old = before.find(({ kind, name }) => things?.has(`the ${kind} ${name}`));
  const now = after.find(
    ({ kind, identity, name }) => kind === old?.kind && identity === old.identity && name !== old.name,
  );
  if (!now) return finding;
  const statement = renaming(`the ${now.kind} ${now.name}`, finding.object.replace(/^.*\./, ""));
  const isList = finding.message.startsWith(`${finding.object}: [`);
  const keeping = isList ? statement.replace("@fieldName", "@foreignFieldName") : statement;
  return { ...finding, advice: `If it has a new name only, keep the old one: ${keeping}. ${finding.advice}` };
}
