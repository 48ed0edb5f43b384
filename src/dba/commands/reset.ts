import { reset } from "graphile-migrate";
import pg from "pg";
import { migrateSettings } from "../../migrations/migrate.ts";
import { loadSampleContent } from "../../migrations/sampleContent.ts";
import { StartError } from "../../support/StartError.ts";
import type { Command } from "./command.ts";

/** `npm run db:reset -- --erase`: drops the database, and makes it anew from what is committed. */
export const resetCommand: Command = {
  options: { erase: { type: "boolean" } },
  async run({ url, isEmbedded }, { erase }) {
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    if (!erase) {
      throw new StartError(
        `This drops the database ${name} with everything in it. If that is what you want: npm run db:reset -- --erase`,
      );
    }
    if (process.env.NODE_ENV === "production") throw new StartError("Production's database is not reset.");
    const others = await otherUsers(url);
    if (others.length > 0) {
      throw new StartError(`Others are using the database ${name}: ${others.join("; ")}. Stop them first.`);
    }
    await reset(migrateSettings(url));
    if (isEmbedded) await loadSampleContent(url);
    console.log(`${name} is made anew${isEmbedded ? ", with sample content" : ""}.`);
  },
};

async function otherUsers(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ who: string }>(
      `select distinct format('%s as %s', coalesce(nullif(application_name, ''), 'a connection'), usename) as who
         from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    return rows.map(({ who }) => who);
  } finally {
    await client.end();
  }
}
