import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDatabases } from "graphile-migrate-review";
import pg from "pg";
import { project } from "../../src/commands/project.ts";
import { exportView, type Format } from "./exportView.ts";

/*
 * npm run analytics:export -- --format parquet --view totals_by_day --view tags --out exports --url postgres://jane@db.example.com/content
 *
 * Writes views of schema analytics to files, all of them unless --view names some. Without --url, DATABASE_URL or the embedded database.
 */
const usage =
  "npm run analytics:export -- --format csv|parquet [--view <name>]… [--out <directory>] [--url <connection string>]";

function readOptions() {
  const { values } = parseArgs({
    options: {
      format: { type: "string", default: "csv" },
      view: { type: "string", multiple: true, default: [] },
      out: { type: "string", default: "exports" },
      url: { type: "string" },
    },
  });
  if (values.format !== "csv" && values.format !== "parquet") throw new Error(`--format is csv or parquet. ${usage}`);
  return { ...values, format: values.format as Format };
}

async function viewsToExport(client: pg.Client, wanted: string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select viewname as name from pg_catalog.pg_views where schemaname = 'analytics' order by 1",
  );
  const known = rows.map(({ name }) => name);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`No view ${unknown.join(", ")}. There are ${known.join(", ")}.`);
  return wanted.length > 0 ? wanted : known;
}

async function main(): Promise<void> {
  const { format, view, out, url } = readOptions();
  const databases = url ? undefined : await openDatabases(process.env, project);
  const client = new pg.Client({ connectionString: url ?? databases?.url });
  try {
    await client.connect();
    // One snapshot for all files, so that their numbers fit together.
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local timezone = 'UTC'; set local statement_timeout = '15min'");
    // PostgreSQL 17 has it, and an analyst's is for one question.
    await client.query("select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'");
    await mkdir(out, { recursive: true });
    for (const name of await viewsToExport(client, view)) {
      const file = join(out, `${name}.${format}`);
      await exportView(client, name, format, file);
      console.log(file);
    }
  } finally {
    await client.end();
    await databases?.close();
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
