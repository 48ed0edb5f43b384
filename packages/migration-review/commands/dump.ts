import { readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type { ClientBase } from "pg";
import { requireProgram, runProgram } from "../clientPrograms.ts";
import type { Command } from "../Project.ts";

/** The files of a dump beside pg_dump's archive: what the archive leaves out, and whose objects it has. */
export const serverFile = "server.sql";
export const ownerFile = "owner.txt";
const serverScript = readFileSync(new URL("serverScript.sql", import.meta.url), "utf8");

/** Reads the script for psql with what pg_dump leaves out: roles, memberships, settings and rights on the database. */
export async function readServerScript(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ line: string }>(serverScript);
  return `${rows.map(({ line }) => line).join("\n")}\n`;
}

/**
 * `dump <directory>`: dumps the database with pg_dump, in its directory format, and with what pg_dump leaves
 * out. The directory is readable for its owner only: it has password hashes and drafts.
 */
export const dumpCommand: Command = {
  options: {},
  arguments: ["a new directory"],
  async run({ commandLine, databases: { url }, environment, output }, _options, [directory = ""]) {
    const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw new OperatorError(`${directory} cannot be used: ${error.message}`);
    });
    if (found.length > 0) throw new OperatorError(`${directory} is not empty. Name a new directory.`);
    const { version, owner, script } = await withClient(url, async (client) => {
      const { rows } = await client.query<{ version: number; owner: string }>(
        "select current_setting('server_version_num')::int / 10000 as version, current_user as owner",
      );
      return { ...(rows[0] as (typeof rows)[number]), script: await readServerScript(client) };
    });
    requireProgram("pg_dump", environment, version);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Rows of unlogged tables are of one server.
    const options = ["--format=directory", `--file=${directory}`, "--no-unlogged-table-data"];
    const status = await runProgram("pg_dump", environment, url, options);
    if (status !== 0) throw new OperatorError("pg_dump has failed: the dump is not complete.");
    await writeFile(join(directory, serverFile), script, {
      mode: 0o600,
    });
    await writeFile(join(directory, ownerFile), owner, { mode: 0o600 });
    output.log(
      `${directory} has the database. It contains secrets. ${commandLine(`restore ${directory}`)} restores it.`,
    );
  },
};
