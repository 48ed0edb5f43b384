import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type { Command } from "../Project.ts";

const notPreloaded = "55000";

/** `slow`: lists the statements that took the most time in this database, as pg_stat_statements has counted them. */
export const slowCommand: Command = {
  options: {},
  async run({ databases: { url }, output }) {
    const statements = await withClient(url, async (client) => {
      const { rows } = await client.query<{ schema: string }>(
        "select extnamespace::regnamespace::text as schema from pg_catalog.pg_extension where extname = 'pg_stat_statements'",
      );
      if (!rows[0]) throw new OperatorError(remedy);
      const found = await client.query<Counted>(topStatements(rows[0].schema)).catch((error) => {
        throw sqlStateOf(error) === notPreloaded ? new OperatorError(remedy) : error;
      });
      return found.rows;
    });
    output.log(
      statements.map(({ numbers, text }) => `${numbers}\n  ${text}`).join("\n\n") || "No statement has been counted.",
    );
    // pg_stat_statements shows this in place of other users' statements.
    if (statements.some(({ text }) => text === "<insufficient privilege>")) {
      output.log(
        "\nThe statements of other logins are hidden. A superuser shows them: grant pg_read_all_stats to the owner",
      );
    }
  },
};

const remedy =
  "This database does not count its statements. Add pg_stat_statements to shared_preload_libraries, restart PostgreSQL, and run " +
  "in this database: create extension pg_stat_statements.";

interface Counted {
  numbers: string;
  text: string;
}

/** The comment at the end of a statement may name the operation that was the first to run it, in sqlcommenter's format. */
const topStatements = (schema: string) => `
  select format('%s ms in %s calls (%s ms each), %s rows, %s blocks, as %s', round(total_exec_time), calls,
                round(mean_exec_time::numeric, 2), rows, shared_blks_hit + shared_blks_read, rolname)
         || coalesce(', in the operation ' || substring(query from '/\\*operation=''(\\w+)''\\*/$'), '') as numbers,
         left(regexp_replace(query, '\\s+', ' ', 'g'), 300) as text
    from ${schema}.pg_stat_statements
    left join pg_catalog.pg_roles on pg_roles.oid = userid
   where dbid = (select oid from pg_catalog.pg_database where datname = current_database())
   order by total_exec_time desc
   limit 10`;
