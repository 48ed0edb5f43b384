import { readFile, writeFile } from "node:fs/promises";
import { printApi } from "../../graphql/schema/printApi.ts";
import { projectRoot } from "../../migrations/gmrc.ts";
import { ensureRoles } from "../../migrations/roles.ts";
import { withClient } from "../../migrations/withClient.ts";
import { analyticsContract } from "../analyticsContract.ts";
import { rebuildShadow } from "../rebuildShadow.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { readSchema } from "./readSchema.ts";

export const apiFile = "schema.graphql";
export const analyticsFile = "migrations/snapshots/analytics.txt";

/** `npm run db:snapshot`: writes the API's schema and the analysts' contract, `migrations/current` included. */
export const snapshotCommand: Command = {
  options: {},
  async run(databases) {
    const shadowUrl = requireShadow(databases);
    await rebuildShadow(shadowUrl);
    await writeSnapshots(shadowUrl);
  },
};

/** @param shadowUrl a database that has run every migration */
export async function writeSnapshots(shadowUrl: string): Promise<void> {
  const { schema } = await readSchema(await ensureRoles(shadowUrl));
  await write(apiFile, printApi(schema));
  await write(analyticsFile, await withClient(shadowUrl, analyticsContract));
}

async function write(name: string, text: string): Promise<void> {
  const file = new URL(name, projectRoot);
  const before = await readFile(file, "utf8").catch(() => "");
  await writeFile(file, text);
  console.log(before === text ? `${name} is unchanged.` : `${name} has changed: see git diff.`);
}
