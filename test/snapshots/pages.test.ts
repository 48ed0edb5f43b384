import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withClient } from "@content-service/support/withClient.ts";
import { makePages, writePages } from "../../packages/migration-review/commands/snapshot.ts";
import { project } from "../../src/commands/project.ts";
import { commandLine, migrationsIn } from "../../src/database/migrations.ts";
import { useDatabase } from "../support/database.ts";

/* migrations/schema/ shows each table as it is, and the functions of each subject. */
const directory = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(directory, "migrations/schema");
const database = useDatabase();

test("the pages of tables and functions are current (npm run snapshots writes them)", async () => {
  const pages = await withClient(database.ownerUrl, (client) =>
    makePages(client, { migrations: migrationsIn(), commandLine, project }),
  );
  if (process.env.WRITE_SNAPSHOTS === "1") await writePages({ directory, output: console }, pages);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ parentPath, name }) => join(parentPath, name)).sort()).toEqual(
    [...pages.keys()].map((name) => join(folder, name)).sort(),
  );
  for (const [name, text] of pages) expect(readFileSync(join(folder, name), "utf8")).toBe(text);
});
