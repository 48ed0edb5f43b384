import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { StartError } from "@content-service/support/StartError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type { Command } from "./command.ts";

const notPreloaded = "55000";
const statementsShown = 10;
/** What pg_stat_statements shows in place of other users' statements. */
const hidden = "<insufficient privilege>";

/** `npm run db:slow`: lists the statements that took the most time in this database, as pg_stat_statements has counted them. */
export const slowCommand: Command = {
  options: {},
  async run({ databases: { url }, output }) {
    const statements = await withClient(url, async (client) => {
      const { rows } = await client.query<{ schema: string }>(
        "select extnamespace::regnamespace::text as schema from pg_catalog.pg_extension where extname = 'pg_stat_statements'",
      );
      if (!rows[0]) return undefined;
      const found = await client.query<Counted>(topStatements(rows[0].schema), [statementsShown]).catch((error) => {
        if (sqlStateOf(error) === notPreloaded) return undefined;
        throw error;
      });
      return found?.rows;
    });
    if (!statements) throw new StartError(remedy);
    output.log(statements.map(print).join("\n\n") || "No statement has been counted.");
    if (statements.some(({ text }) => text === hidden)) {
      output.log(
        "\nThe statements of other logins are hidden. A superuser shows them: grant pg_read_all_stats to the owner",
      );
    }
  },
};

const remedy =
  "This database does not count its statements. Add pg_stat_statements to shared_preload_libraries, restart PostgreSQL, and run " +
  "in this database: create extension pg_stat_statements (docs/database.md).";

interface Counted {
  text: string;
  operation: string | null;
  login: string;
  calls: string;
  rows: string;
  /** Milliseconds. */
  total: string;
  mean: string;
  /** Blocks of 8 KB, from memory and from disk. */
  blocks: string;
}

/** The comment at the end of a statement names the operation that was the first to run it: packages/caller-pool/nameOperation.ts. */
const topStatements = (schema: string) => `
  select regexp_replace(query, '\\s+', ' ', 'g') as text,
         substring(query from '/\\*operation=''(\\w+)''\\*/$') as operation,
         coalesce(rolname, '') as login, calls, rows,
         round(total_exec_time)::text as total, round(mean_exec_time::numeric, 2) as mean,
         shared_blks_hit + shared_blks_read as blocks
    from ${schema}.pg_stat_statements
    left join pg_catalog.pg_roles on pg_roles.oid = userid
   where dbid = (select oid from pg_catalog.pg_database where datname = current_database())
   order by total_exec_time desc
   limit $1`;

function print({ text, operation, login, calls, rows, total, mean, blocks }: Counted): string {
  const numbers = `${total} ms in ${calls} calls (${mean} ms each), ${rows} rows, ${blocks} blocks`;
  return `${numbers}, as ${login}${operation ? `, in the operation ${operation}` : ""}\n  ${text.slice(0, 300)}`;
}
