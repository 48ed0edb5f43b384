import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientBase } from "pg";
import { fillPlaceholders } from "../sql/migrationSql.ts";

export interface TriggerTable {
  table: string;
  /** The names of the transition tables (`referencing old table as …`), of all triggers together. */
  oldTable: string | null;
  newTable: string | null;
}

/** A function or procedure of ours, as the catalogue has it. */
export interface Routine {
  oid: string;
  /** For example `app_public.create_post(app_public.create_post_input)`. */
  signature: string;
  /** For example `app_public.create_post`. */
  name: string;
  language: "sql" | "plpgsql";
  /** The text of the body; empty for a parsed one (`begin atomic`). */
  source: string;
  definition: string;
  /** Arguments as `create function` declares them. */
  arguments: string;
  result: string | null;
  resultIsComposite: boolean;
  isTrigger: boolean;
  /** For a trigger's function, the tables that call it. */
  tables: TriggerTable[];
  /** A call with null for each argument. */
  nulls: string[];
  settings: string[];
}

/** All functions and procedures of the covered schemas and of analytics, except for those of extensions. */
export async function readRoutines(client: ClientBase): Promise<Routine[]> {
  // Names of types and tables then contain their schemas.
  await client.query("set local search_path = ''");
  const { rows } = await client.query<Routine>(`
    select p.oid::text,
           p.oid::regprocedure::text as signature,
           format('%I.%I', n.nspname, p.proname) as name,
           l.lanname as language,
           p.prosrc as source,
           pg_get_functiondef(p.oid) as definition,
           pg_get_function_arguments(p.oid) as arguments,
           pg_get_function_result(p.oid) as result,
           exists (select from pg_catalog.pg_type t where t.oid = p.prorettype and t.typtype = 'c') as "resultIsComposite",
           p.prorettype in ('trigger'::regtype, 'event_trigger'::regtype) as "isTrigger",
           (select coalesce(json_agg(t order by t."table"), '[]')
              from (select tgrelid::regclass::text as "table", max(tgoldtable) as "oldTable", max(tgnewtable) as "newTable"
                      from pg_catalog.pg_trigger where tgfoid = p.oid and tgparentid = 0 group by tgrelid) as t) as tables,
           array(select format('%snull::%s', case when place = p.pronargs and p.provariadic <> 0 then 'variadic ' end,
                               -- A null of a polymorphic type needs an actual one.
                               case when format_type(type, null) ~ '^any.*array$' then 'int[]'
                                    when format_type(type, null) ~ '^any' then 'int'
                                    else format_type(type, null) end)
                   from unnest(p.proargtypes) with ordinality as argument (type, place) order by place) as nulls,
           coalesce(p.proconfig, '{}') as settings
      from pg_catalog.pg_proc p
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      join pg_catalog.pg_language l on l.oid = p.prolang
     where (conventions.is_covered(n.nspname) or n.nspname = 'analytics')
       and l.lanname in ('sql', 'plpgsql') and p.prokind in ('f', 'p')
       and not exists (select from pg_catalog.pg_depend d
                        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by signature`);
  return rows;
}

/** A file of migrations/, with its placeholders filled in. */
export interface SqlFile {
  /** Relative to the project's root. */
  file: string;
  text: string;
}

/** All files in which a function may be written, the one to edit first: fixtures, today's change, the newest migrations. */
export async function readSqlFiles(directory: string): Promise<SqlFile[]> {
  const files = globSync("migrations/{fixtures,current,committed}/**/*.sql", { cwd: directory });
  return Promise.all(
    files
      .sort()
      .reverse()
      .map(async (file) => ({ file, text: fillPlaceholders(await readFile(join(directory, file), "utf8")) })),
  );
}

/** The file and line of a line in a function's body; without one, of its `create function`. */
export function locateBody({ name, source }: Routine, line: number | undefined, files: SqlFile[]): string | undefined {
  const bareName = name.slice(name.indexOf(".") + 1);
  const header = new RegExp(
    `create\\s+(or\\s+replace\\s+)?(function|procedure)\\s+[\\w".]*\\b${bareName}"?\\s*\\(`,
    "gi",
  );
  for (const { file, text } of files) {
    for (const { index } of text.matchAll(header)) {
      const body = text.indexOf(source, index);
      if (body < 0) continue;
      const start = line === undefined || source === "" ? index : body;
      return `${file}:${text.slice(0, start).split("\n").length + (line ?? 1) - 1}`;
    }
  }
  return undefined;
}
