import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startDatabase, type TestDatabase } from "@content-service/testing/database.ts";
import { temporaryDirectory } from "../support/dataDirectory.ts";
import { testExample } from "./support/adopt.ts";
import {
  type Archive,
  blocksOf,
  checkTypes,
  installArchives,
  type Project,
  packages,
  root,
  run,
} from "./support/archives.ts";

/* `npm run archives`: each package installs from its archive into an empty folder, and does there what its README says. */
let project: Project;
let database: TestDatabase;
beforeAll(async () => {
  [project, database] = await Promise.all([
    installArchives(),
    startDatabase(`
      create role app_user;
      create role app_login login noinherit;
      grant app_user to app_login;
      create table items (id int primary key generated always as identity, name text);
      grant select, insert on items to app_user;
      create role app_visitor;
      grant app_visitor to app_login;
      create schema shop;
      grant usage on schema shop to app_user;
      create table shop.customers (id int primary key);
      create table shop.orders (
        id int primary key generated always as identity, customer_id int not null references shop.customers, total int);
      insert into shop.customers values (7);
      grant select on shop.customers, shop.orders to app_user;`),
  ]);
  // npm installs a hundred packages.
});
afterAll(async () => database?.[Symbol.asyncDispose]());

const archiveOf = (folder: string) => project.archives.find((one) => one.folder.endsWith(folder)) as Archive;
const readme = (folder: string) => join(root, folder, "README.md");
/** The Node of this run, and the oldest one that the packages support. */
const nodes = () => [
  process.execPath,
  join(project.directory, `node_modules/node-${process.platform}-${process.arch}/bin/node`),
];

describe.each(packages)("%s", (folder) => {
  test("its archive has no finding of publint and @arethetypeswrong/cli", async () => {
    const { file } = archiveOf(folder);
    // No dependencies of the repository: they would be 27 MB more for everybody. npm keeps what it has executed.
    const exec = (name: string, ...args: string[]) =>
      run(project.directory, "npm", ["exec", "--yes", `--package=${name}`, "--", ...args]);
    await exec("publint@^0.3.25", "publint", "--strict", file);
    // Its subject are modules of ECMAScript, which Node 22 can require() as well.
    await exec("@arethetypeswrong/cli@^0.18.5", "attw", "--profile", "esm-only", file);
  });

  test("its archive refers to nothing that is not in it, and has a licence, a changelog and its sources", async () => {
    const { installed } = archiveOf(folder);
    for (const name of ["LICENSE", "CHANGELOG.md", "README.md", "dist/source"])
      expect(existsSync(join(installed, name)) || name).toBe(true);
    // Neither of the repository nor of the publication.
    const foreign = "@content-service/|app_(public|hidden|private)|conventions\\.|[aA]nalyst|npm run db";
    expect(await run(installed, "grep", ["-rlE", foreign, "."]).catch(() => "")).toBe("");
    const {
      private: isPrivate,
      scripts,
      engines,
    } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect({ isPrivate, scripts, engines }).toEqual({ engines: { node: ">=22" } });
  });

  test("its doors have at most four names, and load on each Node", async () => {
    const { name } = archiveOf(folder);
    const { exports } = JSON.parse(await readFile(join(archiveOf(folder).installed, "package.json"), "utf8"));
    const doors = Object.keys(exports).filter((door) => door !== "./package.json");
    expect(doors.length).toBeLessThanOrEqual(4);
    const imports = doors.map((door) => `import ${JSON.stringify(`${name}${door.slice(1)}`)};`).join("");
    for (const node of nodes()) await run(project.directory, node, ["--input-type=module", "--eval", imports]);
  });
});

test("the examples of pg-caller-pool run, as JavaScript and as TypeScript", async () => {
  const [example = ""] = await blocksOf(readme("packages/caller-pool"), "js");
  const file = join(project.directory, "pool.js");
  await writeFile(file, example);
  const given = { DATABASE_URL: database.urlOf("app_login") };
  const printed = [];
  for (const node of nodes()) printed.push(await run(project.directory, node, [file], given));
  expect(printed).toEqual(["[]\n1\n", "[ 'lamp' ]\n2\n"]);
  const [typed = ""] = await blocksOf(readme("packages/caller-pool"), "ts");
  await checkTypes(project, { "pool.ts": example, "member.ts": typed });
});

test("the examples of postgraphile-change-feed install, declare and follow a stream, as JavaScript and as TypeScript", async () => {
  const [, install = ""] = await blocksOf(readme("packages/change-feed"), "sh");
  const [declare = ""] = await blocksOf(readme("packages/change-feed"), "sql");
  const [plugin = "", follow = ""] = await blocksOf(readme("packages/change-feed"), "js");
  const as = (url: string) => ({ DATABASE_URL: url });
  const { length: version } = await readdir(join(root, "packages/change-feed/sql"));
  expect(await run(project.directory, "sh", ["-c", install], as(database.url))).toBe(`version 0 is ${version} now\n`);
  await database.query(declare);
  await database.query("insert into shop.orders (customer_id, total) values (7, 100)");
  await writeFile(
    join(project.directory, "follow.js"),
    `${follow.replace("position);", "position);\n  break;")}\nawait reader.close();\n`,
  );
  for (const node of nodes())
    expect(await run(project.directory, node, ["follow.js"], as(database.urlOf("app_login")))).toBe("1 01\n");
  const given = "declare const preset: GraphileConfig.Preset;\ndeclare function userOf(context: unknown): string;\n";
  await checkTypes(project, { "plugin.ts": given + plugin, "follow.ts": follow });
});

test("the example of postgraphile-compiled-preset serves the tables of a foreign project", async () => {
  const [example = ""] = await blocksOf(readme("plugins"), "js");
  const ask = `
server.once("listening", async () => {
  const query = "{ items(limit: 1) { id name } itemsConnection { totalCount } }";
  const { port } = server.address();
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(\`http://127.0.0.1:\${port}/graphql\`, { method: "POST", headers, body: JSON.stringify({ query }) });
  console.log(await response.text());
  process.exit();
});`;
  const file = join(project.directory, "server.js");
  await writeFile(file, example.replace('"shop"', '"public"') + ask);
  await database.query("grant select on items to app_login");
  const given = { DATABASE_URL: database.urlOf("app_login"), PORT: "0", GRAPHILE_ENV: "production" };
  for (const node of nodes()) {
    const printed = await run(project.directory, node, [file], given);
    expect(JSON.parse(printed).data.items).toEqual(expect.any(Array));
    expect(printed).toContain('"itemsConnection":{"totalCount":');
  }
  await checkTypes(project, { "server.ts": example });
});

test("graphile-migrate-review reviews and commits a migration of a project of two tables, and its examples have types", async () => {
  const directory = join(project.directory, "review");
  const files = {
    ".gmrc": "{}",
    "migrations/committed/.keep": "",
    "migrations/current/1-current.sql":
      "create schema shop; create table shop.items (id int primary key, name text);\ncreate table shop.orders (id int primary key);\n",
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  await database.query("create database review");
  const urlOf = (name: string) => database.url.replace("/postgres?", `/${name}?`);
  const given = { DATABASE_URL: urlOf("review"), SHADOW_DATABASE_URL: urlOf("shadow") };
  const review = (node: string, ...args: string[]) =>
    run(directory, node, [join(project.directory, "node_modules/.bin/graphile-migrate-review"), ...args], given);
  const [newest = "", oldest = ""] = nodes();
  expect(await review(newest, "commit", "--message", "a shop")).toContain("000001-a-shop.sql is committed.");
  await writeFile(join(directory, "migrations/current/1-current.sql"), "truncate shop.items;\n");
  await expect(review(oldest, "check")).rejects.toThrow(
    /refused +shop\.items is truncated.*Refused: truncate:shop\.items/s,
  );
  const [typed = ""] = await blocksOf(readme("packages/migration-review"), "ts");
  await checkTypes(project, {
    "review.config.ts": typed,
    "start.ts": `import { migrate, readMigrations } from "graphile-migrate-review/migrate";
      await migrate("postgres://", readMigrations("."));`,
  });
});

test.each(packages)("the tests of %s pass where nothing else of the repository is", async (folder) => {
  const clone = temporaryDirectory("alone");
  const workspaces = [folder, "packages/errors", "packages/support", "packages/testing"];
  for (const part of ["package.json", "tsconfig.json", ...workspaces])
    await cp(join(root, part), join(clone, part), { recursive: true });
  await mkdir(join(clone, "node_modules/@content-service"), { recursive: true });
  for (const entry of await readdir(join(root, "node_modules"), { withFileTypes: true })) {
    // The others are workspaces.
    if (entry.isDirectory() && entry.name !== "@content-service")
      await symlink(join(root, "node_modules", entry.name), join(clone, "node_modules", entry.name));
  }
  for (const workspace of workspaces) {
    const { name } = JSON.parse(await readFile(join(clone, workspace, "package.json"), "utf8"));
    await symlink(join(clone, workspace), join(clone, "node_modules", name));
  }
  await run(clone, "npm", ["test", "--workspace", folder]);
});

test("npm pack works in a clone, by folder and by workspace, and leaves it as it was", async () => {
  const clone = temporaryDirectory("clone");
  await symlink(join(root, "node_modules"), join(clone, "node_modules"));
  for (const part of ["package.json", "tsconfig.json", "tools/packages", "tools/support", "packages"])
    await cp(join(root, part), join(clone, part), { recursive: true });
  const filesIn = async (folder: string) => (await readdir(folder, { recursive: true })).sort();
  const folder = join(clone, "packages/caller-pool");
  const manifest = await readFile(join(folder, "package.json"), "utf8");
  const { version } = JSON.parse(manifest);
  const before = [await filesIn(folder), manifest];
  for (const [cwd, args] of [
    [folder, ["pack"]],
    [clone, ["pack", "--workspace", "packages/caller-pool"]],
  ] as const) {
    await run(cwd, "npm", [...args]);
    const archive = join(cwd, `pg-caller-pool-${version}.tgz`);
    expect((await run(cwd, "tar", ["-tzf", archive])).split("\n")).toContain("package/dist/index.js");
    await rm(archive);
    expect([await filesIn(folder), await readFile(join(folder, "package.json"), "utf8")]).toEqual(before);
  }
});

describe("examples/adopt", () => {
  testExample(
    () => project,
    () => database,
  );
});
