--! Previous: sha1:d02699900251d6f53fb45a2c88ae68561a962966
--! Hash: sha1:7d31841ce94c1fac365a23752350d9204e76788f
--! Message: posts

--! split: 300-posts.sql
-- Posts: what users write for others to read. A draft is its author's own; a published post is everyone's.
create type app_public.post_status as enum ('DRAFT', 'PUBLISHED');
comment on type app_public.post_status is $$@describe DRAFT Its author’s own.
@describe PUBLISHED Everyone’s.
Who may read a post: a DRAFT is its author’s, a PUBLISHED post is everyone’s.$$;

create table app_public.posts (
  id                 bigint generated always as identity primary key,
  author_id          bigint not null references app_public.users on delete cascade,
  title              text not null,
  slug               text not null,
  excerpt            text not null,
  content            text not null,
  status             app_public.post_status not null default 'DRAFT',
  published_at       timestamptz,
  first_published_at timestamptz,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  -- Lists are ordered by one key that is never null: publication for what is published, else creation.
  listed_at          timestamptz not null generated always as (coalesce(published_at, created_at)) stored,
  constraint posts_slug_key unique (slug),
  constraint posts_title_length_check check (char_length(title) between 1 and 200),
  constraint posts_title_blank_check check (title ~ '\S' or title = ''),
  constraint posts_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  constraint posts_excerpt_length_check check (char_length(excerpt) <= 200),
  constraint posts_content_length_check check (char_length(content) between 1 and 100000),
  constraint posts_published_at_check check ((status = 'PUBLISHED') = (published_at is not null))
);
comment on table app_public.posts is E'@listOrder listed_at desc, id desc\n@listLimit required\nWhat a user writes for others to read.';
comment on column app_public.posts.id is $$Identifies the post, for good.$$;
comment on column app_public.posts.author_id is $$Who wrote it.$$;
comment on column app_public.posts.title is $$The headline.$$;
comment on column app_public.posts.slug is $$The post’s name in a URL: ASCII, unique, made from the title. Never changes once the post has been published.$$;
comment on column app_public.posts.excerpt is $$A taste of the post, at most 200 characters: as the author gave it, else the start of the content.$$;
comment on column app_public.posts.content is $$The whole text.$$;
comment on column app_public.posts.status is E'@listFilter\nWho may read it.';
comment on column app_public.posts.published_at is $$When the post last became public; null for a draft.$$;
comment on column app_public.posts.first_published_at is E'@behavior -*\nWhen the post first became public. From then on its slug stays.';
comment on column app_public.posts.created_at is $$When the post was first saved.$$;
comment on column app_public.posts.updated_at is $$When anything a reader can see last changed: title, content, excerpt, status or tags.$$;
comment on column app_public.posts.listed_at is E'@behavior -*\nThe place in lists, newest first: published_at, for drafts created_at.';
comment on constraint posts_slug_key on app_public.posts is E'@behavior -single\nThis slug is taken.';
comment on constraint posts_title_length_check on app_public.posts is $$A title needs between 1 and 200 characters.$$;
comment on constraint posts_title_blank_check on app_public.posts is $$A title needs more than spaces.$$;
comment on constraint posts_slug_check on app_public.posts is $$A slug holds small letters and digits, with single hyphens between them.$$;
comment on constraint posts_excerpt_length_check on app_public.posts is $$An excerpt has at most 200 characters.$$;
comment on constraint posts_content_length_check on app_public.posts is $$Content needs between 1 and 100000 characters.$$;
comment on constraint posts_published_at_check on app_public.posts is $$A post has a time of publication exactly while it is published.$$;

-- Carries posts and feed, newest first.
create index posts_listed_at_id_idx on app_public.posts (listed_at desc, id desc);
-- Carries User.posts, one's own drafts, and the foreign key to users.
create index posts_author_id_listed_at_id_idx on app_public.posts (author_id, listed_at desc, id desc);
-- Carries postsCount(status).
create index posts_status_idx on app_public.posts (status);

--! Included functions/slugify.sql
create or replace function app_hidden.slugify(title text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  v_words text := trim(both '-' from regexp_replace(
    lower(app_hidden.unaccent('app_hidden.unaccent', normalize(title, NFC))), '[^a-z0-9]+', '-', 'g'));
begin
  -- A title in a script that has no ASCII likeness is still worth an address.
  return coalesce(nullif(rtrim(left(v_words, 80), '-'), ''), 'post');
end $$;
comment on function app_hidden.slugify(text) is $$The title as small ASCII letters, digits and hyphens, at most 80 of them: “Crème brûlée!” is creme-brulee.$$;
grant execute on function app_hidden.slugify(text) to :API_MEMBER;
--! EndIncluded functions/slugify.sql
--! Included functions/free_slug.sql
-- Security definer: a slug must be free of all posts, other people's drafts too, which the viewer cannot see.
create or replace function app_hidden.free_slug(wish text, post_id bigint) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  -- base-2 could come from “Base” or from “Base 2”, so everyone who may end up there waits at the same door.
  v_family text := regexp_replace(wish, '(-\d+)+$', '');
  v_slug text := wish;
  v_number int := 1;
begin
  perform pg_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_family));
  while exists (select from app_public.posts where slug = v_slug and id is distinct from free_slug.post_id) loop
    v_number := v_number + 1;
    v_slug := wish || '-' || v_number;
  end loop;
  return v_slug;
end $$;
comment on function app_hidden.free_slug(text, bigint) is $$The wished slug, or the first of wish-2, wish-3… that no other post has. Holds a lock to the end of the transaction, so that two writers never get the same.$$;
grant execute on function app_hidden.free_slug(text, bigint) to :API_MEMBER;
--! EndIncluded functions/free_slug.sql
--! Included functions/start_of.sql
create or replace function app_hidden.start_of(content text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select case
    when char_length(storable) <= 200 then rtrim(storable, E' \t\r\n')
    -- Back to the last white space within 201 characters; one endless word is cut where it is.
    else rtrim(coalesce(substring(left(storable, 201) from '^(.*\S)\s'), left(storable, 200)), E' \t\r\n')
  end
  -- What may not be stored is told once, of the content itself.
  from regexp_replace(start_of.content, '[\uFDD0-\uFDEF\uFFFE\uFFFF]', '', 'g') as storable
$$;
comment on function app_hidden.start_of(text) is $$The first words of a text, at most 200 characters.$$;
grant execute on function app_hidden.start_of(text) to :API_MEMBER;
--! EndIncluded functions/start_of.sql
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
begin
  new.title := normalize(new.title, NFC);
  new.content := normalize(new.content, NFC);
  new.excerpt := normalize(new.excerpt, NFC);

  -- An excerpt nobody wrote follows the content; one that the author gave stays.
  if new.excerpt is null
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  -- Once readers may hold a link, the slug is theirs as well.
  if v_is_new then
    if new.slug is null then
      new.slug := app_hidden.free_slug(app_hidden.slugify(new.title), new.id);
    end if;
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  elsif new.title <> old.title and new.slug = old.slug
        and app_hidden.slugify(new.title) <> app_hidden.slugify(old.title) then
    new.slug := app_hidden.free_slug(app_hidden.slugify(new.title), new.id);
  end if;

  if new.status = 'DRAFT' then
    new.published_at := null;
  elsif v_is_new or old.status = 'DRAFT' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then new.published_at
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: normal form C, slug, excerpt and times, whoever writes.$$;
--! EndIncluded functions/tg_posts__prepare.sql
create trigger _100_prepare before insert or update on app_public.posts
  for each row execute function app_hidden.tg_posts__prepare();
create trigger _200_refuse_faults before insert or update on app_public.posts
  for each row execute function app_hidden.tg__refuse_faults();

alter table app_public.posts enable row level security;
create policy select_published on app_public.posts for select to :API_ANONYMOUS, :API_MEMBER
  using (status = 'PUBLISHED');
create policy select_own on app_public.posts for select to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy select_as_admin on app_public.posts for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy insert_own on app_public.posts for insert to :API_MEMBER
  with check (author_id = (select app_hidden.viewer_id()));
create policy update_own on app_public.posts for update to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy update_as_admin on app_public.posts for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy delete_own on app_public.posts for delete to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy delete_as_admin on app_public.posts for delete to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.posts to :API_ANONYMOUS, :API_MEMBER;
-- Slug, times and author are not a writer's to set.
grant insert (author_id, title, content, excerpt, status), update (title, content, excerpt, status), delete
  on app_public.posts to :API_MEMBER;

-- Tags: words that posts share.
create table app_public.tags (
  id   bigint generated always as identity primary key,
  name text not null,
  constraint tags_name_key unique (name),
  constraint tags_name_length_check check (char_length(name) between 1 and 50),
  constraint tags_name_check check (name = lower(name) and name = btrim(name))
);
comment on table app_public.tags is E'@listOrder name\nA word that says what posts are about.';
comment on column app_public.tags.id is $$Identifies the tag, for good.$$;
comment on column app_public.tags.name is $$The word: lower case, with no space around it, unique.$$;
comment on constraint tags_name_key on app_public.tags is $$This tag is there already.$$;
comment on constraint tags_name_length_check on app_public.tags is $$A tag needs between 1 and 50 characters.$$;
comment on constraint tags_name_check on app_public.tags is $$A tag is in lower case, with no space around it.$$;

create table app_public.post_tags (
  post_id  bigint not null references app_public.posts on delete cascade,
  tag_id   bigint not null references app_public.tags on delete cascade,
  position smallint not null,
  primary key (post_id, tag_id),
  -- One tag a place and fifteen places: so at most fifteen tags a post.
  constraint post_tags_post_id_position_key unique (post_id, position) deferrable,
  constraint post_tags_position_check check (position between 1 and 15)
);
comment on table app_public.post_tags is E'@manyToMany\nWhich post has which tags.';
comment on column app_public.post_tags.post_id is $$The post that has the tag.$$;
comment on column app_public.post_tags.tag_id is $$The tag that it has.$$;
comment on column app_public.post_tags.position is $$The place among the post’s tags, as the author gave them, from 1.$$;
comment on constraint post_tags_post_id_position_key on app_public.post_tags is $$A post has one tag in each place.$$;
comment on constraint post_tags_position_check on app_public.post_tags is $$A post has at most 15 tags.$$;
-- Carries Tag.posts and the foreign key to tags.
create index post_tags_tag_id_post_id_idx on app_public.post_tags (tag_id, post_id);

--! Included functions/tg_post_tags__touch_post.sql
-- Security definer: updated_at is nobody's to set by hand.
create or replace function app_hidden.tg_post_tags__touch_post() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- A post that is being created is not yet being changed: its created_at is this transaction's time.
  update app_public.posts set updated_at = clock_timestamp()
   where id in (select post_id from changed) and created_at < transaction_timestamp();
  return null;
end $$;
comment on function app_hidden.tg_post_tags__touch_post() is $$After a post’s tags change: moves its updated_at, for a reader can see them.$$;
--! EndIncluded functions/tg_post_tags__touch_post.sql
create trigger _500_touch_post_added after insert on app_public.post_tags
  referencing new table as changed for each statement execute function app_hidden.tg_post_tags__touch_post();
create trigger _500_touch_post_removed after delete on app_public.post_tags
  referencing old table as changed for each statement execute function app_hidden.tg_post_tags__touch_post();

alter table app_public.post_tags enable row level security;
-- The posts that the subquery sees are the viewer's own policies' answer, so a draft's tags are as private as the draft.
create policy select_visible on app_public.post_tags for select to :API_ANONYMOUS, :API_MEMBER
  using (exists (select from app_public.posts where posts.id = post_tags.post_id));
grant select on app_public.post_tags to :API_ANONYMOUS, :API_MEMBER;
-- No writes: a post's tags change through create_post() and update_post().

alter table app_public.tags enable row level security;
create policy select_visible on app_public.tags for select to :API_ANONYMOUS, :API_MEMBER
  using (exists (select from app_public.post_tags where post_tags.tag_id = tags.id));
grant select on app_public.tags to :API_ANONYMOUS, :API_MEMBER;

--! Included functions/tag_names.sql
create or replace function app_hidden.tag_name(given text) returns text
language sql immutable parallel safe
return normalize(lower(regexp_replace(given, '^\s+|\s+$', '', 'g')), NFC);
comment on function app_hidden.tag_name(text) is $$A tag as it is stored: trimmed, lower case, normal form C.$$;
grant execute on function app_hidden.tag_name(text) to :API_MEMBER;

create or replace function app_hidden.tag_names(given text[]) returns text[]
language sql immutable parallel safe
return coalesce((
  select array_agg(name order by place)
    from (select app_hidden.tag_name(g.tag) as name, min(g.place) as place
            from unnest(given) with ordinality as g (tag, place)
           group by 1) as named
), '{}');
comment on function app_hidden.tag_names(text[]) is $$Tags as they are stored, each once, in the order given.$$;
grant execute on function app_hidden.tag_names(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_names.sql
--! Included functions/tag_faults.sql
create or replace function app_hidden.tag_faults(tags text[]) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_names text[] := app_hidden.tag_names(tags);
  v_faults jsonb := '[]';
begin
  if cardinality(v_names) > 0 then
    select coalesce(jsonb_agg(fault || jsonb_build_object('column', 'tags', 'code', 'TOO_LONG', 'params', jsonb_build_object('max', fault #> '{params,max}'))), '[]')
      into v_faults
      from jsonb_array_elements(
        app_hidden.faults('app_public.post_tags', jsonb_build_object('position', cardinality(v_names)))) as fault;
  end if;
  return v_faults || (
    select coalesce(jsonb_agg(fault || jsonb_build_object('column', 'tags', 'index', place - 1) order by place), '[]')
      from unnest(tags) with ordinality as given (name, place),
           jsonb_array_elements(app_hidden.faults('app_public.tags',
             jsonb_build_object('name', app_hidden.tag_name(given.name)))) as fault
  );
end $$;
comment on function app_hidden.tag_faults(text[]) is $$What is wrong with a post’s tags: faults as app_hidden.faults() gives them, with the tag’s place in the list, from 0, as index.$$;
grant execute on function app_hidden.tag_faults(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_faults.sql
--! Included functions/set_post_tags.sql
-- Security definer: tags are shared words, so no member may write them at will; this writes those of one post, and its
-- callers have just written that post under the viewer's own policies.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_names text[] := app_hidden.tag_names(tags);
begin
  if not exists (
    select from app_public.posts
     where posts.id = set_post_tags.post_id
       and (author_id = app_hidden.viewer_id() or app_hidden.viewer_is_admin()
         -- Whoever comes by another way than the API has the table's own rights.
         or session_user <> ':API_LOGIN')
  ) then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- In one order for everyone, so that two writers of the same new words cannot wait for each other.
  insert into app_public.tags (name)
  select name from unnest(v_names) as name
   where not exists (select from app_public.tags t where t.name = name.name)
   order by name
  on conflict do nothing;

  delete from app_public.post_tags
   where post_tags.post_id = set_post_tags.post_id
     and tag_id not in (select id from app_public.tags where name = any (v_names));

  set constraints app_public.post_tags_post_id_position_key deferred;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_names) with ordinality as wanted (name, place)
    join app_public.tags on tags.name = wanted.name
  on conflict on constraint post_tags_pkey do update set position = excluded.position
   where post_tags.position <> excluded.position;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[]) is $$Gives a post exactly these tags.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[]) to :API_MEMBER;
--! EndIncluded functions/set_post_tags.sql

create type app_public.create_post_input as (
  title   text,
  content text,
  tags    text[],
  excerpt text,
  status  app_public.post_status
);
comment on type app_public.create_post_input is $$A new post.$$;
comment on column app_public.create_post_input.title is E'@notNull\nThe headline: 1 to 200 characters.';
comment on column app_public.create_post_input.content is E'@notNull\nThe whole text: 1 to 100,000 characters.';
comment on column app_public.create_post_input.tags is $$At most 15 words of 1 to 50 characters. They are trimmed and put in lower case; doubles count once.$$;
comment on column app_public.create_post_input.excerpt is $$A taste of the post, at most 200 characters. Without it, the start of the content.$$;
comment on column app_public.create_post_input.status is $$DRAFT unless given.$$;

create type app_public.update_post_input as (
  title   text,
  content text,
  tags    text[],
  excerpt text,
  status  app_public.post_status
);
comment on type app_public.update_post_input is $$What to change of a post. What is missing or null stays.$$;
comment on column app_public.update_post_input.title is $$The headline: 1 to 200 characters.$$;
comment on column app_public.update_post_input.content is $$The whole text: 1 to 100,000 characters.$$;
comment on column app_public.update_post_input.tags is $$All the tags that the post has from now on, at most 15; an empty list clears them.$$;
comment on column app_public.update_post_input.excerpt is $$A taste of the post, at most 200 characters.$$;
comment on column app_public.update_post_input.status is $$PUBLISHED shows the post to everyone, DRAFT takes it back.$$;

create type app_public.delete_result as (success boolean, message text);
comment on type app_public.delete_result is $$What came of a deletion.$$;
comment on column app_public.delete_result.success is $$True: what could not be deleted is an error instead.$$;
comment on column app_public.delete_result.message is $$What was deleted, in words for a person.$$;

--! Included functions/refuse_post.sql
create or replace function app_hidden.refuse_post(id bigint) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (select from app_public.posts where posts.id = refuse_post.id) then
    perform app_hidden.refuse_unauthorized();
  end if;
  perform app_hidden.refuse_missing('post');
end $$;
comment on function app_hidden.refuse_post(bigint) is $$Says no to a change of a post: not yours if the viewer can see it, else not there.$$;
grant execute on function app_hidden.refuse_post(bigint) to :API_MEMBER;
--! EndIncluded functions/refuse_post.sql
--! Included functions/create_post.sql
create or replace function app_public.create_post(input app_public.create_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.tag_faults(input.tags);
  v_detail text;
  v_post app_public.posts;
begin
  begin
    insert into app_public.posts (author_id, title, content, excerpt, status)
    values (app_hidden.viewer_id(), input.title, input.content, input.excerpt, coalesce(input.status, 'DRAFT'))
    returning * into v_post;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  perform app_hidden.set_post_tags(v_post.id, input.tags);
  return v_post;
end $$;
comment on function app_public.create_post(app_public.create_post_input) is $$Writes a post in your name.$$;
grant execute on function app_public.create_post(app_public.create_post_input) to :API_MEMBER;
--! EndIncluded functions/create_post.sql
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.tag_faults(input.tags);
  v_detail text;
  v_post app_public.posts;
begin
  begin
    update app_public.posts
       set title = coalesce(input.title, title),
           content = coalesce(input.content, content),
           excerpt = coalesce(input.excerpt, excerpt),
           status = coalesce(input.status, status)
     where posts.id = update_post.id
    returning * into v_post;
    -- Before anything is said of the input: whose post this is comes first.
    if not found then
      perform app_hidden.refuse_post(update_post.id);
    end if;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input) is $$@describe id The post to change.
Changes a post of yours. What the input leaves out stays as it is.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input) to :API_MEMBER;
--! EndIncluded functions/update_post.sql
--! Included functions/delete_post.sql
create or replace function app_public.delete_post(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
declare
  v_post app_public.posts;
begin
  delete from app_public.posts where posts.id = delete_post.id returning * into v_post;
  if not found then
    perform app_hidden.refuse_post(delete_post.id);
  end if;
  return (true, format('Post %s is deleted.', v_post.id));
end $$;
comment on function app_public.delete_post(bigint) is $$@describe id The post to delete.
Deletes a post of yours, with its comments.$$;
grant execute on function app_public.delete_post(bigint) to :API_MEMBER;
--! EndIncluded functions/delete_post.sql
--! Included functions/posts_count.sql
create or replace function app_public.posts_count(status app_public.post_status default null) returns int
language sql stable
return (select count(*)::int from app_public.posts
         where posts_count.status is null or posts.status = posts_count.status);
comment on function app_public.posts_count(app_public.post_status) is $$@describe status Count those of this status only.
How many posts there are that you may see: all of them, or those of one status.$$;
grant execute on function app_public.posts_count(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts_count.sql
--! Included functions/feed.sql
-- One plain statement, so that PostgreSQL inlines it: limit and order reach the index.
create or replace function app_public.feed() returns setof app_public.posts
language sql stable
begin atomic
  select posts.*
    from app_public.posts
   where status = 'PUBLISHED'
     and (not (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
       or author_id = (select app_hidden.viewer_id())
       or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())));
end;
comment on function app_public.feed() is $$@listLimit required
The newest published posts: of those you follow, and your own. Everyone’s when you follow nobody or are not signed in.$$;
grant execute on function app_public.feed() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/feed.sql
