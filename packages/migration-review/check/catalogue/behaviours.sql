-- What decides how the things of the schemas $1 behave: a row for each thing and property. Hooks write the functions $2 and the triggers $3.
with ours as (select oid, nspname from pg_catalog.pg_namespace where nspname = any ($1)),
extended as (select classid, objid from pg_catalog.pg_depend where deptype = 'e'),
routines as (
  select p.*, 'function ' || p.oid::regprocedure as thing
    from pg_catalog.pg_proc p join ours on ours.oid = p.pronamespace
   where p.prokind in ('f', 'p') and format('%I.%I', ours.nspname, p.proname) !~ $2
     and not exists (select from extended where classid = 'pg_catalog.pg_proc'::regclass and objid = p.oid)),
relations as (
  select c.*, case when c.relkind in ('v', 'm') then 'view ' else 'table ' end || c.oid::regclass as thing
    from pg_catalog.pg_class c join ours on ours.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
     and not exists (select from extended where classid = 'pg_catalog.pg_class'::regclass and objid = c.oid)),
-- The kinds of things that rights by default are for, and who makes things.
future_kinds (kind, plural) as (values ('r', 'tables'), ('S', 'sequences'), ('f', 'functions'), ('T', 'types'), ('n', 'schemas')),
makers as (
  select oid as maker from pg_catalog.pg_roles where rolname = current_user
   union select relowner from relations union select proowner from routines union select defaclrole from pg_catalog.pg_default_acl)
select thing, property,
       -- The smart tags of a comment whose effect the types of the API do not show.
       case property when 'tags' then 'tagged ' || coalesce((
         select string_agg(line, ', ' order by line) from regexp_split_to_table(value, '\n') as line
          where line ~ '^@' and line !~ '^@(name|fieldName|foreignFieldName|deprecated|describe|listFilter|notNull|subscription|\w*[bB]ehavior)\M'
       ), 'nothing') else value end as value
  from (
  select thing, property, value
    from routines cross join lateral (values
      ('body', coalesce(pg_get_function_sqlbody(oid), prosrc)),
      ('volatility', case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end),
      ('security', case when prosecdef then 'security definer' else 'security invoker' end),
      ('leaks', case when proleakproof then 'leakproof' else 'not leakproof' end),
      ('null', case when proisstrict then 'strict' else 'called on null input' end),
      ('settings', coalesce('set ' || array_to_string(proconfig, ', '), 'without settings')),
      ('owner', 'owned by ' || proowner::regrole),
      ('tags', obj_description(oid, 'pg_proc')),
      ('identity', oid::text)) as properties (property, value)
  union all
  select format('policy %I on %s', polname, polrelid::regclass), property, value
    from pg_catalog.pg_policy join relations on relations.oid = polrelid cross join lateral (values
      ('command', case polcmd when 'r' then 'for select' when 'a' then 'for insert' when 'w' then 'for update'
                              when 'd' then 'for delete' else 'for all' end),
      ('kind', case when polpermissive then 'permissive' else 'restrictive' end),
      ('roles', 'to ' || (select string_agg(case role when 0 then 'public' else role::regrole::text end, ', ' order by role)
                            from unnest(polroles) as role)),
      ('using', 'using ' || coalesce(pg_get_expr(polqual, polrelid), 'nothing')),
      ('check', 'with check ' || coalesce(pg_get_expr(polwithcheck, polrelid), 'nothing')),
      ('identity', pg_policy.oid::text)) as properties (property, value)
  union all
  select thing, property, value
    from relations cross join lateral (values
      ('definition', pg_get_viewdef(oid)),
      (case relkind when 'v' then 'options' else 'storage' end, coalesce('with (' || array_to_string(reloptions, ', ') || ')', 'without options')),
      ('security', case when relrowsecurity then 'with row-level security' else 'without row-level security' end),
      ('force', case when relforcerowsecurity then 'forced for its owner' else 'not forced for its owner' end),
      ('owner', 'owned by ' || relowner::regrole),
      ('comment', obj_description(oid, 'pg_class')),
      ('tags', obj_description(oid, 'pg_class')),
      ('file', nullif(pg_relation_filenode(oid), 0)::text),
      ('identity', oid::text)) as properties (property, value)
  union all
  select format('trigger %I on %s', tgname, tgrelid::regclass), property, value
    from pg_catalog.pg_trigger join relations on relations.oid = tgrelid cross join lateral (values
      ('definition', case when (select format('%s.%s', pronamespace::regnamespace, proname) from pg_catalog.pg_proc where oid = tgfoid) ~ $3 then 'generated' else pg_get_triggerdef(pg_trigger.oid) end),
      ('state', case tgenabled when 'D' then 'disabled' when 'O' then 'enabled' else 'enabled for replication' end),
      ('identity', pg_trigger.oid::text)) as properties (property, value)
   where not tgisinternal
  union all
  select format('constraint %I on %s', conname, conrelid::regclass), property, value
    from pg_catalog.pg_constraint join relations on relations.oid = conrelid cross join lateral (values
      ('rule', pg_get_constraintdef(pg_constraint.oid)),
      ('tags', obj_description(pg_constraint.oid, 'pg_constraint')),
      ('identity', pg_constraint.oid::text),
      ('columns', array_to_string(array(select format('column %s.%I', attrelid::regclass, attname) from pg_catalog.pg_attribute
                                         where attrelid = conrelid and attnum = any (conkey)), E'\n'))) as properties (property, value)
   where contype not in ('n', 't')
  union all
  select 'schema ' || quote_ident(nspname), 'identity', oid::text from ours
  union all
  select 'owner ' || maker::regrole, 'identity', maker::text from makers
  union all
  -- A right of public or of a role. The owner's own follow the owner.
  select thing, format('right of %s: %s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege),
         'granted'
    from (
      select thing, proowner as owner, grantee, lower(privilege_type) as privilege
        from routines cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner)))
      union all
      select thing, relowner, grantee, lower(privilege_type)
        from relations cross join lateral aclexplode(coalesce(relacl, acldefault('r', relowner)))
      union all
      select format('column %s.%I', attrelid::regclass, attname), relowner, grantee, lower(privilege_type)
        from relations join pg_catalog.pg_attribute on attrelid = relations.oid and not attisdropped
       cross join lateral aclexplode(attacl)
      union all
      select 'schema ' || quote_ident(n.nspname), nspowner, grantee, lower(privilege_type)
        from pg_catalog.pg_namespace n join ours using (oid)
       cross join lateral aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
      union all
      select 'schema ' || quote_ident(nspname), defaclrole, grantee, format('%s future %s', lower(privilege_type), plural)
        from pg_catalog.pg_default_acl
        join ours on ours.oid = defaclnamespace
        join future_kinds on kind::"char" = defaclobjtype
       cross join lateral aclexplode(defaclacl)
      union all
      select 'owner ' || maker::regrole, maker, grantee, format('%s future %s', lower(privilege_type), plural)
        from makers
       cross join future_kinds
        left join pg_catalog.pg_default_acl on defaclrole = maker and defaclnamespace = 0 and defaclobjtype = kind::"char"
       cross join lateral aclexplode(coalesce(defaclacl, acldefault(case kind when 'S' then 's' else kind end::"char", maker)))
    ) as rights
   where grantee <> owner
  union all
  select format('column %s.%I', attrelid::regclass, attname), property, value
    from relations join pg_catalog.pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
    left join pg_catalog.pg_attrdef on adrelid = attrelid and adnum = attnum
   cross join lateral (values
      ('type', format_type(atttypid, atttypmod)),
      ('comment', col_description(attrelid, attnum)),
      ('tags', col_description(attrelid, attnum)),
      ('default', coalesce('default ' || pg_get_expr(adbin, adrelid), 'without default')),
      ('identity', concat_ws('.', attrelid, attnum))) as properties (property, value)
) as properties where value is not null or property = 'tags';
