import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { functionPages } from "../../src/dba/functionPages.ts";
import { schemaPages } from "../../src/dba/schemaPages.ts";
import { withClient } from "../../src/migrations/withClient.ts";
import { useDatabase } from "../support/database.ts";

/* migrations/schema/ shows each table as it is, and the functions of each subject. */
const folder = new URL("../../migrations/schema/", import.meta.url);
const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));
const database = useDatabase();

test("the pages of tables and functions are current (npm run snapshots writes them)", async () => {
  const tables = await withClient(database.ownerUrl, schemaPages);
  const pages = new Map([...tables, ...(await functionPages(migrations))]);
  if (process.env.WRITE_SNAPSHOTS === "1") write(pages);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ parentPath, name }) => join(parentPath, name)).sort()).toEqual(
    [...pages.keys()].map((name) => fileURLToPath(new URL(name, folder))).sort(),
  );
  for (const [name, text] of pages) expect(readFileSync(new URL(name, folder), "utf8")).toBe(text);
});

function write(pages: Map<string, string>): void {
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  for (const [name, text] of pages) {
    const file = fileURLToPath(new URL(name, folder));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
