-- allow: update-all-rows:app_public.tags because a name with two spaces gets one, and there are few tags beside the posts
-- allow: change-behaviour:app_hidden.tag_name because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.tag_names because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.tag_ids_named because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.first_tags_named because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.set_post_tags because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_public.tag_by_name because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.post_ids_of_tag because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_hidden.first_posts_tagged because a tag is found by its search form: test/reading/finding
-- allow: change-behaviour:app_public.posts_count because a tag is found by its search form: test/reading/finding
-- allow: exposed:app_public.tags.form because it follows from the name
-- allow: definer-function:app_hidden.set_post_tags because it reads the form instead of the name, and returns what it did
-- allow: rewrite:app_public.tags because there are few tags beside the posts
-- allow: constraint-missing-not-valid:app_public.tags because there are few tags beside the posts
-- allow: disallowed-unique-constraint:app_public.tags because there are few tags beside the posts
-- A tag is what people see: tags that differ in case, accents, white space or invisible characters are one.
--!include functions/posts/tag_names.sql
do $$
declare
  v_tags int;
  v_posts int;
begin
  create temp table merged on commit drop as
    select id, first_value(id) over (partition by app_hidden.tag_form(name) order by posts desc, name) as kept_id
      from app_public.tags, lateral (select count(*) as posts from app_public.post_tags where tag_id = tags.id) as counted;
  delete from merged where id = kept_id;
  select count(*) into v_tags from merged;
  -- The foreign key of public_post_id would take the other tag's id along.
  update app_public.tags set public_post_id = null, public_tag_id = null, is_public = null where id in (select id from merged);
  with wanted as (
    select post_id, tag_id, coalesce(kept_id, tag_id) as kept_id, kept_id is not null as is_merged,
           row_number() over (partition by post_id, coalesce(kept_id, tag_id) order by kept_id is null desc, position) as place
      from app_public.post_tags left join merged on id = tag_id
     where tag_id in (select id from merged union all select kept_id from merged)
  ), surplus as (
    delete from app_public.post_tags using wanted
     where wanted.post_id = post_tags.post_id and wanted.tag_id = post_tags.tag_id and wanted.place > 1
  )
  update app_public.post_tags set tag_id = wanted.kept_id from wanted
   where wanted.post_id = post_tags.post_id and wanted.tag_id = post_tags.tag_id and wanted.place = 1 and wanted.is_merged;
  get diagnostics v_posts = row_count;
  delete from app_public.tags where id in (select id from merged);
  update app_public.tags set name = app_hidden.tag_name(name) where name <> app_hidden.tag_name(name);
  raise notice '% tags are merged with another one that people read alike, and % of their posts have that one now.', v_tags, v_posts;
end $$;
-- Generated, so that a tag has its form also where triggers are off.
alter table app_public.tags add column if not exists form text collate "C" generated always as (app_hidden.tag_form(name)) stored not null;
comment on column app_public.tags.form is $$@behavior -*
The search form of the name.$$;
alter table app_public.tags drop constraint if exists tags_form_key;
alter table app_public.tags add constraint tags_form_key unique (form);
comment on constraint tags_form_key on app_public.tags is $$@behavior -single
This tag already exists.$$;
--!include functions/posts/tags_named.sql
--!include functions/posts/tag_by_name.sql
--!include functions/posts/set_post_tags.sql
--!include functions/posts/first_posts_of_tag.sql
--!include functions/posts/posts_count.sql
