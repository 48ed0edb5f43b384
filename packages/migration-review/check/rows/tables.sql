-- The tables of the schemas $1 to fill, with what the values of their columns depend on.
select c.oid::int as id, c.oid::regclass::text as name,
       (select json_agg(json_build_object(
                 'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'category', t.typcategory,
                 'isAutomatic', a.attidentity <> '' or a.attgenerated <> ''
                   or coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval(%', false)) order by a.attnum)
          from pg_catalog.pg_attribute a
          join pg_catalog.pg_type t on t.oid = a.atttypid
          left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       (select coalesce(json_agg((
                 select json_agg(a.attname) from pg_catalog.pg_attribute a
                  where a.attrelid = c.oid
                    and (a.attnum = any (i.indkey::int2[]) or exists (
                          select from pg_catalog.pg_depend d
                           where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
                             and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.refobjsubid = a.attnum))
               )), '[]')
          from pg_catalog.pg_index i where i.indrelid = c.oid and i.indisunique) as keys,
       (select coalesce(json_agg(json_build_object('column', a.attname, 'table', k.confrelid::int, 'key', r.attname)), '[]')
          from pg_catalog.pg_constraint k
          join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
          join pg_catalog.pg_attribute r on r.attrelid = k.confrelid and r.attnum = k.confkey[1]
         where k.conrelid = c.oid and k.contype = 'f' and cardinality(k.conkey) = 1) as parents
  from pg_catalog.pg_class c
 where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = any ($1::regnamespace[])
 -- Most tables are created after those that they refer to.
 order by c.oid;
