import { readFile, writeFile } from "node:fs/promises";
import pg from "pg";
import { printApi } from "../../graphql/schema/printApi.ts";
import { projectRoot } from "../../migrations/gmrc.ts";
import { ensureRoles } from "../../migrations/roles.ts";
import { analyticsContract } from "../analyticsContract.ts";
import { makeShadow } from "../shadow.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { readSchema } from "./readSchema.ts";

export const apiFile = "schema.graphql";
export const analyticsFile = "migrations/snapshots/analytics.txt";

/** `npm run db:snapshot`: writes down what the API and the analysts' views are with every migration, the current one too. */
export const snapshotCommand: Command = {
  options: {},
  async run(databases) {
    const shadowUrl = requireShadow(databases);
    await makeShadow(shadowUrl);
    await writeSnapshots(shadowUrl);
  },
};

/** @param shadowUrl a database that every migration has run on */
export async function writeSnapshots(shadowUrl: string): Promise<void> {
  const { schema } = await readSchema(await ensureRoles(shadowUrl));
  await write(apiFile, printApi(schema));
  await write(analyticsFile, await readContract(shadowUrl));
}

async function readContract(shadowUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: shadowUrl });
  await client.connect();
  try {
    return await analyticsContract(client);
  } finally {
    await client.end();
  }
}

async function write(name: string, text: string): Promise<void> {
  const file = new URL(name, projectRoot);
  const before = await readFile(file, "utf8").catch(() => "");
  await writeFile(file, text);
  console.log(before === text ? `${name} is as it was.` : `${name} is written: git diff shows what changes.`);
}
