import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { limitNames } from "@content-service/errors/limitError.ts";
import {
  buildSchema,
  type GraphQLArgument,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from "graphql";
import { anchorOf } from "../../site/sitePages.ts";

/* The documentation keeps its promises: its links, settings, commands, files, operations and codes exist. */
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

function settingNames(): string[] {
  const names = read("src/settings.ts").matchAll(/"([A-Z][A-Z0-9_]+)"|^\s*([A-Z][A-Z0-9_]+):/gm);
  return [...names].map(([, quoted, key]) => quoted ?? (key as string));
}

/** Code blocks may look like links and headings. */
const withoutCode = (text: string) => text.replace(/^ *```.*?^ *```/gms, "");
/** What stands in backticks. */
const termsOf = (page: string) => [...withoutCode(read(page)).matchAll(/`([^`\n]+)`/g)].map(([, term = ""]) => term);

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
    // A page beside a package.json is about its scripts.
    const own = join(dirname(page), "package.json");
    const { scripts } = JSON.parse(
      read(page.startsWith("examples/") && existsSync(join(root, own)) ? own : "package.json"),
    );
    const named = [...read(page).matchAll(/npm run (?:-s )?([a-z][\w-]*(?::[\w-]+)*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("names only files and folders that exist", () => {
    // What a reader or a command makes.
    const isExample = (path: string) => /^migrations\/current\/|^site\/dist|reactions|graphql-env/.test(path);
    const isPath = /^(src|packages|plugins|test|tools|migrations|docs|deploy|examples|bench|site)\/[\w./-]*$/;
    const paths = termsOf(page).filter((term) => isPath.test(term) && !isExample(term));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("does not cite DECISIONS.md, which is docs/decisions.md", () => {
    expect(read(page)).not.toContain("DECISIONS.md");
  });
});

describe("what API clients read", () => {
  const schema = buildSchema(read("schema.graphql"));
  const named = new Set([
    ...["validationErrors", "retryAfter", "errorId"],
    // Of HTTP, browsers and libraries.
    ...["operationName", "documentId", "authToken", "localStorage", "webSocketImpl", "keepAlive", "persistedExchange"],
    ...["preferGetForPersistedQueries", "PUT", "uploadUrl"],
    ...limitNames,
    ...settingNames(),
  ]);
  /** The arguments of fields of that name. */
  const parameters = new Map<string, string[]>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type)) for (const value of type.getValues()) named.add(value.name);
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      named.add(field.name).add(`${type.name}.${field.name}`);
      const names = "args" in field ? (field.args as readonly GraphQLArgument[]).map(({ name }) => name) : [];
      for (const name of names) named.add(name);
      parameters.set(field.name, [...(parameters.get(field.name) ?? []), ...names]);
    }
  }

  describe.each(["chat", "clients", "errors", "libraries", "lists", "sign-in", "writing"])("docs/%s.md", (page) => {
    test("names only operations, fields, arguments and codes of the schema", () => {
      const unknown = termsOf(`docs/${page}.md`).filter((term) => {
        const [, call, given = ""] = /^([a-z]\w+)\(([^)]*)\)(?: @.*)?$/.exec(term) ?? [];
        if (call) return given.split(", ").some((one) => !parameters.get(call)?.includes(one.replace(/:.*/, "")));
        return /^([A-Z]\w+\.[a-z]\w+|[A-Z][A-Z_]+[A-Z]|[a-z]+[A-Z]\w+)$/.test(term) && !named.has(term);
      });
      expect(unknown).toEqual([]);
    });

    test("has only operations that fit the schema", () => {
      const documents = [...read(`docs/${page}.md`).matchAll(/^ *```graphql\n(.*?)^ *```/gms)].map(
        ([, text = ""]) => text,
      );
      expect(documents.flatMap((text) => validate(schema, parse(text)))).toEqual([]);
    });
  });
});

test("docs/settings.md has the settings of src/settings.ts, and no others", () => {
  const specified = settingNames();
  const documented = [...read("docs/settings.md").matchAll(/^\| `([A-Z0-9_]+)`/gm)]
    .map(([, name = ""]) => name)
    // OpenTelemetry reads its own variables.
    .filter((name) => !name.startsWith("OTEL_"));
  expect(specified.length).toBeGreaterThan(40);
  expect(documented.toSorted()).toEqual(specified.toSorted());
});

test("docs/settings.md has the defaults of src/settings.ts, as far as they are numbers", () => {
  const specification = read("src/settings.ts").replace(/(?<=\d)_(?=\d)/g, "");
  const defaults = [...read("docs/settings.md").matchAll(/^\| `([A-Z0-9_]+)` \| `(\d+)` \|/gm)];
  const others = defaults.filter(([, name, value]) => !new RegExp(`"${name}"[^;]*?\\b${value}\\b`).test(specification));
  expect(defaults.length).toBeGreaterThan(20);
  expect(others.map(([row]) => row)).toEqual([]);
});

test("test/README.md has the folders of test/, and no others", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const named = [...read("test/README.md").matchAll(/^\| `([\w-]+)\/`/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(folders.toSorted());
});

test("docs/ has fewer than 24,500 words", () => {
  const written = (page: string) => read(page).replace(/<!-- generated: [\s\S]*?<!-- \/generated -->/g, "");
  const words = pagesBelow("docs").flatMap((page) => written(page).match(/\S*[\p{L}\p{N}]\S*/gu) ?? []);
  expect(words.length).toBeLessThan(24_500);
});

test.each([
  ["docs/decisions.md", 2_400],
  ["migrations/README.md", 3_500],
])("%s has fewer than %d words", (page, limit) => {
  expect(read(page).split(/\s+/).length).toBeLessThan(limit);
});

test("README.md fits on two screens", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(80);
});
