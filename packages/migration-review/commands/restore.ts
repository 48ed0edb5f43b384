import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { parse } from "pg-connection-string";
import { requireProgram, runProgram, scriptArguments } from "../clientPrograms.ts";
import { rootOf } from "../migrations/migrate.ts";
import type { Command, Context } from "../Project.ts";
import { ownerFile, serverFile } from "./dump.ts";
import { confirmErase } from "./reset.ts";

const invalidCatalogName = "3D000";

/**
 * `restore <directory>`: restores a dump of `dump` into the database, which is created when it does not
 * exist. A database with content is dropped first, once its name is confirmed.
 */
export const restoreCommand: Command = {
  options: { erase: { type: "string" } },
  arguments: ["the directory of a dump"],
  async run(context, { erase }, [directory = ""]) {
    const { commandLine, environment, output, project } = context;
    const { url } = context.databases;
    const dumpOwner = await readFile(join(directory, ownerFile), "utf8").catch((error: Error) => {
      throw new OperatorError(`${directory} has no dump of ${commandLine("dump")}: ${error.message}`);
    });
    for (const program of ["pg_restore", "psql"] as const) requireProgram(program, environment);
    const rootUrl = rootOf(url);
    await makeEmpty(context, rootUrl, directory, erase);
    await withClient(url, async (owner) => project.prepareServer?.(owner));
    await run("psql", environment, url, scriptArguments(join(directory, serverFile)));
    const [owner] = await select(url, "select current_user as name");
    const args = ["--exit-on-error", "--single-transaction", directory];
    if (owner?.["name"] === dumpOwner) await run("pg_restore", environment, url, args);
    else await restoreAsAnother(environment, url, directory, args);
    await withClient(url, (client) => client.query("analyze"));
    output.log(
      `${parse(url).database} is restored from ${directory}. ${commandLine("status")} says which migrations it lacks.`,
    );
  },
};

/** Everything becomes the property of the new owner, and the default privileges of the old one are server.sql's to restore. */
async function restoreAsAnother(
  environment: NodeJS.ProcessEnv,
  url: string,
  directory: string,
  args: string[],
): Promise<void> {
  const { stdout } = spawnSync("pg_restore", ["--list", directory], {
    encoding: "utf8",
    env: environment,
    maxBuffer: 100_000_000,
  });
  const folder = await mkdtemp(join(tmpdir(), "graphile-migrate-review-"));
  const list = join(folder, "list");
  try {
    await writeFile(
      list,
      stdout
        .split("\n")
        .filter((line) => !/^\d+; \d+ \d+ DEFAULT ACL /.test(line))
        .join("\n"),
    );
    await run("pg_restore", environment, url, ["--no-owner", `--use-list=${list}`, ...args]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function run(
  program: "psql" | "pg_restore",
  environment: NodeJS.ProcessEnv,
  url: string,
  args: string[],
): Promise<void> {
  if ((await runProgram(program, environment, url, args)) === 0) return;
  throw new OperatorError(`${program} has failed, and nothing of the dump is in ${parse(url).database}.`);
}

/** Creates the database, or empties it, unless it is there without any content. */
async function makeEmpty(context: Context, rootUrl: string, directory: string, erase: unknown): Promise<void> {
  const { url } = context.databases;
  const name = pg.escapeIdentifier(parse(url).database ?? "");
  const content = await select(url, findContent).catch((error) => {
    if (sqlStateOf(error.cause) === invalidCatalogName) return undefined;
    throw error;
  });
  if (content?.length === 0) return;
  if (content) {
    await confirmErase(context, erase, `restore ${directory}`);
    await select(rootUrl, `drop database ${name}`);
  }
  await select(rootUrl, `create database ${name}`);
}

/** Returns a row when the database has content. */
export const findContent = `
  select from pg_catalog.pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema$)' limit 1`;

async function select(url: string, text: string): Promise<Record<string, unknown>[]> {
  return withClient(url, async (client) => (await client.query(text)).rows);
}
