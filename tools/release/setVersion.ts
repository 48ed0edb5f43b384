import { execFileSync } from "node:child_process";
import { copyFileSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { releaseSection } from "./releaseSection.ts";

/*
 * The script `version` of `npm version 1.2.3`, which has changed the root's package.json and package-lock.json, and then commits
 * and tags what is staged. The service and all packages have one version.
 */
const { npm_old_version: former = "", npm_new_version: version = "" } = process.env;
/** Files that repeat the version besides the workspaces' package.json. */
const repeating = [
  "packages/change-feed/changeFeedPlugin.ts",
  "plugins/support/version.ts",
  "examples/adopt/package.json",
];

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
const editJson = (path: string, change: (content: ReturnType<typeof JSON.parse>) => void) =>
  edit(path, (text) => {
    const content = JSON.parse(text);
    change(content);
    return `${JSON.stringify(content, null, 2)}\n`;
  });

const workspaces = globSync(JSON.parse(readFileSync("package.json", "utf8")).workspaces as string[]);
for (const workspace of workspaces)
  editJson(`${workspace}/package.json`, (manifest) => {
    manifest.version = version;
  });
editJson("package-lock.json", ({ packages }) => {
  for (const workspace of workspaces) packages[workspace].version = version;
});
for (const path of repeating)
  edit(path, (text) => {
    if (!text.includes(former)) throw new Error(`${path} does not have the version ${former}`);
    return text.replaceAll(former, version);
  });

const day = new Date().toISOString().slice(0, 10);
edit("CHANGELOG.md", (text) => releaseSection(text, version, day));
for (const path of globSync(workspaces.map((workspace) => `${workspace}/CHANGELOG.md`)))
  edit(path, (text) => releaseSection(text, version, day, "Nothing but the version has changed."));
copyFileSync("schema.graphql", "tools/changelog/released.graphql");
execFileSync("git", ["add", "--update"]);
