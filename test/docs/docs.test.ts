import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { anchorOf } from "../../site/places.ts";

/* The documentation keeps its promises: its links, settings, commands and folders exist. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");

function pagesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules" && !name.startsWith("."))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? pagesBelow(path) : path.endsWith(".md") ? [path] : [];
    });
}
const pages = pagesBelow(".");

/** Code blocks may look like links and headings. */
const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, "");

/** The anchors that GitHub makes of a page's headings. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(read(path)).matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let copy = 1; anchors.has(unique); copy++) unique = `${anchor}-${copy}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The relative links of a page that lead nowhere. */
function deadLinks(page: string): string[] {
  const links = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? page : relative(root, join(root, dirname(page), file));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !(statSync(join(root, target)).isFile() && anchorsOf(target).has(anchor));
  });
}

describe.each(pages)("%s", (page) => {
  test("has no link that leads nowhere", () => {
    expect(deadLinks(page)).toEqual([]);
  });

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...read(page).matchAll(/npm run (?:-s )?([a-z][\w-]*(?::[\w-]+)*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("does not cite DECISIONS.md, which is docs/decisions.md", () => {
    expect(read(page)).not.toContain("DECISIONS.md");
  });
});

test("docs/settings.md has the settings of src/settings.ts, and no others", () => {
  const specified = [...read("src/settings.ts").matchAll(/"([A-Z][A-Z0-9_]+)"|^\s*([A-Z][A-Z0-9_]+):/gm)].map(
    ([, quoted, key]) => quoted ?? key,
  );
  const documented = [...read("docs/settings.md").matchAll(/^\| `([A-Z0-9_]+)`/gm)]
    .map(([, name = ""]) => name)
    // OpenTelemetry reads its own variables.
    .filter((name) => !name.startsWith("OTEL_"));
  expect(specified.length).toBeGreaterThan(40);
  expect(documented.toSorted()).toEqual(specified.toSorted());
});

test("test/README.md has the folders of test/, and no others", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const named = [...read("test/README.md").matchAll(/^\| `([\w-]+)\/`/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(folders.toSorted());
});

test("docs/ has fewer than 34,000 words", () => {
  const words = pagesBelow("docs").flatMap((page) => read(page).split(/\s+/));
  expect(words.length).toBeLessThan(34_000);
});

test("README.md fits on two screens", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(80);
});
