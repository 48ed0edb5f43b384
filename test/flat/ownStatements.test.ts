import pg from "pg";
import { type AppSettings, startApp } from "../../src/app.ts";
import { openLog } from "../../src/observe/openLog.ts";
import { resetContent } from "../permissions/outcome.ts";
import { useDatabase } from "../support/database.ts";
import { reuseSchema, type TestService, testSettings } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * What the service does by itself, on timers and for events, does not grow with the rows that there are: the pages of each of its statements, at four
 * times the rows of each table, without statistics of them. A service is started and left alone; PostgreSQL reports each statement that it receives.
 * OWN_STATEMENTS_ROWS=10000,1000000 tries it with more.
 */
const database = useDatabase();
/** A third of the rows of a table have expired: as many as a batch has. */
const [few = 0, many = 0] = (process.env["OWN_STATEMENTS_ROWS"] ?? "3000,12000").split(",").map(Number);
/** An index on more rows has more levels, and batches are not alike. */
const mayGrow = (pages: number) => 1.5 * pages + 100;

/** Declarations and states, of which there are few. */
const declarations = [
  "app_private.jobs",
  "app_private.ledger_secrets",
  "change_feed.lost_histories",
  "change_feed.notification_channels",
  "change_feed.server_runs",
  "change_feed.streams",
  "change_feed.webhooks",
  "conventions.kept_fields",
  "conventions.tables",
  "rollups.watermark",
];
/** Written with other rows: within a transaction, by the refresh of the analysts’ rollups, for each post in the trash, for the events of webhooks. */
const derived = [
  "app_public.trashed_posts",
  "change_feed.pending_events",
  "change_feed.webhook_arrivals",
  "change_feed.webhook_keys",
  "rollups.follower_levels",
  "rollups.levels",
];

/** A row for each table that permissions.sql leaves empty. */
const content = `
  insert into app_private.sessions (user_id) values (1);
  insert into app_private.refresh_tokens (token_hash, session_id, expires_at) select '', id, now() from app_private.sessions;
  insert into app_private.session_requests (request_id, session_id) select 'request', id from app_private.sessions;
  insert into app_private.failed_sign_ins (account, address) values ('account', '192.0.2.1');
  insert into app_private.sign_in_networks (user_id, network) values (1, '192.0.2.1');
  insert into app_private.account_tokens (token_hash, kind, user_id, expires_at) values ('', 'RESET_PASSWORD', 1, now());
  insert into app_private.idempotency_keys (user_id, key, arguments_hash) values (1, 'key', '');
  insert into app_private.mail_outbox (kind, user_id, expires_at) values ('RESET_PASSWORD', 1, now());
  insert into app_private.mail_ledger (email, is_confirmed) values ('', false);
  insert into app_private.post_reads (post_id, day, reads) values (1, now(), 1);
  set session_replication_role = replica;
  insert into app_private.direct_chats (low_user_id, high_user_id, chat_id) select 1, 1000000000000, id from app_public.chats;
  set session_replication_role = origin;
  insert into app_private.unfollows (author_id) values (1);
  insert into app_private.identities (issuer, subject, user_id) values ('issuer', 'subject', 1);
  insert into app_private.rate_limited_calls (key, points, expires_at) values ('192.0.2.1', 1, now());
  insert into app_private.trashed_reasons (post_id, reporter_id, reason, created_at) select id, 2, 'Rude.', now() from app_public.trashed_posts;
  select change_feed.webhook('crm', 'app_public.posts', '{added,updated,deleted}', 'http://127.0.0.1:1/', 'api_member');
  update app_public.posts set excerpt = 'Other' where id = 1;
  update app_public.posts set publish_at = now() + interval '1 hour' where id = 2;`;

interface Plan {
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
}

/** The most pages that each statement has touched, with all that its functions and triggers do. A job is a statement of its own. */
let pages = new Map<string, number>();

function record(message = ""): void {
  const report = /^duration: .*?plan:\n(.*)$/s.exec(message)?.[1];
  if (!report) return;
  const {
    Plan: plan,
    "Query Text": query,
    "Query Parameters": parameters = "",
  } = JSON.parse(report) as {
    Plan: Plan;
    "Query Text": string;
    "Query Parameters"?: string;
  };
  const names = parameters.match(/'[a-z_]+'/g)?.join() ?? "";
  const statement = `${query.replaceAll(/\s+/g, " ").trim().slice(0, 120)} ${names}`.trim();
  pages.set(statement, Math.max(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], pages.get(statement) ?? 0));
}

beforeAll(async () => {
  const { emit } = pg.Client.prototype;
  pg.Client.prototype.emit = function (this: pg.Client, event: string | symbol, ...values: [{ message?: string }]) {
    if (event === "notice") record(values[0].message);
    return (emit as (...all: unknown[]) => boolean).call(this, event, ...values);
  } as typeof emit;
  database.ends.defer(() => {
    pg.Client.prototype.emit = emit;
  });
  await database.query(`do $$ declare v_setting text; begin
    foreach v_setting in array array['session_preload_libraries = auto_explain', 'auto_explain.log_min_duration = 0', 'auto_explain.log_analyze = on',
        'auto_explain.log_buffers = on', 'auto_explain.log_timing = off', 'auto_explain.log_format = json', 'auto_explain.log_level = notice'] loop
      execute format('alter role api_login in database %I set %s', current_database(), v_setting);
    end loop;
  end $$`);
});

/** New values of columns that must differ from row to row, by type. */
const distinct: Record<string, (column: string) => string> = {
  bigint: () => "10000000 + n",
  bytea: () => "sha256(n::text::bytea)",
  date: () => "'1990-01-01'::date + n",
  name: () => "md5(n::text)",
  text: (column) => `md5(n::text) || case when ${column} like '%@%' then '@example.com' else '' end`,
  uuid: () => "gen_random_uuid()",
};

interface Table {
  name: string;
  columns: { name: string; type: string }[];
  /** The columns of each unique index, in its order. */
  keys: string[][];
}

/** Keeps the first row of each table: what the service does may take it away. */
async function keepModels(): Promise<Table[]> {
  const tables = await database.query<Table & pg.QueryResultRow>(
    `select c.oid::regclass::text as name,
            (select jsonb_agg(jsonb_build_object('name', attname, 'type', format_type(atttypid, null)) order by attnum)
               from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
            (select coalesce(jsonb_agg((
                      select jsonb_agg(attname order by array_position(indkey::int2[], attnum))
                        from pg_attribute where attrelid = c.oid and (attnum = any (indkey) or attnum in (
                             select refobjsubid from pg_depend where objid = indexrelid and refobjid = c.oid)))), '[]')
               from pg_index where indrelid = c.oid and indisunique) as keys
       from pg_class c
      where relkind = 'r' and relnamespace::regnamespace::text in ('app_public', 'app_private', 'change_feed', 'conventions', 'rollups')
        and c.oid::regclass::text <> all ($1)`,
    [[...declarations, ...derived]],
  );
  await database.query("create schema models");
  for (const { name } of tables)
    await database.query(`create table models."${name}" as select * from ${name} order by ctid limit 1`);
  return tables;
}

/** Copies the models, without triggers. Of the copies, a third are of long ago, and a third of the future. */
async function fill(tables: readonly Table[], from: number, to: number): Promise<void> {
  for (const { name, columns, keys } of tables) {
    const typeOf = (column: string) => columns.find((one) => one.name === column)?.type ?? "";
    const varied = keys.map((key) => {
      const able = key.filter((column) => distinct[typeOf(column)]);
      return able.find((column) => typeOf(column) === "bigint") ?? able.at(-1);
    });
    const values = columns.map(({ name: column, type }) => {
      const former = `model."${column}"`;
      if (varied.includes(column)) return `case when ${former} is not null then ${distinct[type]?.(former)} end`;
      return type.startsWith("timestamp") ? `${former} + (n % 3 - 1) * interval '400 days'` : former;
    });
    const copied = await database.query(
      `with origin as (select set_config('session_replication_role', 'replica', true)), model as (select * from models."${name}")
       insert into ${name} (${columns.map((column) => `"${column.name}"`)}) overriding system value
       select ${values.join(", ")} from origin, model, generate_series(${from}, ${to - 1}) n returning 1`,
    );
    if (copied.length < to - from) throw new Error(`The table ${name} has no row to copy`);
  }
}

/** Starts a service, and leaves it alone until it has sent these statements; without any, until it has done what it does first. */
async function work(expected: Iterable<string>): Promise<Map<string, number>> {
  const awaited = new Set(["maintenance", "something in the database does not work", "a webhook was not delivered"]);
  const log = openLog("info", { write: (line: string) => void awaited.delete(JSON.parse(line).msg) });
  pages = new Map();
  const settings = { ...testSettings, maintenanceMinutes: 1, webhooks: true, selfCheck: true } as AppSettings;
  const app = await startApp({ ...settings, apiDatabaseUrl: database.apiUrl, reuseSchema }, log);
  await until(() => awaited.size === 0 && [...expected].every((statement) => pages.has(statement)));
  await app.close();
  return pages;
}

test(
  "the pages that the service’s own statements touch do not grow with the content",
  async () => {
    await resetContent({ database } as TestService);
    await database.query(content);
    const tables = await keepModels();
    await fill(tables, 0, few);
    const before = await work([]);
    await fill(tables, few, many);
    const after = await work(before.keys());
    const grown = [...after].filter(([statement, count]) => count > mayGrow(before.get(statement) ?? 0));
    expect(grown.map(([statement, count]) => `${statement}: ${before.get(statement)}, then ${count}`)).toEqual([]);
    expect(before.size).toBeGreaterThan(40);
  },
  60_000 + 10 * many,
);
