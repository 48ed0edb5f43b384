import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { printApi } from "../../graphql/schema/printApi.ts";
import { migrateCurrent } from "../../migrations/migrate.ts";
import { withClient } from "../../migrations/withClient.ts";
import { analyticsContract } from "../analyticsContract.ts";
import { dbtSources } from "../dbtSources.ts";
import { erDiagram } from "../erDiagram.ts";
import { functionPages } from "../functionPages.ts";
import { schemaPages } from "../schemaPages.ts";
import { apiLogin, resetShadow, withShadow } from "../shadow.ts";
import type { Command, Context } from "./command.ts";
import { readSchema } from "./readSchema.ts";

export const apiFile = "schema.graphql";
export const analyticsFile = "migrations/snapshots/analytics.txt";
const sourcesFile = "migrations/snapshots/sources.yml";
const diagramFile = "docs/er.md";
const pagesFolder = "migrations/schema";

/** `npm run db:snapshot`: writes the API, the analysts' views and the tables to files, `migrations/current` included. */
export const snapshotCommand: Command = {
  options: {},
  run: (context) =>
    withShadow(context, async (shadowUrl) => {
      const migrations = join(context.directory, "migrations");
      await resetShadow(shadowUrl, migrations);
      await migrateCurrent(shadowUrl, migrations);
      return writeSnapshots(context, shadowUrl);
    }),
};

/** @param shadowUrl a database on which every migration has run */
export async function writeSnapshots(context: Context, shadowUrl: string): Promise<undefined> {
  const { schema } = await readSchema(await apiLogin(shadowUrl, context.environment));
  await write(context, apiFile, printApi(schema));
  await withClient(shadowUrl, async (client) => {
    await write(context, analyticsFile, await analyticsContract(client));
    await write(context, sourcesFile, await dbtSources(client));
    await write(context, diagramFile, await erDiagram(client));
    await writePages(context, await schemaPages(client));
  });
  await writePages(context, await functionPages(join(context.directory, "migrations")));
}

/** Writes pages of `migrations/schema/`, and deletes those in the same folders that have no table or subject any more. */
async function writePages(context: Context, pages: Map<string, string>): Promise<void> {
  const folder = join(context.directory, pagesFolder);
  const kinds = new Set([...pages.keys()].map((name) => extname(name)));
  const found = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of found) if (kinds.has(extname(name)) && !pages.has(name)) await rm(join(folder, name));
  for (const [name, text] of pages) await write(context, join(pagesFolder, name), text);
}

async function write({ directory, output }: Context, name: string, text: string): Promise<void> {
  const file = join(directory, name);
  const before = await readFile(file, "utf8").catch(() => "");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  output.log(before === text ? `${name} is unchanged.` : `${name} has changed: see git diff.`);
}
