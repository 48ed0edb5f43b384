-- The comment of a constraint is the message that a client gets in validationErrors. A partition inherits the checks of its table.
select format('%s: %I', conrelid::regclass, conname) as offender
from pg_catalog.pg_constraint
where contype in ('c', 'x') and conrelid <> 0 and conventions.is_covered(connamespace::regnamespace::text)
  and obj_description(oid, 'pg_constraint') is null and coninhcount = 0
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = conrelid and d.deptype = 'e');
-- offence: alter table app_public.posts add constraint odd check (id > 0)
