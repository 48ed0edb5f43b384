import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../support/runProgram.ts";

/**
 * `prepack` and `postpack` of the packages: in the repository their doors are TypeScript, which Node runs without a build; under
 * node_modules it does not. `prepack` builds `dist/` and lets package.json name it; `postpack` takes both back.
 */

/** The workspaces that are private: a package takes along what it imports of them. */
const internal = "@content-service/";
const root = fileURLToPath(new URL("../../", import.meta.url));
/** npm never packs files with this ending. */
const original = "package.json.orig";
/** `import … from "name"`, `export … from "name"`, `import "name"` and `import("name")`, each with its name in one line. */
const importPattern = /(^import |^(?:import|export|\})[^"\n;=]*\bfrom |\bimport\()"([^"\n]+)"/gm;

type Exports = Record<string, string>;

interface Manifest {
  name: string;
  exports: Exports;
  bin?: Exports;
  dependencies?: Exports;
  peerDependencies?: Exports;
  optionalDependencies?: Exports;
  [key: string]: unknown;
}

/**
 * Builds `dist/`: JavaScript, declarations, source maps, the sources that they point to, and other files of the package such as SQL.
 *
 * @returns package.json as the archive has it
 */
export async function build(directory: string): Promise<Manifest> {
  const manifest: Manifest = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  const dist = join(directory, "dist");
  await rm(dist, { recursive: true, force: true });
  const doors = [...Object.values(manifest.exports), ...Object.values(manifest.bin ?? {})];
  const imported = await copySources(directory, doors, join(dist, "source"));
  checkDependencies(manifest, imported);
  await copyAssets(directory, dist);
  await compile(dist, doors);
  for (const file of Object.values(manifest.bin ?? {})) await chmod(join(directory, built(file)), 0o755);
  return packed(manifest);
}

/** Copies the files that the doors lead to, with imports as they are among the copies. @returns the packages that they import */
async function copySources(directory: string, doors: string[], into: string): Promise<Set<string>> {
  const packages = new Set<string>();
  const copies = new Map(doors.map((door) => [join(directory, door), join(into, door)]));
  // A Map visits what is added meanwhile.
  for (const [file, copy] of copies) {
    const text = await readFile(file, "utf8");
    const rewritten = text.replaceAll(importPattern, (_, start: string, name: string) => {
      if (!name.startsWith(".") && !name.startsWith(internal)) {
        packages.add(name);
        return `${start}"${name}"`;
      }
      const target = name.startsWith(".")
        ? { file: join(dirname(file), name), copy: join(dirname(copy), name) }
        : internalFile(name, into);
      copies.set(target.file, target.copy);
      const path = relative(dirname(copy), target.copy).replace(/\.ts$/, ".js");
      return `${start}"${path.startsWith(".") ? path : `./${path}`}"`;
    });
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, rewritten);
  }
  return packages;
}

function internalFile(name: string, into: string): { file: string; copy: string } {
  const [workspace = "", ...path] = name.slice(internal.length).split("/");
  return { file: join(root, "packages", workspace, ...path), copy: join(into, "internal", workspace, ...path) };
}

/** @throws when an import would not be found where the archive is installed */
function checkDependencies({ name, dependencies, peerDependencies }: Manifest, imported: Set<string>): void {
  const declared = { ...dependencies, ...peerDependencies };
  const missing = [...imported]
    .filter((specifier) => !specifier.startsWith("node:"))
    .map((specifier) => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"))
    .filter((dependency) => (declared[dependency] ?? "*") === "*");
  if (missing.length === 0) return;
  throw new Error(`${name} imports ${[...new Set(missing)].join(", ")}: give it a range in its package.json`);
}

/** Files that the sources read, such as SQL, lie beside them. */
async function copyAssets(directory: string, dist: string): Promise<void> {
  const isLeftOut = (path: string) =>
    /(^|\/)(node_modules|dist|test)(\/|$)/.test(path) || [".ts", ".md", ".orig", ".tgz"].includes(extname(path));
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const assets = files.map((file) => relative(directory, file)).filter((file) => !isLeftOut(file));
  for (const file of assets) {
    if (!["package.json", "LICENSE"].includes(file)) await cp(join(directory, file), join(dist, file));
  }
}

async function compile(dist: string, doors: string[]): Promise<void> {
  const project = join(dist, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    allowImportingTsExtensions: false,
    rootDir: "source",
    outDir: ".",
    declaration: true,
    declarationMap: true,
    sourceMap: true,
    // Comments stay: editors show them.
    removeComments: false,
  };
  const files = doors.map((door) => join("source", door));
  await writeFile(
    project,
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }),
  );
  const typescript = createRequire(join(root, "package.json")).resolve("typescript/package.json");
  await execute(process.execPath, [join(dirname(typescript), "bin", "tsc"), "-p", project]);
  await rm(project);
}

function packed({ scripts: _, devDependencies: __, ...manifest }: Manifest): Manifest {
  const doorOf = (file: string) => ({ types: built(file).replace(/\.js$/, ".d.ts"), default: built(file) });
  const exports = Object.entries(manifest.exports).map(([name, file]) => [name, doorOf(file)]);
  const bin = Object.entries(manifest.bin ?? {}).map(([name, file]) => [name, built(file)]);
  return {
    ...manifest,
    exports: { ...Object.fromEntries(exports), "./package.json": "./package.json" },
    ...(bin.length > 0 ? { bin: Object.fromEntries(bin) } : null),
    files: ["dist", "CHANGELOG.md"],
  } as Manifest;
}

/** `./index.ts` as `./dist/index.js`. */
function built(file: string): string {
  return `./dist/${file.replace(/^\.\//, "").replace(/\.ts$/, ".js")}`;
}

/** Without the settings that npm gives to its scripts: they would be those of the npm that is started here. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

const execute = (program: string, args: string[], cwd = root) => runProgram(program, args, { cwd, env: environment });

/**
 * Packs packages without touching their directories, so that several programs may at the same time.
 *
 * @returns the archives, beside the built directories
 */
export async function pack(directories: string[], into: string): Promise<string[]> {
  const isCopied = (path: string) => !/(^|\/)(node_modules|dist|test)$/.test(path);
  // The compiler finds the types of the dependencies there.
  await symlink(join(root, "node_modules"), join(into, "node_modules"));
  const copies = directories.map(async (directory) => {
    const copy = join(into, basename(directory));
    await cp(directory, copy, { recursive: true, filter: isCopied });
    await writeFile(join(copy, "package.json"), JSON.stringify(await build(copy), null, 2));
    return copy;
  });
  const options = ["--ignore-scripts", "--silent"];
  const printed = await execute("npm", ["pack", ...options, ...(await Promise.all(copies))], into);
  return printed
    .trim()
    .split("\n")
    .map((name) => join(into, name));
}

async function swap(directory: string): Promise<void> {
  await restore(directory);
  const manifest = await build(directory);
  await rename(join(directory, "package.json"), join(directory, original));
  await writeFile(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function restore(directory: string): Promise<void> {
  await rename(join(directory, original), join(directory, "package.json")).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rm(join(directory, "dist"), { recursive: true, force: true });
}

if (import.meta.main) await (process.argv[2] === "--restore" ? restore : swap)(process.cwd());
