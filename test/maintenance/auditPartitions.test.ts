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

/** The change, cancelled when it waits. Unlike a lock timeout, no exception handler in SQL catches that. */
const atOnce = (sql: string) => `begin; set local statement_timeout = '3s'; ${sql}; commit`;

async function defaulted(): Promise<number> {
  const [row] = await database.query<{ count: number }>("select count(*)::int from app_private.audit_trail_default");
  return row?.count ?? Number.NaN;
}

test("this month and the next three have partitions from the start", async () => {
  expect(await months()).toEqual([0, 1, 2, 3]);
});

test("maintenance creates the missing partitions", async () => {
  await drop(1);
  await drop(3);
  await database.query("call app_private.maintain()");
  expect(await months()).toEqual([0, 1, 2, 3]);
});

test("entries without a partition go to the default one, and move when their partition is created", async () => {
  await database.query(`insert into app_public.audit_trail (changed_at, action, table_name, row_key, changes)
    values (now() + interval '5 months', 'UPDATE', 'users', 'later', '{}')`);
  expect(await defaulted()).toBe(1);
  const prepare = () => database.query("select * from app_private.prepare_audit_partitions(5)");
  expect(await prepare()).toEqual([{ is_complete: false, rows: 1 }]);
  expect(await prepare()).toEqual([{ is_complete: false, rows: 1 }]);
  expect(await prepare()).toEqual([{ is_complete: true, rows: 0 }]);
  expect(await defaulted()).toBe(0);
  expect(
    await database.query("select row_key from app_public.audit_trail where changed_at > now() + interval '4 months'"),
  ).toEqual([{ row_key: "later" }]);
});

test("a change never waits for a reader of the audit trail, with or without a partition for its month", async () => {
  for (const month of await months()) await drop(month);
  const reader = await database.hold("select from app_public.audit_trail");
  await database.query(atOnce(change("Missing")));
  await database.query("call app_private.maintain()");
  await database.query(atOnce(change("Postponed", 2)));
  expect(await months()).toEqual([]);
  expect(await defaulted()).toBe(2);
  await reader.release();
  await database.query("call app_private.maintain()");
  expect(await months()).toEqual([0, 1, 2, 3]);
  expect(await defaulted()).toBe(0);
  const recorded = "select changes->'bio'->>'new' as bio from app_public.audit_trail order by id desc limit 2";
  expect(await database.query(recorded)).toEqual([{ bio: "Postponed" }, { bio: "Missing" }]);
});

test("a change does not wait for a transaction that has created partitions for other months", async () => {
  await drop(2);
  const maintenance = await database.hold("select app_private.run_job('new_audit_partitions')");
  await database.query(atOnce(change("Meanwhile", 2)));
  await maintenance.release();
  await database.query("call app_private.maintain()");
});

test("a month with more than 10,000 entries in the default partition stays there", async () => {
  await drop(3);
  await database.query(`insert into app_public.audit_trail (changed_at, action, table_name, row_key, changes)
    select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' + interval '100 days', 'UPDATE', 'users', i::text, '{}' from generate_series(1, 10001) i`);
  await database.query("call app_private.maintain()");
  expect(await months()).toEqual([0, 1, 2]);
  await database.query("delete from app_private.audit_trail_default where row_key = '1'");
  await database.query("call app_private.maintain()");
  expect(await months()).toEqual([0, 1, 2, 3]);
  expect(await defaulted()).toBe(0);
});

test("a large default partition is not read while changes wait, and no job holds a lock after its batch", async () => {
  for (const month of await months()) await drop(month);
  await database.query(`insert into app_public.audit_trail (changed_at, action, table_name, row_key, changes)
    select now(), 'UPDATE', 'users', i::text, jsonb_build_object('text', repeat(md5(i::text), 40)) from generate_series(1, 15000) i`);
  const [size] = await database.query<{ bytes: number }>(
    "select pg_relation_size('app_private.audit_trail_default')::int as bytes",
  );
  expect(size?.bytes).toBeGreaterThan(16 * 1024 * 1024);
  const step = "select * from app_private.prepare_audit_partitions()";
  // A constraint, its validation and the partition, for each of three months. This month stays.
  for (let month = 0; month < 3; month++) {
    expect(await database.query(step)).toEqual([{ is_complete: false, rows: 0 }]);
    const validation = await database.hold(step);
    await database.query(atOnce(change(`While validated ${month}`)));
    await validation.release();
    expect(await database.query(step)).toEqual([{ is_complete: false, rows: 0 }]);
    expect(await database.query(step)).toEqual([{ is_complete: false, rows: 1 }]);
    await database.query(atOnce(change(`Afterwards ${month}`)));
  }
  expect(await months()).toEqual([1, 2, 3]);
  // Nothing is left to do: the default partition is not even locked.
  const idle = await database.hold(step);
  await database.query(atOnce(change("Idle")));
  await idle.release();
  const constraints =
    "select from pg_constraint where conrelid = 'app_private.audit_trail_default'::regclass and contype = 'c'";
  expect(await database.query(constraints)).toEqual([]);
  await database.query("truncate app_private.audit_trail_default");
  await database.query("call app_private.maintain()");
  expect(await months()).toEqual([0, 1, 2, 3]);
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
  const reader = await database.hold("select from app_public.audit_trail");
  const retire = "call app_private.maintain(audit_retention_days => 365)";
  await database.query(retire);
  expect(await months()).toEqual([-14, -13, -12, 0, 1, 2, 3]);
  await reader.release();
  await database.query(retire);
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
