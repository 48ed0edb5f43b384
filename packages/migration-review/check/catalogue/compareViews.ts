import { type Finding, findingOf } from "../finding.ts";
import type { Behaviours, Properties } from "./behaviours.ts";
import { partsOf } from "./compareBehaviours.ts";

/**
 * The changes of schema analytics that analysts would notice. A view or column whose comment began with “Deprecated” may be removed.
 */
export function compareViews(before: Behaviours, after: Behaviours): Finding[] {
  const [old, now] = [before, after].map((side) => [...side].filter(([thing]) => isPublished(thing, before, after)));
  return [
    ...(old ?? []).flatMap(([thing, properties]) => {
      const type = after.get(thing)?.get("type");
      return after.has(thing) && type === properties.get("type") ? [] : [broken(thing, properties, type)];
    }),
    ...(now ?? []).flatMap(([thing]) => {
      const { object } = partsOf(thing);
      return before.has(thing) ? [] : [findingOf("view-added", object, `${object} is new for analysts.`)];
    }),
  ];
}

/** A view of the analysts, or a column of one that is there before and after: of the others, the view itself is listed. */
function isPublished(thing: string, ...sides: Behaviours[]): boolean {
  const { kind, table } = partsOf(thing);
  const isView = /^(view|table) analytics\./.test(thing);
  return (
    isView || (kind === "column" && /^analytics\./.test(table) && sides.every((side) => side.has(`view ${table}`)))
  );
}

function broken(thing: string, old: Properties, now: string | undefined): Finding {
  const { object } = partsOf(thing);
  const type = old.get("type");
  if (now === undefined && /^deprecated/i.test(old.get("comment") ?? "")) {
    const message = `${object} is removed. Analysts have been told: it was deprecated before.`;
    return findingOf("deprecated-view-is-gone", object, message, { rule: "view-removed" });
  }
  if (now === undefined) {
    const what = type ? `${object}, ${type},` : object;
    return findingOf("view-removed", object, `${what} is published for analysts, and this migration removes it.`);
  }
  return findingOf("view-changed", object, `${object} is ${type} for analysts, and this migration makes it ${now}.`);
}
