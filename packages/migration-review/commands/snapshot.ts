import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { printApi } from "@content-service/support/printApi.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type { GraphQLSchema } from "graphql";
import type { ClientBase } from "pg";
import { migrateCurrent } from "../migrations/migrate.ts";
import type { Command, Context } from "../Project.ts";
import { schemasOf } from "../schemas.ts";
import { resetShadow, withShadow } from "../shadow.ts";
import { functionPages, schemaPages } from "../snapshots/schemaPages.ts";
import { readTables } from "../snapshots/tables.ts";

const pagesFolder = "migrations/schema";

/** The checkout to write to, and where to say so. */
type Place = Pick<Context, "directory" | "output">;

/** `snapshot`: writes the API and the tables to files, and what the project adds, `migrations/current` included. */
export const snapshotCommand: Command = {
  options: {},
  run: (context) =>
    withShadow(context, async (shadowUrl) => {
      await resetShadow(shadowUrl, context);
      await migrateCurrent(shadowUrl, context.migrations);
      return writeSnapshots(context, shadowUrl);
    }),
};

/**
 * @param shadowUrl a database on which every migration has run
 * @param made the API of these migrations, if it has been built
 */
export async function writeSnapshots(context: Context, shadowUrl: string, made?: GraphQLSchema): Promise<undefined> {
  const { directory, environment, project } = context;
  const { api } = project;
  if (api) await write(context, api.file, printApi(made ?? (await api.readSchema(shadowUrl, environment)).schema));
  await withClient(shadowUrl, async (client) => {
    for (const [name, text] of (await project.snapshots?.(client, directory)) ?? []) await write(context, name, text);
    await writePages(context, await makePages(client, context));
  });
}

/** The pages of `migrations/schema/`: the tables of a database, and the functions of the project's files. */
export async function makePages(
  client: ClientBase,
  { migrations, commandLine, project }: Pick<Context, "migrations" | "commandLine" | "project">,
): Promise<Map<string, string>> {
  const tables = await readTables(client, await schemasOf(client, project));
  const mainSchema = project.api?.schema ?? "public";
  return new Map([
    ...schemaPages(tables, mainSchema, commandLine),
    ...(await functionPages(migrations.folder, commandLine)),
  ]);
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
