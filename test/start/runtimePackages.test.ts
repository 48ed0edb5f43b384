import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";

/* An image has only the packages of `npm ci --omit=dev`, and no tests or tools. */
const root = new URL("../../", import.meta.url);
const manifest = (folder: string) => JSON.parse(readFileSync(new URL(`${folder}package.json`, root), "utf8"));
const { dependencies } = manifest("");
const workspaces = readdirSync(new URL("packages", root));

const files = ["src", "plugins", "packages"].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/(^|\/)test\//.test(file))
    .map((file) => `${folder}/${file}`),
);
const packageOf = (name: string) => name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? "";
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
      : isBuiltin(name) || packageOf(name) in dependencies || isWorkspace(packageOf(name));
  expect(imports.filter(({ name }) => !isAvailable(name))).toEqual([]);
});

const isWorkspace = (name: string) => workspaces.some((folder) => name === `@content-service/${folder}`);

test.each(workspaces)(
  "packages/%s names what it imports, the service has it, and the root says which version",
  (folder) => {
    const { dependencies: own = {}, name } = manifest(`packages/${folder}/`);
    expect(name).toBe(`@content-service/${folder}`);
    const imports = files.filter((file) => file.startsWith(`packages/${folder}/`)).flatMap(importsOf);
    const outside = imports.filter((imported) => !imported.startsWith(".") && !isBuiltin(imported)).map(packageOf);
    expect(outside.filter((imported) => !(imported in own))).toEqual([]);
    expect(Object.keys(own).filter((needed) => !(needed in dependencies) && !isWorkspace(needed))).toEqual([]);
    expect(Object.values(own).filter((version) => version !== "*")).toEqual([]);
  },
);
