-- The statements that give the server the roles ($1), the login ($2) its memberships ($3), and its password ($4) where it cannot log in.
-- None where it has all of them. A later release may add roles.
--
-- PostgreSQL has no `create role if not exists`. An advisory lock belongs to one database, so an instance on another database of this
-- server may create the same role at the same time.
select statement from (
  select 1, format('do $do$ begin create role %I with nologin %s; exception when duplicate_object or unique_violation then null; end $do$',
                   name, case when name = $2 then 'noinherit' end)
    from unnest($1::name[]) as name
   where not exists (select from pg_catalog.pg_roles where rolname = name)
   union all
  select 2, format('grant %I to %I', name, $2)
    from unnest($3::name[]) as name
   where not exists (select from pg_catalog.pg_auth_members
                       join pg_catalog.pg_roles granted on granted.oid = roleid
                       join pg_catalog.pg_roles login on login.oid = member
                      where granted.rolname = name and login.rolname = $2)
   union all
  select 3, format('alter role %I with login noinherit password %L', $2, $4::text)
   where $4::text is not null and not exists (select from pg_catalog.pg_roles where rolname = $2 and rolcanlogin)
) as missing (place, statement)
order by place;
