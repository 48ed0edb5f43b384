import type { ClientBase } from "pg";
import { roles } from "../migrations/gmrc.ts";

/** A function or relation that the service's TypeScript names in its SQL, as far as a caller depends on it. */
export interface ServicePart {
  /** `app_private.identify`. */
  name: string;
  /** With the types of its arguments, if it is a function. */
  signature: string;
  /** The types of a function's arguments; null for a relation. */
  inputs: string[] | null;
  /** How many of them have a default. */
  defaults: number;
  /** The types of the columns of a relation or of a result, by name. A result without columns has one, named `result`. */
  columns: Record<string, string>;
  /** Whether the service's login may read or execute it. */
  isAllowed: boolean;
}

/** Reads the functions and relations with these names. */
export async function readServiceParts(client: ClientBase, names: string[]): Promise<ServicePart[]> {
  // Types then have their schemas.
  await client.query("set local search_path = ''");
  return (await client.query<ServicePart>(text, [names, roles.login])).rows;
}

const text = `
  with columns as (
    select attrelid as relation, jsonb_object_agg(attname, format_type(atttypid, atttypmod)) as types
      from pg_catalog.pg_attribute where attnum > 0 and not attisdropped
     group by attrelid)
  select format('%I.%I', nspname, proname) as name, p.oid::regprocedure::text as signature,
         array(select format_type(type, null) from unnest(proargtypes) with ordinality as input (type, place) order by place) as inputs,
         pronargdefaults as defaults, has_function_privilege($2, p.oid, 'execute') as "isAllowed",
         coalesce(
           (select jsonb_object_agg(argument, format_type(type, null))
              from unnest(proargnames, proallargtypes, proargmodes) as output (argument, type, mode)
             where mode in ('o', 'b', 't')),
           columns.types,
           jsonb_build_object('result', pg_get_function_result(p.oid))) as columns
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = pronamespace
    join pg_catalog.pg_type t on t.oid = prorettype
    left join columns on columns.relation = nullif(typrelid, 0)
   where format('%I.%I', nspname, proname) = any ($1)
  union all
  select format('%I.%I', nspname, relname), format('%I.%I', nspname, relname), null, 0,
         has_table_privilege($2, c.oid, 'select'), columns.types
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = relnamespace
    join columns on columns.relation = c.oid
   where format('%I.%I', nspname, relname) = any ($1) and relkind in ('r', 'p', 'v', 'm')
   order by signature`;
