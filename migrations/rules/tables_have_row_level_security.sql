-- Without row-level security, a role that may select from the table sees all its rows. select app_hidden.protect('app_public.reactions') enables it.
select format('%s', oid::regclass) as offender
from pg_catalog.pg_class
where relkind in ('r', 'p') and not relrowsecurity and relnamespace::regnamespace::text like 'app\_%';
-- offence: alter table app_public.posts disable row level security
