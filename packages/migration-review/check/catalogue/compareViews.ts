import type { AnalystView } from "../../snapshots/analystViews.ts";
import type { Finding } from "../finding.ts";

/** The changes that analysts would notice. A view or column whose comment began with “Deprecated” may be removed. */
export function compareViews(before: AnalystView[], after: AnalystView[]): Finding[] {
  const [old, now] = [entriesOf(before), entriesOf(after)];
  // Of a view that is gone or new as a whole, the columns are not listed.
  const isListed = ({ view }: Entry, entries: Map<string, Entry>) => view === undefined || entries.has(view);
  return [
    ...[...old].flatMap(([object, entry]) => {
      const type = now.get(object)?.type;
      return type === entry.type || !(now.has(object) || isListed(entry, now)) ? [] : [broken(object, entry, type)];
    }),
    ...[...now].flatMap(([object, entry]): Finding[] => {
      const message = `${object} is new for analysts.`;
      return old.has(object) || !isListed(entry, old)
        ? []
        : [{ rule: "view-added", object, severity: "safe", message }];
    }),
  ];
}

interface Entry {
  type: string;
  comment: string;
  /** The view of a column. */
  view?: string;
}

function entriesOf(views: AnalystView[]): Map<string, Entry> {
  return new Map(
    views.flatMap(({ name, comment, columns }): [string, Entry][] => {
      const view = `analytics.${name}`;
      return [
        [view, { type: "", comment }],
        ...columns.map((column): [string, Entry] => [`${view}.${column.name}`, { ...column, view }]),
      ];
    }),
  );
}

function broken(object: string, { type, comment }: Entry, now: string | undefined): Finding {
  const rule = now === undefined ? "view-removed" : "view-changed";
  if (now === undefined && /^deprecated/i.test(comment)) {
    const message = `${object} is removed. Analysts have been told: it was deprecated before.`;
    return { rule, object, severity: "dangerous", message };
  }
  return {
    rule,
    object,
    severity: "refused",
    message:
      now === undefined
        ? `${object}${type && `, ${type},`} is published for analysts, and this migration removes it.`
        : `${object} is ${type} for analysts, and this migration makes it ${now}.`,
    reason: "Their queries and dashboards would fail, and you would not see it.",
    advice:
      "Either add the replacement beside it, begin its comment with “Deprecated: use …”, and drop it in a later " +
      `migration; or, once analysts know, allow the change: npm run db:check -- --allow ${object}`,
  };
}
