import { withClient } from "@content-service/support/withClient.ts";
import type { ClientBase } from "pg";
import type { Context } from "../../Project.ts";
import { schemasOf } from "../../schemas.ts";
import { resetToBase } from "../../shadow.ts";
import { type Finding, findingOf } from "../finding.ts";
import type { Base } from "../sql/git.ts";
import type { MigrationSql } from "../sql/migrationSql.ts";
import { placeOf, type SqlStatement, splitStatements } from "../sql/statements.ts";
import { multiplyRows } from "./multiplyRows.ts";

/** A lock that others notice. Times depend on the machine, so this only warns. */
const noticeableMs = 100;

/** The strongest first. */
const modes: Record<string, string> = {
  AccessExclusiveLock: "reads and writes of it wait",
  ExclusiveLock: "writes to it wait",
  ShareRowExclusiveLock: "writes to it wait",
  ShareLock: "writes to it wait",
};

interface Measured {
  place: string | undefined;
  ms: number;
  /** The tables that it rewrote. */
  rewrote: string[];
}

interface Lock {
  table: string;
  mode: string;
}

/**
 * Runs the change on a shadow database with many rows, and measures how long each migration holds locks of the tables that
 * existed before. The rows are copies of the sample content, and of rows that the migrations make.
 */
export async function measureLocks(
  shadowUrl: string,
  context: Pick<Context, "migrations" | "project">,
  base: Base,
  { migrations }: Pick<MigrationSql, "migrations">,
  rows: number,
): Promise<Finding[]> {
  await resetToBase(shadowUrl, context, base);
  const { sampleContent } = context.project;
  const sample = sampleContent && base.read(sampleContent.file);
  return withClient(shadowUrl, async (client) => {
    if (sample !== undefined) await client.query(sample);
    const schemas = await schemasOf(client, context.project);
    await client.query("begin");
    const skipped = await multiplyRows(client, schemas, rows);
    await client.query("commit; analyze");
    const findings: Finding[] = [];
    for (const lines of migrations) findings.push(...(await measure(client, schemas, splitStatements(lines), rows)));
    if (skipped.length > 0) {
      findings.push(findingOf("not-filled", "rows", `Not filled: ${skipped.join(", ")}.`));
    }
    return findings;
  });
}

async function measure(
  client: ClientBase,
  schemas: string[],
  statements: SqlStatement[],
  rows: number,
): Promise<Finding[]> {
  await client.query("begin");
  const before = await filesOf(client, schemas);
  let files = before;
  const measured: Measured[] = [];
  /** The strongest lock of each table so far: all are held until the end. */
  const held = new Map<string, string>();
  const taken: (Lock & { first: number })[] = [];
  for (const statement of statements) {
    const place = placeOf(statement);
    const start = performance.now();
    try {
      await client.query(statement.sql);
    } catch (error) {
      await client.query("rollback");
      const message = `Fails on the generated rows: ${(error as Error).message}`;
      return [findingOf("fails-on-rows", "rows", message, { location: place })];
    }
    const ms = performance.now() - start;
    const now = await filesOf(client, schemas);
    const rewrote = [...files].flatMap(([table, file]) => (now.has(table) && now.get(table) !== file ? [table] : []));
    files = now;
    measured.push({ place, ms, rewrote });
    for (const lock of await strongestLocks(client)) {
      if (!before.has(lock.table) || held.get(lock.table) === lock.mode) continue;
      held.set(lock.table, lock.mode);
      taken.push({ ...lock, first: measured.length - 1 });
    }
  }
  await client.query("commit");
  return taken.map((lock) => describe(lock, measured.slice(lock.first), rows));
}

function describe({ table, mode }: Lock, statements: Measured[], rows: number): Finding {
  const heldMs = statements.reduce((sum, { ms }) => sum + ms, 0);
  const slow = statements.filter(({ ms, rewrote }) => ms >= noticeableMs / 2 || rewrote.includes(table));
  const message = `${table} is locked (${mode.replace(/Lock$/, "")}) for ${Math.round(heldMs)} ms with ${rows} rows: ${modes[mode]}.`;
  const reason = slow
    .map(({ place, ms, rewrote }) =>
      [`${place} takes ${Math.round(ms)} ms`, ...rewrote.map((name) => `rewrites ${name}`)].join(" and "),
    )
    .join("; ");
  return findingOf("held-lock", table, message, {
    severity: heldMs < noticeableMs ? "safe" : "dangerous",
    location: statements[0]?.place,
    ...(slow.length > 0 && {
      reason,
      advice:
        "Put the slow statements in a migration of their own, before those that lock the table, or in batches after it.",
    }),
  });
}

/** The file of each table. A statement that rewrites a table gives it another one. */
async function filesOf(client: ClientBase, schemas: string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ table: string; file: number }>(
    `
    select c.oid::regclass::text as table, c.relfilenode::bigint as file
      from pg_catalog.pg_class c
     where c.relkind in ('r', 'p', 'm') and c.relnamespace = any ($1::regnamespace[])`,
    [schemas],
  );
  return new Map(rows.map(({ table, file }) => [table, file]));
}

async function strongestLocks(client: ClientBase): Promise<Lock[]> {
  const { rows } = await client.query<Lock>(
    `select distinct on (relation) relation::regclass::text as table, mode from pg_catalog.pg_locks
      where pid = pg_backend_pid() and locktype = 'relation' and mode = any ($1)
      order by relation, array_position($1, mode)`,
    [Object.keys(modes)],
  );
  return rows;
}
