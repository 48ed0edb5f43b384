import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../../support/dataDirectory.ts";
import { runProgram } from "../../support/runProgram.ts";
import { pack } from "../pack.ts";

/** The checkout. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The packages that have an archive, by folder. */
export const packages = ["packages/caller-pool", "packages/change-feed", "packages/migration-review", "plugins"];

/** Other packages that the tests use: the oldest supported Node, and a client. */
const others = [`node-${process.platform}-${process.arch}@22`, "graphql-ws@6"];

export interface Archive {
  folder: string;
  name: string;
  file: string;
  /** The packed directory. API Extractor takes what lies in node_modules for another package's. */
  built: string;
  /** Where it is installed. */
  installed: string;
}

export interface Project {
  directory: string;
  archives: Archive[];
}

/** Packs the packages, and installs examples/adopt with the archives in an empty folder, with nothing else of the repository. */
export async function installArchives(): Promise<Project> {
  const directory = temporaryDirectory("project");
  const archives = await packInto(directory);
  await mkdir(join(directory, "archives"));
  for (const { file } of archives) await cp(file, join(directory, "archives", basename(file)));
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--no-save"];
  await run(directory, "npm", ["install", ...options, ...others]);
  return { directory, archives };
}

/** As installArchives(), with the repository's dependencies in place of those that npm would install. */
export async function unpackArchives(): Promise<Project> {
  const parent = temporaryDirectory("unpacked");
  await symlink(join(root, "node_modules"), join(parent, "node_modules"));
  const directory = join(parent, "project");
  const archives = await packInto(directory);
  for (const { file, installed } of archives) {
    await mkdir(installed, { recursive: true });
    await run(installed, "tar", ["-xzf", file, "--strip-components=1"]);
  }
  return { directory, archives };
}

/** Copies examples/adopt to `directory`. @returns the archives that belong there */
async function packInto(directory: string): Promise<Archive[]> {
  const packed = temporaryDirectory("packed");
  const isSource = (path: string) => !["archives", "node_modules"].includes(basename(path));
  await cp(join(root, "examples/adopt"), directory, { recursive: true, filter: isSource });
  const folders = packages.map((folder) => join(root, folder));
  const files = await pack(folders, packed);
  return Promise.all(
    folders.map(async (folder, index) => {
      const { name } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const built = join(packed, basename(folder));
      return { folder, name, file: files[index] as string, built, installed: join(directory, "node_modules", name) };
    }),
  );
}

/** Runs a program. @returns what it has printed @throws with what it has printed */
export async function run(
  cwd: string,
  program: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<string> {
  return runProgram(program, args, { cwd, env: { ...outside, ...environment } });
}

/** The environment of somebody else's project: without the settings that npm gives to its scripts. */
const outside = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$)/i.test(name)),
);

/** The programs of a page's fenced blocks, by language. */
export async function blocksOf(page: string, language: string): Promise<string[]> {
  const text = await readFile(page, "utf8");
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);
}

/** Type-checks files as a strict project would, our declarations included. */
export async function checkTypes({ directory, archives }: Project, files: Record<string, string>): Promise<void> {
  const folder = join(directory, "types");
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    module: "nodenext",
    target: "es2024",
    types: ["node"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  const tsc = [join(root, "node_modules/typescript/bin/tsc"), "-p", "."];
  const output = await run(folder, process.execPath, tsc).catch(({ message }: Error) => message);
  const errors = output.split("\n").filter((line) => /\berror TS\d+/.test(line));
  if (output !== "" && errors.length === 0) throw new Error(output);
  // Declarations of upstream's packages have errors of their own.
  const isOurs = (line: string) =>
    !line.includes("node_modules/") || archives.some(({ name }) => line.includes(`node_modules/${name}/`));
  const ours = errors.filter(isOurs);
  if (ours.length > 0) throw new Error(ours.join("\n"));
}
