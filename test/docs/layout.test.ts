import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/* Imports follow the layout of docs/architecture.md: no folder imports from a row below its own, and no files form a cycle. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const table = readFileSync(join(root, "docs/architecture.md"), "utf8").split("In `src/`, ")[1]?.split("\n## ")[0] ?? "";
const order = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([\w.]+)\/?`/g)].map(([, name]) => name),
);

const files = ["src", "plugins"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The project's files that a file imports, types included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)"/gm)].map(([, path = ""]) =>
    relative(root, join(root, dirname(file), path)),
  );
}

/** The row of the table that a file belongs to; -1 for none. */
function rankOf(file: string): number {
  return order.indexOf(file.replace(/^src\//, "").split("/")[0]);
}

/** A chain of imports from a file back to itself, or undefined. */
function cycleFrom(file: string, path: string[] = [], seen = new Set<string>()): string[] | undefined {
  for (const imported of imports.get(file) ?? []) {
    if (imported === path[0] || imported === file) return [...path, file, imported];
    if (seen.has(imported)) continue;
    seen.add(imported);
    const cycle = cycleFrom(imported, [...path, file], seen);
    if (cycle) return cycle;
  }
  return undefined;
}

test("every file has a place in the table", () => {
  expect(files.filter((file) => rankOf(file) < 0)).toEqual([]);
});

test("no file imports from a row below its own", () => {
  const upwards = [...imports].flatMap(([file, imported]) =>
    imported.filter((other) => rankOf(other) > rankOf(file)).map((other) => `${file} imports ${other}`),
  );
  expect(upwards).toEqual([]);
});

test("no files import each other in a cycle", () => {
  expect(files.map((file) => cycleFrom(file)).filter(Boolean)).toEqual([]);
});
