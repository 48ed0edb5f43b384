import { readFileSync, writeFileSync } from "node:fs";

const file = new URL("RESULTS.md", import.meta.url);
type Section = readonly [title: string, text: string];

/** Writes sections into RESULTS.md, in the place of those of the same titles. All others stay as they are. */
export function keepSections(sections: readonly Section[], head?: string): void {
  const [oldHead = "# Results", ...old] = readFileSync(file, "utf8")
    .trimEnd()
    .split(/\n+^## /m);
  const known = old.map((text): Section => {
    const [title = "", ...rest] = text.split("\n");
    return [title, rest.join("\n").trim()];
  });
  const merged = new Map([...known, ...sections]);
  const written = [...merged].map(([title, text]) => `## ${title}\n\n${text}`);
  writeFileSync(file, `${[head ?? oldHead.trimEnd(), ...written].join("\n\n")}\n`);
}
