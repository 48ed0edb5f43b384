import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { loadModule, parseSync } from "libpg-query";
import type { ClientBase } from "pg";
import type { Service } from "../commands/Service.ts";
import { placeOf, readCurrent } from "../migrations/sqlErrors.ts";
import type { Finding } from "./finding.ts";
import { readAt } from "./git.ts";
import { multiplyRows } from "./multiplyRows.ts";
import { fillPlaceholders } from "./readMigrationSql.ts";
import { committedSince, resetToBase } from "./resetToBase.ts";

/** A lock that others notice. Times depend on the machine, so this only warns. */
const noticeableMs = 100;

/** The strongest first. */
const modes: Record<string, string> = {
  AccessExclusiveLock: "reads and writes of it wait",
  ExclusiveLock: "writes to it wait",
  ShareRowExclusiveLock: "writes to it wait",
  ShareLock: "writes to it wait",
};

interface Migration {
  /** As in packages/migration-review/migrations/sqlErrors.ts. */
  name: string;
  text: string;
}

interface Measured {
  place: string;
  ms: number;
  /** The tables that it rewrote. */
  rewrote: string[];
}

/**
 * Runs the change on a shadow database with many rows, and measures how long each migration holds locks of the tables that
 * existed before. The rows are copies of the sample content.
 */
export async function measureLocks(
  shadowUrl: string,
  directory: string,
  base: string,
  rows: number,
  { sampleContentFile }: Pick<Service, "sampleContentFile">,
): Promise<Finding[]> {
  await loadModule();
  await resetToBase(shadowUrl, directory, base);
  const folder = join(directory, "migrations");
  const change: Migration[] = [
    ...(await committedSince(directory, base)).map(({ realFilename, body }) => ({ name: realFilename, text: body })),
    { name: "current", text: await readCurrent(folder) },
  ];
  const sample = readAt(directory, base, sampleContentFile);
  return withClient(shadowUrl, async (client) => {
    await client.query(sample);
    await client.query("begin");
    const skipped = await multiplyRows(client, rows);
    await client.query("commit; analyze");
    const findings: Finding[] = [];
    for (const migration of change) findings.push(...(await measure(client, migration, folder, rows)));
    const message = `Not filled: ${skipped.join(", ")}.`;
    return skipped.length > 0 ? [...findings, { level: "safe", name: "rows", message }] : findings;
  });
}

async function measure(
  client: ClientBase,
  { name, text }: Migration,
  folder: string,
  rows: number,
): Promise<Finding[]> {
  await client.query("begin");
  const before = await filesOf(client);
  let files = before;
  const statements: Measured[] = [];
  /** The first statement that held each lock. */
  const taken = new Map<string, number>();
  for (const { sql, line } of split(fillPlaceholders(text))) {
    const place = await placeOf(line, name, folder);
    const start = performance.now();
    try {
      await client.query(sql);
    } catch (error) {
      await client.query("rollback");
      const message = `Fails on the generated rows: ${(error as Error).message}`;
      return [{ level: "dangerous", name: "rows", message, location: place }];
    }
    const ms = performance.now() - start;
    const now = await filesOf(client);
    const rewrote = [...files]
      .filter(([table, file]) => now.has(table) && now.get(table) !== file)
      .map(([table]) => table);
    files = now;
    statements.push({ place, ms, rewrote });
    for (const lock of await locksOf(client)) {
      if (before.has(lock.table))
        taken.set(`${lock.table} ${lock.mode}`, taken.get(`${lock.table} ${lock.mode}`) ?? statements.length - 1);
    }
  }
  await client.query("commit");
  return [...taken]
    .filter(([lock, first]) => ![...taken].some(([other, at]) => at <= first && isStronger(other, lock)))
    .map(([lock, first]) => describe(lock, statements.slice(first), rows));
}

/** Whether one lock of a table covers another one of the same table. */
function isStronger(one: string, other: string): boolean {
  const [[table, mode = ""], [otherTable, otherMode = ""]] = [one.split(" "), other.split(" ")];
  const order = Object.keys(modes);
  return table === otherTable && order.indexOf(mode) < order.indexOf(otherMode);
}

function describe(lock: string, statements: Measured[], rows: number): Finding {
  const [table = "", mode = ""] = lock.split(" ");
  const heldMs = statements.reduce((sum, { ms }) => sum + ms, 0);
  const slow = statements.filter(({ ms, rewrote }) => ms >= noticeableMs / 2 || rewrote.includes(table));
  const finding: Finding = {
    level: heldMs < noticeableMs ? "safe" : "dangerous",
    name: "held-lock",
    message: `${table} is locked (${mode.replace(/Lock$/, "")}) for ${Math.round(heldMs)} ms with ${rows} rows: ${modes[mode]}.`,
    location: statements[0]?.place,
  };
  if (slow.length === 0) return finding;
  return {
    ...finding,
    reason: slow
      .map(
        ({ place, ms, rewrote }) =>
          `${place} takes ${Math.round(ms)} ms${rewrote.map((name) => ` and rewrites ${name}`)}`,
      )
      .join("; "),
    advice:
      "Put the slow statements in a migration of their own, before those that lock the table, or in batches after it.",
  };
}

/** The statements with the lines that they begin at. */
function split(text: string): { sql: string; line: number }[] {
  const bytes = Buffer.from(text);
  return (parseSync(text).stmts ?? []).map(({ stmt_location: start = 0, stmt_len: length }) => {
    const sql = bytes.subarray(start, length ? start + length : undefined).toString();
    const blank = /^(\s|--[^\n]*\n|\/\*.*?\*\/)*/s.exec(sql)?.[0] ?? "";
    return { sql, line: (bytes.subarray(0, start).toString() + blank).split("\n").length };
  });
}

/** The file of each table. A statement that rewrites a table gives it another one. */
async function filesOf(client: ClientBase): Promise<Map<string, number>> {
  const { rows } = await client.query<{ table: string; file: number }>(`
    select c.oid::regclass::text as table, c.relfilenode::bigint as file
      from pg_catalog.pg_class c
     where c.relkind in ('r', 'p', 'm') and (conventions.is_covered(c.relnamespace::regnamespace::text) or c.relnamespace = 'analytics'::regnamespace)`);
  return new Map(rows.map(({ table, file }) => [table, file]));
}

async function locksOf(client: ClientBase): Promise<{ table: string; mode: string }[]> {
  const { rows } = await client.query<{ table: string; mode: string }>(
    `select relation::regclass::text as table, mode from pg_catalog.pg_locks
      where pid = pg_backend_pid() and locktype = 'relation' and mode = any ($1)`,
    [Object.keys(modes)],
  );
  return rows;
}
