import type { ClientBase } from "pg";
import pg from "pg";

/** The rows of a table: the values of each row, as text, by its key. Columns are named by their numbers, which a rename keeps. */
export interface TableRows {
  name: string;
  columns: Map<number, { name: string; type: string }>;
  /** Values in the order of `columns`. */
  rows: Map<string, (string | null)[]>;
}

/** Tables by their oids. */
export type Contents = Map<number, TableRows>;

/** The rows that one statement deletes, adds and changes in a table. */
export interface RowsDiffer {
  oid: number;
  /** The name after the statement. */
  table: string;
  /** How many rows there were before. */
  of: number;
  deleted: string[];
  added: string[];
  changed: number;
  /** The columns whose values have changed. */
  columns: string[];
}

interface Found {
  oid: number;
  name: string;
  keys: number[];
  columns: { number: number; name: string; type: string }[];
}

/**
 * Reads all rows of tables that have a primary key.
 *
 * @param generated a regular expression of tables whose rows triggers write: these are left out
 * @param only the oids of the tables to read, by default all
 */
export async function readContents(
  client: ClientBase,
  schemas: string[],
  generated: string,
  only?: ReadonlySet<number>,
): Promise<Contents> {
  const { rows: found } = await client.query<Found>(tablesText, [schemas, generated, only ? [...only] : null]);
  const contents: Contents = new Map(
    found.map(({ oid, name, columns }) => [
      oid,
      { name, columns: new Map(columns.map(({ number, ...column }) => [number, column])), rows: new Map() },
    ]),
  );
  if (found.length === 0) return contents;
  const { rows } = await client.query<[number, string, (string | null)[]]>({
    text: found.map(rowsText).join(" union all "),
    rowMode: "array",
  });
  for (const [oid, key, values] of rows) contents.get(oid)?.rows.set(key, values);
  return contents;
}

function rowsText({ oid, name, keys, columns }: Found): string {
  const nameOf = (number: number) => columns.find((one) => one.number === number)?.name ?? "";
  return `select ${oid}, ${keyText(keys.map(nameOf))}, ${valuesText(columns.map((one) => one.name))} from ${name}`;
}

/** SQL of the key of a row, as text. */
export function keyText(columns: string[]): string {
  return `${valuesText(columns)}::text`;
}

function valuesText(columns: string[]): string {
  return `array[${columns.map((name) => `${pg.escapeIdentifier(name)}::text`).join(", ")}]`;
}

const tablesText = `
  select c.oid::int as oid, c.oid::regclass::text as name, i.indkey::int2[] as keys,
         (select json_agg(json_build_object('number', attnum, 'name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
            from pg_catalog.pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
    from pg_catalog.pg_class c
    join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = any ($1::regnamespace[])
     and c.oid::regclass::text !~ $2 and ($3::int[] is null or c.oid::int = any ($3::int[]))
   order by c.oid`;

/** How the rows of the tables differ that both states have. */
export function compareContents(before: Contents, after: Contents): RowsDiffer[] {
  return [...before].flatMap(([oid, old]) => {
    const now = after.get(oid);
    const differing = now && compareTable(oid, old, now);
    return differing && differing.deleted.length + differing.added.length + differing.changed > 0 ? [differing] : [];
  });
}

function compareTable(oid: number, old: TableRows, now: TableRows): RowsDiffer {
  const [oldNumbers, numbers] = [[...old.columns.keys()], [...now.columns.keys()]];
  const compared = oldNumbers.flatMap((number, place) => {
    const column = now.columns.get(number);
    // A change of the type is a finding by itself.
    return column && column.type === old.columns.get(number)?.type
      ? [{ place, nowPlace: numbers.indexOf(number), name: column.name }]
      : [];
  });
  const columns = new Set<string>();
  let changed = 0;
  for (const [key, values] of old.rows) {
    const found = now.rows.get(key);
    const differing = found ? compared.filter(({ place, nowPlace }) => values[place] !== found[nowPlace]) : [];
    for (const { name } of differing) columns.add(name);
    if (differing.length > 0) changed++;
  }
  return {
    oid,
    table: now.name,
    of: old.rows.size,
    deleted: [...old.rows.keys()].filter((key) => !now.rows.has(key)),
    added: [...now.rows.keys()].filter((key) => !old.rows.has(key)),
    changed,
    columns: [...columns],
  };
}
