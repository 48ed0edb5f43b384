import { expect, test } from "@jest/globals";
import pg from "pg";
import { useDatabase } from "../support/database.ts";

/* The audit trail's monthly partitions are created and dropped, and a change never fails because of the audit trail. */
const database = useDatabase();

/** The months that have a partition, relative to this month: 0 is this month, 1 the next. */
async function months(): Promise<number[]> {
  const rows = await database.query<{ month: number }>(`
    select (12 * (substring(relname, 'trail_(\\d{4})')::int - extract(year from now() at time zone 'UTC'))
            + substring(relname, '_(\\d\\d)$')::int - extract(month from now() at time zone 'UTC'))::int as month
      from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'app_public.audit_trail'::regclass and relname ~ '\\d$' order by 1`);
  return rows.map(({ month }) => month);
}

const nameOf = (month: number) =>
  `to_char((now() at time zone 'UTC') + interval '${month} months', '"app_private.audit_trail_"YYYY_MM')`;

async function drop(month: number): Promise<void> {
  const [{ name = "" } = {}] = await database.query<{ name: string }>(`select ${nameOf(month)} as name`);
  await database.query(`drop table ${name}`);
}

const change = (bio: string, id = 1) => `update app_public.users set bio = '${bio}' where id = ${id}`;

async function defaulted(): Promise<number> {
  const [row] = await database.query<{ count: number }>("select count(*)::int from app_private.audit_trail_default");
  return row?.count ?? Number.NaN;
}

test("this month and the next three have partitions from the start", async () => {
  expect(await months()).toEqual([0, 1, 2, 3]);
});

test("the first change of a new month creates another partition", async () => {
  await drop(1);
  await drop(3);
  await database.query(change("One"));
  expect(await months()).toEqual([0, 1, 2, 3]);
});

test("entries without a partition go to the default one, and move when their partition is created", async () => {
  await database.query(`insert into app_public.audit_trail (changed_at, action, table_name, row_key, changes)
    values (now() + interval '5 months', 'UPDATE', 'users', 'later', '{}')`);
  expect(await defaulted()).toBe(1);
  expect(await database.query("select app_private.prepare_audit_partitions(5) as made")).toEqual([{ made: 2 }]);
  expect(await defaulted()).toBe(0);
  expect(
    await database.query("select row_key from app_public.audit_trail where changed_at > now() + interval '4 months'"),
  ).toEqual([{ row_key: "later" }]);
});

test("a change does not wait for a transaction that creates partitions, and is recorded", async () => {
  await drop(1);
  const first = new pg.Client({ connectionString: database.ownerUrl });
  await first.connect();
  await first.query("begin");
  await first.query(change("Preparing"));
  await database.query(`set statement_timeout = '5s'; ${change("Meanwhile", 2)}; reset statement_timeout`);
  expect(await months()).not.toContain(1);
  await first.query("commit");
  await first.end();
  expect(await months()).toContain(1);
  const recorded = "select changes->'bio'->>'new' as bio from app_public.audit_trail order by id desc limit 2";
  expect((await database.query<{ bio: string }>(recorded)).map(({ bio }) => bio).sort()).toEqual([
    "Meanwhile",
    "Preparing",
  ]);
});

test("a change succeeds and is recorded when creating partitions fails and none is left", async () => {
  for (const month of await months()) await drop(month);
  await database.query(`alter function app_private.prepare_audit_partitions(int) rename to elsewhere`);
  await database.query(change("Unprepared"));
  expect(await defaulted()).toBe(1);
  await database.query(`alter function app_private.elsewhere(int) rename to prepare_audit_partitions`);
  await database.query(change("Prepared"));
  expect(await months()).toEqual([0, 1, 2, 3]);
  expect(await defaulted()).toBe(0);
});

test("partitions older than the retention time are dropped, and so are old entries of the default partition", async () => {
  await database.query(`
    do $$ declare first timestamptz := date_trunc('month', now() at time zone 'UTC' - interval '14 months') at time zone 'UTC';
    begin
      for month in 0..2 loop
        execute format('create table app_private.audit_trail_%s partition of app_public.audit_trail for values from (%L) to (%L)',
          to_char((first at time zone 'UTC') + month * interval '1 month', 'YYYY_MM'),
          ((first at time zone 'UTC') + month * interval '1 month') at time zone 'UTC',
          ((first at time zone 'UTC') + (month + 1) * interval '1 month') at time zone 'UTC');
      end loop;
    end $$`);
  await database.query(`insert into app_public.audit_trail (changed_at, action, table_name, row_key, changes)
    select now() - months * interval '1 month', 'UPDATE', 'users', months::text, '{}' from unnest(array[3, 12, 13, 14, 30]) as months`);
  expect(await months()).toEqual([-14, -13, -12, 0, 1, 2, 3]);
  expect(await database.query("select app_private.retire_audit_partitions() as retired")).toEqual([{ retired: 2 }]);
  expect(await months()).toEqual([-12, 0, 1, 2, 3]);
  const kept = await database.query(
    "select row_key from app_public.audit_trail where changed_at < now() - interval '1 month' order by changed_at",
  );
  expect(kept).toEqual([{ row_key: "12" }, { row_key: "3" }]);
  await expect(database.query("select app_private.retire_audit_partitions('0')")).rejects.toThrow(
    "at least the current month",
  );
});

test("a query for one day scans only its month's partition", async () => {
  const plan = await database.query(
    "explain select * from app_public.audit_trail where changed_at > now() + interval '40 days'",
  );
  expect(JSON.stringify(plan)).toContain("Subplans Removed");
});
