import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { Random } from "@content-service/testing/Random.ts";
import type pg from "pg";
import { rehearse } from "../../packages/migration-review/check/rows/rehearse.ts";
import { openBase } from "../../packages/migration-review/check/sql/git.ts";
import { readMigrationSql } from "../../packages/migration-review/check/sql/migrationSql.ts";
import { resetToBase } from "../../packages/migration-review/shadow.ts";
import { project as reviewed } from "../../src/commands/project.ts";
import { migrationsIn } from "../../src/database/migrations.ts";
import { copyProject } from "../../tools/support/copyProject.ts";

const part = "migrations/current/990-change.sql";

/** Tables whose rows the review leaves to their triggers. */
const generated = new RegExp(reviewed.generated?.tables ?? "$.");

/**
 * Lets the review count the effects of random deletes, updates and changes of roles on the sample content, and counts them in another way.
 *
 * @param serverUrl of a server that nobody else uses
 * @returns how many were tried, and the SQL with what is wrong of those whose counts differ or that leave something on the server
 */
export async function fuzzEffects(
  serverUrl: string,
  count: number,
  seed: number,
): Promise<{ tried: number; problems: string[] }> {
  const shadowUrl = changeConnection(serverUrl, { database: "effects_shadow" });
  const project = await copyProject({ SHADOW_DATABASE_URL: shadowUrl });
  const migrations = migrationsIn(join(project.directory, "migrations"));
  // The rows are there already, so that both count the same ones. Callers and acts have no part in that.
  const { sampleContent, callers, acts, ...counted } = reviewed;
  const context = { directory: project.directory, migrations, project: counted };
  const problems: string[] = [];
  let tried = 0;
  try {
    const base = openBase(project.directory, undefined);
    await resetToBase(shadowUrl, context, base);
    await withClient(shadowUrl, async (client) => {
      await client.query(await readFile(join(project.directory, sampleContent?.file ?? ""), "utf8"));
      const tables = await readTables(client);
      const random = new Random(seed);
      const shared = await sharedCatalogues(client);
      for (let n = 0; tried < count; n++) {
        const change = randomChange(random, tables, n);
        await project.write(part, change.sql);
        const sql = await readMigrationSql(migrations, base, shadowUrl);
        // Rows that a constraint keeps.
        const effects = await rehearse(shadowUrl, context, base, sql).catch((error) => {
          if (!(error instanceof OperatorError)) throw error;
        });
        if (!effects) continue;
        tried++;
        const { server, rows } = effects;
        const found = rows.flatMap(({ rule, object, message }) =>
          rule === "rows-deleted" || rule === "rows-changed"
            ? [`${rule} ${object} ${/(?:deletes| in) (\d+) of \d+ rows/.exec(message)?.[1]}`]
            : [],
        );
        const expected = change.isOfServer ? ["server"] : await trueCounts(client, tables, change.sql);
        const told = server.length > 0 ? ["server"] : found;
        if (told.toSorted().join("; ") !== expected.toSorted().join("; ")) {
          problems.push(`${change.sql}\n  The review: ${told.join("; ")}\n  In truth: ${expected.join("; ")}`);
        }
        if ((await sharedCatalogues(client)) !== shared) problems.push(`${change.sql}\n  It has changed the server.`);
      }
    });
  } finally {
    await project.remove();
    for (const name of ["effects_shadow", "effects_shadow_template"]) {
      await withClient(serverUrl, (client) => client.query(`drop database if exists ${name}`));
    }
  }
  return { tried, problems };
}

interface Table {
  name: string;
  keys: string;
  columns: string[];
}

async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select c.oid::regclass::text as name,
           (select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = c.oid and attnum = any (indkey::int2[])) as keys,
           (select array_agg(quote_ident(attname)) from pg_attribute
             where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '' and not attnum = any (indkey::int2[])) as columns
      from pg_class c join pg_index on indrelid = c.oid and indisprimary
     where c.relkind in ('r', 'p') and not c.relispartition and relnamespace::regnamespace::text ~ '^app_'
     order by 1`);
  return rows.filter(({ name }) => !generated.test(name));
}

function randomChange(random: Random, tables: Table[], n: number): { sql: string; isOfServer: boolean } {
  if (random.chance(0.2)) {
    const statement = random.pick([
      `alter role api_login set statement_timeout = '${1 + random.below(99)}ms'`,
      "alter role api_login nologin",
      `create role random_${n}`,
      `alter role api_member rename to random_${n}`,
      "grant api_member to analyst",
      "comment on role analyst is 'odd'",
    ]);
    return { sql: inSomeWay(random, statement, n), isOfServer: true };
  }
  const { name, columns } = random.pick(tables);
  const some = `(tableoid, ctid) in (select tableoid, ctid from ${name} limit ${1 + random.below(5)})`;
  const column = columns?.length ? random.pick(columns) : undefined;
  const statement =
    column && random.chance(0.5)
      ? `update ${name} set ${column} = (select ${column} from ${name} order by ctid desc limit 1) where ${some}`
      : `delete from ${name} where ${some}`;
  return { sql: inSomeWay(random, statement, n), isOfServer: false };
}

/** A statement as it is, in a do-statement, as text, or in a function. */
function inSomeWay(random: Random, statement: string, n: number): string {
  return random.pick([
    `${statement};`,
    `do $$ begin ${statement}; end $$;`,
    `do $$ begin execute ${`'${statement.replaceAll("'", "''")}'`}; end $$;`,
    `create function app_hidden.random_${n}() returns void language plpgsql as $$ begin ${statement}; end $$;\nselect app_hidden.random_${n}();`,
  ]);
}

/** Counts by the rows themselves, in a transaction that is rolled back. */
async function trueCounts(client: pg.ClientBase, tables: Table[], sql: string): Promise<string[]> {
  const counts: string[] = [];
  await client.query("begin");
  try {
    for (const [i, { name }] of tables.entries()) {
      await client.query(`create temporary table before_${i} on commit drop as select * from ${name}`);
    }
    await client.query(sql);
    for (const [i, { name, keys }] of tables.entries()) {
      const { rows } = await client.query<{ deleted: number; kept: number }>(`
        select (select count(*)::int from (select ${keys} from before_${i} except select ${keys} from ${name}) as gone) as deleted,
               (select count(*)::int from (select to_jsonb(b) from before_${i} b except select to_jsonb(t) from ${name} t) as other) as kept`);
      const { deleted = 0, kept = 0 } = rows[0] ?? {};
      if (deleted > 0) counts.push(`rows-deleted ${name} ${deleted}`);
      if (kept > deleted) counts.push(`rows-changed ${name} ${kept - deleted}`);
    }
    return counts;
  } finally {
    await client.query("rollback");
  }
}

/** All rows of all shared catalogues. */
async function sharedCatalogues(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relisshared and relkind = 'r' order by 1",
  );
  const texts = rows.map(
    ({ name }) =>
      `select '${name}' as name, (to_jsonb(r) - '{datfrozenxid,datminmxid}'::text[])::text as row from ${name} r`,
  );
  return JSON.stringify((await client.query(`${texts.join(" union all ")} order by 1, 2`)).rows);
}
