-- Execute is granted to named roles only. PostgreSQL's default grants it to everybody.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p, lateral aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
where conventions.is_covered(pronamespace::regnamespace::text) and acl.grantee = 0
  -- Functions of an extension belong to a superuser.
  and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');
-- offence: create function rollups.everything() returns int language sql return 1; grant execute on function rollups.everything() to public
-- offence: grant execute on function app_hidden.viewer_id() to public
