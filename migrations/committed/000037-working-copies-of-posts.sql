--! Previous: sha1:8997b2013c99c64c9ac348a25cace351d50ff318
--! Hash: sha1:8922d4fe48c9d797cde3bf79b4286543964fe260
--! Message: working copies of posts

--! split: 100-working-copies.sql

-- allow: value-added-to-enum:ValidationErrorCode.NOT_IN_WORKING_COPY because only saveWorkingCopy gives it
-- Working copies: changes of a post that readers do not see yet.
create table if not exists app_public.working_copies (
  id         bigint generated always as identity primary key,
  post_id    bigint not null,
  fields     jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint working_copies_post_id_key unique (post_id),
  constraint working_copies_post_id_fkey foreign key (post_id) references app_public.posts on delete cascade
);
comment on table app_public.working_copies is $$@behavior -query:resource:list -query:resource:connection -query:resource:single
Changes of a post that readers do not see yet. For the author, and with the right EDIT_ANY_POST.$$;
comment on column app_public.working_copies.id is $$The working copy’s id.$$;
comment on column app_public.working_copies.post_id is $$The post.$$;
comment on column app_public.working_copies.fields is $$@behavior -*
The columns that change, as UpdatePostInput has them; null for those that are cleared.$$;
comment on column app_public.working_copies.created_at is $$The time of the first change.$$;
comment on column app_public.working_copies.updated_at is $$The time of the last change.$$;
comment on constraint working_copies_post_id_key on app_public.working_copies is $$@behavior -single
The post has a working copy already.$$;
comment on constraint working_copies_post_id_fkey on app_public.working_copies is $$@notNull inherited$$;
select conventions.apply_to('app_public.working_copies', '{}', is_audited => false);

drop policy if exists editable on app_public.working_copies;
create policy editable on app_public.working_copies to :API_MEMBER using (exists (
  select from app_public.posts
   where posts.id = post_id and (author_id = (select app_hidden.viewer_id()) or (select app_hidden.viewer_may('EDIT_ANY_POST'))) offset 0));
grant select, delete on app_public.working_copies to :API_MEMBER;
grant select on app_public.working_copies to :API_ANONYMOUS;
grant insert (post_id, fields), update (fields) on app_public.working_copies to :API_MEMBER;

--! Included functions/working_copies/working_copies_fields.sql
create or replace function app_public.working_copies_title(working_copies app_public.working_copies) returns text
language sql stable as $$
  select coalesce(working_copies.fields ->> 'title', (select title from app_public.posts where id = working_copies.post_id))
$$;
comment on function app_public.working_copies_title(app_public.working_copies) is E'@notNull\nThe headline.';
grant execute on function app_public.working_copies_title(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.working_copies_content(working_copies app_public.working_copies) returns text
language sql stable as $$
  select coalesce(working_copies.fields ->> 'content', (select content from app_public.posts where id = working_copies.post_id))
$$;
comment on function app_public.working_copies_content(app_public.working_copies) is E'@notNull\nThe full text.';
grant execute on function app_public.working_copies_content(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.working_copies_excerpt(working_copies app_public.working_copies) returns text
language sql stable as $$
  select case when working_copies.fields ? 'excerpt' then working_copies.fields ->> 'excerpt'
              else (select excerpt from app_public.posts where id = working_copies.post_id) end
$$;
comment on function app_public.working_copies_excerpt(app_public.working_copies) is $$A preview of your own; null for the beginning of the content.$$;
grant execute on function app_public.working_copies_excerpt(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.working_copies_tags(working_copies app_public.working_copies) returns text[]
language sql stable as $$
  select case when working_copies.fields ? 'tags'
              then array(select name from jsonb_array_elements_text(nullif(working_copies.fields -> 'tags', 'null')) with ordinality as tag (name, place) order by place)
              else array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
                          where post_tags.post_id = working_copies.post_id order by position) end
$$;
comment on function app_public.working_copies_tags(app_public.working_copies) is E'@notNull\nThe names of the tags, in their order.';
grant execute on function app_public.working_copies_tags(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.working_copies_version(working_copies app_public.working_copies) returns text
language sql stable as $$
  select app_hidden.version_of(working_copies.updated_at)
$$;
comment on function app_public.working_copies_version(app_public.working_copies) is E'@notNull\nThe version of the working copy, for ifVersion of saveWorkingCopy.';
grant execute on function app_public.working_copies_version(app_public.working_copies) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/working_copies/working_copies_fields.sql
--! Included functions/working_copies/save_working_copy.sql
-- Writers of a post take turns. A post that the viewer may not change is not locked.
create or replace function app_hidden.lock_own_post(id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
begin
  select * into v_post from app_public.posts where posts.id = lock_own_post.id for no key update;
  if not found then
    perform app_hidden.require_row('app_public.posts', lock_own_post.id, 'post');
    perform app_hidden.refuse_unauthorized();
  end if;
  return v_post;
end $$;
comment on function app_hidden.lock_own_post(bigint) is $$Locks and returns a post that the viewer may change. Refuses another one with UNAUTHORIZED, and with NOT_FOUND what the viewer does not see.$$;
grant execute on function app_hidden.lock_own_post(bigint) to :API_MEMBER;

create or replace function app_public.save_working_copy(post_id bigint, input app_public.update_post_input, if_version text default null)
returns app_public.working_copies
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(save_working_copy.post_id);
  v_copy app_public.working_copies;
  v_fields jsonb;
  v_errors jsonb;
begin
  select * into v_copy from app_public.working_copies w where w.post_id = v_post.id;
  if app_hidden.version_of(v_copy.updated_at) is distinct from save_working_copy.if_version and save_working_copy.if_version is not null then
    raise exception using errcode = 'CHNGD', message = 'The row has changed', detail = app_hidden.version_of(v_copy.updated_at);
  end if;
  v_fields := coalesce(v_copy.fields, '{}') || jsonb_strip_nulls(to_jsonb(input) - 'cleared')
    || coalesce((select jsonb_object_agg(key, null) from unnest(input.cleared) as key), '{}');
  select coalesce(jsonb_agg(jsonb_build_object('column', key, 'code', 'NOT_IN_WORKING_COPY',
           'message', 'A working copy has no status and no time. Publish it, or change the post.')), '[]')
    into v_errors from jsonb_object_keys(v_fields) as key where key in ('status', 'publish_at');
  v_errors := v_errors || conventions.validation_errors('app_public.posts', to_jsonb(v_post) || jsonb_strip_nulls(v_fields - '{tags,status,publish_at}'::text[]))
    || app_hidden.tag_errors(array(select jsonb_array_elements_text(nullif(v_fields -> 'tags', 'null'))));
  if v_errors <> '[]' then
    perform conventions.raise_validation_errors(v_errors);
  end if;
  if input.tags is not null then
    v_fields := v_fields || jsonb_build_object('tags', app_hidden.tag_names(input.tags));
  end if;
  insert into app_public.working_copies as w (post_id, fields) values (v_post.id, v_fields)
  on conflict on constraint working_copies_post_id_key do update set fields = excluded.fields
  returning * into v_copy;
  return v_copy;
end $$;
comment on function app_public.save_working_copy(bigint, app_public.update_post_input, text) is $$@errorCode NOT_IN_WORKING_COPY A working copy has no status and no publishAt.
@describe post_id The post.
@describe if_version The version of the working copy as you have read it. If it has changed since: CONFLICT.
Keeps changes of a post of yours that readers do not see yet. A missing field stays as it is in the working copy, or in the post. Published by publishWorkingCopy.$$;
grant execute on function app_public.save_working_copy(bigint, app_public.update_post_input, text) to :API_MEMBER;

create or replace function app_public.publish_working_copy(post_id bigint, if_version text default null) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(publish_working_copy.post_id);
  v_copy app_public.working_copies;
begin
  delete from app_public.working_copies w where w.post_id = v_post.id returning * into v_copy;
  if not found then
    perform app_hidden.refuse_missing('working copy');
  end if;
  v_post := app_public.update_post(v_post.id, jsonb_populate_record(null::app_public.update_post_input,
    v_copy.fields || jsonb_build_object('cleared', array(select key from jsonb_each(v_copy.fields) where value = 'null'))), publish_working_copy.if_version);
  return v_post;
end $$;
comment on function app_public.publish_working_copy(bigint, text) is $$@describe post_id The post.
@describe if_version The version of the post as you have read it. If the post has changed since: CONFLICT.
Gives a post of yours what its working copy has, which is gone then.$$;
grant execute on function app_public.publish_working_copy(bigint, text) to :API_MEMBER;

create or replace function app_public.discard_working_copy(post_id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(discard_working_copy.post_id);
begin
  delete from app_public.working_copies w where w.post_id = v_post.id;
  return v_post;
end $$;
comment on function app_public.discard_working_copy(bigint) is $$@describe post_id The post.
Forgets the working copy of a post of yours. Idempotent.$$;
grant execute on function app_public.discard_working_copy(bigint) to :API_MEMBER;
--! EndIncluded functions/working_copies/save_working_copy.sql
