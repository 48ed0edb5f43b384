import { readFile } from "node:fs/promises";
import { withClient } from "@content-service/support/withClient.ts";

const sampleContent = new URL("sample-content.sql", import.meta.url);

/** All users of the sample content have this password. Of these users, the second is an admin, and the third is new. */
export const sampleSignIns = {
  emails: ["ada@example.com", "noor@example.com", "lucia@example.com"],
  password: "sample password",
};

/** Loads sample content into a database that has no users yet, in one transaction. */
export async function loadSampleContent(ownerUrl: string, file: string | URL = sampleContent): Promise<void> {
  await withClient(ownerUrl, async (owner) => {
    const { rows } = await owner.query("select exists (select from app_public.users) as is_in_use");
    if (!rows[0].is_in_use) await owner.query(await readFile(file, "utf8"));
  });
}
