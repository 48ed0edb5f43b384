import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";

/* An image has only the packages of `npm ci --omit=dev`, and no tests or tools. */
const root = new URL("../../", import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

const files = ["src", "plugins"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`),
);
/** The imports of a file at run time, without types. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), "utf8");
  const statements = text.matchAll(/^(?:import|export)(?! type\b)[^;]*? from "(.+?)"/gm);
  const calls = text.matchAll(/\bimport\("(.+?)"\)/g);
  return [...statements, ...calls].map(([, name = ""]) => name);
}

test("the service imports only runtime dependencies and its own files", () => {
  const imports = files.flatMap((file) => importsOf(file).map((name) => ({ file, name })));
  expect(imports.length).toBeGreaterThan(300);
  const isAvailable = (name: string) =>
    name.startsWith(".")
      ? !/^(\.\.\/)+(test|tools|bench)\//.test(name)
      : isBuiltin(name) || (name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? "") in dependencies;
  expect(imports.filter(({ name }) => !isAvailable(name))).toEqual([]);
});
