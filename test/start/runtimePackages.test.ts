import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { expect, test } from "@jest/globals";

/* An image, or a checkout in production, has what `npm ci --omit=dev` brings, and no tests. */
const root = new URL("../../", import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

const files = ["src", "plugins"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`),
);
/** What a file imports when it runs: types are gone by then. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), "utf8");
  const statements = text.matchAll(/^(?:import|export)(?! type\b)[^;]*? from "(.+?)"/gm);
  const calls = text.matchAll(/\bimport\("(.+?)"\)/g);
  return [...statements, ...calls].map(([, name = ""]) => name);
}

test("the service imports only what is there", () => {
  const imports = files.flatMap((file) => importsOf(file).map((name) => ({ file, name })));
  expect(imports.length).toBeGreaterThan(300);
  const isThere = (name: string) =>
    name.startsWith(".")
      ? !/^(\.\.\/)+(test|tools|bench)\//.test(name)
      : isBuiltin(name) || (name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? "") in dependencies;
  expect(imports.filter(({ name }) => !isThere(name))).toEqual([]);
});
