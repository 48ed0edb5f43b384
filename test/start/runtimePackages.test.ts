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
  const {
    dependencies: installed = {},
    peerDependencies = {},
    devDependencies = {},
    private: isPrivate,
  } = manifest(`${folder}/`);
  const own = { ...installed, ...peerDependencies };
  // What a package for others needs of private ones is packed with it.
  const packed = Object.keys(devDependencies).filter(isWorkspace);
  const imports = files.filter((file) => file.startsWith(`${folder}/`)).flatMap(importsOf);
  const outside = imports.filter((imported) => !imported.startsWith(".") && !isBuiltin(imported)).map(packageOf);
  expect(outside.filter((imported) => !(imported in own) && !packed.includes(imported))).toEqual([]);
  const isOfTypes = (needed: string) => needed.startsWith("@types/");
  expect(
    Object.keys(own).filter((needed) => !(needed in dependencies) && !isWorkspace(needed) && !isOfTypes(needed)),
  ).toEqual([]);
  // The root says which version of what a private package needs. Others say so themselves.
  const versions = Object.entries(own).filter(([needed]) => !isWorkspace(needed));
  expect(versions.filter(([, version]) => (version === "*") !== (isPrivate === true))).toEqual([]);
});
