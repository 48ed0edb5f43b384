import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { format } from "node:util";
import { withClient } from "@content-service/support/withClient.ts";
import { startDatabase } from "@content-service/testing/database.ts";
import { main, type Project } from "../index.ts";

/* A project of graphile-migrate with two tables: without git, without an API, without a configuration. */
const database = await startDatabase();
const directory = await mkdtemp(join(tmpdir(), "migration-review-"));
after(async () => {
  await database[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});
const part = "migrations/current/1-current.sql";
const first = `create schema shop;
create table shop.items (id int primary key, name text not null);
create table shop.orders (id int primary key, item_id int references shop.items, note text);
insert into shop.items select n, 'item ' || n from generate_series(1, 100) as n;
create function shop.item_name(id int) returns text language plpgsql stable as
  $$ begin return (select name from shop.items where items.id = item_name.id); end $$;
`;

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(directory, file)), { recursive: true });
  await writeFile(join(directory, file), text);
}

/** Runs a command. @returns what it has printed, in all and on its standard output, and its exit status */
async function run(args: string[], project: Project = {}): Promise<{ status: number; output: string; stdout: string }> {
  let output = "";
  let stdout = "";
  const error = (...values: unknown[]) => {
    output += `${format(...values)}\n`;
  };
  const log = (...values: unknown[]) => {
    error(...values);
    stdout += `${format(...values)}\n`;
  };
  const status = await main(args, {
    directory,
    environment: { PATH: process.env["PATH"], DATABASE_URL: database.url, SHADOW_DATABASE_URL: shadowUrl },
    project,
    output: { log, error },
    ask: undefined,
    interruption: () => new AbortController().signal,
  });
  return { status, output, stdout };
}

const shadowUrl = database.url.replace("/postgres?", "/shadow?");

/** Commits a migration, and the ones before it as the base. */
async function commit(sql: string, message: string, ...allowed: string[]): Promise<string> {
  await write(part, sql);
  const { status, output } = await run(["commit", "--message", message, ...allowed.flatMap((one) => ["--allow", one])]);
  assert.equal(status, 0, output);
  return output;
}

await write(".gmrc", "{ /* JSON5 */ }");
await mkdir(join(directory, "migrations/committed"), { recursive: true });
await commit(first, "a shop");
beforeEach(() => write(part, "\n"));

test("a commit is in migrations/committed and in the database; status and drift agree", async () => {
  assert.deepEqual(await readdir(join(directory, "migrations/committed")), ["000001-a-shop.sql"]);
  assert.deepEqual(await database.query("select count(*)::int from shop.items"), [{ count: 100 }]);
  assert.equal((await run(["status"])).output, "Every committed migration has run.\nmigrations/current is empty.\n");
  assert.equal((await run(["drift"])).output, "The database is as its migrations make it.\n");
  await database.query("alter table shop.items add column by_hand int");
  const { status, output } = await run(["drift"]);
  assert.deepEqual({ status, output }, { status: 1, output: "No migration makes the column shop.items.by_hand.\n" });
  await database.query("alter table shop.items drop column by_hand");
});

test("a problem that a change makes is refused with its statement, an old one is not; status prints both, with their repair", async () => {
  const problems = `select 'the items' as object, 'column "name" of shop.items is gone' as problem, 'add it again' as repair
     where not exists (select from pg_attribute where attrelid = 'shop.items'::regclass and attname = 'name')
    union all select 'the shop', 'it rains', null`;
  await write(part, "select 'name';\nalter table shop.items\n  rename column name to title;\n");
  const { status, output } = await run(["check"], { problems });
  assert.equal(status, 1, output);
  assert.match(
    output,
    /refused {4}the items: column "name" of shop\.items is gone\.\n.*Where: migrations\/current\/1-current\.sql:2\n/,
  );
  assert.match(output, /Do: add it again\n/);
  assert.doesNotMatch(output, /it rains/);
  await write(part, "drop table shop.items cascade;\n");
  assert.match(
    (await run(["check"], { problems })).output,
    /refused {4}The query of problems: relation "shop\.items" does not exist/,
  );
  await write(part, "\n");
  const now = await run(["status"], { problems });
  assert.equal(now.status, 1);
  assert.match(now.output, /^the shop: it rains\.$/m);
  assert.equal(
    (await run(["status"], { problems: "select '' as object, '' as problem, '' as repair where false" })).status,
    0,
  );
});

test("snapshot writes a page for each table", async () => {
  const { output } = await run(["snapshot"]);
  assert.equal(output, "The snapshots are unchanged.\n");
  const page = await readFile(join(directory, "migrations/schema/shop/orders.sql"), "utf8");
  assert.match(page, /^-- Made by npx graphile-migrate-review snapshot from the catalogue/);
  assert.match(page, /constraint orders_item_id_fkey foreign key \(item_id\) references shop\.items\(id\)/);
});

test("a harmless change passes", async () => {
  await write(part, "alter table shop.items add column price int;\ncreate table shop.tags (name text primary key);\n");
  const { status, output } = await run(["check"]);
  assert.equal(status, 0, output);
  assert.match(output, /The review passes\.\n$/);
  for (const section of ["Who reads it", "The running version", "Published views", "Sample content", "The API"])
    assert.doesNotMatch(output, new RegExp(section));
});

/** Each change, and the finding that it has. */
const changes: [string, RegExp][] = [
  ["truncate shop.orders;", /refused +shop\.orders is truncated\.\n +Where: migrations\/current\/1-current\.sql:1\n/],
  ["alter table shop.orders drop column note;", /dangerous +The column shop\.orders\.note is dropped/],
  ["alter table shop.items alter id type bigint;", /refused +All rows of shop\.items are written anew/],
  [
    "grant select on shop.items to public;",
    /dangerous +The table shop\.items changes its behaviour: public may select/,
  ],
  [
    "alter table shop.items rename name to title;",
    /refused +shop\.item_name\(integer\) does not work: column "name" does not exist/,
  ],
  ["do $$ begin execute coalesce(current_setting('app.sql', true), 'select 1'); end $$;", /cannot read the SQL/],
];

test("check names what is lost, locked, written anew, given away and broken", async () => {
  await write(part, changes.map(([sql]) => `${sql}\n`).join(""));
  const { status, output } = await run(["check"]);
  assert.equal(status, 1);
  for (const [, finding] of changes) assert.match(output, finding);
  assert.match(output, /^Refused: /m);
});

/** Statements that meet no row of the sample, or some; what sets sequences, and what only holds a table. */
const effects: [string, RegExp][] = [
  ...[
    ["delete from shop.items where name = 'nothing';", "deletes in shop\\.items"],
    ["update shop.items set name = 'one' where id = 1000;", "updates in shop\\.items"],
    ["do $$ begin delete from shop.items where id < 0; end $$;", "deletes in shop\\.items"],
    [
      "with gone as (delete from shop.items where id < 0 returning id) select count(*) from gone;",
      "deletes in shop\\.items",
    ],
    ["delete from shop.orders using shop.items where items.id = orders.item_id;", "deletes in shop\\.orders"],
  ].map(([sql = "", what]): [string, RegExp] => [
    sql,
    new RegExp(`dangerous +Not tried: no sample row fits, so what it ${what}`),
  ]),
  ["delete from shop.items where id < 31;", /dangerous +It deletes 30 of 100 rows of shop\.items\./],
  ["alter sequence shop.orders_seq restart with 1;", /dangerous +The sequence of shop\.orders_seq is changed/],
  ["select setval('shop.orders_seq', 1) where false;", /dangerous +The sequence of shop\.orders_seq is set/],
  [
    "do $$ begin perform setval('shop.orders_seq', 1) where false; end $$;",
    /dangerous +The sequence of shop\.orders_seq is set/,
  ],
  ["lock table shop.items in access exclusive mode;", /dangerous +shop\.items is locked until the migration ends/],
  ["cluster shop.items using items_pkey;", /refused +`cluster` holds shop\.items/],
  ["reindex table shop.items;", /dangerous +`reindex` holds shop\.items/],
];

test("check names what meets no row, what sets a sequence and what holds a table", async () => {
  await write(part, ["create sequence shop.orders_seq;", ...effects.map(([sql]) => sql)].join("\n"));
  const { status, output } = await run(["check", "--all"]);
  assert.equal(status, 1);
  for (const [, finding] of effects) assert.match(output, finding);
});

/** All rows of all shared catalogues, without those of the shadow database and its template, which a review makes anew. */
async function sharedCatalogues(): Promise<unknown> {
  const catalogues = await database.query<{ name: string }>(
    "select relname as name from pg_class where relisshared and relkind = 'r' order by 1",
  );
  const shadows = "(select oid::text from pg_database where datname ~ '^shadow')";
  const all = catalogues.map(({ name }) => {
    const others =
      name === "pg_shdepend"
        ? `dbid::text not in ${shadows}`
        : `r::text !~ ('\\m(' || coalesce((select string_agg(oid::text, '|') from pg_database where datname ~ '^shadow'), 'none') || ')\\M')`;
    return `select '${name}' as name, (to_jsonb(r) - '{datfrozenxid,datminmxid}'::text[])::text as row from ${name} as r where ${others}`;
  });
  assert.ok(catalogues.length >= 10);
  return database.query(`${all.join(" union all ")} order by 1, 2`);
}

/** Changes of what belongs to the server, as a migration may hide them: the lines of each. */
const serverWide = [
  [
    "alter role shop_login set statement_timeout = '1ms';",
    "alter role shop_login nologin;",
    "comment on role shop_login is 'odd'; alter role all set work_mem = '1MB';",
    "alter database template1 is_template false;",
    "create function shop.let_in() returns void language sql as 'create role guest; grant guest to shop_login'; select shop.let_in();",
    "do $$ begin execute 'alter role shop_' || 'login rename to gone'; end $$;",
  ],
  ["alter system set work_mem = '1MB';", "create database odd;"],
  ["commit; alter role shop_login nologin;"],
  ["do $$ begin alter role shop_login nologin; commit; end $$;"],
];

test("what belongs to the server is refused with its line, and is as it was", async () => {
  await database.query("create role shop_login login");
  await run(["check"]);
  const before = await sharedCatalogues();
  for (const lines of serverWide) {
    await write(part, `${lines.join("\n")}\n`);
    const { status, output } = await run(["check"]);
    assert.equal(status, 1, output);
    for (const [index, sql] of lines.entries()) {
      const where = new RegExp(`refused {4}.*\\n +Where: .*migrations/current/1-current\\.sql:${index + 1}\\b`);
      assert.match(output, where, sql);
    }
    assert.match(output, /\nRefused: (.*, )?server-wide:/);
    assert.deepEqual(await sharedCatalogues(), before, output);
  }
  await database.query("drop role shop_login");
});

test("rows that go by a condition are counted, with those that go along; rights by default are named", async () => {
  await write(
    part,
    `alter table shop.orders drop constraint orders_item_id_fkey, add foreign key (item_id) references shop.items on delete cascade;
insert into shop.orders (id, item_id) select id, id from shop.items where id <= 10;
delete from shop.items
 where name like '%1';
update shop.items set name = 'the last' where id = 100;
alter default privileges in schema shop grant select on tables to public;
`,
  );
  const { output } = await run(["check"]);
  assert.match(output, /It deletes 10 of 100 rows of shop\.items\.\n +Where: migrations\/current\/1-current\.sql:3\n/);
  assert.match(output, /It deletes 1 of 10 rows of shop\.orders, which it does not name\.\n +Where: .*:3\n/);
  assert.match(output, /It changes name in 1 of 90 rows of shop\.items\.\n +Where: .*:5\n/);
  assert.match(output, /dangerous +The schema shop .*: public may select future tables\.\n +Where: .*:6\n/);
});

test("what an author allows is committed with the reason", async () => {
  const output = await commit(
    "alter table shop.orders drop column note;",
    "orders have no note",
    "drop-column because nobody reads it",
  );
  assert.match(output, /migrations\/committed\/000002-orders-have-no-note\.sql is committed/);
  const text = await readFile(join(directory, "migrations/committed/000002-orders-have-no-note.sql"), "utf8");
  assert.match(text, /-- allow: drop-column:shop\.orders\.note because nobody reads it/);
});

test("what was allowed refuses no later migration; without an allowance, what is dangerous is named, and nothing is committed", async () => {
  const sample = "insert into shop.nothing values (1);\n";
  const project: Project = {
    sampleContent: {
      file: "sample.sql",
      load: (url) => withClient(url, async (client) => void (await client.query(sample))),
    },
  };
  await write("sample.sql", sample);
  await write(
    "migrations/rules/comments.sql",
    "select oid::regprocedure::text as offender from pg_proc where proname = 'odd'",
  );
  await write(
    part,
    "create function shop.odd() returns int language plpgsql as $$ begin return nowhere from shop.nothing; end $$;",
  );
  const allowed = ["broken-function", "sample-content", "comments"].flatMap((rule) => [
    "--allow",
    `${rule} because it is odd`,
  ]);
  const passed = await run(["commit", "--message", "an odd function", ...allowed], project);
  assert.equal(passed.status, 0, passed.output);
  const committed = await readdir(join(directory, "migrations/committed"));
  await write(part, "create index on shop.items (name);\ncreate index on shop.orders (item_id);\n");
  const { status, output, stdout } = await run(["commit", "--message", "indexes", "--json"], project);
  const findings = JSON.parse(stdout).map(({ rule, object, severity, location }: Record<string, string>) => [
    severity,
    rule,
    object,
    location,
  ]);
  const index = "require-concurrent-index-creation";
  assert.deepEqual(findings, [
    // The sample content does not fit what has been committed.
    ["safe", "not-counted", "sample", undefined],
    ["dangerous", index, "shop.items", "migrations/current/1-current.sql:1"],
    ["dangerous", index, "shop.orders", "migrations/current/1-current.sql:2"],
  ]);
  const options = ["items", "orders"].map((table) => `--allow '${index}:shop.${table} because …'`).join(" ");
  assert.equal(output, `${stdout}Dangerous. If you mean it, say why: ${options}\n`);
  assert.equal(status, 1);
  assert.deepEqual(await readdir(join(directory, "migrations/committed")), committed);
  await rm(join(directory, "migrations/rules"), { recursive: true });
});

test("rules of the project are queries in migrations/rules; locks are measured on rows", async () => {
  await write(
    "migrations/rules/no_serial.sql",
    "-- Sequences of serial columns have rights of their own.\nselect oid::regclass::text as offender from pg_class where relkind = 'S' and relnamespace = 'shop'::regnamespace",
  );
  await write(part, "create table shop.carts (id serial primary key);\nalter table shop.items alter id type bigint;\n");
  const { status, output } = await run(["check", "--rows", "1000"]);
  assert.equal(status, 1);
  assert.match(output, /shop\.items is locked \(AccessExclusive\) for \d+ ms with 1000 rows/);
  assert.match(output, /refused +shop\.carts_id_seq breaks the rule “no serial”\.\n +Why: Sequences of serial columns/);
  await rm(join(directory, "migrations/rules"), { recursive: true });
});

test("a configuration names the schemas, the published ones, advice and commands", async () => {
  const project: Project = {
    schemas: "^shop$",
    publishedSchemas: ["reports"],
    advice: { truncate: "Ask the owner of {object}." },
    migrations: { commandLine: (command) => `make ${command}` },
    commands: { hello: async () => ({ options: {}, run: async ({ output }) => void output.log("Hello.") }) },
  };
  await write(
    part,
    "create schema other; create table other.x (id int); create schema reports; truncate shop.orders;\n",
  );
  const { output } = await run(["check"], project);
  assert.match(output, /Do: Ask the owner of shop\.orders\./);
  assert.match(output, /^Published views, since/m);
  assert.equal((await run(["hello"], project)).output, "Hello.\n");
  assert.match((await run(["nothing"], project)).output, /^Unknown command\. Run one of make migrate, /);
});

test("a change of a published view is refused", async () => {
  await commit("create schema reports; create view reports.stock as select id, name from shop.items;", "a report");
  await write(part, "drop view reports.stock; create view reports.stock as select id from shop.items;\n");
  const { status, output } = await run(["check"], { publishedSchemas: ["reports"] });
  assert.equal(status, 1);
  assert.match(output, /reports\.stock\.name, text, is published, and this migration removes it/);
});

test("a migration that fails says where, and leaves nothing", async () => {
  await write(part, "create table shop.half (id int);\nselect 1 / 0;\n");
  const { status, output } = await run(["check"]);
  assert.equal(status, 1);
  assert.match(output, /^migrations\/current\/1-current\.sql:2: division by zero\nThe change was rolled back\./);
});

test("a database with content is never taken as the shadow database", async () => {
  await database.query("create database kept");
  const client = await database.connect();
  await client.query("select");
  const url = database.url.replace("/postgres?", "/kept?");
  const { Client } = (await import("pg")).default;
  const kept = new Client(url);
  await kept.connect();
  await kept.query("create table precious ()");
  await kept.end();
  let output = "";
  const status = await main(["check"], {
    directory,
    environment: { PATH: process.env["PATH"], DATABASE_URL: database.url, SHADOW_DATABASE_URL: url },
    project: {},
    output: { log: () => {}, error: (text) => (output += text) },
    ask: undefined,
    interruption: () => new AbortController().signal,
  });
  assert.equal(status, 1);
  assert.match(output, /the database kept has content and is not marked as a shadow database/);
});

test("actions of .gmrc find their files in the migrations folder", async () => {
  await write("migrations/roles.sql", "do $$ begin perform set_config('shop.roles', 'there', false); end $$;");
  await write(".gmrc", '{ "beforeAllMigrations": ["roles.sql"] }');
  await commit("comment on schema shop is 'a shop';", "a comment");
  await write(part, "comment on schema shop is 'the shop';");
  const { status, output } = await run(["check"]);
  assert.equal(status, 0, output);
  await write(".gmrc", "{}");
});

test("without DATABASE_URL, .gmrc or a base, the message says what is missing", async () => {
  const environment = { PATH: process.env["PATH"] };
  const messages: string[] = [];
  const given = {
    environment,
    project: {},
    output: { log: () => {}, error: (text: string) => messages.push(text) },
    ask: undefined,
    interruption: () => new AbortController().signal,
  };
  assert.equal(await main(["status"], { directory, ...given }), 1);
  assert.equal(await main(["status"], { directory: tmpdir(), ...given }), 1);
  assert.match(messages[0] ?? "", /^DATABASE_URL: set it to/);
  assert.match(messages[1] ?? "", /has no \.gmrc that can be read/);
  assert.match((await run(["check", "--base", "nowhere"])).output, /^There is no commit nowhere/);
});

test("a wrong command line is 2, and a server that cannot be reached is 3, after one more try", async () => {
  for (const args of [["chek"], ["check", "--row"], ["check", "--rows", "many"]])
    assert.equal((await run(args)).status, 2);
  const lines: string[] = [];
  const unreachable = "postgres://owner:owned@127.0.0.1:1/shadow";
  const status = await main(["check"], {
    directory,
    environment: { PATH: process.env["PATH"], DATABASE_URL: database.url, SHADOW_DATABASE_URL: unreachable },
    project: {},
    output: { log: () => {}, error: (text: string) => lines.push(text) },
    ask: undefined,
    interruption: () => new AbortController().signal,
  });
  assert.equal(status, 3);
  const reason = "Could not run: connect ECONNREFUSED 127.0.0.1:1 (the database at 127.0.0.1, within 5 s).";
  assert.deepEqual(lines, [`${reason} Once more.`, reason]);
});
