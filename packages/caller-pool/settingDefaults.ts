import { withClient } from "@content-service/support/withClient.ts";

/**
 * Reads which settings a login may set and may change what statements return or do, with PostgreSQL's defaults, by name. As `settings` of a
 * pool they keep `alter database … set` and `alter role … set` away from its connections. Not among them is what PostgreSQL's driver or the
 * pool sets, where data is stored, time limits, and `default_transaction_read_only`, by which an operator stops writes.
 *
 * @throws when the database cannot be reached, or refuses the login
 */
export function settingDefaults(connectionString: string): Promise<Record<string, string>> {
  return withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ name: string; value: string }>(defaults);
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  });
}

const defaults = `
  select name, boot_val as value
    from pg_catalog.pg_settings
   where context = 'user' and boot_val is not null
     and (category in ('Client Connection Defaults / Locale and Formatting', 'Client Connection Defaults / Other Defaults',
                       'Client Connection Defaults / Statement Behavior', 'Error Handling')
          or category like 'Version and Platform Compatibility / %')
     and name !~ '^(client|createrole|gin_pending|transaction|vacuum)_|_(access_method|compression|read_only|timeout)$|tablespaces?$'`;
