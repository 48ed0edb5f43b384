import pg from "pg";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { maintain } from "../../src/maintenance/maintain.ts";
import { useDatabase } from "../support/database.ts";
import { testSettings } from "../support/service.ts";
import { until } from "../support/until.ts";

/* What has expired is deleted in batches, by the service's own login. */
const database = useDatabase();
const auditRetentionDays = 365;
const logged: Record<string, unknown>[] = [];
const log = pino({ level: "info" }, { write: (line) => void logged.push(JSON.parse(line)) });
let api: pg.Pool;

beforeAll(() => {
  api = new pg.Pool({ connectionString: database.apiUrl, max: 2 });
  // The database may be dropped before the pool has closed its connections.
  api.on("error", () => {});
  database.ends.defer(() => api.end());
});
beforeEach(() => {
  logged.length = 0;
});

const run = () => maintain(api, log, auditRetentionDays);

async function runJob(name: string, batch: number): Promise<{ is_complete: boolean; rows: number }> {
  return (await api.query("select * from app_private.run_job($1, $2)", [name, batch])).rows[0];
}

async function count(table: string): Promise<number> {
  return (await database.query(`select from ${table}`)).length;
}

/** A session of Ada with tokens that expire in so many days. */
const session = (revokedDaysAgo: number | null, ...expireInDays: number[]) =>
  database.query(
    `with added as (insert into app_private.sessions (user_id, revoked_at) values (1, now() - $1::int * interval '1 day') returning id)
     insert into app_private.refresh_tokens (token_hash, session_id, expires_at)
     select app_hidden.gen_random_bytes(32), id, now() + days * interval '1 day' from added, unnest($2::int[]) as days`,
    [revokedDaysAgo, expireInDays],
  );

describe("deletes", () => {
  test("expired refresh tokens, and the sessions of which they were the last", async () => {
    await session(null, -3, -2);
    await session(null, -3, 4);
    await run();
    expect(await count("app_private.sessions")).toBe(1);
    expect(await count("app_private.refresh_tokens")).toBe(1);
    expect(logged).toMatchObject([{ msg: "maintenance", done: { sessions: 3 } }]);
  });

  test("sessions that ended more than a day ago, their tokens first", async () => {
    await database.query("truncate app_private.sessions cascade");
    await session(2, 1, 2, 3, 4, 5);
    await session(0, 5);
    expect(await runJob("sessions", 3)).toEqual({ is_complete: false, rows: 3 });
    expect(await runJob("sessions", 3)).toEqual({ is_complete: true, rows: 2 });
    expect(await count("app_private.sessions")).toBe(1);
    expect(await count("app_private.refresh_tokens")).toBe(1);
  });

  test.each([
    ["failed_sign_ins", "(account, address, failed_at) select i::text, '', now() - i * interval '23 hours'"],
    ["sign_in_networks", "(user_id, network, signed_in_at) select 1, i::text, now() - i * interval '89 days'"],
    [
      "rate_limited_calls",
      "(key, points, expires_at) select i::text, 1, now() + interval '1 minute' - (i - 1) * interval '70 seconds'",
    ],
    [
      "idempotency_keys",
      "(user_id, key, arguments_hash, created_at) select 1, i::text, '', now() - i * interval '23 hours 55 minutes'",
    ],
    [
      "session_requests",
      "(request_id, session_id, created_at) select i::text, (select min(id) from app_private.sessions), now() - i * interval '59 minutes'",
    ],
  ])("old rows of %s", async (table, rows) => {
    await database.query(
      `truncate app_private.${table}; insert into app_private.${table} ${rows} from generate_series(1, 6) i`,
    );
    expect(await runJob(table, 4)).toEqual({ is_complete: false, rows: 4 });
    expect(await runJob(table, 4)).toEqual({ is_complete: true, rows: 1 });
    expect(await count(`app_private.${table}`)).toBe(1);
  });

  test("tags that no post has, in rounds by id", async () => {
    await database.query(`
      insert into app_public.tags (id, name) select i, 'tag ' || i from generate_series(1, 5) i;
      insert into app_public.posts (author_id, title, content) values (1, 'Tagged', 'x');
      insert into app_public.post_tags select p.id, t.id, 1 from app_public.posts p, app_public.tags t where t.name = 'tag 3'`);
    expect(await runJob("tags", 2)).toEqual({ is_complete: false, rows: 2 });
    expect(await runJob("tags", 2)).toEqual({ is_complete: false, rows: 1 });
    expect(await runJob("tags", 2)).toEqual({ is_complete: true, rows: 1 });
    expect(await database.query("select name from app_public.tags")).toEqual([{ name: "tag 3" }]);
  });

  test("no tag that a post is just receiving", async () => {
    await database.query("insert into app_public.tags (name) values ('late')");
    const author = await database.hold(`
      insert into app_public.posts (author_id, title, content) values (1, 'Late', 'x');
      select app_hidden.set_post_tags(currval('app_public.posts_id_seq'), array['late'])`);
    await run();
    await author.release();
    expect(await database.query("select from app_public.tags where name = 'late'")).toHaveLength(1);
    await run();
    expect(await database.query("select from app_public.tags where name = 'late'")).toHaveLength(0);
  });
});

test("the audit trail is deleted from its old end, while others read it and write", async () => {
  await database.query(`insert into app_public.audit_trail (changed_at, action, table_name, row_key, changes)
    select now() - days * interval '1 day', 'UPDATE', 'aged', days::text, '{}' from unnest(array[3, 364, 366, 700, 900]) as days`);
  const reader = await database.hold("select from app_public.audit_trail");
  expect(await runJob("audit_trail", 2)).toEqual({ is_complete: false, rows: 2 });
  const job = await database.hold("select app_private.run_job('audit_trail', 1000, 365)");
  // Cancelled when it waits.
  await database.query(
    "begin; set local statement_timeout = '3s'; update app_public.users set bio = 'Meanwhile' where id = 2; commit",
  );
  await job.release();
  await reader.release();
  await database.query("call app_private.maintain(audit_retention_days => 365)");
  expect(
    await database.query("select row_key from app_public.audit_trail where table_name = 'aged' order by changed_at"),
  ).toEqual([{ row_key: "364" }, { row_key: "3" }]);
});

test("as many batches as there is work for, each by index", async () => {
  await database.query(
    "insert into app_private.failed_sign_ins (account, address, failed_at) select i::text, '', now() - interval '2 days' from generate_series(1, 2500) i",
  );
  await run();
  expect(logged).toMatchObject([{ done: { failed_sign_ins: 2_500 } }]);
});

test("one instance at a time works, and nobody waits for it", async () => {
  await database.query(
    "insert into app_private.failed_sign_ins (account, address, failed_at) values ('x', '', '2020-01-01')",
  );
  const other = await database.hold("select app_private.run_job('failed_sign_ins')");
  await run();
  expect(logged).toEqual([]);
  await other.release();
  await run();
  expect(logged).toMatchObject([{ done: { failed_sign_ins: 1 } }]);
});

test("a job that fails is logged and stored, and the others do their work", async () => {
  await database.query(`
    insert into app_private.jobs (name, priority, statement) values ('broken', 1, 'select true, (1 / ($1 - 1000))::int');
    insert into app_private.failed_sign_ins (account, address, failed_at) values ('x', '', '2020-01-01')`);
  await run();
  expect(logged).toMatchObject([
    { level: 50, job: "broken", msg: "maintenance failed; the next run tries again" },
    { done: { failed_sign_ins: 1 } },
  ]);
  const stored = "select name, error from app_private.jobs where error is not null";
  expect(await database.query(stored)).toEqual([{ name: "broken", error: "error: division by zero" }]);
  await database.query("update app_private.jobs set statement = 'select true, 0' where name = 'broken'");
  await run();
  expect(await database.query(stored)).toEqual([]);
  await database.query("delete from app_private.jobs where name = 'broken'");
});

test("a DBA adds a job for a table by one row, with a time between two runs", async () => {
  await database.query(`
    create table app_private.drafts (id int, created_at timestamptz);
    create index on app_private.drafts (created_at);
    insert into app_private.drafts select i, now() - i * interval '8 days 23 hours' from generate_series(1, 30) i;
    insert into app_private.jobs (name, every, statement) values
      ('old_drafts', '1 hour', $$select * from app_private.delete_expired('app_private.drafts', 'created_at', '90 days', $1)$$)`);
  await run();
  expect(await count("app_private.drafts")).toBe(10);
  await database.query("update app_private.drafts set created_at = '2020-01-01'");
  await run();
  expect(await count("app_private.drafts")).toBe(10);
  await database.query("update app_private.jobs set ran_at = now() - interval '1 hour' where name = 'old_drafts'");
  await database.query("call app_private.maintain()");
  expect(await count("app_private.drafts")).toBe(0);
  await database.query("delete from app_private.jobs where name = 'old_drafts'; drop table app_private.drafts");
});

test("a job fills a column batch by batch in the order of the key, and goes on after the last one", async () => {
  await database.query(`
    create table app_private.ledger (id uuid primary key default gen_random_uuid(), amount int, doubled int);
    insert into app_private.ledger (amount) select generate_series(1, 1500);
    insert into app_private.jobs (name, statement) values ('fill', $$
      select * from app_private.update_in_batches('fill', 'app_private.ledger', 'doubled = amount * 2', $1, 'amount <> 7')$$)`);
  expect(await database.query("select * from app_private.run_job('fill', 100)")).toEqual([
    { is_complete: false, rows: 100 },
  ]);
  await run();
  expect(logged).toMatchObject([{ done: { fill: 1_400 } }]);
  const unfilled = "select amount from app_private.ledger where doubled is distinct from amount * 2";
  expect(await database.query(unfilled)).toEqual([{ amount: 7 }]);
  await database.query("delete from app_private.jobs where name = 'fill'; drop table app_private.ledger");
});

test("a table without a key of one column cannot be updated in batches", async () => {
  const unkeyed = "select app_private.update_in_batches('fill', 'app_public.follows', 'created_at = now()', 9)";
  await expect(database.query(unkeyed)).rejects.toThrow("app_public.follows has no primary key of one column");
});

test("posts with the longest texts are indexed in batches of a second, and no other job waits for them", async () => {
  await database.query(`
    set session_replication_role = replica;
    insert into app_public.posts (author_id, title, slug, excerpt, content)
    select 1, 'Long ' || n, 'long-' || n, '', (select string_agg(md5(n::text || i), ' ') from generate_series(1, 3000) i)
      from generate_series(1, 100) n;
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, words, language)
    select id, author_id, is_public, listed_at, title, '', 'former' from app_public.posts
      on conflict (post_id, is_public) do update set language = 'former', words = '';
    set session_replication_role = origin;
    insert into app_private.failed_sign_ins (account, address, failed_at) values ('x', '', '2020-01-01')`);
  const begun = performance.now();
  expect(await runJob("search_terms", 1_000)).toMatchObject({ is_complete: false });
  expect(performance.now() - begun).toBeLessThan(3_000);
  // A tenth of them is enough for the rest.
  await database.query("delete from app_public.posts where slug like 'long-%' and slug not like '%9'");
  await run();
  expect(logged).toMatchObject([{ done: { failed_sign_ins: 1, search_terms: expect.any(Number) } }]);
  expect(await count("app_private.check_derived_data() where derived = 'app_private.post_words'")).toBe(0);
  expect(await count("app_private.post_words where language = 'former'")).toBe(0);
});

test("a failure is logged, and not thrown", async () => {
  const nowhere = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
  await maintain(nowhere, log, auditRetentionDays);
  expect(logged).toMatchObject([{ level: 50, msg: "maintenance failed; the next run tries again" }]);
});

test("the service’s login cannot shorten the audit trail’s retention", async () => {
  const run = "select app_private.run_job('audit_trail', 1000, 89)";
  await expect(api.query(run)).rejects.toThrow("at least 90 days");
  await expect(api.query("update app_private.jobs set statement = ''")).rejects.toThrow("permission denied");
  const expired = "select app_private.delete_expired('app_public.audit_trail', 'changed_at', '1 day', 1000)";
  await expect(api.query(expired)).rejects.toThrow("permission denied");
});

test("the service runs it at its start, and stops it with itself", async () => {
  await database.query(
    "insert into app_private.failed_sign_ins (account, address, failed_at) values ('at start', '', '2020-01-01')",
  );
  // A clone of the template is open to every login of the server, which the service would warn of.
  await database.query("select app_private.revoke_default_rights()");
  const app = await startApp({ ...testSettings, maintenanceMinutes: 1, apiDatabaseUrl: database.apiUrl }, log);
  await until(async () => (await count("app_private.failed_sign_ins where account = 'at start'")) === 0);
  await app.close();
  const failed = logged.filter(({ level }) => Number(level) > 30);
  expect(failed).toEqual([]);
});
