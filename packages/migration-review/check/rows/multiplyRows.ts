import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";
import pg from "pg";

interface Column {
  name: string;
  type: string;
  category: string;
  /** Written by PostgreSQL: an identity, a sequence or a generated column. */
  isAutomatic: boolean;
}

interface Table {
  id: number;
  name: string;
  columns: Column[];
  /** The columns of each primary key and unique index. */
  keys: string[][];
  /** Foreign keys of one column. */
  parents: { column: string; table: number; key: string }[];
}

const tablesQuery = readFileSync(new URL("tables.sql", import.meta.url), "utf8");

/**
 * Copies the rows of each table, with new keys, until it has that many more. Triggers do not run. In the caller's transaction.
 *
 * @returns the tables that stay as they are, with the reason
 */
export async function multiplyRows(client: ClientBase, schemas: string[], rows: number): Promise<string[]> {
  const { rows: tables } = await client.query<Table>(tablesQuery, [schemas]);
  const skipped: string[] = [];
  // Only a superuser may also leave out the checks of foreign keys, which the copies fulfil anyway.
  await client.query(
    "select set_config('session_replication_role', 'replica', true) from pg_catalog.pg_roles where rolname = current_user and rolsuper",
  );
  for (const table of tables) {
    await client.query("savepoint filling");
    try {
      await client.query(`alter table ${table.name} disable trigger user`);
      const { rowCount } = await client.query(await copyStatement(client, table, tables, rows));
      await client.query(`alter table ${table.name} enable trigger user; set constraints all immediate`);
      if (rowCount === 0) skipped.push(`${table.name} (it has no row to copy)`);
    } catch (error) {
      await client.query("rollback to savepoint filling");
      skipped.push(`${table.name} (${(error as Error).message})`);
    }
  }
  return skipped;
}

/** The counts are constants of the statement, so that PostgreSQL can use hash joins. */
async function copyStatement(client: ClientBase, table: Table, tables: Table[], rows: number): Promise<string> {
  const distinct = distinctColumns(table);
  const columns = table.columns.filter(({ isAutomatic }) => !isAutomatic);
  const joins: string[] = [];
  const values: string[] = [];
  for (const column of columns) {
    const copied = `source.${pg.escapeIdentifier(column.name)}`;
    const parent = table.parents.find((each) => each.column === column.name);
    const parentName = tables.find(({ id }) => id === parent?.table)?.name;
    if (!parent || !parentName) {
      values.push(distinct.has(column.name) ? newValue(column, copied) : copied);
      continue;
    }
    const [key, alias, shift] = [pg.escapeIdentifier(parent.key), `parent${joins.length}`, joins.length];
    const newest = `select ${key} as key from ${parentName} order by ${key} desc limit ${rows}`;
    // A different parent for each foreign key, because a check may forbid the same.
    joins.push(
      `left join (select key, row_number() over () - 1 as place from (${newest}) as newest) as ${alias}
              on ${alias}.place = (n + ${shift}) % ${await countOf(client, newest)}`,
    );
    values.push(distinct.has(column.name) ? `${alias}.key` : `case when ${copied} is not null then ${alias}.key end`);
  }
  const names = columns.map(({ name }) => pg.escapeIdentifier(name));
  const source = `select * from ${table.name} limit 1000`;
  return `
    insert into ${table.name} ${names.length > 0 ? `(${names.join(", ")}) select ${values.join(", ")}` : "select"}
      from generate_series(1, ${rows}) as n
      join (select row_number() over () - 1 as place, rows.* from (${source}) as rows) as source
        on source.place = n % ${await countOf(client, source)}
      ${joins.join("\n")}`;
}

async function countOf(client: ClientBase, query: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select greatest(count(*), 1)::int as count from (${query}) as counted`,
  );
  return rows[0]?.count ?? 1;
}

/** A column of each key that gets another value in each row. */
function distinctColumns({ columns, keys, parents }: Table): Set<string> {
  const distinct = new Set(columns.filter(({ isAutomatic }) => isAutomatic).map(({ name }) => name));
  const isParent = (name: string) => parents.some(({ column }) => column === name);
  for (const key of keys.toSorted((a, b) => Number(b.every(isParent)) - Number(a.every(isParent)))) {
    if (key.some((name) => distinct.has(name))) continue;
    const chosen =
      key.find(isParent) ??
      key.find((name) => columns.some((column) => column.name === name && newValue(column, "") !== ""));
    if (chosen) distinct.add(chosen);
  }
  return distinct;
}

function newValue({ type, category }: Column, copied: string): string {
  if (category === "S") return `(n || ${copied})::${type}`;
  if (type === "uuid") return "gen_random_uuid()";
  if (type === "bytea") return `substring(sha256(${copied} || int4send(n)) for greatest(length(${copied}), 1))`;
  if (category === "N") return `1000000 + n`;
  return category === "D" ? `(${copied} + n * interval '1 day')::${type}` : "";
}
