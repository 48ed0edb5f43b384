-- Compiled lists call the functions that smart tags name. If one is missing or does not fit, PostgreSQL refuses each request for the list, and the engine answers it slowly.
with tagged as (
  select oid as relation, reltype as row_type, obj_description(oid, 'pg_class') as comment
  from pg_catalog.pg_class where relkind in ('r', 'p', 'v', 'm') and relnamespace = 'app_public'::regnamespace
  union all
  select conrelid, null, obj_description(oid, 'pg_constraint') from pg_catalog.pg_constraint where contype = 'f' and connamespace = 'app_public'::regnamespace
),
tags as (
  select relation, row_type, tag[1] as tag, tag[2] as function, regexp_split_to_array(trim(replace(tag[3], '!', '')), '\s+') as words
  from tagged, regexp_matches(comment, '(?:^|\n)@(listPart|firstRows|totalCount|listFilter(?= +\w+ +\w+\.)) +(?:(?<=listFilter )\w+ +)?(\S+)([^\n]*)', 'g') as tag
)
select format('%s: @%s %s', relation::regclass, tag, function) as offender
from tags
where not exists (
  select from pg_catalog.pg_proc
  where format('%s.%s', pronamespace::regnamespace, proname) = function
    and array_remove(array_remove(words, ''), 'after') || array_remove(array[case tag when 'firstRows' then 'page' end], null) <@ proargnames
    and case when tag = 'totalCount' then prorettype in ('int'::regtype, 'bigint'::regtype) when tag = 'listFilter' then true
        else proretset and (row_type is null or prorettype = row_type) end
    and not exists (
      select from (values ('api_anonymous'::regrole), ('api_member'::regrole)) as caller (role)
      where has_any_column_privilege(role, relation, 'select')
        and not (has_function_privilege(role, pg_proc.oid, 'execute') and has_schema_privilege(role, pronamespace, 'usage'))
    )
);
-- offence: comment on table app_public.tags is '@listPart app_hidden.no_such_function'
-- offence: comment on table app_public.tags is '@listPart app_hidden.listed_own_posts status'
-- offence: comment on table app_public.posts is '@listPart app_hidden.listed_own_posts title'
-- offence: comment on table app_public.posts is E'A post.\n@firstRows app_hidden.listed_own_posts status'
-- offence: comment on table app_public.posts is '@listFilter tag app_hidden.no_such_function'
-- offence: comment on constraint post_tags_tag_id_fkey on app_public.post_tags is '@totalCount app_hidden.first_posts_of_tag'
-- offence: revoke execute on function app_hidden.listed_own_posts from api_member, api_anonymous
