import { globSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";

/* An image has only the packages of `npm ci --omit=dev`, and no tests or tools. */
const root = new URL("../../", import.meta.url);
const manifest = (folder: string) => JSON.parse(readFileSync(new URL(`${folder}package.json`, root), "utf8"));
const { dependencies } = manifest("");
const workspaces = globSync(manifest("").workspaces, { cwd: root });
const names = workspaces.map((folder) => manifest(`${folder}/`).name);

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

const isWorkspace = (name: string) => names.includes(name);

test.each(workspaces)("%s names what it imports, and the service has it", (folder) => {
  const own = manifest(`${folder}/`);
  const { dependencies: needed = {}, peerDependencies: peers = {}, devDependencies: bundled = {} } = own;
  const imports = files.filter((file) => file.startsWith(`${folder}/`)).flatMap(importsOf);
  const outside = imports.filter((imported) => !imported.startsWith(".") && !isBuiltin(imported)).map(packageOf);
  const isNamed = (imported: string) =>
    imported in needed || imported in peers || (imported in bundled && isWorkspace(imported));
  expect(outside.filter((imported) => !isNamed(imported))).toEqual([]);
  expect(Object.keys(peers).filter((peer) => !(peer in dependencies))).toEqual([]);
  // The root says which version a private package has. One that installs from its archive says so itself.
  const isPrivate = own.private === true;
  const others = Object.entries<string>(needed).filter(([name]) => !isWorkspace(name));
  expect(
    others.filter(([name, range]) => (range === "*") !== isPrivate || (isPrivate && !(name in dependencies))),
  ).toEqual([]);
});
