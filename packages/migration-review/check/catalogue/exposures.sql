-- The columns and functions of the schemas $3, and the callers that reach each: anonymous ones are the role $1, and members $2.
-- A policy that matches $4 lets admins pass, and one that matches $5 leaves each row to its owner; others count as open to their roles.
with ours as (select oid, nspname from pg_catalog.pg_namespace where nspname = any ($3)),
rows_of as (
  select c.oid, role,
         not relrowsecurity or count(polname) > 0 as is_open,
         case when not relrowsecurity then 'by members'
              when bool_and(condition ~ $4) then 'by admins'
              when bool_and(condition ~ $4 or condition ~ $5 and condition !~ ' OR ') then 'by its owner'
              else 'by members' end as audience
    from pg_catalog.pg_class c
    join ours on ours.oid = c.relnamespace
   cross join unnest(array[$1, $2]::name[]) as role
    left join pg_catalog.pg_policy on polrelid = c.oid and polpermissive and polcmd in ('r', '*')
      and exists (select from unnest(polroles) as granted
                   where case granted when 0 then true else pg_has_role(role, granted, 'member') end)
    left join lateral (select coalesce(pg_get_expr(polqual, polrelid), 'true')) as rule (condition) on true
   where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and has_schema_privilege(role, ours.oid, 'usage')
   group by c.oid, relrowsecurity, role),
columns as (
  select c.oid, c.relname, attnum, attname,
         coalesce(max(case role when $1 then 'without a token' else audience end)
           filter (where is_open and has_column_privilege(role, c.oid, attnum, 'select')), 'by nobody') as audience
    from pg_catalog.pg_class c
    join ours on ours.oid = c.relnamespace
    join pg_catalog.pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
    left join rows_of on rows_of.oid = c.oid
   where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
   group by c.oid, c.relname, attnum, attname)
select 'column' as kind, format('%s.%I', oid::regclass, attname) as name, concat_ws('.', oid, attnum) as identity,
       oid::regclass::text as object, audience, false as "isDefiner", '' as language, '' as source, '' as definition
  from columns
union all
select 'foreign key', format('%s (%s)', relname,
         (select string_agg(a.attname, ', ' order by place)
            from unnest(conkey) with ordinality as key (attnum, place) join pg_catalog.pg_attribute a on a.attrelid = conrelid and a.attnum = key.attnum)),
       k.oid::text, conrelid::regclass::text, audience, false, '', '', ''
  from columns join pg_catalog.pg_constraint k on contype = 'f' and conrelid = columns.oid and conkey[1] = attnum
union all
select 'function', format('%I.%I', nspname, proname), p.oid::text, p.oid::regprocedure::text,
       case when has_schema_privilege($1, ours.oid, 'usage') and has_function_privilege($1, p.oid, 'execute') then 'without a token'
            when has_schema_privilege($2, ours.oid, 'usage') and has_function_privilege($2, p.oid, 'execute') then 'by members'
            else 'by nobody' end,
       prosecdef, lanname, prosrc, pg_get_functiondef(p.oid)
  from pg_catalog.pg_proc p
  join ours on ours.oid = pronamespace
  join pg_catalog.pg_language l on l.oid = prolang
 where lanname in ('sql', 'plpgsql') and prokind in ('f', 'p')
 order by kind, object, name;
