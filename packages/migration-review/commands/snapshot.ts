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
  const files = new Map<string, string>();
  if (api) {
    const schema = made ?? (await api.readSchema(shadowUrl, environment)).schema;
    files.set(api.file, printApi(schema));
    for (const [path, text] of (await api.snapshots?.(schema)) ?? []) files.set(path, text);
  }
  const haveChanged = await withClient(shadowUrl, async (client) => {
    for (const [name, text] of (await project.snapshots?.(client, directory)) ?? []) files.set(name, text);
    const pagesHaveChanged = await writePages(context, await makePages(client, context));
    return (await writeFiles(context, files)) || pagesHaveChanged;
  });
  if (!haveChanged) context.output.log("The snapshots are unchanged.");
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

/** Writes the pages of `migrations/schema/`, and deletes those that have no table or subject any more. @returns whether one has changed */
export async function writePages(context: Place, pages: Map<string, string>): Promise<boolean> {
  const folder = join(context.directory, pagesFolder);
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of found) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !pages.has(relative(folder, file))) await rm(file);
  }
  return writeFiles(context, new Map([...pages].map(([name, text]) => [join(pagesFolder, name), text])));
}

/** Writes what has changed, and names it. @returns whether anything has */
async function writeFiles({ directory, output }: Place, files: Map<string, string>): Promise<boolean> {
  let haveChanged = false;
  for (const [name, text] of files) {
    const file = join(directory, name);
    if (text === (await readFile(file, "utf8").catch(() => undefined))) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    output.log(`${name} has changed: see git diff.`);
    haveChanged = true;
  }
  return haveChanged;
}
