import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg, { type Client } from "pg";
import { forLibpq, requireProgram, runProgram, scriptArguments } from "../clientPrograms.ts";
import type { Command, Context } from "../Project.ts";
import { readServerScript } from "./dump.ts";
import { findContent } from "./restore.ts";

const pauseMs = 50;
/** The longest time without writes before the switch is given up. */
const catchUpMs = 60_000;

/** The server that takes writes, and the one that follows it. */
interface Pair {
  context: Context;
  from: Client;
  to: Client;
  fromUrl: string;
  toUrl: string;
  /** The name of the publication, the subscription and its slot: slots of all databases of a server share their names. */
  name: string;
  /** The same for the other direction. */
  back: string;
}

/**
 * `upgrade --to <url>`: moves the database to a server of another version by logical replication. The first run copies the content and
 * follows it; `--switch` makes the follower the server that takes writes, and the former one its follower; `--end` ends the following.
 */
export const upgradeCommand: Command = {
  options: { to: { type: "string" }, switch: { type: "boolean" }, end: { type: "boolean" } },
  async run(context, { to: toUrl, switch: switches, end }) {
    const { commandLine, databases } = context;
    const fromUrl = databases.url;
    if (typeof toUrl !== "string")
      throw new OperatorError(`Name the other server: ${commandLine("upgrade --to <connection string>")}`);
    await withClient(fromUrl, (from) =>
      withClient(toUrl, async (to) => {
        const [one, other] = [await begin(from), await begin(to)];
        if (one.server === other.server) throw new OperatorError("Both connection strings are of the same server.");
        const pair = {
          context,
          from,
          to,
          fromUrl,
          toUrl,
          name: `upgrade_${one.database}`,
          back: `upgrade_${other.database}`,
        };
        if (switches) await switchOver(pair);
        else if (end) await endFollowing(pair);
        else await follow(pair, one.version);
      }),
    );
  },
};

async function begin(client: Client): Promise<{ version: number; database: string; server: string }> {
  // The texts of rows are compared, so both sessions have to print them alike.
  await client.query(`set default_transaction_read_only = off; set search_path = ''; set timezone = 'UTC'; set datestyle = 'ISO';
    set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'; set lc_monetary = 'C'; set statement_timeout = 0`);
  const [{ superuser, level }] = await select(
    client,
    "select current_setting('is_superuser')::boolean as superuser, current_setting('wal_level') as level",
  );
  if (!superuser) throw new OperatorError("Both connection strings have to be those of a superuser.");
  if (level !== "logical")
    throw new OperatorError(`${client.host}:${client.port} needs wal_level = 'logical', and a restart for it.`);
  const [found] = await select(
    client,
    `select current_setting('server_version_num')::int / 10000 as version, oid::text as database, system_identifier::text as server
       from pg_catalog.pg_database, pg_catalog.pg_control_system() where datname = current_database()`,
  );
  return found;
}

async function follow(pair: Pair, version: number): Promise<void> {
  const { context, from, to, fromUrl, name } = pair;
  if (!(await isFollowing(pair))) {
    const unfit = await select(from, findTablesWithoutIdentity);
    if (unfit.length > 0)
      throw new OperatorError(
        `These tables have no primary key, so their updates cannot be replicated: ${unfit.map((row: { name: string }) => row.name).join(", ")}. ` +
          "Give them one, or: alter table … replica identity full",
      );
    if ((await select(to, findContent)).length > 0)
      throw new OperatorError(
        "The database of --to is not empty. Create a new one, with the locale that it should have.",
      );
    await copySchema(pair, version);
    await from.query(`drop publication if exists ${name}`);
    await from.query(`create publication ${name} for all tables`);
    await subscribe(to, name, fromUrl, "copy_data = true");
  }
  const errors = await countErrors(pair);
  while ((await select(to, unreadyTables(name))).length > 0) {
    await requireNoErrors(pair, errors);
    await delay(pauseMs);
  }
  await to.query("analyze");
  context.output.log(
    `The content is copied, and changes follow. ${context.commandLine("upgrade --to <the same> --switch")} switches over. Until then, no migrations.`,
  );
}

/** Roles, settings and rights, and what pg_dump has, without rows. */
async function copySchema({ context, from, to, fromUrl, toUrl }: Pair, version: number): Promise<void> {
  const { environment, project } = context;
  requireProgram("pg_dump", environment, version);
  for (const program of ["pg_restore", "psql"] as const) requireProgram(program, environment);
  const folder = await mkdtemp(join(tmpdir(), "graphile-migrate-review-"));
  const run = async (program: "psql" | "pg_dump" | "pg_restore", url: string, args: string[]) => {
    if ((await runProgram(program, environment, url, args)) !== 0) throw new OperatorError(`${program} has failed.`);
  };
  try {
    const [server, schema] = [join(folder, "server.sql"), join(folder, "schema")];
    await writeFile(server, await readServerScript(from), { mode: 0o600 });
    await run("pg_dump", fromUrl, [
      "--schema-only",
      "--format=custom",
      "--no-publications",
      "--no-subscriptions",
      `--file=${schema}`,
    ]);
    await project.prepareServer?.(to);
    await run("psql", toUrl, scriptArguments(server));
    await run("pg_restore", toUrl, ["--exit-on-error", "--single-transaction", schema]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function switchOver(pair: Pair): Promise<void> {
  const { context, from, to, toUrl, name, back } = pair;
  if (!(await isFollowing(pair)) || (await select(to, unreadyTables(name))).length > 0)
    throw new OperatorError(
      `The server of --to does not have all content. Run first: ${context.commandLine("upgrade --to …")}`,
    );
  const began = performance.now();
  let tables: number;
  try {
    await setReadOnly(from, "on");
    await untilWritesHaveEnded(from);
    await untilFollowerHasAll(pair);
    for (const { statement } of await select(from, readSequences)) await to.query(statement);
    for (const { statement } of await select(to, findMaterializedViews)) await to.query(statement);
    tables = await compare(from, to);
    // Nobody can write to either server, so that each may follow the other for a moment.
    await to.query(`create publication ${back} for all tables`);
    await subscribe(from, back, toUrl, "copy_data = false");
    await unsubscribe(pair);
  } catch (error) {
    await undo(
      () => from.query(`drop subscription if exists ${back}`),
      () => to.query(`drop publication if exists ${back}`),
      () => setReadOnly(from, "off"),
    );
    throw error;
  }
  await setReadOnly(to, "off");
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  context.output.log(
    `${tables} tables are equal in counts and checksums. ${seconds} s without writes until here: start the service with the new DATABASE_URL now.\n` +
      "The former server is read-only and follows. With both connection strings exchanged, --switch goes back, and --end lets go of it.",
  );
}

/** Runs each step, also after one that fails: the first error of the command is the one to tell. */
async function undo(...steps: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) await step().catch(() => {});
}

/** Waits for the transactions that began before the server was read-only. Their sessions are ended, which takes a moment. */
async function untilWritesHaveEnded(from: Client): Promise<void> {
  const findWriters = `select from pg_catalog.pg_stat_activity
    where datname = current_database() and backend_xid is not null and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  while ((await select(from, findWriters)).length > 0) await delay(pauseMs);
}

async function untilFollowerHasAll(pair: Pair): Promise<void> {
  const { from, name } = pair;
  const [{ end }] = await select(from, "select pg_current_wal_insert_lsn()::text as end");
  const errors = await countErrors(pair);
  const deadline = performance.now() + catchUpMs;
  while (true) {
    const [slot] = await select(
      from,
      `select confirmed_flush_lsn >= '${end}' as "hasAll", pg_size_pretty(pg_wal_lsn_diff('${end}', confirmed_flush_lsn)) as behind
         from pg_catalog.pg_replication_slots where slot_name = '${name}'`,
    );
    if (slot?.hasAll) return;
    await requireNoErrors(pair, errors);
    if (performance.now() > deadline)
      throw new OperatorError(
        `Nothing is switched over: after ${catchUpMs / 1000} s without writes, the server of --to still lacks ${slot?.behind ?? "changes"}. Its log says why.`,
      );
    await delay(pauseMs);
  }
}

async function endFollowing(pair: Pair): Promise<void> {
  if (!(await isFollowing(pair))) throw new OperatorError("The server of --to does not follow that of DATABASE_URL.");
  await unsubscribe(pair);
  pair.context.output.log("The servers are apart. That of --to stays read-only.");
}

async function isFollowing({ to, name }: Pair): Promise<boolean> {
  const found = await select(
    to,
    `select from pg_catalog.pg_subscription join pg_catalog.pg_database on pg_database.oid = subdbid
      where subname = '${name}' and datname = current_database()`,
  );
  return found.length > 0;
}

/** The follower takes no writes but those that it is sent. */
async function subscribe(follower: Client, name: string, url: string, options: string): Promise<void> {
  const connection = pg.escapeLiteral(forLibpq(url));
  await follower.query(`create subscription ${name} connection ${connection} publication ${name} with (${options})`);
  await setReadOnly(follower, "on");
}

async function unsubscribe({ from, to, name }: Pair): Promise<void> {
  await to.query(`drop subscription ${name}`);
  await from.query(`drop publication ${name}`);
}

/** Ends the other sessions, since a session keeps the default that it began with. */
async function setReadOnly(client: Client, value: "on" | "off"): Promise<void> {
  const database = pg.escapeIdentifier(client.database ?? "");
  const change = value === "on" ? "set default_transaction_read_only = on" : "reset default_transaction_read_only";
  await client.query(`alter database ${database} ${change}`);
  await client.query(`select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
}

/** @throws OperatorError that names the tables that differ */
async function compare(from: Client, to: Client): Promise<number> {
  const [one, other] = await Promise.all([from, to].map(countAndSum));
  const differing = [...new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])].filter(
    (table) => one?.get(table) !== other?.get(table),
  );
  if (differing.length === 0) return one?.size ?? 0;
  const lines = differing.map(
    (table) => `${table}: ${one?.get(table) ?? "missing"}, and ${other?.get(table) ?? "missing"}`,
  );
  throw new OperatorError(
    ["Nothing is switched over. These tables differ, in rows or checksums:", ...lines].join("\n  "),
  );
}

async function countAndSum(client: Client): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const { name } of await select(client, findTables)) {
    const [{ sum }] = await select(
      client,
      `select count(*) || ' rows, ' || coalesce(sum(hashtextextended((t.*)::text collate "C", 0)), 0) as sum from only ${name} as t`,
    );
    sums.set(name, sum);
  }
  return sums;
}

/** How often the follower has failed: it tries the same change again and again. */
async function countErrors({ to, name }: Pair): Promise<number> {
  const [{ counts }] = await select(
    to,
    "select to_regclass('pg_catalog.pg_stat_subscription_stats') is not null as counts",
  );
  // PostgreSQL 14 does not count.
  if (!counts) return 0;
  const [{ errors }] = await select(
    to,
    `select coalesce(sum(apply_error_count + sync_error_count), 0)::int as errors
       from pg_catalog.pg_stat_subscription_stats where subname = '${name}'`,
  );
  return errors;
}

/** @throws OperatorError when there are more errors than `before` */
async function requireNoErrors(pair: Pair, before: number): Promise<void> {
  if ((await countErrors(pair)) > before)
    throw new OperatorError("The server of --to cannot take a change. Its log says which and why; it goes on trying.");
}

// biome-ignore lint/suspicious/noExplicitAny: each query says what it returns.
async function select(client: Client, text: string): Promise<any> {
  return (await client.query(text)).rows;
}

const tables = `
    from pg_catalog.pg_class
   where relkind = 'r' and relpersistence = 'p' and relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'`;

const findTables = `select oid::regclass::text as name ${tables} order by 1`;

const findTablesWithoutIdentity = `
  select oid::regclass::text as name ${tables} and relreplident <> 'f'
     and not exists (select from pg_catalog.pg_index
                      where indrelid = pg_class.oid and (relreplident = 'd' and indisprimary or relreplident = 'i' and indisreplident))`;

const unreadyTables = (name: string) => `
  select from pg_catalog.pg_subscription_rel join pg_catalog.pg_subscription on pg_subscription.oid = srsubid
   where subname = '${name}' and srsubstate <> 'r'`;

const readSequences = `
  select format('select pg_catalog.setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null)
         as statement
    from pg_catalog.pg_sequences`;

/** In the order of their creation: a view can read earlier ones only. */
const findMaterializedViews = `
  select format('refresh materialized view %s', oid::regclass) as statement from pg_catalog.pg_class where relkind = 'm' order by oid`;
