import type { ClientBase } from "pg";
import pg from "pg";
import type { Caller } from "../../Project.ts";
import { keyText } from "./contents.ts";

/** The keys of the rows that a caller sees; how many where the relation has no key that the caller may read. */
export type Visible = Map<string, Set<string> | number>;

/** By the caller's name. */
export type Visibility = Map<string, Visible>;

interface Relation {
  name: string;
  /** The columns of its primary key, or null. */
  keys: string[] | null;
}

/**
 * Reads which rows of the schemas' tables and views each caller sees. In the caller's transaction.
 *
 * @param generated a regular expression of tables whose rows triggers write: these are left out
 * @param only a caller and the relations to read for it, by default all
 */
export async function readVisibility(
  client: ClientBase,
  schemas: string[],
  generated: string,
  callers: readonly Caller[],
  only?: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Visibility> {
  const visibility: Visibility = new Map();
  for (const { name, become } of callers) {
    if (only && !only.has(name)) continue;
    visibility.set(
      name,
      await undone(client, async () => {
        await client.query(become);
        const { rows } = await client.query<Relation>(relationsText, [schemas, generated]);
        const wanted = only?.get(name);
        return readRows(client, wanted ? rows.filter((one) => wanted.has(one.name)) : rows);
      }),
    );
  }
  return visibility;
}

async function readRows(client: ClientBase, relations: Relation[]): Promise<Visible> {
  const visible: Visible = new Map();
  if (relations.length === 0) return visible;
  const text = (some: Relation[]) => some.map(keysText).join(" union all ");
  const read = (some: Relation[]) =>
    undone(client, () => client.query<[string, string[] | null, string]>({ text: text(some), rowMode: "array" }));
  // A function that one of them calls may refuse: then each is asked alone.
  const results = await read(relations).then(
    (all) => [all],
    async () => {
      const each = [];
      for (const relation of relations) each.push(await read([relation]).catch(() => undefined));
      return each;
    },
  );
  for (const [name, keys, count] of results.flatMap((result) => result?.rows ?? [])) {
    visible.set(name, keys ? new Set(keys) : Number(count));
  }
  return visible;
}

function keysText({ name, keys }: Relation): string {
  const found = keys ? `coalesce(array_agg(${keyText(keys)}), '{}')` : "null::text[]";
  return `select ${pg.escapeLiteral(name)}, ${found}, count(*) from ${name}`;
}

const relationsText = `
  select c.oid::regclass::text as name,
         case when has_table_privilege(c.oid, 'select') then (
           select array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum))
             from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey::int2[])
            where i.indrelid = c.oid and i.indisprimary) end as keys
    from pg_catalog.pg_class c
   where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and c.relnamespace = any ($1::regnamespace[])
     and c.oid::regclass::text !~ $2 and has_schema_privilege(c.relnamespace, 'usage') and has_any_column_privilege(c.oid, 'select')
   order by c.oid`;

/** Runs it in a subtransaction that is rolled back. */
export async function undone<Result>(client: ClientBase, act: () => Promise<Result>): Promise<Result> {
  await client.query("savepoint undone");
  try {
    return await act();
  } finally {
    await client.query("rollback to savepoint undone; release savepoint undone");
  }
}

/** What a caller sees no more, and sees besides, of the rows that are there before and after. */
export interface SeenDiffer {
  caller: string;
  relation: string;
  of: number;
  hidden: number;
  shown: number;
}

/**
 * @param isThere whether a row of a table is there in both states: those that are added or deleted are no change of what is seen
 * @param isSame whether no row has been added or deleted, so that a count may be compared
 */
export function compareVisibility(
  before: Visibility,
  after: Visibility,
  isThere: (relation: string, key: string) => boolean,
  isSame: boolean,
): SeenDiffer[] {
  return [...before].flatMap(([caller, relations]) =>
    [...relations].flatMap(([relation, old]): SeenDiffer[] => {
      const now = after.get(caller)?.get(relation);
      if (now === undefined) return [];
      const [hidden, shown] =
        typeof old === "number" || typeof now === "number"
          ? countsDiffer(sizeOf(old), sizeOf(now), isSame)
          : [lackedBy(now, old), lackedBy(old, now)].map((keys) => keys.filter((key) => isThere(relation, key)).length);
      return hidden || shown ? [{ caller, relation, of: sizeOf(old), hidden: hidden ?? 0, shown: shown ?? 0 }] : [];
    }),
  );
}

function sizeOf(seen: Set<string> | number): number {
  return typeof seen === "number" ? seen : seen.size;
}

function countsDiffer(old: number, now: number, isSame: boolean): number[] {
  return isSame ? [Math.max(old - now, 0), Math.max(now - old, 0)] : [0, 0];
}

function lackedBy(other: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  return [...own].filter((key) => !other.has(key));
}
