import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readSchema } from "../../src/commands/readSchema.ts";
import { useDatabase } from "../support/database.ts";

/*
 * Each smart tag that a plugin of ours or of the engine reads is named in plugins/smartTags.md. The tags are found in the text of
 * the plugins: `tags.name`, `tags["name"]`, `smartTag(…, "name")` and `const { name } = …tags`. A tag whose name the code builds
 * is not found.
 */
const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("plugins/smartTags.md", root), "utf8");
const database = useDatabase();
const listed = new Set([...readme.matchAll(/@(\w+)/g)].map(([, name]) => name));

function tagsReadBy(file: URL): string[] {
  const text = readFileSync(file, "utf8");
  const direct = [...text.matchAll(/tags(?:\(\))?(?:\?\.|\.|\?\.\["|\[")(\w+)\b(?!\()/gi)].map(([, name = ""]) => name);
  const asked = [...text.matchAll(/smartTag\([^)]*"(\w+)"\)/g)].map(([, name = ""]) => name);
  const taken = [...text.matchAll(/\{ ([\w, :]+) \} = [^;]*\btags\b/gi)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.replace(/:.*/, "").trim()),
  );
  return [...direct, ...asked, ...taken];
}

function missing(files: URL[]): string[] {
  return [...new Set(files.flatMap(tagsReadBy))].filter((name) => !listed.has(name)).sort();
}

test("each tag that our plugins read is in the list", () => {
  const files = ["plugins/", "src/graphql/schema/"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.startsWith("test/"))
      .map((file) => new URL(folder + file, root)),
  );
  expect(files.length).toBeGreaterThan(15);
  expect(missing(files)).toEqual([]);
});

test("each tag that the engine's plugins in use read is in the list", async () => {
  const { plugins, disablePlugins = [] } = (await readSchema(database.apiUrl)).resolvedPreset;
  const folder = new URL("node_modules/graphile-build-pg/dist/", root);
  const used = (plugins ?? [])
    .filter(({ name }) => !disablePlugins.includes(name))
    .map(({ name }) => new URL(`plugins/${name}.js`, folder))
    .filter((file) => existsSync(file));
  expect(used.length).toBeGreaterThan(15);
  const shared = readdirSync(folder).filter((file) => file.endsWith(".js"));
  expect(missing([...used, ...shared.map((file) => new URL(file, folder))])).toEqual([]);
});
