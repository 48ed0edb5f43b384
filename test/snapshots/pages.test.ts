import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withClient } from "@content-service/support/withClient.ts";
import { writePages } from "../../packages/migration-review/commands/snapshot.ts";
import { schemaPages } from "../../packages/migration-review/snapshots/schemaPages.ts";
import { readTables } from "../../packages/migration-review/snapshots/tables.ts";
import { useDatabase } from "../support/database.ts";

/* migrations/schema/ shows each table as it is. */
const directory = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(directory, "migrations/schema");
const database = useDatabase();

test("the pages of tables are current (npm run snapshots writes them)", async () => {
  const pages = schemaPages(await withClient(database.ownerUrl, readTables));
  if (process.env.WRITE_SNAPSHOTS === "1") await writePages({ directory, output: console }, pages);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ parentPath, name }) => join(parentPath, name)).sort()).toEqual(
    [...pages.keys()].map((name) => join(folder, name)).sort(),
  );
  for (const [name, text] of pages) expect(readFileSync(join(folder, name), "utf8")).toBe(text);
});
