import type { Finding } from "./finding.ts";

interface Thing {
  type: string;
  comment: string;
}

/**
 * What analysts would notice, from the two texts of src/dba/analyticsContract.ts. A view or column whose comment
 * began with “Deprecated” may go.
 */
export function compareViews(before: string, after: string): Finding[] {
  const [olds, news] = [readContract(before), readContract(after)];
  return [
    ...[...olds].flatMap(([name, old]): Finding[] => {
      const now = news.get(name);
      if (now?.type === old.type) return [];
      // Its columns went with it: once is enough.
      if (!now && !news.has(viewOf(name)) && name !== viewOf(name)) return [];
      if (!now && /^deprecated/i.test(old.comment)) {
        return [{ level: "dangerous", name, what: `${name} is gone. Analysts have been told that it would.` }];
      }
      return [
        {
          level: "refused",
          name,
          what: now
            ? `${name} is ${old.type} to analysts, and this migration makes it ${now.type}.`
            : `${name}${old.type && `, ${old.type},`} is there for analysts, and this migration takes it away.`,
          why: "Their queries and dashboards would fail, and nobody would tell you.",
          todo:
            "Either add the new beside it, begin its comment with “Deprecated: use …”, and drop it in a later migration; " +
            `or, once they know, wave it through: npm run db:check -- --allow ${name}`,
        },
      ];
    }),
    ...[...news.keys()]
      .filter((name) => !olds.has(name) && (name === viewOf(name) || olds.has(viewOf(name))))
      .map((name): Finding => ({ level: "safe", name, what: `${name} is new for analysts.` })),
  ];
}

function viewOf(name: string): string {
  return name.split(".").slice(0, 2).join(".");
}

function readContract(text: string): Map<string, Thing> {
  const things = new Map<string, Thing>();
  let view = "";
  for (const line of text.split("\n")) {
    const column = /^ {2}(\S+) ([^:]+): (.*)$/.exec(line);
    const head = /^(\S+): (.*)$/.exec(line);
    if (column) things.set(`${view}.${column[1]}`, { type: column[2] ?? "", comment: column[3] ?? "" });
    else if (head) {
      view = `analytics.${head[1]}`;
      things.set(view, { type: "", comment: head[2] ?? "" });
    }
  }
  return things;
}
