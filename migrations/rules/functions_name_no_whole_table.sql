-- A function that names all columns of a row one by one forgets the next one. conventions.pack_fields(), unpack_fields(), to_jsonb() and update_row() take those that there are.
with lists as (
  select of_table, array_agg(distinct c.name::text) as names, array_agg(distinct to_regproc(k.keeper)::oid) as keepers,
         format('(?:[\w.]*\.)?(?:''(?:%1$s)''|\y(?:%1$s)\y)', string_agg(distinct c.name, '|')) as item
  from conventions.kept_fields k cross join lateral conventions.kept_columns(k.relation) c
  group by of_table
), texts (offender, text, names, item) as (
  select format('%s', p.oid::regprocedure), prosrc, names, item
  from pg_catalog.pg_proc p cross join lists
  where conventions.is_covered(p.pronamespace::regnamespace::text)
    -- These are written from the catalogue.
    and prosrc !~ '^-- Written by conventions\.'
    and not exists (select from pg_catalog.pg_trigger where tgname = '_200_validate' and tgfoid = p.oid)
  union all
  select format('%s: %I', tgrelid::regclass, tgname), pg_catalog.pg_get_triggerdef(t.oid), names, item
  from pg_catalog.pg_trigger t join lists on of_table = tgrelid
  where not tgisinternal and tgname <> '_200_validate' and (tgfoid = any (keepers)) is not true
)
select offender from texts
where text ~ (item || '(?:\s*,\s*' || item || '){2}')
   or text ~* '^create trigger' and 3 <= (select count(*) from unnest(names) as name where text ~ ('\yold\.' || name || '\y'));
-- offence: create function app_hidden.changed(a app_public.posts, b app_public.posts) returns boolean language sql as 'select (a.title, a.content, a.excerpt) is distinct from (b.title, b.content, b.excerpt)'
-- offence: create function app_hidden.copied(a app_public.posts) returns jsonb language sql as $$ select jsonb_build_object('title', a.title, 'excerpt', a.excerpt) $$
-- offence: create trigger _600_mine after update of title, content, excerpt on app_public.posts for each row execute function app_hidden.tg_posts__find_words()
-- offence: create trigger _600_mine after update on app_public.posts for each row when (old.title <> new.title or old.excerpt <> new.excerpt or old.content <> new.content) execute function app_hidden.tg_posts__find_words()
-- harmless: create function app_hidden.two(a app_public.posts) returns text language sql as 'select concat(a.title, a.content)'
