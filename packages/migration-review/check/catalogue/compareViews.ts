import type { Finding } from "../finding.ts";
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
    ...(now ?? []).flatMap(([thing]): Finding[] => {
      const { object } = partsOf(thing);
      const message = `${object} is new for analysts.`;
      return before.has(thing) ? [] : [{ rule: "view-added", object, severity: "safe", message }];
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
    return { rule: "view-removed", object, severity: "dangerous", message };
  }
  return {
    rule: now === undefined ? "view-removed" : "view-changed",
    object,
    severity: "refused",
    message:
      now === undefined
        ? `${object}${type ? `, ${type},` : ""} is published for analysts, and this migration removes it.`
        : `${object} is ${type} for analysts, and this migration makes it ${now}.`,
    reason: "Their queries and dashboards would fail, and you would not see it.",
    advice:
      "Either add the replacement beside it, begin its comment with “Deprecated: use …”, and drop it in a later " +
      `migration; or, once analysts know, allow the change: npm run db:check -- --allow ${object}`,
  };
}
