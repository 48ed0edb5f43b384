import { OperatorError } from "@content-service/support/OperatorError.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { reset } from "../migrations/graphileMigrate.ts";
import { runMigrations } from "../migrations/migrate.ts";
import type { Command, Context } from "../Project.ts";

/** The database that would be dropped, as its server describes it. */
interface Target {
  name: string;
  host: string;
  /** Estimates for the largest tables. */
  rows: string;
  clients: string[];
  canCreate: boolean;
}

/** `reset`: drops the database, and rebuilds it from the committed migrations, once its name is confirmed. */
export const resetCommand: Command = {
  options: { erase: { type: "string" } },
  async run(context, { erase }) {
    const { databases, migrations, output, project } = context;
    const { url, isEmbedded } = databases;
    const name = await confirmErase(context, erase, "reset");
    await withClient(url, async (owner) => project.prepareServer?.(owner));
    await requireSession(url);
    await runMigrations(url, migrations, (settings) => reset(settings));
    const sample = isEmbedded ? project.sampleContent : undefined;
    await sample?.load(url);
    output.log(`${name} is rebuilt${sample ? ", with sample content" : ""}.`);
  },
};

/**
 * Asks for the name of a database before it is dropped.
 *
 * @param erase the value of `--erase`
 * @param command the command, to which `--erase` can be added
 * @returns the database's name
 * @throws OperatorError when it is not confirmed, or cannot be dropped and created again
 */
export async function confirmErase(
  { commandLine, databases, ask }: Context,
  erase: unknown,
  command: string,
): Promise<string> {
  const { name, host, rows, clients, canCreate } = await describe(databases.url);
  const summary = `the database ${name} on ${host} with all its rows (${rows})`;
  const confirmed = typeof erase === "string" ? erase : await ask?.(`This drops ${summary}.\nType its name to go on: `);
  if (confirmed !== name) {
    throw new OperatorError(
      `This drops ${summary}. If that is what you want: ${commandLine(`${command} --erase ${name}`)}`,
    );
  }
  if (clients.length > 0) {
    throw new OperatorError(`Others are using the database ${name}: ${clients.join("; ")}. Stop them first.`);
  }
  if (!canCreate) {
    throw new OperatorError(
      `The owner of ${name} may not create databases, so it is not dropped: alter role … createdb`,
    );
  }
  return name;
}

async function describe(url: string): Promise<Target> {
  return withClient(url, async (client) => {
    // Only a superuser sees the type of the backend of another login.
    const { rows } = await client.query<Target>(`
      select current_database() as name,
             coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'the local socket') as host,
             (select rolsuper or rolcreatedb from pg_catalog.pg_roles where rolname = current_user) as "canCreate",
             array(select distinct format('%s as %s', coalesce(nullif(application_name, ''), 'a connection'), usename)
                     from pg_catalog.pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()
                      and usesysid is not null and coalesce(backend_type, 'client backend') = 'client backend') as clients,
             coalesce((select string_agg(format('about %s in %s', n_live_tup, relname), ', ')
                         from (select * from pg_catalog.pg_stat_user_tables where schemaname <> 'graphile_migrate'
                                order by n_live_tup desc, relname limit 5) as largest), 'no rows') as rows`);
    return rows[0] as Target;
  });
}
