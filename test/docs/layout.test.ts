import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/* Imports follow the layout of docs/architecture.md: each folder imports what its row allows, packages by their doors, and no files form a cycle. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const [, layout = "", order = ""] = read("docs/architecture.md").split(/^## Layout$|In `src\/`, /m);
const rowsOf = (table: string) =>
  [...(table.split("\n## ")[0] ?? "").matchAll(/^\| (`.+) \|$/gm)].map(([, row = ""]) => row.split(" | "));
const namesIn = (cell = "") => [...cell.matchAll(/`([\w./-]+?)\/?`/g)].map(([, name = ""]) => name);

/** A folder, which a row may name without `packages/`. */
const withParent = (name: string) => (existsSync(join(root, "packages", name)) ? `packages/${name}` : name);

interface Package {
  folder: string;
  exports: Record<string, string>;
  isPrivate: boolean;
}

/** The packages of the repository, by name. */
const packages = new Map(
  ["plugins", ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`)]
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder): [string, Package] => {
      const { name, exports, private: isPrivate = false } = JSON.parse(read(`${folder}/package.json`));
      return [name, { folder, exports, isPrivate }];
    }),
);

const isOfPackage = (file: string) => [...packages.values()].some(({ folder }) => file.startsWith(`${folder}/`));

/** The file behind a door of one of the packages; undefined if `specifier` names none of them. */
function doorOf(specifier: string): string | undefined {
  const name = [...packages.keys()].find((one) => specifier === one || specifier.startsWith(`${one}/`));
  if (name === undefined) return undefined;
  const { folder, exports } = packages.get(name) as Package;
  return join(folder, exports[`.${specifier.slice(name.length)}`] ?? "no such export");
}

/** The folders, and what each may import. */
const mayImport = new Map(
  rowsOf(layout).map(([folder, , allowed]) => [namesIn(folder)[0] as string, namesIn(allowed).map(withParent)]),
);
/** The folders and files of `src/`. Each imports from those before it. */
const places = rowsOf(order).flatMap(([folder]) => namesIn(folder));

const files = [...new Set([...mayImport.keys()].map((folder) => folder.split("/")[0] as string))].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/(^|\/)node_modules\//.test(file))
    .map((file) => join(folder, file)),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

interface Import {
  /** As the file writes it. */
  name: string;
  /** The file that it means. */
  file: string;
}

/** The project's files that a file imports, types included. */
function importsOf(file: string): Import[] {
  const statements = read(file).matchAll(/^(?:import|export)\b[^;="]*"([^"]+)"|\bimport\("([^"]+)"\)/gm);
  return [...statements].flatMap(([, first, second]) => {
    const name = first ?? second ?? "";
    if (name.startsWith(".")) return { name, file: relative(root, join(root, dirname(file), name)) };
    const door = doorOf(name);
    return door === undefined ? [] : { name, file: door };
  });
}

/** The row of the layout that a file belongs to. The tests of a package may import what other tests may. */
function folderOf(file: string): string | undefined {
  if (/^(packages\/[^/]+|plugins)\/test\//.test(file)) return "test";
  return [...mayImport.keys()].find((folder) => file.startsWith(`${folder}/`));
}

const isTest = (file: string) => folderOf(file) === "test";

/** The row of the order within `src/` that a file belongs to; -1 for none. */
function rankOf(file: string): number {
  return places.indexOf(file.split("/")[1] as string);
}

function isAllowed(file: string, imported: string): boolean {
  const from = folderOf(file) ?? "";
  return [from, ...(mayImport.get(from) ?? [])].some((folder) => imported.startsWith(`${folder}/`));
}

/** The imports that a check does not like. */
function offences(check: (file: string, imported: Import) => boolean): string[] {
  return [...imports].flatMap(([file, all]) =>
    all.filter((imported) => !check(file, imported)).map(({ name }) => `${file} imports ${name}`),
  );
}

/** A chain of imports from a file back to itself, or undefined. */
function cycleFrom(file: string, path: string[] = [], seen = new Set<string>()): string[] | undefined {
  for (const { file: imported } of imports.get(file) ?? []) {
    if (imported === path[0] || imported === file) return [...path, file, imported];
    if (seen.has(imported)) continue;
    seen.add(imported);
    const cycle = cycleFrom(imported, [...path, file], seen);
    if (cycle) return cycle;
  }
  return undefined;
}

test("every file has a row", () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => folderOf(file) === undefined)).toEqual([]);
  expect(files.filter((file) => folderOf(file) === "src" && rankOf(file) < 0)).toEqual([]);
});

test("every row has a folder, and every folder that is named has a row", () => {
  expect([...mayImport.keys()].filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
  expect(places.filter((place) => !existsSync(join(root, "src", place)))).toEqual([]);
  const known = ["packages", ...mayImport.keys()];
  expect([...mayImport.values()].flat().filter((name) => !known.includes(name))).toEqual([]);
});

test("each folder imports only what its row allows", () => {
  expect(offences((file, imported) => isAllowed(file, imported.file))).toEqual([]);
});

test("no file of src/ imports from a row below its own", () => {
  const isBelow = (file: string, other: string) => folderOf(other) === "src" && rankOf(other) > rankOf(file);
  expect(offences((file, imported) => folderOf(file) !== "src" || !isBelow(file, imported.file))).toEqual([]);
});

test("files of a package are imported by what it exports, except by tests", () => {
  const isByDoor = (file: string, { name, file: imported }: Import) =>
    doorOf(name) !== undefined
      ? existsSync(join(root, imported)) && folderOf(imported) !== folderOf(file)
      : !isOfPackage(imported) || folderOf(imported) === folderOf(file) || isTest(file);
  expect(offences(isByDoor)).toEqual([]);
});

test("private packages export only what others than tests import", () => {
  const outside = [...imports].filter(([file]) => !isTest(file));
  const used = new Set(
    outside.flatMap(([, all]) => all.filter(({ name }) => doorOf(name) !== undefined)).map(({ file }) => file),
  );
  const doors = [...packages.values()]
    .filter(({ folder, isPrivate }) => isPrivate && folder !== "packages/testing")
    .flatMap(({ folder, exports }) => Object.values(exports).map((file) => join(folder, file)));
  expect(doors.filter((door) => !used.has(door))).toEqual([]);
});

test("no files import each other in a cycle", () => {
  const service = files.filter((file) => /^(src|plugins|packages)\//.test(file));
  expect(service.map((file) => cycleFrom(file)).filter(Boolean)).toEqual([]);
});
