import { reset } from "graphile-migrate";
import { parse } from "pg-connection-string";
import { migrateSettings } from "../../migrations/migrate.ts";
import { createRoles } from "../../migrations/roles.ts";
import { loadSampleContent } from "../../migrations/sampleContent.ts";
import { withClient } from "../../migrations/withClient.ts";
import { StartError } from "../../support/StartError.ts";
import type { Command } from "./command.ts";

/** `npm run db:reset -- --erase`: drops the database, and rebuilds it from the committed migrations. */
export const resetCommand: Command = {
  options: { erase: { type: "boolean" } },
  async run({ url, isEmbedded }, { erase }) {
    const name = parse(url).database;
    if (!erase) {
      throw new StartError(
        `This drops the database ${name} with all its data. If that is what you want: npm run db:reset -- --erase`,
      );
    }
    if (process.env.NODE_ENV === "production") throw new StartError("db:reset does not run in production.");
    const clients = await otherClients(url);
    if (clients.length > 0) {
      throw new StartError(`Others are using the database ${name}: ${clients.join("; ")}. Stop them first.`);
    }
    await createRoles(url);
    await reset(migrateSettings(url));
    if (isEmbedded) await loadSampleContent(url);
    console.log(`${name} is rebuilt${isEmbedded ? ", with sample content" : ""}.`);
  },
};

async function otherClients(url: string): Promise<string[]> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ client: string }>(
      `select distinct format('%s as %s', coalesce(nullif(application_name, ''), 'a connection'), usename) as client
         from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    ),
  );
  return rows.map(({ client }) => client);
}
