import type { ClientBase } from "pg";

export interface Column {
  name: string;
  type: string;
  isNotNull: boolean;
  /** Part of a primary or foreign key. */
  isKey: boolean;
  comment: string;
}

export interface Table {
  /** With its schema. */
  name: string;
  comment: string;
  columns: Column[];
}

export interface Routine {
  /** With its schema, without its arguments. */
  name: string;
  signature: string;
  comment: string;
  /** `create or replace function …` */
  definition: string;
}

export interface TablePart {
  name: string;
  table: string;
}

export interface Policy extends TablePart {
  using: string;
}

/** The things in the database that a random migration can change. */
export interface Catalogue {
  tables: Table[];
  routines: Routine[];
  policies: Policy[];
  constraints: TablePart[];
  triggers: TablePart[];
  enums: string[];
}

/** Reads what there is in app_public, in the order of the names, so that a seed gives the same migrations each time. */
export async function readCatalogue(client: ClientBase): Promise<Catalogue> {
  const { rows } = await client.query<{ catalogue: Catalogue }>(text);
  return (rows[0] as { catalogue: Catalogue }).catalogue;
}

const text = `
  select json_build_object(
    'tables', (
      select json_agg(json_build_object(
               'name', 'app_public.' || relname,
               'comment', coalesce(obj_description(c.oid, 'pg_class'), ''),
               'columns', (
                 select json_agg(json_build_object(
                          'name', attname,
                          'type', format_type(atttypid, atttypmod),
                          'isNotNull', attnotnull,
                          'isKey', exists (select from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'f') and attnum = any (k.conkey)),
                          'comment', coalesce(col_description(c.oid, attnum), '')) order by attnum)
                   from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped)) order by relname)
        from pg_class c
       where relnamespace = 'app_public'::regnamespace and relkind in ('r', 'p') and not relispartition),
    'routines', (
      select json_agg(json_build_object(
               'name', 'app_public.' || proname,
               'signature', oid::regprocedure,
               'comment', coalesce(obj_description(oid, 'pg_proc'), ''),
               'definition', pg_get_functiondef(oid)) order by oid::regprocedure::text)
        from pg_proc
       where pronamespace = 'app_public'::regnamespace and prorettype <> 'trigger'::regtype),
    'policies', (
      select json_agg(json_build_object('name', policyname, 'table', schemaname || '.' || tablename, 'using', qual)
                      order by tablename, policyname)
        from pg_policies
       where schemaname = 'app_public' and qual is not null),
    'constraints', (
      select json_agg(json_build_object('name', conname, 'table', 'app_public.' || relname) order by relname, conname)
        from pg_constraint join pg_class c on c.oid = conrelid
       where relnamespace = 'app_public'::regnamespace and contype in ('c', 'f', 'u') and not relispartition),
    'triggers', (
      select json_agg(json_build_object('name', tgname, 'table', 'app_public.' || relname) order by relname, tgname)
        from pg_trigger join pg_class c on c.oid = tgrelid
       where relnamespace = 'app_public'::regnamespace and not tgisinternal and not relispartition),
    'enums', (
      select json_agg('app_public.' || typname order by typname)
        from pg_type
       where typnamespace = 'app_public'::regnamespace and typtype = 'e')) as catalogue`;
