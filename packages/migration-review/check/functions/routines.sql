-- The functions and procedures of the schemas $1, for the check of their bodies.
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
 where n.nspname = any ($1)
   and l.lanname in ('sql', 'plpgsql') and p.prokind in ('f', 'p')
   and not exists (select from pg_catalog.pg_depend d
                    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
 order by signature;
