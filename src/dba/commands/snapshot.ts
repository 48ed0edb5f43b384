import { mkdir, readFile, writeFile } from "node:fs/promises";
import { printApi } from "../../graphql/schema/printApi.ts";
import { projectRoot } from "../../migrations/gmrc.ts";
import { withClient } from "../../migrations/withClient.ts";
import { analyticsContract } from "../analyticsContract.ts";
import { dbtSources } from "../dbtSources.ts";
import { erDiagram } from "../erDiagram.ts";
import { apiLogin, rebuildShadow } from "../rebuildShadow.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { readSchema } from "./readSchema.ts";

export const apiFile = "schema.graphql";
export const analyticsFile = "migrations/snapshots/analytics.txt";
const sourcesFile = "migrations/snapshots/sources.yml";
const diagramFile = "docs/er.md";

/** `npm run db:snapshot`: writes the API, the analysts' views and the tables to files, `migrations/current` included. */
export const snapshotCommand: Command = {
  options: {},
  async run(databases) {
    const shadowUrl = requireShadow(databases);
    await rebuildShadow(shadowUrl);
    await writeSnapshots(shadowUrl);
  },
};

/** @param shadowUrl a database on which every migration has run */
export async function writeSnapshots(shadowUrl: string): Promise<void> {
  const { schema } = await readSchema(await apiLogin(shadowUrl));
  await write(apiFile, printApi(schema));
  await withClient(shadowUrl, async (client) => {
    await write(analyticsFile, await analyticsContract(client));
    await write(sourcesFile, await dbtSources(client));
    await write(diagramFile, await erDiagram(client));
  });
}

async function write(name: string, text: string): Promise<void> {
  const file = new URL(name, projectRoot);
  const before = await readFile(file, "utf8").catch(() => "");
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, text);
  console.log(before === text ? `${name} is unchanged.` : `${name} has changed: see git diff.`);
}
