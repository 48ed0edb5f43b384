--! Previous: sha1:f2f7c9fc48c2472e7add7bd40c5188a7cc526e26
--! Hash: sha1:13af682f11cc7cc0a2e716c27594e04c5b0584e7
--! Message: rights are asked on every way out, and links know their maker

--! split: 200-acts.sql

-- allow: change-behaviour:app_hidden.preview_of because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_hidden.set_post_tags because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_public.posts_previews because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_hidden.publish_due_posts because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_hidden.tg_posts__prepare because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_hidden.delete_trashed_post because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_hidden.trash_post because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_public.preview because rights are asked on every way out of a status, and of the trash
-- allow: change-behaviour:app_hidden.take_from_trash because rights are asked on every way out of a status, and of the trash
-- allow: create-trigger:_090_require_change on app_public.posts because it refuses members what their rights do not allow
-- allow: exposed:app_public.posts.scheduled_by_id because it is null but for private posts
-- allow: definer-function:app_hidden.delete_trashed_post because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: definer-function:app_hidden.preview_works because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: definer-function:app_hidden.schedule_holds because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: definer-function:app_hidden.set_post_tags because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: definer-function:app_hidden.take_from_trash because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: definer-function:app_hidden.trash_post because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: definer-function:app_public.preview because they ask for the rights of the viewer, and of who made a link or set a time
-- allow: adding-foreign-key-constraint:app_public.posts because the columns are new, and have no values to check
-- allow: require-concurrent-index-creation:app_public.posts because the columns are new: the tables are read once
-- allow: adding-foreign-key-constraint:app_public.previews because the columns are new, and have no values to check
-- allow: require-concurrent-index-creation:app_public.previews because the columns are new: the tables are read once
-- Rights are asked on every way out as on the way in, by one function; and what a user has begun ends with the right to it.
-- A new column without a default has no values to check against the foreign key.
alter table app_public.posts add column if not exists scheduled_by_id bigint
  constraint posts_scheduled_by_id_fkey references app_public.users on delete set null;
comment on column app_public.posts.scheduled_by_id is $$@behavior -*
The user who set publish_at; null without one, and for direct SQL, which counts as the author.$$;
comment on constraint posts_scheduled_by_id_fkey on app_public.posts is $$@behavior -*$$;
-- It says with publish_at when it changes.
select conventions.derived('app_public.posts', 'scheduled_by_id');
create index if not exists posts_scheduled_by_id_idx on app_public.posts (scheduled_by_id) where scheduled_by_id is not null;

alter table app_public.previews add column if not exists made_by_id bigint
  constraint previews_made_by_id_fkey references app_public.users on delete cascade;
alter table app_public.previews alter column made_by_id set default app_hidden.viewer_id();
alter table app_public.previews add column if not exists last_used_at timestamptz;
comment on column app_public.previews.made_by_id is $$The user who made the link; null for direct SQL and for links made before this was kept, which count as the author’s.$$;
comment on column app_public.previews.last_used_at is $$When the link was last used, to the minute.$$;
comment on constraint previews_made_by_id_fkey on app_public.previews is $$@behavior -*$$;
create index if not exists previews_made_by_id_idx on app_public.previews (made_by_id);
do $$ begin
  if not exists (select from pg_attribute where attrelid = 'app_public.preview'::regclass and attname = 'made_by_id') then
    alter type app_public.preview add attribute made_by_id bigint, add attribute last_used_at timestamptz;
  end if;
end $$;
comment on type app_public.preview is $$@foreignKey (made_by_id) references app_public.users (id)|@fieldName madeBy|@backwardBehavior -*|@forwardDescription The user who made the link, for who may edit the post; null where this is not known, and for who only has the token.
A link that shows a post before it is published.$$;
comment on column app_public.preview.made_by_id is $$@behavior -*
The user who made the link.$$;
comment on column app_public.preview.last_used_at is $$When the link was last used, to the minute, for who may edit the post; null when it was not, and for who only has the token.$$;

--! Included functions/posts/require_post_change.sql
-- What a user has begun outlives the moment: a time for publication, a preview link. It is judged where it takes effect.
create or replace function app_private.still_may_edit(user_id bigint, author_id bigint) returns boolean
language sql stable as $$
  select (still_may_edit.user_id = still_may_edit.author_id or app_hidden.user_may(still_may_edit.user_id, 'EDIT_ANY_POST'))
     and not exists (select from app_private.accounts
                      where accounts.user_id in (still_may_edit.user_id, still_may_edit.author_id) and banned_at is not null)
$$;
comment on function app_private.still_may_edit(bigint, bigint) is $$Whether a user may edit the posts of an author now: the author, or with the right EDIT_ANY_POST, while neither is banned.$$;

-- Security definer: members read no accounts. The arguments are compared with the stored row, so a made-up row tells nothing of another user's post.
create or replace function app_hidden.schedule_holds(post app_public.posts) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from app_public.posts p, lateral (select coalesce(p.scheduled_by_id, p.author_id) as id) as maker
     where p.id = post.id and p.author_id = post.author_id and p.publish_at is not null
       and app_private.still_may_edit(maker.id, p.author_id) and app_hidden.user_may(maker.id, 'PUBLISH'))
$$;
comment on function app_hidden.schedule_holds(app_public.posts) is $$Whether a post has a time for publication, and the user who set it may still publish it.$$;
grant execute on function app_hidden.schedule_holds(app_public.posts) to :API_MEMBER;

create or replace function app_hidden.require_post_change(post app_public.posts, wanted app_public.posts) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_author_id bigint := coalesce(post.author_id, wanted.author_id);
  v_trashed app_public.trashed_posts;
begin
  if post.status = 'TRASHED' then
    select * into v_trashed from app_public.trashed_posts where trashed_posts.id = post.id;
  end if;
  -- An author undoes nothing, and destroys nothing, that an editor has deleted.
  if v_author_id is null
     or (v_author_id is distinct from app_hidden.viewer_id()
         or v_trashed.id is not null and v_trashed.deleted_by_id is distinct from app_hidden.viewer_id())
        and not app_hidden.viewer_may('EDIT_ANY_POST') then
    perform app_hidden.refuse_unauthorized();
  end if;
  if ('PUBLISHED' in (post.status, wanted.status, v_trashed.status)
      or wanted.publish_at is not null and wanted.publish_at is distinct from post.publish_at
      or post.publish_at is not null and app_hidden.schedule_holds(post))
     and not app_hidden.viewer_may('PUBLISH') then
    perform app_hidden.refuse_unauthorized('MAY_NOT_PUBLISH',
      'Your role may not publish. It neither changes, withdraws nor deletes a post that is published or scheduled. Submit a draft, with the status SUBMITTED; of a published post, save a working copy.');
  end if;
end $$;
comment on function app_hidden.require_post_change(app_public.posts, app_public.posts) is $$Refuses with UNAUTHORIZED what the viewer may not make of a post. The post is as it is, null for a new one; wanted is as it will be, null in the trash and when it is deleted for good. A post is its author’s, and with the right EDIT_ANY_POST everybody’s; what is published or scheduled, before or after, needs the right PUBLISH; what another user has deleted needs EDIT_ANY_POST. All that changes a post asks this.$$;
grant execute on function app_hidden.require_post_change(app_public.posts, app_public.posts) to :API_MEMBER;

create or replace function app_hidden.tg_posts__require_change() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- Functions that write as the owner ask for themselves, and an operator needs no viewer.
  if row_security_active('app_public.posts') then
    perform app_hidden.require_post_change(old, new);
  end if;
  return coalesce(new, old);
end $$;
comment on function app_hidden.tg_posts__require_change() is $$Before a member writes or deletes a post: asks require_post_change().$$;
--! EndIncluded functions/posts/require_post_change.sql
--! Included functions/posts/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- trash_post() writes the row of the trash first, and nobody else may.
  if new.status = 'TRASHED' and (v_is_new or old.status <> 'TRASHED') then
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

  if new.publish_at <= now() and new.status <> 'PUBLISHED' and not v_is_scheduled_now and not app_hidden.schedule_holds(old) then
    -- It waits for somebody who may publish it.
    new.status := case new.status when 'DRAFT' then 'SUBMITTED' else new.status end;
    new.publish_at := null;
  elsif new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  new.scheduled_by_id := case when new.publish_at is not null then
    case when v_is_scheduled_now then coalesce(app_hidden.viewer_id(), new.scheduled_by_id) else new.scheduled_by_id end end;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new));
  elsif old.status = 'TRASHED' and new.status <> 'TRASHED' and new.slug = old.slug then
    new.slug := app_hidden.slug_after_trash(new);
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null and 'TRASHED' not in (old.status, new.status) then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new);
  end if;

  new.queue := case when new.status = 'SUBMITTED' then 1 end;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then coalesce(new.first_published_at, new.published_at)
                                 else coalesce(old.first_published_at, new.published_at) end;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/posts/tg_posts__prepare.sql
--! Included functions/posts/publish_due_posts.sql
-- Security definer: the service's login may have due posts published, and can choose neither the posts nor the time.
--
-- Writing a post that is due publishes it, or submits it for review where the user who set the time may not publish it any more
-- (tg_posts__prepare). One that somebody is changing, or that cannot be published, must not
-- hinder the others: the first is left to the next call, the reason of the second is logged as a warning.
create or replace function app_hidden.publish_due_posts(out published int, out wait_ms int)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
  v_id bigint;
  v_status app_public.post_status;
begin
  published := 0;
  for v_id in select id from app_public.posts where publish_at <= now() order by publish_at, id loop
    exit when clock_timestamp() > now() + interval '2 s';
    begin
      perform from app_public.posts where id = v_id for update skip locked;
      if found then
        update app_public.posts set publish_at = publish_at where id = v_id and publish_at <= now() returning status into v_status;
        published := published + (v_status = 'PUBLISHED')::int;
      end if;
    exception when others then
      raise warning 'Post % is due and cannot be published: % (%)', v_id, sqlerrm, sqlstate;
    end;
  end loop;
  wait_ms := (select ceil(extract(epoch from least(min(publish_at), now() + interval '1 day') - clock_timestamp()) * 1000)
                from app_public.posts where publish_at > now());
end $$;
comment on function app_hidden.publish_due_posts() is $$Publishes the posts whose publish_at has come, for two seconds at most. Returns how many, and the milliseconds until the next one is due, a day at most.$$;
grant execute on function app_hidden.publish_due_posts() to :API_LOGIN;
--! EndIncluded functions/posts/publish_due_posts.sql
--! Included functions/posts/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies. Planning for the number of tags would take longer than looking them up by index.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[], keeps_revision boolean default false) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_names text[];
  v_forms text[];
  v_former text[];
  v_count int;
  v_post app_public.posts;
  -- The role of the caller: this function itself runs as its owner.
  v_caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  -- The lock makes writers of the same post's tags take turns.
  select * into v_post from app_public.posts where posts.id = set_post_tags.post_id for no key update;
  -- Roles that may write the table need no viewer.
  if v_post.id is null or not has_table_privilege(v_caller, 'app_public.post_tags', 'insert') then
    perform app_hidden.require_post_change(v_post, v_post);
  end if;

  -- The rule for their number counts all that were given. Most posts have so few that looking it up would only take time.
  if cardinality(tags) > 10 then
    perform conventions.raise_validation_errors(app_hidden.tag_errors(tags));
  end if;
  v_names := app_hidden.tag_names(tags);
  v_forms := array(select app_hidden.tag_form(name) from unnest(v_names) with ordinality as given (name, place) order by place);
  v_former := array(select t.form from app_public.post_tags join app_public.tags t on t.id = tag_id
                     where post_tags.post_id = set_post_tags.post_id order by position);
  if v_forms = v_former then
    return;
  end if;
  if keeps_revision then
    perform app_hidden.keep_revision(v_post);
  end if;

  -- Keeps the job that deletes unused tags from a tag that no post has had until now.
  perform from app_public.tags where form = any (v_forms) order by id for key share;
  get diagnostics v_count = row_count;
  if v_count < cardinality(v_forms) then
    -- Insert in one order, so that two writers of the same new tags cannot deadlock.
    insert into app_public.tags (name)
    select name from unnest(v_names, v_forms) as new (name, form)
     where not exists (select from app_public.tags t where t.form = new.form)
     order by form
    on conflict do nothing;
  end if;

  if v_former <> '{}' then
    delete from app_public.post_tags
     where post_tags.post_id = set_post_tags.post_id
       and tag_id not in (select id from app_public.tags where form = any (v_forms));
    set constraints app_public.post_tags_post_id_position_key deferred;
    update app_public.post_tags set position = wanted.place
      from unnest(v_forms) with ordinality as wanted (form, place)
      join app_public.tags on tags.form = wanted.form
     where post_tags.post_id = set_post_tags.post_id and tag_id = tags.id and position <> wanted.place;
  end if;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_forms) with ordinality as wanted (form, place)
    join app_public.tags on tags.form = wanted.form
  on conflict on constraint post_tags_pkey do nothing;
  -- Readers see the tags. A post of this transaction is new anyway, and an imported one keeps its time.
  if v_post.created_at < transaction_timestamp() and not app_hidden.is_import() then
    update app_public.posts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond') where id = v_post.id;
  end if;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[], boolean) is $$Replaces the tags of a post. keeps_revision keeps the former ones as a revision, if they differ; it is not for a new post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[], boolean) to :API_MEMBER;
--! EndIncluded functions/posts/set_post_tags.sql
--! Included functions/trash/trash_post.sql
-- Security definer: nobody writes the trash but by deleting a post.
create or replace function app_hidden.trash_post(id bigint) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
  v_report_ids bigint[];
begin
  select * into v_post from app_public.posts where posts.id = trash_post.id and status <> 'TRASHED' for no key update;
  perform app_hidden.require_post_change(v_post, null);
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, published_at, publish_at, expires_at, deleted_by_id)
  values (v_post.id, v_post.author_id, v_post.title, v_post.content, v_post.status,
          array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = v_post.id order by position),
          v_post.slug, v_post.published_at, v_post.publish_at,
          now() + make_interval(days => least(app_hidden.trash_days(), 36500)), app_hidden.viewer_id());
  delete from app_public.post_tags where post_id = trash_post.id;
  -- A slug that no title has: the former one is free.
  update app_public.posts set status = 'TRASHED', publish_at = null, slug = gen_random_uuid()::text where posts.id = trash_post.id;
  -- Afterwards: the update has waited for those who report, and others wait for it.
  v_report_ids := array(
    select reports.id from app_public.reports
     where status = 'OPEN' and (post_id = trash_post.id or comment_id = any (array(select comments.id from app_public.comments where post_id = trash_post.id)))
     order by reports.id for update);
  insert into app_private.trashed_reasons (post_id, comment_id, reporter_id, reason, created_at)
  select trash_post.id, comment_id, reporter_id, reason, report_reasons.created_at
    from app_public.reports join app_public.report_reasons on report_id = reports.id
   where reports.id = any (v_report_ids);
  delete from app_public.reports where reports.id = any (v_report_ids);
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
create or replace function app_hidden.slug_after_trash(post app_public.posts) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_slug text := (select slug from app_public.trashed_posts where id = post.id);
begin
  -- free_slug() only tries this lock, and gives the slug to nobody meanwhile.
  perform pg_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_slug) % 2000);
  return case when v_slug is null or exists (select from app_public.posts where slug = v_slug) then app_hidden.free_slug(post) else v_slug end;
end $$;
comment on function app_hidden.slug_after_trash(app_public.posts) is $$The slug that a post had before it was deleted, unless another one has it now.$$;

-- Security definer: nobody writes tags and reports.
create or replace function app_hidden.tg_posts__leave_trash() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.set_post_tags(new.id, tags) from app_public.trashed_posts where id = new.id;
  insert into app_public.reports (post_id, comment_id, created_at)
  select case when comment_id is null then new.id end, comment_id, min(created_at) from app_private.trashed_reasons where post_id = new.id group by comment_id
  on conflict do nothing;
  insert into app_public.report_reasons (report_id, reporter_id, reason, created_at)
  select reports.id, reporter_id, reason, given.created_at
    from app_private.trashed_reasons as given
    join app_public.reports on case when given.comment_id is null then reports.post_id = new.id else reports.comment_id = given.comment_id end
   where given.post_id = new.id
  on conflict do nothing;
  delete from app_public.trashed_posts where id = new.id;
  return null;
end $$;
comment on function app_hidden.tg_posts__leave_trash() is $$After a post gets another status than TRASHED, by restore_post() or in SQL: brings its tags and open reports back.$$;

create or replace function app_private.lock_trashed_post(id bigint) returns app_public.posts
language sql volatile as $$
  select posts.* from app_public.posts join app_public.trashed_posts t on t.id = posts.id
   where posts.id = lock_trashed_post.id and posts.status = 'TRASHED'
     and (t.author_id = app_hidden.viewer_id() or app_hidden.viewer_may('EDIT_ANY_POST'))
     for update of posts
$$;
comment on function app_private.lock_trashed_post(bigint) is $$Locks and returns a post in the trash that the viewer sees there; null without one.$$;

-- Security definer: nobody sees a post in the trash.
create or replace function app_hidden.take_from_trash(id bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_private.lock_trashed_post(take_from_trash.id);
  v_trashed app_public.trashed_posts;
begin
  perform app_hidden.require_post_change(v_post, v_post) where v_post.id is not null;
  select * into v_trashed from app_public.trashed_posts where trashed_posts.id = v_post.id;
  if not found then
    return false;
  end if;
  update app_public.posts
     set status = v_trashed.status, published_at = v_trashed.published_at,
         publish_at = case when v_trashed.publish_at > now() and app_hidden.viewer_may('PUBLISH') then v_trashed.publish_at end
   where posts.id = v_post.id;
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
Brings a deleted post of yours back as it was: with its comments, tags and status, and with its slug unless another post has it now. A post of yours that somebody else has deleted: UNAUTHORIZED without the right EDIT_ANY_POST. A time for publication that has passed meanwhile, or that you may not set, is left out.$$;
grant execute on function app_public.restore_post(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/restore_post.sql
--! Included functions/trash/delete_post_permanently.sql
-- Security definer: nobody sees a post in the trash.
create or replace function app_hidden.delete_trashed_post(id bigint) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_private.lock_trashed_post(delete_trashed_post.id);
begin
  perform app_hidden.require_post_change(v_post, null) where v_post.id is not null;
  delete from app_public.posts where posts.id = v_post.id;
  return found;
end $$;
comment on function app_hidden.delete_trashed_post(bigint) is $$Deletes a post that is in the trash for good, where restore_post() would restore it. False when there is none.$$;
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
Deletes a post of yours, with its comments. It cannot be restored. In the trash: UNAUTHORIZED where restorePost is.$$;
grant execute on function app_public.delete_post_permanently(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/delete_post_permanently.sql
--! Included functions/previews/preview.sql
create or replace function app_hidden.preview_of(preview app_public.previews, post app_public.posts, fields jsonb) returns app_public.preview
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  post := jsonb_populate_record(post, conventions.without_nulls(conventions.unpack_fields('app_public.working_copies', jsonb_build_object('fields', fields))));
  return row(preview.id, post.title, post.content, preview.created_at, preview.expires_at, preview.made_by_id, preview.last_used_at);
end $$;
comment on function app_hidden.preview_of(app_public.previews, app_public.posts, jsonb) is $$A post as it would be published now.$$;
grant execute on function app_hidden.preview_of(app_public.previews, app_public.posts, jsonb) to :API_ANONYMOUS, :API_MEMBER;

-- Security definer: members read no accounts.
create or replace function app_hidden.preview_works(preview app_public.previews) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from app_public.previews v join app_public.posts p on p.id = v.post_id
     where v.id = preview.id and v.expires_at > now() and p.status <> 'TRASHED'
       and app_private.still_may_edit(coalesce(v.made_by_id, p.author_id), p.author_id))
$$;
comment on function app_hidden.preview_works(app_public.previews) is $$Whether a link shows its post: until its end, while the user who made it may read the draft. A link without one counts as the author’s.$$;
grant execute on function app_hidden.preview_works(app_public.previews) to :API_ANONYMOUS, :API_MEMBER;

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
   where token_hash = sha256(convert_to(preview.token, 'UTF8')) and app_hidden.preview_works(v);
  if not found then
    perform app_hidden.refuse_missing('preview');
  end if;
  -- These are for who may edit the post.
  v_preview.made_by_id := null;
  v_preview.last_used_at := null;
  return v_preview;
end $$;
comment on function app_public.preview(text) is $$@noStore
@countReads app_private.note_previews
@describe token The token of createPreview.
A post as it would be published now, for everyone who has a token of createPreview. NOT_FOUND when it has expired or was withdrawn, and while the user who made it may not edit the post, or that user or the author is banned.$$;
grant execute on function app_public.preview(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_previews(posts app_public.posts) returns setof app_public.preview
language sql stable as $$
  select (app_hidden.preview_of(v, posts, w.fields)).*
    from app_public.previews v
    left join app_public.working_copies w on w.post_id = v.post_id
   where v.post_id = posts.id and app_hidden.preview_works(v)
   order by v.id desc
$$;
comment on function app_public.posts_previews(app_public.posts) is $$@notNull items
@behavior -connection
@listOrder id desc
The preview links that show this post, the newest first. For the author and editors; none for others.$$;
grant execute on function app_public.posts_previews(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;

-- Security definer: the service's login may note uses, and may not write the table. A link is written once a minute at most, in the order of the keys.
create or replace function app_private.note_previews(tokens text[], counts int[]) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with used as (
    select id from app_public.previews
     where token_hash = any (array(select sha256(convert_to(token, 'UTF8')) from unnest(tokens) as token))
       and coalesce(last_used_at, '-infinity') < now() - interval '1 minute'
     order by id for no key update)
  update app_public.previews set last_used_at = now() from used where previews.id = used.id
$$;
comment on function app_private.note_previews(text[], int[]) is $$Notes that links were used. The service calls it.$$;
grant execute on function app_private.note_previews(text[], int[]) to :API_LOGIN;
--! EndIncluded functions/previews/preview.sql
-- Before the triggers that prepare a row, and after those that may change what is wanted.
create or replace trigger _090_require_change before insert or update or delete on app_public.posts
  for each row execute function app_hidden.tg_posts__require_change();
comment on trigger _090_require_change on app_public.posts is $$Before a member writes or deletes a post: refuses what the viewer may not make of it.$$;

-- The audit trail knows who has set the times that wait.
update app_public.posts
   set scheduled_by_id = (
     select actor_id from app_public.audit_trail
      where table_name = 'posts' and row_key = posts.id::text and changes ? 'publish_at'
      order by changed_at desc, audit_trail.id desc limit 1)
 where publish_at is not null;
