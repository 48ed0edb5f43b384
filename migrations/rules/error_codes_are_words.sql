-- Clients compare the error code of a constraint's comment: one word in capitals, as in @code OLD_UNIT.
select pg_catalog.pg_describe_object(classoid, objoid, 0) as offender
from pg_catalog.pg_description
where classoid in ('pg_catalog.pg_constraint'::regclass, 'pg_catalog.pg_class'::regclass) and objsubid = 0
  and description ~ '^(@[^\n]*\n)*@code\M' and conventions.comment_code(description) is null;
-- offence: comment on constraint posts_slug_check on app_public.posts is E'@code bad slug\nA slug consists of letters.'
