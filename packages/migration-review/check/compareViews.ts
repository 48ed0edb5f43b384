import type { Finding } from "./finding.ts";

interface Entry {
  type: string;
  comment: string;
}

/**
 * The changes that analysts would notice between two texts of packages/migration-review/analyticsContract.ts. A view or column whose comment
 * began with “Deprecated” may be removed.
 */
export function compareViews(before: string, after: string): Finding[] {
  const [oldEntries, newEntries] = [parseContract(before), parseContract(after)];
  return [
    ...[...oldEntries].flatMap(([name, old]): Finding[] => {
      const now = newEntries.get(name);
      if (now?.type === old.type) return [];
      // The view itself is listed: leave out its columns.
      if (!now && !newEntries.has(viewOf(name)) && name !== viewOf(name)) return [];
      if (!now && /^deprecated/i.test(old.comment)) {
        return [
          {
            level: "dangerous",
            name,
            message: `${name} is removed. Analysts have been told: it was deprecated before.`,
          },
        ];
      }
      return [
        {
          level: "refused",
          name,
          message: now
            ? `${name} is ${old.type} for analysts, and this migration makes it ${now.type}.`
            : `${name}${old.type && `, ${old.type},`} is published for analysts, and this migration removes it.`,
          reason: "Their queries and dashboards would fail, and you would not see it.",
          advice:
            "Either add the replacement beside it, begin its comment with “Deprecated: use …”, and drop it in a later " +
            `migration; or, once analysts know, allow the change: npm run db:check -- --allow ${name}`,
        },
      ];
    }),
    ...[...newEntries.keys()]
      .filter((name) => !oldEntries.has(name) && (name === viewOf(name) || oldEntries.has(viewOf(name))))
      .map((name): Finding => ({ level: "safe", name, message: `${name} is new for analysts.` })),
  ];
}

function viewOf(name: string): string {
  return name.split(".").slice(0, 2).join(".");
}

function parseContract(text: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  let view = "";
  for (const line of text.split("\n")) {
    const column = /^ {2}(\S+) ([^:]+): (.*)$/.exec(line);
    const head = /^(\S+): (.*)$/.exec(line);
    if (column) entries.set(`${view}.${column[1]}`, { type: column[2] ?? "", comment: column[3] ?? "" });
    else if (head) {
      view = `analytics.${head[1]}`;
      entries.set(view, { type: "", comment: head[2] ?? "" });
    }
  }
  return entries;
}
