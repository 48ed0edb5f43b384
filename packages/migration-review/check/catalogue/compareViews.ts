import { type Finding, findingOf } from "../finding.ts";
import type { Behaviours, Properties } from "./behaviours.ts";
import { partsOf } from "./compareBehaviours.ts";

/**
 * The changes of views that others rely on. A view or column whose comment began with “Deprecated” may be removed.
 *
 * @param schemas those that are published
 */
export function compareViews(before: Behaviours, after: Behaviours, schemas: readonly string[]): Finding[] {
  const isPublished = publishedIn(schemas, before, after);
  const [old, now] = [before, after].map((side) => [...side].filter(([thing]) => isPublished(thing)));
  return [
    ...(old ?? []).flatMap(([thing, properties]) => {
      const type = after.get(thing)?.get("type");
      return after.has(thing) && type === properties.get("type") ? [] : [broken(thing, properties, type)];
    }),
    ...(now ?? []).flatMap(([thing]) => {
      const { object } = partsOf(thing);
      return before.has(thing) ? [] : [findingOf("view-added", object, `${object} is new for its readers.`)];
    }),
  ];
}

/** Whether a thing is a published view, or a column of one that is there before and after: of the others, the view itself is listed. */
function publishedIn(schemas: readonly string[], ...sides: Behaviours[]): (thing: string) => boolean {
  return (thing) => {
    const { kind, object, table } = partsOf(thing);
    if (!schemas.some((schema) => (kind === "column" ? table : object).startsWith(`${schema}.`))) return false;
    return /^(view|table)$/.test(kind) || (kind === "column" && sides.every((side) => side.has(`view ${table}`)));
  };
}

function broken(thing: string, old: Properties, now: string | undefined): Finding {
  const { object } = partsOf(thing);
  const type = old.get("type");
  if (now === undefined && /^deprecated/i.test(old.get("comment") ?? "")) {
    const message = `${object} is removed. Its readers have been told: it was deprecated before.`;
    return findingOf("deprecated-view-is-gone", object, message, { rule: "view-removed" });
  }
  if (now === undefined) {
    const what = type ? `${object}, ${type},` : object;
    return findingOf("view-removed", object, `${what} is published, and this migration removes it.`);
  }
  return findingOf("view-changed", object, `${object} is published as ${type}, and this migration makes it ${now}.`);
}
