import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { printApi } from "@content-service/support/printApi.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type { GraphQLSchema } from "graphql";
import type { ClientBase } from "pg";
import { migrateCurrent } from "../migrations/migrate.ts";
import { apiLogin, resetShadow, withShadow } from "../shadow.ts";
import { analyticsContract, dbtSources, readAnalystViews } from "../snapshots/analystViews.ts";
import { erDiagram } from "../snapshots/erDiagram.ts";
import { functionPages, schemaPages } from "../snapshots/schemaPages.ts";
import { readTables } from "../snapshots/tables.ts";
import type { Command, Context } from "./command.ts";

export const apiFile = "schema.graphql";
const analyticsFile = "migrations/snapshots/analytics.txt";
const sourcesFile = "migrations/snapshots/sources.yml";
const diagramFile = "docs/er.md";
const pagesFolder = "migrations/schema";

/** The checkout to write to, and where to say so. */
type Place = Pick<Context, "directory" | "output">;

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

/**
 * @param shadowUrl a database on which every migration has run
 * @param made the API of these migrations, if it has been built
 */
export async function writeSnapshots(context: Context, shadowUrl: string, made?: GraphQLSchema): Promise<undefined> {
  const read = async () => context.service.readSchema(await apiLogin(shadowUrl, context.environment));
  await write(context, apiFile, printApi(made ?? (await read()).schema));
  await withClient(shadowUrl, async (client) => {
    const views = await readAnalystViews(client);
    await write(context, analyticsFile, analyticsContract(views));
    await write(context, sourcesFile, dbtSources(views));
    await write(context, diagramFile, erDiagram(await readTables(client)));
    await writePages(context, await makePages(client, context.directory));
  });
}

/** The pages of `migrations/schema/`: the tables of a database, and the functions of a checkout. */
export async function makePages(client: ClientBase, directory: string): Promise<Map<string, string>> {
  return new Map([...schemaPages(await readTables(client)), ...(await functionPages(join(directory, "migrations")))]);
}

/** Writes the pages of `migrations/schema/`, and deletes those that have no table or subject any more. */
export async function writePages(context: Place, pages: Map<string, string>): Promise<void> {
  const folder = join(context.directory, pagesFolder);
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of found) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !pages.has(relative(folder, file))) await rm(file);
  }
  for (const [name, text] of pages) await write(context, join(pagesFolder, name), text);
}

async function write({ directory, output }: Place, name: string, text: string): Promise<void> {
  const file = join(directory, name);
  const before = await readFile(file, "utf8").catch(() => "");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  output.log(before === text ? `${name} is unchanged.` : `${name} has changed: see git diff.`);
}
