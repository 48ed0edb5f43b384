-- Execute is granted to named roles only. PostgreSQL's default grants it to everybody.
select format('%s', p.oid::regprocedure) as offender
from pg_catalog.pg_proc p, lateral aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
where pronamespace::regnamespace::text like 'app\_%' and acl.grantee = 0;
-- offence: grant execute on function app_hidden.viewer_id() to public
