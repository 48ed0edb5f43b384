-- What `drift` compares in the schemas $1 and the review need not: indexes, and the values of enums.
with ours as (select oid from pg_catalog.pg_namespace where nspname = any ($1))
select 'index ' || indexrelid::regclass || ' on ' || indrelid::regclass as thing,
       pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' (invalid)' end as values
  from pg_catalog.pg_index join pg_catalog.pg_class on pg_class.oid = indexrelid join ours on ours.oid = relnamespace
 where not exists (select from pg_catalog.pg_constraint where conindid = indexrelid)
 union all
select 'enum ' || pg_type.oid::regtype, string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)
  from pg_catalog.pg_enum join pg_catalog.pg_type on pg_type.oid = enumtypid join ours on ours.oid = typnamespace
 group by pg_type.oid;
