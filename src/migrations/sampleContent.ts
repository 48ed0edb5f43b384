import { readFile } from "node:fs/promises";
import { withClient } from "./withClient.ts";

const file = new URL("sample-content.sql", import.meta.url);

/** Loads sample content into a database that has no users yet, in one transaction. */
export async function loadSampleContent(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, async (owner) => {
    const { rows } = await owner.query("select exists (select from app_public.users) as is_in_use");
    if (!rows[0].is_in_use) await owner.query(await readFile(file, "utf8"));
  });
}
