--! Previous: sha1:a3aabb9ecf9c004f728e87e0787fd50536a3208e
--! Hash: sha1:d267fc5193c4cf9c96d203329cc023ac557c7681
--! Message: who deleted a post

--! split: 100-who-deleted.sql

-- allow: require-concurrent-index-creation:app_public.trashed_posts because the table is new with this release
-- allow: adding-foreign-key-constraint:app_public.trashed_posts because the table is new with this release
-- allow: constraint-missing-not-valid:app_public.trashed_posts because the table is new with this release
-- allow: change-behaviour:app_public.restore_post because it says who may
-- allow: change-behaviour:app_hidden.take_from_trash because an author cannot undo what a moderator has done
-- allow: change-behaviour:app_hidden.trash_post because it keeps who has deleted the post
-- allow: definer-function:app_hidden.trash_post because it asks whose post it is
-- allow: definer-function:app_hidden.take_from_trash because it asks whose post it is
-- Who has deleted a post: its author does not restore what somebody else has deleted.
alter table app_public.trashed_posts add column if not exists deleted_by_id bigint;
comment on column app_public.trashed_posts.deleted_by_id is $$The user who deleted the post; null when that user is gone, and for direct SQL.$$;
alter table app_public.trashed_posts drop constraint if exists trashed_posts_deleted_by_id_fkey;
alter table app_public.trashed_posts add constraint trashed_posts_deleted_by_id_fkey foreign key (deleted_by_id) references app_public.users on delete set null;
comment on constraint trashed_posts_deleted_by_id_fkey on app_public.trashed_posts is $$@fieldName deletedBy
@backwardBehavior -*$$;
create index if not exists trashed_posts_deleted_by_id_idx on app_public.trashed_posts (deleted_by_id);
--! Included functions/trash/trash_post.sql
create or replace function app_hidden.trash_days() returns int
language sql immutable parallel safe return 30;
comment on function app_hidden.trash_days() is $$How many days a deleted post can be restored; 0 deletes it at once. Yours to change, in a migration.$$;
grant execute on function app_hidden.trash_days() to :API_MEMBER;

-- Security definer: nobody writes the trash but by deleting a post.
create or replace function app_hidden.trash_post(id bigint) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, published_at, publish_at, expires_at, deleted_by_id)
  select posts.id, author_id, title, content, status,
         array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = posts.id order by position),
         slug, published_at, publish_at, now() + make_interval(days => app_hidden.trash_days()), app_hidden.viewer_id()
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
  -- Else an author would undo what a moderator has done.
  if v_trashed.deleted_by_id is distinct from app_hidden.viewer_id() and not app_hidden.viewer_may('EDIT_ANY_POST') then
    perform app_hidden.refuse_unauthorized();
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
Brings a deleted post of yours back as it was: with its comments, tags and status, and with its slug unless another post has it now. A post of yours that somebody else has deleted: UNAUTHORIZED without the right EDIT_ANY_POST. A time for publication that has passed meanwhile is left out.$$;
grant execute on function app_public.restore_post(bigint) to :API_MEMBER;
--! EndIncluded functions/trash/restore_post.sql
