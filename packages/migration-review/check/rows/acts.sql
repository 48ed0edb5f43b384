-- Acts on the tables of the schemas $1: deletions of the oldest row and of a row that each foreign key refers to, and updates that change nothing.
with tables as (
  select c.oid, c.oid::regclass::text as name,
         (select quote_ident(attname) from pg_catalog.pg_attribute
           where attrelid = c.oid and attnum > 0 and not attisdropped and attidentity <> 'a' and attgenerated = ''
           order by attnum limit 1) as some_column
    from pg_catalog.pg_class c
   where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = any ($1::regnamespace[])),
parents as (
  select distinct p.oid, p.name, k.conrelid::regclass::text as child,
         (select string_agg(format('child.%I = parent.%I', ours.attname, theirs.attname), ' and ')
            from unnest(k.conkey, k.confkey) as columns (our_number, their_number)
            join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and ours.attnum = our_number
            join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and theirs.attnum = their_number) as is_child
    from pg_catalog.pg_constraint k
    join tables p on p.oid = k.confrelid
    join tables c on c.oid = k.conrelid
   where k.contype = 'f' and k.conparentid = 0)
select json_agg(json_build_object('name', act.name, 'sql', act.sql) order by act.name) as acts
  from (
    select 'a deletion from ' || name as name,
           format('delete from %1$s where (tableoid, ctid) = (select tableoid, ctid from %1$s limit 1)', name) as sql
      from tables
    union
    select format('a deletion from %s that %s refers to', name, child),
           string_agg(format('delete from %1$s where (tableoid, ctid) in (select parent.tableoid, parent.ctid from %1$s as parent where exists (select from %2$s as child where %3$s) limit 1)',
             name, child, is_child), '; ')
      from parents
     group by name, child
    union
    select 'an update of ' || name, format('update %1$s set %2$s = %2$s', name, some_column) from tables where some_column is not null
  ) as act;
