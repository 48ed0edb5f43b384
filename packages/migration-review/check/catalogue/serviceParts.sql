-- The functions and relations of these names ($1), as the role $2 may use them.
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
 order by signature;
