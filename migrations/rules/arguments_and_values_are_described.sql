-- Clients read what an argument and a value mean in the API's schema. An argument with the name of a column of the result has the column's comment.
with functions as (
  select p.oid, p.prorettype, p.proargnames, p.proargmodes, coalesce(p.proallargtypes, p.proargtypes::oid[]) as types,
         coalesce(obj_description(p.oid, 'pg_proc'), '') as comment, p.provolatile,
         (select c.oid from pg_catalog.pg_class c where c.reltype = p.prorettype) as result
    from pg_catalog.pg_proc p
   where p.pronamespace::regnamespace::text = 'app_public' and p.prokind = 'f'
     and (has_function_privilege('api_anonymous', p.oid, 'execute') or has_function_privilege('api_member', p.oid, 'execute'))
     and not exists (select from pg_catalog.pg_type t where t.typnamespace = p.pronamespace and t.typname = p.proname and t.typtype in ('r', 'm'))
     and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
)
select format('%s: %s', f.oid::regprocedure, name) as offender,
       format('Describe it in the comment of the function: @describe %s …', name) as advice
  from functions f, unnest(f.proargnames, f.types, f.proargmodes) with ordinality as arg (name, type, mode, place)
  join pg_catalog.pg_type t on t.oid = arg.type
 where coalesce(mode, 'i') in ('i', 'b', 'v') and name <> '' and f.comment !~ '(^|\n)@behavior -\*'
   -- The row of a computed field.
   and not (place = 1 and f.provolatile <> 'v' and t.typtype = 'c')
   and not (t.typtype = 'c' and coalesce(obj_description(t.oid, 'pg_type'), obj_description(t.typrelid, 'pg_class')) is not null)
   and f.comment !~ format('(^|\n)@(describe|pageArgument) %s\M', name)
   and not exists (select from pg_catalog.pg_attribute a
                    where a.attrelid = f.result and a.attname = name and col_description(f.result, a.attnum) is not null)
union all
select format('%s: %s', t.oid::regtype, e.enumlabel), format('Describe it in the comment of the type: @describe %s …', e.enumlabel)
  from pg_catalog.pg_type t
  join pg_catalog.pg_enum e on e.enumtypid = t.oid
 where t.typnamespace::regnamespace::text = 'app_public'
   and coalesce(obj_description(t.oid, 'pg_type'), '') !~ format('(^|\n)@describe %s\M', e.enumlabel)
   and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e');
-- offence: create type app_public.mood as enum ('CALM'); comment on type app_public.mood is 'How one feels.'
-- offence: create function app_public.doubled(a int) returns int language sql stable return a * 2; grant execute on function app_public.doubled(int) to api_member
-- harmless: create function app_public.doubled(a int) returns int language sql stable return a * 2; comment on function app_public.doubled(int) is E'@describe a A number.\nTwice.'; grant execute on function app_public.doubled(int) to api_member
