--! Previous: sha1:ed2aa84a1d781379c1ce77605b7ecf46933a00ac
--! Hash: sha1:52565f497e071874cc6cb2bcb2d951cc4fd08683
--! Message: trash

--! split: 100-trash.sql

-- allow: change-behaviour:app_public.update_post because it names one more error
-- allow: change-behaviour:app_public.delete_post because it moves to the trash what it deleted
-- allow: change-behaviour:app_hidden.tg_posts__prepare because only a post in the trash is written otherwise
-- allow: change-behaviour:app_public.preview because no post in the trash is shown
-- allow: change-behaviour:_300_bound on app_public.report_reasons because reasons of reopened reports are not counted twice
-- allow: definer-function:app_hidden.delete_trashed_post because it asks whose post it is
-- allow: definer-function:app_hidden.take_from_trash because it asks whose post it is
-- allow: definer-function:app_hidden.trash_post because it asks whose post it is
-- allow: value-added-to-enum:ValidationErrorCode.USE_DELETE_POST because only the new status TRASHED gives it
-- allow: alter-policy:select_own on app_public.posts because no post in the trash is seen
-- allow: alter-policy:update_own on app_public.posts because no post in the trash is seen
-- allow: alter-policy:delete_own on app_public.posts because no post in the trash is seen
-- allow: alter-policy:select_own_posts on conventions.counter_shards because no post in the trash is seen
-- allow: alter-policy:select_by_right on conventions.counter_shards because no post in the trash is seen
-- allow: alter-policy:select_by_right on app_public.posts because no post in the trash is seen
-- allow: alter-policy:update_by_right on app_public.posts because no post in the trash is seen
-- allow: alter-policy:delete_by_right on app_public.posts because no post in the trash is seen
-- The trash: a deleted post stays for 30 days, where its author and editors can restore it.
create table if not exists app_public.trashed_posts (
  id           bigint not null,
  author_id    bigint not null,
  title        text not null,
  content      text not null,
  status       app_public.post_status not null,
  tags         text[] not null,
  slug         text not null,
  published_at timestamptz,
  publish_at   timestamptz,
  deleted_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  constraint trashed_posts_pkey primary key (id),
  constraint trashed_posts_id_fkey foreign key (id) references app_public.posts on delete cascade,
  constraint trashed_posts_author_id_fkey foreign key (author_id) references app_public.users on delete cascade
);
create index if not exists trashed_posts_deleted_at_id_idx on app_public.trashed_posts (deleted_at desc, id desc);
create index if not exists trashed_posts_author_id_idx on app_public.trashed_posts (author_id);
create index if not exists trashed_posts_expires_at_idx on app_public.trashed_posts (expires_at);
comment on table app_public.trashed_posts is $$@behavior -query:resource:connection -query:resource:single
@listOrder deleted_at desc, id desc
@describe listOrder The last deleted first.
A deleted post that can be restored. For its author, and with the right EDIT_ANY_POST.$$;
comment on column app_public.trashed_posts.id is $$The id of the post, for restorePost and deletePostPermanently.$$;
comment on column app_public.trashed_posts.author_id is $$The user who wrote the post.$$;
comment on column app_public.trashed_posts.title is $$The headline.$$;
comment on column app_public.trashed_posts.content is $$The full text.$$;
comment on column app_public.trashed_posts.status is $$The status that the post had, and will have when it is restored.$$;
comment on column app_public.trashed_posts.tags is $$@notNull items
The names of the tags, in their order.$$;
comment on column app_public.trashed_posts.slug is $$@behavior -*
The slug that the post had. Another one may have it now.$$;
comment on column app_public.trashed_posts.published_at is $$@behavior -*
The time when the post last became public; null for a draft.$$;
comment on column app_public.trashed_posts.publish_at is $$@behavior -*
The time at which the draft would have been published; null without one.$$;
comment on column app_public.trashed_posts.deleted_at is $$The time when the post was deleted.$$;
comment on column app_public.trashed_posts.expires_at is $$The time from which the post cannot be restored.$$;
comment on constraint trashed_posts_id_fkey on app_public.trashed_posts is $$@behavior -*$$;
comment on constraint trashed_posts_author_id_fkey on app_public.trashed_posts is $$@notNull
@backwardBehavior -*$$;
select conventions.apply_to('app_public.trashed_posts', '{}', is_audited => false);
drop policy if exists select_own on app_public.trashed_posts;
create policy select_own on app_public.trashed_posts for select to :API_MEMBER using (author_id = (select app_hidden.viewer_id()));
drop policy if exists select_by_right on app_public.trashed_posts;
create policy select_by_right on app_public.trashed_posts for select to :API_MEMBER using ((select app_hidden.viewer_may('EDIT_ANY_POST')));
grant select on app_public.trashed_posts to :API_MEMBER;

create table if not exists app_private.trashed_reasons (
  post_id     bigint not null,
  reporter_id bigint not null,
  reason      text not null,
  created_at  timestamptz not null,
  constraint trashed_reasons_pkey primary key (post_id, reporter_id),
  constraint trashed_reasons_post_id_fkey foreign key (post_id) references app_public.trashed_posts on delete cascade,
  constraint trashed_reasons_reporter_id_fkey foreign key (reporter_id) references app_public.users on delete cascade
);
create index if not exists trashed_reasons_reporter_id_idx on app_private.trashed_reasons (reporter_id);
comment on table app_private.trashed_reasons is $$The reasons of open reports of posts in the trash. restore_post() opens the reports again: deleting a post is no way to lose its reports.$$;
comment on column app_private.trashed_reasons.post_id is $$The post.$$;
comment on column app_private.trashed_reasons.reporter_id is $$The user who gave the reason.$$;
comment on column app_private.trashed_reasons.reason is $$The reason.$$;
comment on column app_private.trashed_reasons.created_at is $$The time when it was given.$$;
select conventions.apply_to('app_private.trashed_reasons', '{}', is_audited => false);

-- A reason of a report that is opened again is no new one.
drop trigger if exists _300_bound on app_public.report_reasons;
create trigger _300_bound before insert on app_public.report_reasons
  for each row when (new.created_at >= now()) execute function app_hidden.tg_report_reasons__bound();
comment on trigger _300_bound on app_public.report_reasons is $$Before a reason is added: refuses more than fifty of a user within a day.$$;

-- Nobody sees a post in the trash, and no count has it.
alter policy select_own on app_public.posts using (author_id = (select app_hidden.viewer_id()) and status is distinct from 'TRASHED');
alter policy update_own on app_public.posts using (author_id = (select app_hidden.viewer_id()) and status is distinct from 'TRASHED');
alter policy delete_own on app_public.posts using (author_id = (select app_hidden.viewer_id()) and status is distinct from 'TRASHED');
alter policy select_by_right on app_public.posts using ((select app_hidden.viewer_may('EDIT_ANY_POST')) and status is distinct from 'TRASHED');
alter policy update_by_right on app_public.posts using ((select app_hidden.viewer_may('EDIT_ANY_POST')) and status is distinct from 'TRASHED');
alter policy delete_by_right on app_public.posts using ((select app_hidden.viewer_may('EDIT_ANY_POST')) and status is distinct from 'TRASHED');
alter policy select_by_right on conventions.counter_shards
  using (key !~ '(^|,)TRASHED$' and case when counter = 'reports.status' then (select app_hidden.viewer_may('READ_REPORTS')) else (select app_hidden.viewer_may('EDIT_ANY_POST')) end);
alter policy select_own_posts on conventions.counter_shards
  using (counter = 'posts.author_id,status' and split_part(key, ',', 1) = (select app_hidden.viewer_id())::text and split_part(key, ',', 2) <> 'TRASHED');

--! Included functions/trash/trash_post.sql
create or replace function app_hidden.trash_days() returns int
language sql immutable parallel safe return 30;
comment on function app_hidden.trash_days() is $$How many days a deleted post can be restored; 0 deletes it at once. Yours to change, in a migration.$$;
grant execute on function app_hidden.trash_days() to :API_MEMBER;

-- Security definer: nobody writes the trash but by deleting a post.
create or replace function app_hidden.trash_post(id bigint) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, published_at, publish_at, expires_at)
  select posts.id, author_id, title, content, status,
         array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = posts.id order by position),
         slug, published_at, publish_at, now() + make_interval(days => app_hidden.trash_days())
    from app_public.posts
   where posts.id = trash_post.id and status <> 'TRASHED'
     and (author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'));
  if not found then
    perform app_hidden.refuse_unauthorized();
  end if;
  insert into app_private.trashed_reasons (post_id, reporter_id, reason, created_at)
  select trash_post.id, reporter_id, reason, report_reasons.created_at
    from app_public.reports join app_public.report_reasons on report_id = reports.id
   where post_id = trash_post.id and status = 'OPEN';
  delete from app_public.reports where post_id = trash_post.id and status = 'OPEN';
  delete from app_public.post_tags where post_id = trash_post.id;
  -- A slug that no title has: the former one is free.
  update app_public.posts set status = 'TRASHED', publish_at = null, slug = gen_random_uuid()::text where posts.id = trash_post.id;
end $$;
comment on function app_hidden.trash_post(bigint) is $$Moves a post of the viewer’s, or with the right EDIT_ANY_POST any post, into the trash: hidden by its status, without its tags and open reports, which restore_post() brings back.$$;
grant execute on function app_hidden.trash_post(bigint) to :API_MEMBER;

create or replace function app_private.purge_trash(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_public.posts where id = any (array(
    select posts.id from app_public.trashed_posts join app_public.posts on posts.id = trashed_posts.id
     where expires_at < now() and posts.status = 'TRASHED' order by expires_at limit batch for update of posts skip locked));
  get diagnostics rows = row_count;
  is_complete := rows < batch;
end $$;
comment on function app_private.purge_trash(int) is $$A job: deletes posts whose time in the trash has come, with their comments.$$;
--! EndIncluded functions/trash/trash_post.sql
--! Included functions/trash/restore_post.sql
-- Security definer: nobody sees a post in the trash, and nobody writes tags and reports.
create or replace function app_hidden.take_from_trash(id bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_trashed app_public.trashed_posts;
  v_post app_public.posts;
begin
  select * into v_post from app_public.posts where posts.id = take_from_trash.id and status = 'TRASHED' for update;
  select * into v_trashed from app_public.trashed_posts
   where trashed_posts.id = v_post.id and (author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'));
  if not found then
    return false;
  end if;
  -- free_slug() only tries this lock, and gives the slug to nobody meanwhile.
  perform pg_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_trashed.slug));
  update app_public.posts
     set status = v_trashed.status, published_at = v_trashed.published_at,
         publish_at = case when v_trashed.publish_at > now() then v_trashed.publish_at end,
         slug = case when exists (select from app_public.posts other where other.slug = v_trashed.slug) then app_hidden.free_slug(v_post)
                     else v_trashed.slug end
   where posts.id = v_post.id;
  perform app_hidden.set_post_tags(v_post.id, v_trashed.tags);
  insert into app_public.reports (post_id, created_at)
  select v_post.id, min(created_at) from app_private.trashed_reasons where post_id = v_post.id having count(*) > 0
  on conflict do nothing;
  insert into app_public.report_reasons (report_id, reporter_id, reason, created_at)
  select reports.id, reporter_id, reason, trashed_reasons.created_at
    from app_private.trashed_reasons join app_public.reports using (post_id) where post_id = v_post.id
  on conflict do nothing;
  delete from app_public.trashed_posts where trashed_posts.id = v_post.id;
  return true;
end $$;
comment on function app_hidden.take_from_trash(bigint) is $$Brings a post of the viewer’s, or with the right EDIT_ANY_POST any post, back from the trash. False when there is none.$$;
grant execute on function app_hidden.take_from_trash(bigint) to :API_MEMBER;

create or replace function app_public.restore_post(id bigint) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
begin
  if not app_hidden.take_from_trash(restore_post.id) then
    perform app_hidden.refuse_missing('trashed post');
  end if;
  select * into v_post from app_public.posts where posts.id = restore_post.id;
  return v_post;
end $$;
comment on function app_public.restore_post(bigint) is $$@describe id The post, of trashedPosts.
Brings a deleted post of yours back as it was: with its comments, tags and status, and with its slug unless another post has it now. A time for publication that has passed meanwhile is left out.$$;
grant execute on function app_public.restore_post(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/restore_post.sql
--! Included functions/trash/delete_post_permanently.sql
-- Security definer: nobody sees a post in the trash.
create or replace function app_hidden.delete_trashed_post(id bigint) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with deleted as (
    delete from app_public.posts
     where posts.id = delete_trashed_post.id and status = 'TRASHED'
       and (author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'))
    returning 1)
  select exists (select from deleted)
$$;
comment on function app_hidden.delete_trashed_post(bigint) is $$Deletes a post of the viewer’s, or with the right EDIT_ANY_POST any post, that is in the trash. False when there is none.$$;
grant execute on function app_hidden.delete_trashed_post(bigint) to :API_MEMBER;

create or replace function app_public.delete_post_permanently(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if app_hidden.delete_trashed_post(delete_post_permanently.id) then
    return (true, format('Post %s is deleted.', delete_post_permanently.id), delete_post_permanently.id, 'app_public.posts'::text, null::bigint);
  end if;
  return app_hidden.delete_row('app_public.posts', delete_post_permanently.id, 'post');
end $$;
comment on function app_public.delete_post_permanently(bigint) is $$@describe id The post, in the trash or not.
Deletes a post of yours, with its comments. It cannot be restored.$$;
grant execute on function app_public.delete_post_permanently(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/delete_post_permanently.sql
--! Included functions/posts/delete_post.sql
create or replace function app_public.delete_post(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if app_hidden.trash_days() <= 0 then
    return app_hidden.delete_row('app_public.posts', delete_post.id, 'post');
  end if;
  perform app_hidden.lock_own_post(delete_post.id);
  perform app_hidden.trash_post(delete_post.id);
  return (true, format('Post %s is deleted.', delete_post.id), delete_post.id, 'app_public.posts'::text, null::bigint);
end $$;
comment on function app_public.delete_post(bigint) is $$@describe id The post to delete.
Deletes a post of yours, with its comments. For 30 days, restorePost brings it back.$$;
grant execute on function app_public.delete_post(bigint) to :API_MEMBER;
--! EndIncluded functions/posts/delete_post.sql
--! Included functions/posts/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- trash_post() writes the row of the trash first, and nobody else may.
  if new.status = 'TRASHED' then
    if not exists (select from app_public.trashed_posts where trashed_posts.id = new.id) then
      perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'status',
        'code', 'USE_DELETE_POST', 'message', 'A post is moved to the trash by deletePost.')));
    end if;
  end if;

  -- The slug and the excerpt are made of the texts as they will be stored.
  new.title := conventions.normal_text(new.title, 200, true);
  new.excerpt := conventions.normal_text(new.excerpt, 200);
  new.content := conventions.normal_text(new.content, 100000);

  -- A generated excerpt follows the content; until 2026, it was the beginning with its marks. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt in (app_hidden.made_excerpt(old.content), app_hidden.start_of(old.content))) then
    new.excerpt := coalesce(app_hidden.made_excerpt(new.content), '');
  end if;

  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null and 'TRASHED' not in (old.status, new.status) then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new);
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then coalesce(new.first_published_at, new.published_at)
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/posts/tg_posts__prepare.sql
--! Included functions/posts/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input, if_version text default null, idempotency_key text default null)
returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_errors jsonb;
  v_post app_public.posts;
begin
  if update_post.idempotency_key is not null then
    v_post := app_hidden.earlier_result(v_post, update_post.idempotency_key, jsonb_build_array(update_post.id, input, if_version));
    if v_post.id is not null then
      return v_post;
    end if;
    perform app_hidden.keep_result(update_post.idempotency_key, update_post.id);
  end if;
  perform app_hidden.require_unchanged('app_public.posts', update_post.id, update_post.if_version);
  -- Fields of the input are columns of posts, except the tags.
  v_post := app_hidden.update_row(v_post, update_post.id, to_jsonb(input) - 'tags', 'post');
  if input.tags is not null or 'tags' = any (input.cleared) then
    perform app_hidden.set_post_tags(v_post.id, coalesce(input.tags, '{}'), keeps_revision => true);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_errors = pg_exception_detail;
  -- The post is null if the errors are its own. An error of a tag does not say which one it is.
  perform conventions.raise_validation_errors(case when v_post.id is null then v_errors else '[]' end || app_hidden.tag_errors(input.tags));
  raise;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input, text, text) is $$@errorCode USE_DELETE_POST A post is moved to the trash by deletePost.
@describe id The post to change.
@describe if_version The version as you have read it. If the post has changed since: CONFLICT.
@describe idempotency_key Your choice, 1 to 255 characters. Repeated within a day, the call changes nothing and returns the post, whatever ifVersion is.
Changes a post of yours. A missing field stays; null clears excerpt, tags and publishAt.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input, text, text) to :API_MEMBER;
--! EndIncluded functions/posts/update_post.sql
--! Included functions/previews/preview.sql
create or replace function app_hidden.preview_of(preview app_public.previews, post app_public.posts, fields jsonb) returns app_public.preview
language sql stable as $$
  select row(preview.id, coalesce(fields ->> 'title', post.title), coalesce(fields ->> 'content', post.content),
    preview.created_at, preview.expires_at)::app_public.preview
$$;
comment on function app_hidden.preview_of(app_public.previews, app_public.posts, jsonb) is $$A post as it would be published now.$$;
grant execute on function app_hidden.preview_of(app_public.previews, app_public.posts, jsonb) to :API_ANONYMOUS, :API_MEMBER;

-- Security definer: who has the token reads what it shows, and nothing else.
create or replace function app_public.preview(token text) returns app_public.preview
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_preview app_public.preview;
begin
  select (app_hidden.preview_of(v, p, w.fields)).* into v_preview
    from app_public.previews v
    join app_public.posts p on p.id = v.post_id
    left join app_public.working_copies w on w.post_id = p.id
   where token_hash = sha256(convert_to(preview.token, 'UTF8')) and v.expires_at > now() and p.status <> 'TRASHED';
  if not found then
    perform app_hidden.refuse_missing('preview');
  end if;
  return v_preview;
end $$;
comment on function app_public.preview(text) is $$@noStore
@describe token The token of createPreview.
A post as it would be published now, for everyone who has a token of createPreview. NOT_FOUND when it has expired, or was withdrawn.$$;
grant execute on function app_public.preview(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_previews(posts app_public.posts) returns setof app_public.preview
language sql stable as $$
  select (app_hidden.preview_of(v, posts, w.fields)).*
    from app_public.previews v
    left join app_public.working_copies w on w.post_id = v.post_id
   where v.post_id = posts.id and expires_at > now()
   order by v.id desc
$$;
comment on function app_public.posts_previews(app_public.posts) is $$@notNull items
@behavior -connection
@listOrder id desc
The preview links that show this post, the newest first. For the author and editors; none for others.$$;
grant execute on function app_public.posts_previews(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/previews/preview.sql
insert into app_private.jobs (name, priority, statement) values ('trash', 100, 'select * from app_private.purge_trash($1)')
on conflict (name) do nothing;
