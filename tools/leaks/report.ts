import { type Findings, type Leak, miscounted } from "./findLeaks.ts";

const mostLeaks = 50;

/** The printed output. */
export function report({ cast, paths, shown, leaks, untried }: Findings, length: number): string {
  const lines = [`Each viewer queried ${paths} paths of the schema, up to ${length} fields long, and saw:`];
  for (const [viewer, types] of Object.entries(shown)) {
    const counts = Object.entries(types).map(([type, count]) => `${type} ${count}`);
    lines.push(`  ${viewer.padEnd(10)} ${counts.join(", ") || "nothing"}`);
  }
  const missing = Object.entries(cast).flatMap(([what, id]) => (id === null ? [what] : []));
  if (missing.length > 0) lines.push(`Not tried, because the database has none: ${missing.join(", ")}.`);
  lines.push(...[...new Set(untried)].map((what) => `Not tried: ${what}`));
  lines.push(...leaks.slice(0, mostLeaks).map(describeLeak));
  lines.push(leaks.length === 0 ? "No leak." : `${leaks.length} leaks.`);
  return lines.join("\n");
}

function describeLeak({ viewer, kind, id, text, path }: Leak): string {
  if (kind === miscounted)
    return `LEAK: ${viewer} is told at ${path} of more or fewer children than are shown: ${text}`;
  return `LEAK: ${viewer} sees ${kind === "email" ? "the email of User" : kind} ${id}${text === null ? "" : ", by its text,"} at ${path}`;
}
