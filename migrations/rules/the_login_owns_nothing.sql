-- The service's login owns nothing and is a member of the API's two roles only.
select format('owns %s', oid::regclass) as offender from pg_catalog.pg_class where relowner = 'api_login'::regrole
union all
select format('is %I', r.rolname) from pg_catalog.pg_roles r
where pg_has_role('api_login', r.oid, 'member') and r.rolname not in ('api_login', 'api_anonymous', 'api_member')
union all
select 'has rights over the server' from pg_catalog.pg_roles
where rolname = 'api_login' and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication or rolinherit);
-- offence: create table app_public.mine (id int); alter table app_public.mine owner to api_login
