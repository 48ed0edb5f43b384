import { readFile } from "node:fs/promises";
import pg from "pg";

const file = new URL("sample-content.sql", import.meta.url);

/** Fills a database that nobody has written to yet with something to look at. Whole or not at all. */
export async function loadSampleContent(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const { rows } = await owner.query("select exists (select from app_public.users) as is_in_use");
    if (!rows[0].is_in_use) await owner.query(await readFile(file, "utf8"));
  } finally {
    await owner.end();
  }
}
