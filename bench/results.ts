import { readFileSync, writeFileSync } from "node:fs";

/** A title and its Markdown. */
export type Section = readonly [title: string, text: string];

const file = new URL("RESULTS.md", import.meta.url);
const head =
  "# Results\n\nWritten by `npm run bench`. Each run replaces the sections of its cases and keeps the others.";

/** Replaces the sections of the same titles in RESULTS.md. */
export function writeSections(sections: readonly Section[]): void {
  const kept = readFileSync(file, "utf8")
    .split(/^## /m)
    .slice(1)
    .map((section): Section => {
      const [title = "", ...lines] = section.split("\n");
      return [title, lines.join("\n").trim()];
    });
  const all = new Map([...kept, ...sections]);
  writeFileSync(file, `${[head, ...[...all].map(([title, text]) => `## ${title}\n\n${text}`)].join("\n\n")}\n`);
}
