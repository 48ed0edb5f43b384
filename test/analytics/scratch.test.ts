import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

/* An analyst with a schema of her own writes there, and nowhere else. */
const database = useDatabase();
const jane = useAnalyst(database);
const other = useAnalyst(database);
let schema: string;

beforeAll(async () => {
  const [row] = await database.query<{ schema: string }>("select app_private.open_scratch($1) as schema", [jane.login]);
  schema = row?.schema as string;
});

test("is named after the login", () => {
  expect(schema).toBe(`scratch_${jane.login}`);
});

test("an analyst keeps a result in it, replaces it and drops it", async () => {
  await jane.ask(
    `create table ${schema}.weeks as select date_trunc('week', day)::date as week, sum(comments) from totals_by_day group by week`,
  );
  await jane.ask(`create index on ${schema}.weeks (week)`);
  await jane.ask(`insert into ${schema}.weeks values ('2100-01-04', 1)`);
  await jane.ask(`create view ${schema}.newest as select max(week) from ${schema}.weeks`);
  expect((await jane.ask(`select * from ${schema}.newest`)).rows).toEqual([["2100-01-04"]]);
  await jane.ask(`drop table ${schema}.weeks cascade`);
});

test("dbt's statements for seeds, incremental models, snapshots and unit tests run", async () => {
  await jane.ask(
    `create table ${schema}.seed (id int, name text);
     insert into ${schema}.seed values (1, 'one');
     create table ${schema}.days as select day, comments from totals_by_day;
     create temporary table days__dbt_tmp as select day, comments from totals_by_day where day >= (select day from today) - 1;
     delete from ${schema}.days using days__dbt_tmp where days__dbt_tmp.day = days.day;
     insert into ${schema}.days select * from days__dbt_tmp;
     create temporary table snapshot__dbt_tmp as select *, now() as dbt_valid_from from ${schema}.seed;
     create table ${schema}.snapshot as select * from snapshot__dbt_tmp;
     update ${schema}.snapshot set dbt_valid_from = now() from snapshot__dbt_tmp as source where source.id = snapshot.id;
     create temporary table unit__dbt_tmp as select * from (select 1 as id) as __dbt_sbq where false;
     alter table ${schema}.days rename to days__dbt_backup;
     drop table ${schema}.days__dbt_backup cascade`,
  );
});

test("a second schema is hers, closing drops both, and the one of another login with a like name stays", async () => {
  const open = async (login: string, suffix: string | null = null) =>
    (await database.query<{ name: string }>("select app_private.open_scratch($1, $2) as name", [login, suffix]))[0]
      ?.name;
  expect(await open(jane.login, "staging")).toBe(`${schema}_staging`);
  await jane.ask(`create table ${schema}_staging.one as select 1 as one`);
  const like = `${jane.login}_more`;
  await database.query(`create role ${like}; grant analyst to ${like}`);
  try {
    expect(await open(like)).toBe(`${schema}_more`);
    await expect(open(jane.login, "more")).rejects.toMatchObject({ code: "42P06" });
    await database.query("select app_private.close_scratch($1)", [jane.login]);
    const left = await database.query("select nspname from pg_namespace where starts_with(nspname, $1)", [schema]);
    expect(left).toEqual([{ nspname: `${schema}_more` }]);
    await expect(jane.ask("set default_transaction_read_only = off; create temporary table mine ()")).rejects.toThrow();
    await open(jane.login);
  } finally {
    await database.query(`drop schema if exists ${schema}_more cascade; drop owned by ${like}; drop role ${like}`);
  }
});

test("another analyst reads what is granted, and writes nothing", async () => {
  await jane.ask(`create table ${schema}.shown as select 1 as one`);
  await jane.ask(`create table ${schema}.kept as select 1 as one`);
  await jane.ask(`grant select on ${schema}.shown to analyst`);
  expect((await other.ask(`select * from ${schema}.shown`)).rows).toEqual([["1"]]);
  const writable = "set default_transaction_read_only = off";
  await expect(other.ask(`select * from ${schema}.kept`)).rejects.toMatchObject({ code: "42501" });
  await expect(other.ask(`insert into ${schema}.shown values (2)`, writable)).rejects.toMatchObject({ code: "42501" });
  await expect(other.ask(`create table ${schema}.mine ()`, writable)).rejects.toMatchObject({ code: "42501" });
});

describe("everything else is still refused:", () => {
  test.each([
    "create table analytics.mine ()",
    "create table public.mine ()",
    "create schema mine",
    "create function analytics.mine() returns int return 1",
    "insert into app_public.posts (title) values ('x')",
    "select * from app_public.posts",
    "select rollups.refresh()",
    "select app_private.open_scratch('postgres')",
    "select rollups.first_day()",
    "select pg_advisory_lock(1)",
    "select lo_create(0)",
    "set temp_file_limit = '1TB'",
    "set role api_member",
  ])("%s", async (statement) => {
    await expect(jane.ask(statement)).rejects.toMatchObject({ code: "42501" });
  });

  test("a function of hers reads with her rights", async () => {
    await jane.ask(`create function ${schema}.titles() returns setof text language sql security definer
                    begin atomic select title from engagement_by_post; end`);
    await jane.ask(`select ${schema}.titles()`);
    const sly = `create function ${schema}.drafts() returns bigint language plpgsql as $$ begin return (select count(*) from app_public.posts); end $$`;
    await jane.ask(sly);
    await expect(jane.ask(`select ${schema}.drafts()`)).rejects.toMatchObject({ code: "42501" });
  });
});

test("only an analyst gets one, and it is closed with its tables", async () => {
  await expect(database.query("select app_private.open_scratch('api_login')")).rejects.toThrow("is no analyst");
  await database.query("select app_private.close_scratch($1)", [jane.login]);
  expect((await jane.ask("show default_transaction_read_only")).rows).toEqual([["on"]]);
  expect(await database.query("select from pg_namespace where nspname = $1", [schema])).toEqual([]);
});
