-- insert_row() and update_row() write the fields of an input type into columns of the same name: one that is no column fails at run time. Rename both, or name in the function the field that it treats itself.
select format('%s: %s.%I', p.oid::regprocedure, input.oid::regtype, field.attname) as offender,
       (select format('The column of this name is %s, and the field %s: give the field the type of the column.',
                 format_type(a.atttypid, a.atttypmod), format_type(field.atttypid, field.atttypmod))
          from pg_catalog.pg_attribute a
         where a.attrelid = result.typrelid and a.attname = field.attname and not a.attisdropped) as advice
from pg_catalog.pg_proc p
cross join unnest(p.proargtypes::oid[]) as argument (type)
join pg_catalog.pg_type input on input.oid = argument.type
join pg_catalog.pg_class inputs on inputs.oid = input.typrelid and inputs.relkind = 'c'
join pg_catalog.pg_attribute field on field.attrelid = inputs.oid and field.attnum > 0 and not field.attisdropped
join pg_catalog.pg_type result on result.oid = p.prorettype
where p.pronamespace::regnamespace::text = 'app_public'
  and p.prosrc ~ '(insert|update)_row\('
  and position(quote_literal(field.attname) in p.prosrc) = 0
  and coalesce(pg_catalog.col_description(inputs.oid, field.attnum), '') !~ '^@cleared'
  and not exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = result.typrelid and a.attname = field.attname and a.atttypid = field.atttypid and not a.attisdropped);
-- offence: alter table app_public.posts rename column title to headline
-- offence: alter type app_public.update_post_input add attribute mood text
-- offence: alter type app_public.create_post_input add attribute published_at text
