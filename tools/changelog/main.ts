import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { schemaChanges, undescribedChanges } from "./undescribed.ts";

/*
 * npm run changelog:check [-- --from <file or Git revision>]
 * Compares the schema of the last release with schema.graphql. Exits with 1 when the newest section of CHANGELOG.md lacks a change.
 */
const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

function formerSchema(from: string): string {
  if (existsSync(from)) return readFileSync(from, "utf8");
  return execFileSync("git", ["show", `${from}:schema.graphql`], { cwd: root, encoding: "utf8" });
}

const { from } = parseArgs({ options: { from: { type: "string" } } }).values;
const former = from === undefined ? read("tools/changelog/released.graphql") : formerSchema(from);
const undescribed = undescribedChanges(schemaChanges(former, read("schema.graphql")), read("CHANGELOG.md"));
for (const { name, description } of undescribed) console.log(`\`${name}\`: ${description}`);
if (undescribed.length > 0) process.exitCode = 1;
