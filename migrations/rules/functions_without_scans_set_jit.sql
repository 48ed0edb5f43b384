-- A plan that uses a kind of scan in spite of `enable_… = off` costs ten billion before PostgreSQL 18, so it would be compiled just in time: half a second for one row.
select format('%s sets %s. Add: set jit = off', pg_proc.oid::regprocedure, setting) as offender
  from pg_catalog.pg_proc, unnest(proconfig) as setting
 where conventions.is_covered(pronamespace::regnamespace::text)
   and setting ~ '^enable_.*=(off|false|0)$'
   and not exists (select from unnest(proconfig) as jit where jit ~ '^jit=(off|false|0)$');
-- offence: create function app_hidden.f() returns int language sql set enable_seqscan = off return 1
-- harmless: create function app_hidden.f() returns int language sql set enable_seqscan = off set jit = off return 1
