import { readFileSync, writeFileSync } from "node:fs";
import { writePictures } from "./pictures.ts";

/** A title and its Markdown. */
export type Section = readonly [title: string, text: string];

const file = new URL("RESULTS.md", import.meta.url);
const head =
  "# Results\n\nWritten by `npm run bench`. Each run replaces the sections of its cases and keeps the others.";

/** The sections of RESULTS.md by their titles. */
export function readSections(): Map<string, string> {
  const sections = readFileSync(file, "utf8").split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [title = "", ...lines] = section.split("\n");
      return [title, lines.join("\n").trim()];
    }),
  );
}

/** Replaces the sections of the same titles in RESULTS.md, and draws the pictures again. */
export function writeSections(sections: readonly Section[]): void {
  const all = new Map([...readSections(), ...sections]);
  writePictures(all);
  writeFileSync(file, `${[head, ...[...all].map(([title, text]) => `## ${title}\n\n${text}`)].join("\n\n")}\n`);
}
