-- A script for psql with the parts of a database that pg_dump leaves out: the roles that it names, memberships,
-- settings of the database and of roles in it, and rights on the database. Idempotent; psql's :"DBNAME" is the database
-- that it runs on.
--
-- Roles get neither a password nor an attribute that gives power over the server. A setting that only a superuser may make is
-- left out when somebody else runs the script.
with recursive here as (
  select oid, datname, datdba, datacl from pg_catalog.pg_database where datname = current_database()
), settings as (
  select setrole as role, setting[1] as name,
         case when setting[1] in ('search_path', 'temp_tablespaces', 'local_preload_libraries', 'session_preload_libraries')
              then setting[2] else quote_literal(setting[2]) end as value
    from pg_catalog.pg_db_role_setting
    join here on here.oid = setdatabase,
         unnest(setconfig) as stored,
         regexp_match(stored, '^([^=]+)=(.*)$') as setting
), named (role) as (
  select refobjid from pg_catalog.pg_shdepend, here
   where refclassid = 'pg_catalog.pg_authid'::regclass
     and (dbid = here.oid or (classid = 'pg_catalog.pg_database'::regclass and objid = here.oid))
  union
  select role from settings
  union
  select member from pg_catalog.pg_auth_members join named on named.role = roleid
), people as (
  select pg_roles.* from pg_catalog.pg_roles join named on named.role = pg_roles.oid where rolname !~ '^pg_'
), default_rights as (
  select defaclacl,
         case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions'
                            when 'T' then 'types' when 'n' then 'schemas' end as kind
    from pg_catalog.pg_default_acl
   where defaclnamespace = 0 and defaclrole = (select oid from pg_catalog.pg_roles where rolname = current_user)
)
select line from (
  select 0, 'select current_setting(''is_superuser'') as is_superuser \gset'
   union all
  select 1, format('select %L where not exists (select from pg_catalog.pg_roles where rolname = %L) \gexec',
                   format('create role %I %s connection limit %s', rolname,
                          case when rolcanlogin then 'login' else 'nologin' end
                            || case when rolinherit then '' else ' noinherit' end, rolconnlimit),
                   rolname)
    from people
   union all
  select 2, format('select %L where not pg_catalog.pg_has_role(%L, %L, ''member'') \gexec',
                   format('grant %I to %I', granted.rolname, member.rolname), member.rolname, granted.rolname)
    from pg_catalog.pg_auth_members
    join people as granted on granted.oid = roleid
    join people as member on member.oid = pg_auth_members.member
   where not member.rolsuper
   union all
  select 3, case when context like 'superuser%'
                 then format(E'\\if :is_superuser\n%s;\n\\endif', change)
                 else change || ';' end
    from (select coalesce(context, '') as context,
                 case when role = 0 then 'alter database :"DBNAME"'
                      else format('alter role %I in database :"DBNAME"', (select rolname from people where oid = role)) end
                   || format(' set %s = %s', settings.name, value) as change
            from settings left join pg_catalog.pg_settings on pg_settings.name = settings.name) as changes
   union all
  select 4, 'revoke all on database :"DBNAME" from public;' from here where datacl is not null
   union all
  select 5, format('grant %s on database :"DBNAME" to %s%s;', privilege_type,
                   case when grantee = 0 then 'public' else grantee::regrole::text end,
                   case when is_grantable then ' with grant option' else '' end)
    from here, aclexplode(datacl) where grantee <> datdba
   union all
  select 6, format('alter default privileges revoke all on %s from public;', kind) from default_rights
   union all
  select 7, format('alter default privileges grant %s on %s to %s;', privilege_type, kind,
                   case when grantee = 0 then 'public' else grantee::regrole::text end)
    from default_rights, aclexplode(defaclacl)
   where grantee <> (select oid from pg_catalog.pg_roles where rolname = current_user)
) as lines (place, line)
order by place, line;
