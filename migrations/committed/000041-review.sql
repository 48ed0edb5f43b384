--! Previous: sha1:52565f497e071874cc6cb2bcb2d951cc4fd08683
--! Hash: sha1:8890ca6982dc12d91e298de4cbf1d8c9f7ab5d38
--! Message: review

--! split: 100-review.sql

-- allow: value-added-to-enum:ErrorReason.MAY_NOT_PUBLISH because no role gets it until one without the right is added
-- allow: change-behaviour:app_hidden.tg_posts__prepare because all roles that there are may publish
-- allow: create-trigger:_500_review on app_public.posts because it acts when a status is or was SUBMITTED
-- allow: create-trigger:_900_stream_queue_insert on app_public.posts because it records what is SUBMITTED
-- allow: create-trigger:_900_stream_queue_update on app_public.posts because it records what is SUBMITTED
-- allow: create-trigger:_900_stream_queue_delete on app_public.posts because it records what is SUBMITTED
-- allow: exposed:app_public.posts.queue because it says no more than the status
-- allow: change-behaviour:app_hidden.first_post_ids_of_tag because several statuses are private now
-- Review before publication: who may not publish submits a post, and somebody else publishes or returns it. All roles that there are may publish.
insert into app_hidden.role_rights (role, may)
select enumlabel, 'PUBLISH' from pg_enum where enumtypid = 'app_public.user_role'::regtype
on conflict do nothing;

create table if not exists app_public.review_notes (
  post_id    bigint not null,
  note       text not null,
  created_at timestamptz not null default now(),
  constraint review_notes_pkey primary key (post_id),
  constraint review_notes_post_id_fkey foreign key (post_id) references app_public.posts on delete cascade,
  constraint review_notes_note_length_check check (char_length(note) between 1 and 1000),
  constraint review_notes_note_blank_check check (note ~ '\S' or note = '')
);
comment on table app_public.review_notes is $$@behavior -*
Why posts were returned. The API has them as Post.reviewNote.$$;
comment on column app_public.review_notes.post_id is $$The post.$$;
comment on column app_public.review_notes.note is $$What the author should change.$$;
comment on column app_public.review_notes.created_at is $$The time when the post was returned.$$;
comment on constraint review_notes_post_id_fkey on app_public.review_notes is $$@behavior -*$$;
comment on constraint review_notes_note_length_check on app_public.review_notes is $$A note has between 1 and 1000 characters.$$;
comment on constraint review_notes_note_blank_check on app_public.review_notes is $$A note needs more than spaces.$$;
select conventions.apply_to('app_public.review_notes', '{}', is_audited => false);
drop policy if exists select_with_post on app_public.review_notes;
create policy select_with_post on app_public.review_notes for select to :API_MEMBER using (exists (
  select from app_public.posts
   where posts.id = post_id and (author_id = (select app_hidden.viewer_id()) or (select app_hidden.viewer_may('EDIT_ANY_POST'))) offset 0));
drop policy if exists insert_by_right on app_public.review_notes;
create policy insert_by_right on app_public.review_notes for insert to :API_MEMBER with check ((select app_hidden.viewer_may('EDIT_ANY_POST')));
grant select on app_public.review_notes to :API_ANONYMOUS, :API_MEMBER;
grant insert (post_id, note) on app_public.review_notes to :API_MEMBER;

alter table app_public.posts add column if not exists queue smallint;
comment on column app_public.posts.queue is $$@behavior -*
1 while the status is SUBMITTED, else null: the key of the one stream of submitted posts.$$;

--! Included functions/review/return_post.sql
create or replace function app_public.return_post(id bigint, note text default null) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts;
begin
  perform app_hidden.require_right('EDIT_ANY_POST');
  update app_public.posts set status = 'DRAFT', publish_at = null where posts.id = return_post.id and status = 'SUBMITTED' returning * into v_post;
  if not found then
    perform app_hidden.refuse_missing('submitted post');
  end if;
  if return_post.note is not null then
    insert into app_public.review_notes (post_id, note) values (v_post.id, return_post.note);
  end if;
  return v_post;
end $$;
comment on function app_public.return_post(bigint, text) is $$@describe id A post whose status is SUBMITTED.
@describe note What the author should change: at most 1,000 characters. Post.reviewNote.
Makes a submitted post a draft again. With the right EDIT_ANY_POST. A notification tells the author.$$;
grant execute on function app_public.return_post(bigint, text) to :API_MEMBER;

create or replace function app_public.posts_review_note(posts app_public.posts) returns text
language sql stable as $$
  select note from app_public.review_notes where post_id = posts.id
$$;
comment on function app_public.posts_review_note(app_public.posts) is $$Why the post was returned by returnPost, until it is submitted again or published. For the author and editors; null for others.$$;
grant execute on function app_public.posts_review_note(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/review/return_post.sql
--! Included functions/review/tg_posts__review.sql
-- Security definer: nobody else may write notifications, or delete notes.
create or replace function app_hidden.tg_posts__review() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.status in ('SUBMITTED', 'PUBLISHED') then
    delete from app_public.review_notes where post_id = new.id;
  end if;
  if old.status = 'SUBMITTED' and new.status in ('PUBLISHED', 'DRAFT') and new.author_id <> app_hidden.viewer_id() then
    insert into app_public.notifications (user_id, kind, actor_id, post_id)
    values (new.author_id, case new.status when 'PUBLISHED' then 'POST_PUBLISHED' else 'POST_RETURNED' end::app_public.notification_kind,
      app_hidden.viewer_id(), new.id);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__review() is $$After a post is submitted, or was: notifies its author of what another user decides. A note of an earlier review goes.$$;

-- The rule of the policies, for any viewer.
create or replace function app_private.review_reading(queue bigint, viewer_id bigint) returns table (may_read boolean)
language sql stable rows 1 as $$
  select app_hidden.user_may(review_reading.viewer_id, 'EDIT_ANY_POST')
$$;
comment on function app_private.review_reading(bigint, bigint) is $$Whether the viewer may follow the submitted posts: with the right EDIT_ANY_POST.$$;
--! EndIncluded functions/review/tg_posts__review.sql
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

  if (new.status = 'PUBLISHED' or new.publish_at is not null) and row_security_active('app_public.posts') then
    if not app_hidden.viewer_may('PUBLISH') then
      perform app_hidden.refuse_unauthorized('MAY_NOT_PUBLISH',
        'Your role may not publish, and changes no published post. Submit the post, with the status SUBMITTED; of a published one, save a working copy.');
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

  new.queue := case when new.status = 'SUBMITTED' then 1 end;

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
--! Included functions/posts/first_posts_of_tag.sql
-- One index for each kind of posts that a viewer may see: published posts, the viewer's own others, and with the right EDIT_ANY_POST all others. So
-- no draft of another user is read and left out by a policy.
create or replace function app_hidden.first_post_ids_of_tag(
  tag_id bigint, page int, status app_public.post_status, after_listed_at timestamptz, after_id bigint
) returns setof bigint
language sql stable as $$
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and is_public and coalesce(first_post_ids_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
    order by listed_at desc, post_id desc limit page)
   union all
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and not is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
      and (select app_hidden.viewer_may('EDIT_ANY_POST'))
      and (first_post_ids_of_tag.status is null
        or exists (select from app_public.posts where posts.id = post_id and posts.status = first_post_ids_of_tag.status offset 0))
    order by listed_at desc, post_id desc limit page)
   union all
  (select private.id from app_public.posts as private
    where not private.is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and (first_post_ids_of_tag.status is null or private.status = first_post_ids_of_tag.status)
      and private.author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_may('EDIT_ANY_POST'))
      and (private.listed_at, private.id) < (after_listed_at, after_id)
      and exists (select from app_public.post_tags where post_tags.post_id = private.id and post_tags.tag_id = first_post_ids_of_tag.tag_id)
    order by listed_at desc, id desc limit page)
$$;
comment on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The ids of the first posts of a tag, or more.$$;
grant execute on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_of_tag(
  tag_id bigint, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select * from app_hidden.first_post_ids_of_tag(first_posts_of_tag.tag_id, first_posts_of_tag.page, first_posts_of_tag.status, after_listed_at, after_id)))
     and (first_posts_of_tag.status is null or posts.status = first_posts_of_tag.status)
$$;
comment on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Tag.posts, or those of a status, or those after a place.$$;
grant execute on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_tagged(
  tag text, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select ids.* from app_public.tags,
              lateral app_hidden.first_post_ids_of_tag(tags.id, first_posts_tagged.page, first_posts_tagged.status, after_listed_at, after_id) as ids
        where tags.form = app_hidden.tag_form(first_posts_tagged.tag)))
     and (first_posts_tagged.status is null or posts.status = first_posts_tagged.status)
$$;
comment on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Query.posts with a tag.$$;
grant execute on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.post_ids_of_tag(tag text) returns setof bigint
language sql stable as $$
  select post_id from app_public.post_tags
   where tag_id = (select tags.id from app_public.tags where tags.form = app_hidden.tag_form(post_ids_of_tag.tag))
$$;
comment on function app_hidden.post_ids_of_tag(text) is $$The ids of the posts with a tag. For the filter by tag.$$;
grant execute on function app_hidden.post_ids_of_tag(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/first_posts_of_tag.sql
drop trigger if exists _500_review on app_public.posts;
create trigger _500_review after update on app_public.posts for each row
  when (old.status <> new.status and (old.status = 'SUBMITTED' or new.status in ('SUBMITTED', 'PUBLISHED'))) execute function app_hidden.tg_posts__review();
comment on trigger _500_review on app_public.posts is $$After a post is submitted, or was: notifies its author of what another user decides. A note of an earlier review goes.$$;
select conventions.add_tag('app_public.posts', '@subscription postSubmitted queue added 1'),
       conventions.add_tag('app_public.posts', '@describe postSubmitted Each post when it is submitted for review. With the right EDIT_ANY_POST.'),
       conventions.add_tag('app_public.posts', '@subscription postReviewed queue deleted 1'),
       conventions.add_tag('app_public.posts', '@describe postReviewed Each post that waits for review no longer: published, returned, taken back or deleted.');
select change_feed.stream('app_public.posts', 'queue', kinds => '{added,deleted}', since_column => 'queue', may_read => 'app_private.review_reading');
