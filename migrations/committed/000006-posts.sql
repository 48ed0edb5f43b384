--! Previous: sha1:4f0dac08c4932bba47ab12b61e18d87dcbcfbcb7
--! Hash: sha1:21c5cda565111ee0cc57dd126d1f54901b2a622c
--! Message: posts

-- Posts: what users write for others to read. A draft is its author's own; a published post is everyone's.
create type app_public.post_status as enum ('DRAFT', 'PUBLISHED');
comment on type app_public.post_status is $$@describe DRAFT Visible to its author only.
@describe PUBLISHED Visible to everyone.
The visibility of a post.$$;

-- Slugs have letters and digits of any script.
--! Included functions/posts/slugify.sql
-- An explicit list, because [[:alnum:]] and \w depend on the database's locale: all but letters, digits and marks, as far as
-- plane 0 goes, and the symbols, tags and private characters of the others. Not SQL: PostgreSQL would plan a check that calls it for each statement.
create or replace function app_hidden.slug_words(value text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  -- Almost always, and much quicker.
  if value ~ '^[a-z0-9]+(-[a-z0-9]+)*$' then
    return value;
  end if;
  return trim(both '-' from regexp_replace(lower(value collate "C"),
  '[\u0000-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B4\u00B6-\u00B8\u00BB-\u00BF\u00D7\u00F7'
  '\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u02FF\u0375\u037E\u0384-\u0385\u0387\u03F6\u0482'
  '\u055A-\u055F\u0589-\u058F\u05BE\u05C0\u05C3\u05C6\u05F3-\u060F\u061B-\u061F\u066A-\u066D\u06D4\u06DD-\u06DE'
  '\u06E9\u06FD-\u06FE\u0700-\u070F\u07F6-\u07F9\u07FE-\u07FF\u0830-\u083E\u085E\u0888\u0890-\u0891\u08E2'
  '\u0964-\u0965\u0970\u09F2-\u09FB\u09FD\u0A76\u0AF0-\u0AF1\u0B70\u0BF3-\u0BFA\u0C77-\u0C7F\u0C84\u0D4F\u0D79'
  '\u0DF4\u0E3F\u0E4F\u0E5A-\u0E5B\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5'
  '\u0FC7-\u0FDA\u104A-\u104F\u109E-\u109F\u10FB\u1360-\u1368\u1390-\u1399\u1400\u166D-\u166E\u1680\u169B-\u169C'
  '\u16EB-\u16ED\u1735-\u1736\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u180E\u1940-\u1945\u19DE-\u19FF\u1A1E-\u1A1F'
  '\u1AA0-\u1AA6\u1AA8-\u1AAD\u1B5A-\u1B6A\u1B74-\u1B7E\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E-\u1C7F\u1CC0-\u1CC7\u1CD3'
  '\u1FBD\u1FBF-\u1FC1\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD-\u2101\u2103-\u2106\u2108-\u2109\u2114'
  '\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E\u213A-\u213B\u2140-\u2144\u214A-\u214D\u214F\u218A-\u2BFF'
  '\u2CE5-\u2CEA\u2CF9-\u2CFF\u2D70\u2E00-\u2E2E\u2E30-\u3004\u3008-\u3020\u3030\u3036-\u3037\u303D-\u303F'
  '\u309B-\u309C\u30A0\u30FB\u3190-\u319F\u31C0-\u31E3\u3200-\u33FF\u4DC0-\u4DFF\uA490-\uA4C6\uA4FE-\uA4FF'
  '\uA60D-\uA60F\uA673\uA67E\uA6F2-\uA716\uA720-\uA721\uA789-\uA78A\uA828-\uA82B\uA836-\uA839\uA874-\uA877'
  '\uA8CE-\uA8CF\uA8F8-\uA8FA\uA8FC\uA92E-\uA92F\uA95F\uA9C1-\uA9CD\uA9DE-\uA9DF\uAA5C-\uAA5F\uAA77-\uAA79'
  '\uAADE-\uAADF\uAAF0-\uAAF1\uAB5B\uAB6A-\uAB6B\uABEB\uD800-\uF8FF\uFB29\uFBB2-\uFBC2\uFD3E-\uFD4F\uFDCF-\uFDEF'
  '\uFDFC-\uFDFF\uFE10-\uFE19\uFE30-\uFE6B\uFEFF-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFF'
  '\U0001D000-\U0001D164\U0001F000-\U0001FAFF\U000E0000-\U000E00FF\U000F0000-\U0010FFFF]+', '-', 'g'));
end $$;
comment on function app_hidden.slug_words(text) is $$The words of a text, with single hyphens between them. ASCII letters are in lower case. A valid slug is its own result.$$;
grant execute on function app_hidden.slug_words(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.slugify(title text) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_words text := app_hidden.slug_words(normalize(lower(app_hidden.unaccent('app_hidden.unaccent', left(title, 200))), NFC));
begin
  -- A title without letters and digits, such as an emoji, needs a slug, too.
  return coalesce(nullif(rtrim(case when conventions.bounded_text(v_words, null) then left(v_words, 80) end, '-'), ''), 'post');
end $$;
comment on function app_hidden.slugify(text) is $$The title as lower-case letters and digits of any script, without Latin accents, and hyphens, at most 80 characters: “Crème brûlée!” becomes creme-brulee.$$;
grant execute on function app_hidden.slugify(text) to :API_MEMBER;
--! EndIncluded functions/posts/slugify.sql

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
  publish_at         timestamptz,
  -- The one place that says which posts everybody may see. Policies, indexes, lists and copies in other tables read this column.
  is_public          boolean not null generated always as (status = 'PUBLISHED') stored,
  constraint posts_slug_key unique (slug),
  constraint posts_title_length_check check (char_length(title) between 1 and 200),
  constraint posts_title_blank_check check (title ~ '\S' or title = ''),
  constraint posts_slug_check check (slug <> '' and slug = app_hidden.slug_words(slug)),
  constraint posts_excerpt_length_check check (char_length(excerpt) <= 200),
  constraint posts_content_length_check check (char_length(content) <= 100000 and (char_length(content) >= 1 or status <> 'PUBLISHED' and publish_at is null)),
  constraint posts_content_blank_check check (content ~ '\S' or content = ''),
  constraint posts_published_at_check check ((status = 'PUBLISHED') = (published_at is not null)),
  constraint posts_publish_at_check check (publish_at is null or status <> 'PUBLISHED')
);
comment on table app_public.posts is $$@subscription postPublished author_id
@describe postPublished Each post of this user when it is published for the first time, in order, once.
@subscription postUpdated id updated
@describe postUpdated The post each time it is updated, in order, once. Ends when it is deleted, or no longer visible to you.
@describe listOrder Newest first, by publishedAt; drafts by createdAt.
@listOrder listed_at desc, id desc
@listOrder NEWEST: listed_at desc, id desc
@listOrder OLDEST: listed_at, id
@listOrder UPDATED: updated_at desc, id desc
@listOrder TITLE: title, id
@describe NEWEST Newest first, by publishedAt; drafts by createdAt.
@describe OLDEST Oldest first, by publishedAt; drafts by createdAt.
@describe UPDATED By updatedAt, the latest change first.
@describe TITLE By title, as the database sorts texts.
@listFilter tag app_hidden.post_ids_of_tag
@describe tag Only those with this tag, in any case.
@listPart app_hidden.listed_published_posts status
@listPart app_hidden.listed_own_posts status
@listPart app_hidden.listed_private_posts status
@firstRows app_hidden.first_posts_tagged tag! status after
@totalCount app_public.posts_count status author_id tag
@countReads app_private.count_reads
@listLimit required
A text by a user. Its author sees the draft, everyone sees the published post.$$;
comment on column app_public.posts.id is $$The post’s id. Never changes.$$;
comment on column app_public.posts.author_id is $$@listFilter
The user who wrote the post.$$;
comment on column app_public.posts.title is $$The headline.$$;
comment on column app_public.posts.slug is $$The post’s name in URLs: unique, of the title’s letters and digits, in any script. It ends in the id in a draft, and where the title is taken or ends in a number. It stays after the first publication.$$;
comment on column app_public.posts.excerpt is $$A preview, at most 200 characters: the author’s, or else the beginning of the content, with an ellipsis if it goes on.$$;
comment on column app_public.posts.content is $$The full text.$$;
comment on column app_public.posts.status is $$@listFilter
The visibility of the post.$$;
comment on column app_public.posts.published_at is $$@timestampFormat DATE
The time when the post last became public; null if it is not.$$;
comment on column app_public.posts.first_published_at is $$@behavior -*
The time when the post first became public. After that, its slug does not change.$$;
comment on column app_public.posts.created_at is $$@timestampFormat DATE
The time when the post was created.$$;
comment on column app_public.posts.updated_at is $$@timestampFormat DATE
The time of the last change of title, content, excerpt, status or tags.$$;
comment on column app_public.posts.listed_at is $$@behavior -*
The sort key of lists, newest first: published_at, or created_at for a draft.$$;
comment on column app_public.posts.publish_at is $$The time at which the draft will be published; null without one.$$;
comment on column app_public.posts.is_public is $$@behavior -*
Whether everybody may see the post.$$;
comment on constraint posts_author_id_fkey on app_public.posts is $$@notNull
@totalCount app_public.posts_count status$$;
comment on constraint posts_slug_key on app_public.posts is $$This slug is already in use.$$;
comment on constraint posts_title_length_check on app_public.posts is $$A title needs between 1 and 200 characters.$$;
comment on constraint posts_title_blank_check on app_public.posts is $$A title needs a character other than white space.$$;
comment on constraint posts_slug_check on app_public.posts is $$@code FORMAT
A slug consists of lower-case letters and digits, with single hyphens between them.$$;
comment on constraint posts_excerpt_length_check on app_public.posts is $$An excerpt has at most 200 characters.$$;
comment on constraint posts_content_length_check on app_public.posts is $$Content needs between 1 and 100000 characters, or none in a draft that is not scheduled.$$;
comment on constraint posts_content_blank_check on app_public.posts is $$Content needs a character other than white space.$$;
comment on constraint posts_published_at_check on app_public.posts is $$A published post needs a publication time, and a draft has none.$$;
comment on constraint posts_publish_at_check on app_public.posts is $$@code ALREADY_PUBLISHED
A published post cannot be scheduled. Make it a draft in the same call.$$;
-- Each kind of posts that a viewer may see is found in each order: all published or all other posts, and those of an author. So no list
-- reads drafts that its viewer may not see. Of the newest posts, PostgreSQL would rather read a common index and leave drafts out, so
-- these have partial indexes. With the author, for the feed of a viewer who follows active authors.
create index posts_published_listed_at_id_idx on app_public.posts (listed_at desc, id desc) include (author_id) where is_public;
create index posts_private_listed_at_id_idx on app_public.posts (listed_at desc, id desc) where not is_public;
-- For queries that are not compiled: under the policies, they read published posts and the viewer's own in one list.
create index posts_listed_at_id_idx on app_public.posts (listed_at desc, id desc);
create index posts_is_public_updated_at_id_idx on app_public.posts (is_public, updated_at desc, id desc);
create index posts_is_public_title_id_idx on app_public.posts (is_public, title, id);
-- Carries the foreign key to users, and the feed of a viewer who follows authors that seldom write. With the first publication, so that
-- analysts' totals read no post with its texts.
create index posts_author_id_is_public_listed_at_id_idx
  on app_public.posts (author_id, is_public, listed_at desc, id desc) include (first_published_at);
create index posts_author_id_is_public_updated_at_id_idx on app_public.posts (author_id, is_public, updated_at desc, id desc);
create index posts_author_id_is_public_title_id_idx on app_public.posts (author_id, is_public, title, id);
-- For the analysts' days and months.
create index posts_created_at_day_idx on app_public.posts (((created_at at time zone 'UTC')::date));
create index posts_first_published_at_day_idx on app_public.posts (((first_published_at at time zone 'UTC')::date));
-- Foreign keys of tables with copies of these columns refer to them.
-- The author, for policies that look a post up: they read no post with its texts.
create unique index posts_id_is_public_idx on app_public.posts (id, is_public) include (author_id);
create unique index posts_id_is_public_listed_at_idx on app_public.posts (id, is_public, listed_at);

alter table app_public.posts enable row level security;
create policy select_public on app_public.posts for select to :API_ANONYMOUS, :API_MEMBER
  using (is_public);
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
grant insert (author_id, title, excerpt, content, status, publish_at), update (title, excerpt, content, status, publish_at), delete
  on app_public.posts to :API_MEMBER;
-- Slug, times and author are not a writer's to set.

--! Included functions/posts/free_slug.sql
-- Security definer: a slug must be unique among all posts, and the viewer cannot see the drafts of others.
create or replace function app_hidden.free_slug(post app_public.posts) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_slug text := app_hidden.slugify(post.title);
begin
  -- Only published posts get a slug without an id, so it tells nothing of drafts. A title that ends in a number always gets the
  -- id, because its slug could be the one of a draft. The lock is only tried: of several posts of one title that are published
  -- at once, one gets the plain slug, and none waits.
  if post.status = 'PUBLISHED' and v_slug !~ '-[0-9]+$' and pg_try_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_slug)) then
    if not exists (select from app_public.posts where slug = v_slug and id <> post.id) then
      return v_slug;
    end if;
  end if;
  -- The first round is free, unless that slug is from an earlier version or was written in SQL.
  loop
    v_slug := v_slug || '-' || post.id;
    exit when not exists (select from app_public.posts where slug = v_slug and id <> post.id);
  end loop;
  return v_slug;
end $$;
comment on function app_hidden.free_slug(app_public.posts) is $$A slug that no other post has: the title’s, for a published post if it is free, else with the post’s id. Never waits for other writers.$$;
grant execute on function app_hidden.free_slug(app_public.posts) to :API_MEMBER;
--! EndIncluded functions/posts/free_slug.sql
--! Included functions/posts/start_of.sql
-- A word is cut off only if it is long, as a text without spaces is. Then the cut is between two characters as readers see them: before a
-- letter with its marks, or the parts of an emoji. The list has the general marks, and those of scripts without spaces.
create or replace function app_hidden.start_of(content text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := left(content, 201);
  v_marks text := '[\u0300-\u036F\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u0F71-\u0F84\u0F8D-\u0FBC\u102B-\u103E'
    '\u1056-\u1059\u17B4-\u17D3\u200D\u20D0-\u20FF\u302A-\u302F\u3099-\u309A\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]';
begin
  -- Drop characters that must not be stored: the content's own error reports them, once.
  if octet_length(v_text) > char_length(v_text) then
    v_text := regexp_replace(v_text, '[\uFDD0-\uFDEF\uFFFE\uFFFF]', '', 'g');
  end if;
  if char_length(v_text) <= 200 then
    return rtrim(v_text, E' \t\r\n');
  end if;
  v_text := left(v_text, 200);
  return regexp_replace(
    coalesce(left(v_text, 160) || substring(right(v_text, 40) from '^.*\s'),
             -- These three join the next character to the one before.
             regexp_replace(v_text, '(?:.' || v_marks || '*[\u1039\u17D2\u200D])*.' || v_marks || '*$', '')),
    '[\s,;:]+$', '') || '…';
end $$;
comment on function app_hidden.start_of(text) is $$The beginning of a text, at most 200 characters: in whole words, with an ellipsis if the text is longer.$$;
grant execute on function app_hidden.start_of(text) to :API_MEMBER;
--! EndIncluded functions/posts/start_of.sql
--! Included functions/posts/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- The slug and the excerpt are made of the texts as they will be stored.
  new.title := conventions.normal_text(new.title, 200, true);
  new.excerpt := conventions.normal_text(new.excerpt, 200);
  new.content := conventions.normal_text(new.content, 100000);

  -- A generated excerpt follows the content. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := coalesce(app_hidden.start_of(new.content), '');
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
  elsif old.first_published_at is not null then
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
create trigger _100_prepare before insert or update on app_public.posts
  for each row execute function app_hidden.tg_posts__prepare();
-- The trail omits contents: revisions have them.
select conventions.validate('app_public.posts', '{title}'), conventions.audit('app_public.posts', '{content}'),
       conventions.count_rows('app_public.posts', 'status'), conventions.count_rows('app_public.posts', 'author_id', 'status');
-- A count tells no more than the policies of its table.
create policy select_published_posts on conventions.counter_shards for select to :API_ANONYMOUS, :API_MEMBER
  using (counter = 'posts.status' and key = 'PUBLISHED'::app_public.post_status::text
      or counter = 'posts.author_id,status' and split_part(key, ',', 2) = 'PUBLISHED'::app_public.post_status::text);
create policy select_own_posts on conventions.counter_shards for select to :API_MEMBER
  using (counter = 'posts.author_id,status' and split_part(key, ',', 1) = (select app_hidden.viewer_id())::text);
-- Drafts are in no stream: a post is added when it is published for the first time.
select change_feed.stream('app_public.posts', 'author_id', kinds => '{added}', since_column => 'first_published_at');
select change_feed.stream('app_public.posts', 'id', kinds => '{updated}');

-- Tags: words that posts share.
create table app_public.tags (
  -- Random: a number in turn would tell the writer of a post whether others' drafts had the tag before. 48 bits, which JavaScript reads exactly.
  id             bigint primary key default ('x' || right(gen_random_uuid()::text, 12))::bit(48)::bigint,
  -- In this collation an index has the names with the same beginning side by side, in the order of lists.
  name           text collate "C" not null,
  -- A published post with the tag, if one is known, so that policies need not look for one: the three columns are those of a row of
  -- post_tags, and a foreign key keeps is_public like there. A job names the posts.
  public_post_id bigint,
  public_tag_id  bigint,
  is_public      boolean,
  constraint tags_public_tag_id_check check (public_tag_id = id),
  constraint tags_name_key unique (name),
  constraint tags_name_length_check check (char_length(name) between 1 and 50),
  constraint tags_name_check check (name = lower(name collate "default") and name = btrim(name))
);
comment on table app_public.tags is $$@behavior -query:resource:list -query:resource:single
@listOrder name
@listFilter name_starts_with app_hidden.tag_ids_named
@describe name_starts_with Only tags that begin so, in any case.
@firstRows app_hidden.first_tags_named name_starts_with! after
A keyword for posts.$$;
comment on column app_public.tags.id is $$The tag’s id. Never changes.$$;
comment on column app_public.tags.name is $$The keyword: lower case, without surrounding white space, unique.$$;
comment on column app_public.tags.public_post_id is $$@behavior -*
A post that everybody may see, with this tag; null if none is known.$$;
comment on column app_public.tags.public_tag_id is $$@behavior -*
The tag’s id, for the foreign key to the tag of that post; null without one.$$;
comment on column app_public.tags.is_public is $$@behavior -*
Whether everybody may see that post, and so this tag. If not true, policies look for a post.$$;
comment on constraint tags_public_tag_id_check on app_public.tags is $$The row of post_tags is one of this tag.$$;
comment on constraint tags_name_key on app_public.tags is $$@behavior -single
This tag already exists.$$;
comment on constraint tags_name_length_check on app_public.tags is $$A tag needs between 1 and 50 characters.$$;
comment on constraint tags_name_check on app_public.tags is $$@code FORMAT
A tag is in lower case, without surrounding white space.$$;
-- Carries the names of a post's tags, with what the policy reads.
create index tags_id_name_is_public_idx on app_public.tags (id) include (name, is_public);
create index tags_public_post_id_idx on app_public.tags (public_post_id, public_tag_id, is_public);

create table app_public.post_tags (
  post_id   bigint not null references app_public.posts on delete cascade,
  tag_id    bigint not null references app_public.tags on delete cascade,
  position  smallint not null,
  -- Copies of the post's columns, so that one index has the visible posts of a tag in their order. False only means that the post is looked up.
  is_public boolean not null default false,
  listed_at timestamptz not null default '-infinity',
  primary key (post_id, tag_id),
  -- One tag for each of fifteen positions: so at most fifteen tags a post.
  constraint post_tags_post_id_position_key unique (post_id, position) deferrable,
  constraint post_tags_position_check check (position between 1 and 15),
  constraint post_tags_inherited_fkey foreign key (post_id, is_public, listed_at)
    references app_public.posts (id, is_public, listed_at) on update cascade on delete cascade
);
comment on table app_public.post_tags is $$@manyToMany
The tags of each post.$$;
comment on column app_public.post_tags.post_id is $$The post.$$;
comment on column app_public.post_tags.tag_id is $$The tag.$$;
comment on column app_public.post_tags.position is $$The position among the post’s tags, from 1, in the author’s order.$$;
comment on column app_public.post_tags.is_public is $$@behavior -*
Whether everybody may see the post, and so this row. A copy.$$;
comment on column app_public.post_tags.listed_at is $$The post’s place in lists. A copy.$$;
comment on constraint post_tags_inherited_fkey on app_public.post_tags is $$@behavior -*
Inherited visibility: the post’s changes reach the copies in the same statement.$$;
comment on constraint post_tags_post_id_fkey on app_public.post_tags is $$@backwardBehavior -connection$$;
comment on constraint post_tags_tag_id_fkey on app_public.post_tags is $$@backwardBehavior -list
@firstRows app_hidden.first_posts_of_tag status after
@totalCount app_hidden.posts_count_of_tag status$$;
comment on constraint post_tags_post_id_position_key on app_public.post_tags is $$A post has one tag at each position.$$;
comment on constraint post_tags_position_check on app_public.post_tags is $$A post has at most 15 tags.$$;
-- Carries Tag.posts, in its order, and the foreign key to tags.
create index post_tags_tag_id_is_public_listed_at_post_id_idx
  on app_public.post_tags (tag_id, is_public, listed_at desc, post_id desc);
-- Carries the tags of a post with all that the policies read, so that no row is visited, and the foreign key of tags.
create unique index post_tags_post_id_tag_id_is_public_idx on app_public.post_tags (post_id, tag_id, is_public);
alter table app_public.tags add constraint tags_public_post_fkey foreign key (public_post_id, public_tag_id, is_public)
  references app_public.post_tags (post_id, tag_id, is_public) on update cascade on delete set null;
comment on constraint tags_public_post_fkey on app_public.tags is $$@behavior -*
When that post is hidden, is_public becomes false in the same statement.$$;

alter table app_public.post_tags enable row level security;
-- Only posts that not everybody may see are looked up. The sub-select sees those that the viewer's policies admit, so the tags of a
-- draft are as private as the draft.
create policy select_visible on app_public.post_tags for select to :API_ANONYMOUS, :API_MEMBER
  using (is_public or exists (select from app_public.posts where posts.id = post_id offset 0));
grant select on app_public.post_tags to :API_ANONYMOUS, :API_MEMBER;
-- No writes: a post's tags change through create_post() and update_post().

alter table app_public.tags enable row level security;
-- A tag is visible when one of its posts is. Of a tag with many posts, a look-up would read a page full of them.
create policy select_visible on app_public.tags for select to :API_ANONYMOUS, :API_MEMBER
  using (is_public
      or exists (select from app_public.post_tags where tag_id = tags.id and is_public offset 0)
      or exists (select from app_public.post_tags where tag_id = tags.id offset 0));
grant select on app_public.tags to :API_ANONYMOUS, :API_MEMBER;
--! Included functions/posts/tag_by_name.sql
create or replace function app_public.tag_by_name(name text) returns app_public.tags
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_tag app_public.tags;
begin
  select * into v_tag from app_public.tags where tags.name = app_hidden.tag_name(tag_by_name.name);
  if not found then
    perform app_hidden.refuse_missing('tag');
  end if;
  return v_tag;
end $$;
comment on function app_public.tag_by_name(text) is $$@describe name The keyword, in any case.
The tag of this name. NOT_FOUND when there is none that you may see.$$;
grant execute on function app_public.tag_by_name(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/tag_by_name.sql

select conventions.apply_to('app_public.tags', '{name}', is_audited => false);
select conventions.count_rows('app_public.post_tags', 'tag_id', 'is_public');
create policy select_public_post_tags on conventions.counter_shards for select to :API_ANONYMOUS, :API_MEMBER
  using (counter = 'post_tags.tag_id,is_public' and key like '%,true');

--! Included functions/posts/inherit_visibility.sql
-- Security definer: the post's row is locked and read, whoever writes. The lock waits for a transaction that changes what is copied. What the
-- statement then reads is newer than its snapshot; with a stricter isolation level, it fails. Later changes come by the foreign key.
create or replace function app_hidden.tg__inherit_visibility() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
begin
  if tg_op = 'INSERT' or new.post_id <> old.post_id then
    if tg_table_name = 'post_tags' then
      select is_public, listed_at into new.is_public, new.listed_at from app_public.posts where id = new.post_id for key share;
      new.listed_at := coalesce(new.listed_at, '-infinity');
    else
      select is_public into new.is_public from app_public.posts where id = new.post_id for key share;
    end if;
    -- Without the post, the foreign key refuses the row.
    new.is_public := coalesce(new.is_public, false);
  end if;
  return new;
end $$;
comment on function app_hidden.tg__inherit_visibility() is $$Before a row with a post_id is written: copies the visibility of the post to is_public. Of a post's tag also the place in lists.$$;
--! EndIncluded functions/posts/inherit_visibility.sql
create trigger _110_inherit_visibility before insert or update of post_id on app_public.post_tags
  for each row execute function app_hidden.tg__inherit_visibility();

--! Included functions/posts/tag_names.sql
create or replace function app_hidden.tag_name(given text) returns text
language sql immutable parallel safe
return regexp_replace(
  conventions.normal_text(case when char_length(given) > 200 then given else lower(given) end, 50, true), '^\s+$', '');
comment on function app_hidden.tag_name(text) is $$The stored form of a tag: trimmed, lower case, Unicode normal form C.$$;
grant execute on function app_hidden.tag_name(text) to :API_ANONYMOUS, :API_MEMBER;

-- plpgsql, because PostgreSQL would plan a SQL function for each number of tags.
create or replace function app_hidden.tag_names(given text[]) returns text[]
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
begin
  return array(select name from (select app_hidden.tag_name(g.tag) as name, g.place from unnest(given) with ordinality as g (tag, place)) as named
                group by name order by min(place));
end $$;
comment on function app_hidden.tag_names(text[]) is $$The stored form of the tags, without duplicates, in the given order.$$;
grant execute on function app_hidden.tag_names(text[]) to :API_MEMBER;
--! EndIncluded functions/posts/tag_names.sql
--! Included functions/posts/tags_named.sql
create or replace function app_hidden.tag_ids_named(name_starts_with text) returns setof bigint
language sql stable as $$
  select id from app_public.tags where name between app_hidden.tag_name(name_starts_with) and app_hidden.tag_name(name_starts_with) || chr(1114111)
$$;
comment on function app_hidden.tag_ids_named(text) is $$The ids of the tags that begin so. For the filter by name.$$;
grant execute on function app_hidden.tag_ids_named(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_tags_named(name_starts_with text, page int, after_name text default '') returns setof app_public.tags
language sql stable as $$
  select * from app_public.tags
   where name between app_hidden.tag_name(name_starts_with) and app_hidden.tag_name(name_starts_with) || chr(1114111) and name > after_name
   order by name limit page
$$;
comment on function app_hidden.first_tags_named(text, int, text) is $$The first tags that begin so, or those after a place.$$;
grant execute on function app_hidden.first_tags_named(text, int, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/tags_named.sql
--! Included functions/posts/tag_errors.sql
create or replace function app_hidden.tag_errors(tags text[]) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_errors jsonb;
begin
  -- The number first: each tag of a list that is too long would take time.
  select jsonb_agg(error || jsonb_build_object('column', 'tags', 'code', 'TOO_LONG', 'params', jsonb_build_object('max', error #> '{params,max}')))
    into v_errors
    from jsonb_array_elements(conventions.validation_errors('app_public.post_tags',
      -- The column is a smallint.
      jsonb_build_object('position', case when tags <> '{}' then least(cardinality(tags), 32767) end))) as error;
  return coalesce(v_errors, (
    select coalesce(jsonb_agg(error || jsonb_build_object('column', 'tags', 'index', place - 1) order by place), '[]')
      from unnest(tags) with ordinality as given (name, place),
           jsonb_array_elements(conventions.validation_errors('app_public.tags',
             jsonb_build_object('name', app_hidden.tag_name(given.name)))) as error
  ));
end $$;
comment on function app_hidden.tag_errors(text[]) is $$The validation errors of a post’s tags, in the form of conventions.validation_errors(), with the tag’s 0-based position in the list as index.$$;
grant execute on function app_hidden.tag_errors(text[]) to :API_MEMBER;
--! EndIncluded functions/posts/tag_errors.sql

-- Revisions: a post as it was before each change, for its author and admins.
create table app_public.post_revisions (
  id             bigint generated always as identity primary key,
  post_id        bigint not null references app_public.posts on delete cascade,
  title          text not null,
  excerpt        text not null,
  content        text not null,
  tags           text[] not null,
  written_at     timestamptz not null,
  replaced_at    timestamptz not null default now(),
  transaction_id bigint not null default pg_current_xact_id()::text::bigint,
  constraint post_revisions_tags_check check (array_position(tags, null) is null)
);
comment on table app_public.post_revisions is $$@listOrder id desc
@describe listOrder Newest first.
@behavior -query:resource:list -query:resource:connection -query:resource:single
A former version of a post, for its author and admins. 100 are kept, of older times fewer.$$;
comment on column app_public.post_revisions.id is $$The unique id of the revision.$$;
comment on column app_public.post_revisions.post_id is $$The post of which this is a version.$$;
comment on column app_public.post_revisions.title is $$The title of this version.$$;
comment on column app_public.post_revisions.excerpt is $$The excerpt of this version.$$;
comment on column app_public.post_revisions.content is $$The whole text of this version.$$;
comment on column app_public.post_revisions.tags is $$@notNull items
The names of the tags of this version, in their order.$$;
comment on column app_public.post_revisions.written_at is $$The time of the last change of this version.$$;
comment on column app_public.post_revisions.replaced_at is $$The time when the next version replaced it.$$;
comment on column app_public.post_revisions.transaction_id is $$@behavior -*
The transaction that replaced it. It keeps one revision of a post.$$;
comment on constraint post_revisions_tags_check on app_public.post_revisions is $$A tag has a name.$$;
comment on constraint post_revisions_post_id_fkey on app_public.post_revisions is $$@foreignFieldName revisions
@backwardBehavior -connection
@notNull inherited$$;
-- For Post.revisions, newest first, and for the foreign key to posts.
create index post_revisions_post_id_id_idx on app_public.post_revisions (post_id, id desc);

alter table app_public.post_revisions enable row level security;
-- Without a policy for others, their lists are empty, and the rest of their result stands.
create policy select_own on app_public.post_revisions for select to :API_MEMBER
  using (exists (select from app_public.posts
                  where posts.id = post_revisions.post_id and author_id = (select app_hidden.viewer_id()) offset 0));
create policy select_as_admin on app_public.post_revisions for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.post_revisions to :API_ANONYMOUS, :API_MEMBER;

-- Without apply_to(): a version is kept as it is, also when it breaks a rule that is newer. Posts have the audit trail.
--! Included functions/posts/keep_revision.sql
-- Keeps a post as it was before a transaction that changes it. Further changes of the same transaction keep nothing more. A transaction id alone
-- could return after a restore from a dump.
--
-- Without enable_seqscan, a connection that planned this while there were few revisions would read all of them for each post.
create or replace function app_hidden.keep_revision(post app_public.posts) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set jit = off as $$
begin
  if exists (
    select from (select transaction_id, replaced_at from app_public.post_revisions where post_id = post.id order by id desc limit 1) as newest
     where transaction_id = pg_current_xact_id()::text::bigint and replaced_at = now()
  ) then
    return;
  end if;
  insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at)
  select post.id, post.title, post.excerpt, post.content,
         array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
                where post_id = post.id order by position),
         post.updated_at;
  -- Beyond 100, the one goes that is the nearest to the one before it, for its age: of the last minutes nearly all stay, of older times fewer
  -- and fewer. The oldest has none before it, and stays.
  delete from app_public.post_revisions where id = (
    select id from (
      select id, count(*) over () as revisions, replaced_at, lag(replaced_at) over (order by id) as former
        from app_public.post_revisions where post_id = post.id) as kept
     where revisions > 100
     order by extract(epoch from replaced_at - former) / extract(epoch from now() - replaced_at + interval '1 s'), id limit 1);
end $$;
comment on function app_hidden.keep_revision(app_public.posts) is $$Keeps the title, excerpt, content and tags of a post as a revision, before they change. 100 revisions of a post stay, of older times fewer than of the last minutes.$$;

-- Security definer: nobody writes revisions but by changing posts.
create or replace function app_hidden.tg_posts__keep_revision() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.keep_revision(old);
  return null;
end $$;
comment on function app_hidden.tg_posts__keep_revision() is $$After the texts of a post change: keeps the former ones. Tags change later, by set_post_tags().$$;
--! EndIncluded functions/posts/keep_revision.sql
create trigger _500_keep_revision_update after update on app_public.posts for each row
  when ((old.title, old.excerpt, old.content) is distinct from (new.title, new.excerpt, new.content))
  execute function app_hidden.tg_posts__keep_revision();

-- A draft can have a time at which it is published.
create index posts_publish_at_idx on app_public.posts (publish_at) where publish_at is not null;

--! Included functions/posts/publish_due_posts.sql
-- Security definer: the service's login may have due posts published, and can choose neither the posts nor the time.
--
-- Writing a post that is due publishes it (tg_posts__prepare). One that somebody is changing, or that cannot be published, must not
-- hinder the others: the first is left to the next call, the reason of the second is logged as a warning.
create or replace function app_hidden.publish_due_posts(out published int, out wait_ms int)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
declare
  v_id bigint;
begin
  published := 0;
  for v_id in select id from app_public.posts where publish_at <= now() order by publish_at, id loop
    exit when clock_timestamp() > now() + interval '2 s';
    begin
      perform from app_public.posts where id = v_id for update skip locked;
      if found then
        update app_public.posts set publish_at = publish_at where id = v_id and publish_at <= now();
        published := published + 1;
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

-- The API returns a single post: post(id). Neither who read it nor when exactly is stored.
create table app_private.post_reads (
  post_id bigint not null references app_public.posts on delete cascade,
  day     date not null,
  reads   bigint not null,
  primary key (post_id, day)
);
comment on table app_private.post_reads is $$How often each published post was read on each day.$$;
comment on column app_private.post_reads.post_id is $$The post.$$;
comment on column app_private.post_reads.day is $$The day, UTC.$$;
comment on column app_private.post_reads.reads is $$The number of reads.$$;
create index post_reads_day_idx on app_private.post_reads (day);

alter table app_private.post_reads enable row level security;

--! Included functions/posts/count_reads.sql
-- Security definer: the service's login may count, and may not read or write the table. Rows are written in the order of their key, so that
-- two instances never wait for each other in a circle. A draft, and a post that does not exist, is left out.
create or replace function app_private.count_reads(ids bigint[], counts int[]) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into app_private.post_reads (post_id, day, reads)
  select id, (now() at time zone 'UTC')::date, reads
    from (select posts.id, given.reads
            from (select id, sum(count) as reads from unnest(ids, counts) as counted (id, count) group by id) as given
            join app_public.posts on posts.id = given.id and posts.is_public
           order by posts.id
             for key share of posts) as read
  on conflict (post_id, day) do update set reads = post_reads.reads + excluded.reads
$$;
comment on function app_private.count_reads(bigint[], int[]) is $$Adds reads of published posts to today’s counts. The service calls it.$$;
grant execute on function app_private.count_reads(bigint[], int[]) to :API_LOGIN;

create or replace function app_hidden.reads_of_day(day date) returns table (post_id bigint, reads bigint)
language sql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
  select post_reads.post_id, post_reads.reads
    from app_private.post_reads
    join app_public.posts on posts.id = post_reads.post_id and posts.is_public
   where post_reads.day = reads_of_day.day
$$;
comment on function app_hidden.reads_of_day(date) is $$The reads of published posts on a day.$$;
grant execute on function app_hidden.reads_of_day(date) to :ANALYST;
--! EndIncluded functions/posts/count_reads.sql

-- Mutations.
create type app_public.create_post_input as (
  title      text,
  content    text,
  tags       text[],
  excerpt    text,
  status     app_public.post_status,
  publish_at timestamptz
);
comment on type app_public.create_post_input is $$A new post.$$;
comment on column app_public.create_post_input.title is $$@notNull
The headline: 1 to 200 characters.$$;
comment on column app_public.create_post_input.content is $$@notNull
1 to 100,000 characters, or none in a draft that is not scheduled.$$;
comment on column app_public.create_post_input.tags is $$At most 15 tags of 1 to 50 characters. They become lower case; duplicates are removed.$$;
comment on column app_public.create_post_input.excerpt is $$A preview, at most 200 characters. If blank, the beginning of the content.$$;
comment on column app_public.create_post_input.status is $$The default is DRAFT.$$;
comment on column app_public.create_post_input.publish_at is $$The time at which to publish the draft. A time in the past publishes at once.$$;

create type app_public.update_post_input as (
  title      text,
  content    text,
  tags       text[],
  excerpt    text,
  status     app_public.post_status,
  publish_at timestamptz,
  cleared    text[]
);
comment on type app_public.update_post_input is $$The changes to a post. A missing field stays.$$;
comment on column app_public.update_post_input.cleared is $$@cleared
@behavior -*
The fields that were given as null.$$;
comment on column app_public.update_post_input.title is $$The headline: 1 to 200 characters.$$;
comment on column app_public.update_post_input.content is $$1 to 100,000 characters, or none in a draft that is not scheduled.$$;
comment on column app_public.update_post_input.tags is $$The complete new list, at most 15. None, or null, removes all tags.$$;
comment on column app_public.update_post_input.excerpt is $$A preview, at most 200 characters. If blank or null, the beginning of the content.$$;
comment on column app_public.update_post_input.status is $$PUBLISHED makes the post visible to everyone, DRAFT makes it private again.$$;
comment on column app_public.update_post_input.publish_at is $$The time at which to publish the draft; null removes it. A time in the past publishes at once.$$;

--! Included functions/posts/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies. Planning for the number of tags would take longer than looking them up by index.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[], keeps_revision boolean default false) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_names text[];
  v_former text[];
  v_count int;
  v_post app_public.posts;
  -- The role of the caller: this function itself runs as its owner.
  v_caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  -- The lock makes writers of the same post's tags take turns.
  select * into v_post from app_public.posts where posts.id = set_post_tags.post_id for no key update;
  if v_post.id is null or v_post.author_id is distinct from app_hidden.viewer_id() and not app_hidden.viewer_is_admin()
     -- Roles that may write the table need no viewer.
     and not has_table_privilege(v_caller, 'app_public.post_tags', 'insert') then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- The rule for their number counts all that were given. Most posts have so few that looking it up would only take time.
  if cardinality(tags) > 10 then
    perform conventions.raise_validation_errors(app_hidden.tag_errors(tags));
  end if;
  v_names := app_hidden.tag_names(tags);
  v_former := array(select t.name from app_public.post_tags join app_public.tags t on t.id = tag_id
                     where post_tags.post_id = set_post_tags.post_id order by position);
  if v_names = v_former then
    return;
  end if;
  if keeps_revision then
    perform app_hidden.keep_revision(v_post);
  end if;

  -- Keeps the job that deletes unused tags from a tag that no post has had until now.
  perform from app_public.tags where name = any (v_names) order by id for key share;
  get diagnostics v_count = row_count;
  if v_count < cardinality(v_names) then
    -- Insert in one order, so that two writers of the same new tags cannot deadlock.
    insert into app_public.tags (name)
    select name from unnest(v_names) as name
     where not exists (select from app_public.tags t where t.name = name.name)
     order by name
    on conflict do nothing;
  end if;

  if v_former <> '{}' then
    delete from app_public.post_tags
     where post_tags.post_id = set_post_tags.post_id
       and tag_id not in (select id from app_public.tags where name = any (v_names));
    set constraints app_public.post_tags_post_id_position_key deferred;
    update app_public.post_tags set position = wanted.place
      from unnest(v_names) with ordinality as wanted (name, place)
      join app_public.tags on tags.name = wanted.name
     where post_tags.post_id = set_post_tags.post_id and tag_id = tags.id and position <> wanted.place;
  end if;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_names) with ordinality as wanted (name, place)
    join app_public.tags on tags.name = wanted.name
  on conflict on constraint post_tags_pkey do nothing;
  -- Readers see the tags. A post of this transaction is new anyway, and an imported one keeps its time.
  if v_post.created_at < transaction_timestamp() and not app_hidden.is_import() then
    update app_public.posts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond') where id = v_post.id;
  end if;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[], boolean) is $$Replaces the tags of a post. keeps_revision keeps the former ones as a revision, if they differ; it is not for a new post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[], boolean) to :API_MEMBER;
--! EndIncluded functions/posts/set_post_tags.sql
--! Included functions/posts/posts_version.sql
create or replace function app_public.posts_version(posts app_public.posts) returns text
language sql stable parallel safe
return app_hidden.version_of(posts.updated_at);
comment on function app_public.posts_version(app_public.posts) is E'@notNull\nOpaque. Send it as ifVersion with a change, and nothing is overwritten that you have not read.';
grant execute on function app_public.posts_version(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/posts_version.sql
--! Included functions/posts/create_post.sql
create or replace function app_public.create_post(input app_public.create_post_input, idempotency_key text default null)
returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_errors jsonb;
  v_post app_public.posts;
begin
  if create_post.idempotency_key is not null then
    v_post := app_hidden.earlier_result(v_post, create_post.idempotency_key, to_jsonb(input));
    if v_post.id is not null then
      return v_post;
    end if;
  end if;
  -- Fields of the input are columns of posts, except the tags.
  v_post := app_hidden.insert_row(v_post, to_jsonb(input) - 'tags' || jsonb_build_object('author_id', app_hidden.viewer_id()));
  if input.tags <> '{}' then
    perform app_hidden.set_post_tags(v_post.id, input.tags);
  end if;
  perform app_hidden.keep_result(create_post.idempotency_key, v_post.id);
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_errors = pg_exception_detail;
  -- The post is null if the errors are its own. An error of a tag does not say which one it is.
  perform conventions.raise_validation_errors(case when v_post.id is null then v_errors else '[]' end || app_hidden.tag_errors(input.tags));
  raise;
end $$;
comment on function app_public.create_post(app_public.create_post_input, text) is $$@describe idempotency_key Your choice, 1 to 255 characters, such as a UUID. Repeated within a day, the call returns the same post and creates nothing.
Creates a post with you as its author.$$;
grant execute on function app_public.create_post(app_public.create_post_input, text) to :API_MEMBER;
--! EndIncluded functions/posts/create_post.sql
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
comment on function app_public.update_post(bigint, app_public.update_post_input, text, text) is $$@describe id The post to change.
@describe if_version The version as you have read it. If the post has changed since: CONFLICT.
@describe idempotency_key Your choice, 1 to 255 characters. Repeated within a day, the call changes nothing and returns the post, whatever ifVersion is.
Changes a post of yours. A missing field stays; null clears excerpt, tags and publishAt.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input, text, text) to :API_MEMBER;
--! EndIncluded functions/posts/update_post.sql
--! Included functions/posts/delete_post.sql
create or replace function app_public.delete_post(id bigint) returns app_public.delete_result
language sql volatile
return app_hidden.delete_row('app_public.posts', delete_post.id, 'post');
comment on function app_public.delete_post(bigint) is $$@describe id The post to delete.
Deletes a post of yours, with its comments.$$;
grant execute on function app_public.delete_post(bigint) to :API_MEMBER;
--! EndIncluded functions/posts/delete_post.sql
--! Included functions/posts/restore_revision.sql
create or replace function app_public.restore_revision(id bigint, if_version text default null) returns app_public.posts
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_revision app_public.post_revisions;
  v_post app_public.posts;
begin
  select * into v_revision from app_public.post_revisions where post_revisions.id = restore_revision.id;
  if not found then
    perform app_hidden.refuse_missing('revision');
  end if;
  perform app_hidden.require_unchanged('app_public.posts', v_revision.post_id, restore_revision.if_version);
  v_post := app_hidden.update_row(v_post, v_revision.post_id,
    jsonb_build_object('title', v_revision.title, 'excerpt', v_revision.excerpt, 'content', v_revision.content), 'post');
  perform app_hidden.set_post_tags(v_post.id, v_revision.tags, keeps_revision => true);
  select * into v_post from app_public.posts where posts.id = v_post.id;
  return v_post;
end $$;
comment on function app_public.restore_revision(bigint, text) is $$@describe id The revision to restore.
@describe if_version The version as you have read it. If the post has changed since: CONFLICT.
Gives a post of yours the title, excerpt, content and tags of a revision. What they replace becomes a revision.$$;
grant execute on function app_public.restore_revision(bigint, text) to :API_MEMBER;
--! EndIncluded functions/posts/restore_revision.sql

-- Lists and counts.
--! Included functions/posts/listed_posts.sql
-- The parts of the lists of posts: published posts, the viewer's own others, and for admins all others. Each has partial indexes for each
-- order, so that no draft of another user is read and left out by a policy. The parts apply the filter by status, which is not in their indexes:
-- a part that has no such posts says so at once, and of the published posts a page far behind is found without reading those before it.
create or replace function app_hidden.listed_published_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where posts.is_public and coalesce(listed_published_posts.status, 'PUBLISHED') = 'PUBLISHED'
$$;
comment on function app_hidden.listed_published_posts(app_public.post_status) is $$A part of the lists of posts: the published ones.$$;
grant execute on function app_hidden.listed_published_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.listed_own_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where not posts.is_public and listed_own_posts.status is distinct from 'PUBLISHED'
     and (listed_own_posts.status is null or posts.status = listed_own_posts.status)
     and author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
$$;
comment on function app_hidden.listed_own_posts(app_public.post_status) is $$A part of the lists of posts: those of the viewer that are not published. None for an admin.$$;
grant execute on function app_hidden.listed_own_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.listed_private_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where not posts.is_public and listed_private_posts.status is distinct from 'PUBLISHED'
     and (listed_private_posts.status is null or posts.status = listed_private_posts.status)
     and (select app_hidden.viewer_is_admin())
$$;
comment on function app_hidden.listed_private_posts(app_public.post_status) is $$A part of the lists of posts: for an admin, those that are not published.$$;
grant execute on function app_hidden.listed_private_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/listed_posts.sql
--! Included functions/posts/first_posts_of_tag.sql
-- One index for each kind of posts that a viewer may see: published posts, the viewer's own others, and for admins all others. So
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
      and (select app_hidden.viewer_is_admin())
    order by listed_at desc, post_id desc limit page)
   union all
  (select private.id from app_public.posts as private
    where not private.is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and private.author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
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
        where tags.name = app_hidden.tag_name(first_posts_tagged.tag)))
     and (first_posts_tagged.status is null or posts.status = first_posts_tagged.status)
$$;
comment on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Query.posts with a tag.$$;
grant execute on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.post_ids_of_tag(tag text) returns setof bigint
language sql stable as $$
  select post_id from app_public.post_tags
   where tag_id = (select tags.id from app_public.tags where tags.name = app_hidden.tag_name(post_ids_of_tag.tag))
$$;
comment on function app_hidden.post_ids_of_tag(text) is $$The ids of the posts with a tag. For the filter by tag.$$;
grant execute on function app_hidden.post_ids_of_tag(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/first_posts_of_tag.sql
--! Included functions/posts/posts_count.sql
-- The functions below are plpgsql with generic plans, so that a connection plans their statements once. PostgreSQL planned the same queries,
-- as bodies of SQL functions, for each call: custom plans look cheaper when they leave out an argument that is null.
--
-- Of the kept counts, the policies show those of published posts and, to admins, the others.
create or replace function app_hidden.posts_count_of_tag(tag_id bigint, status app_public.post_status default null) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
declare
  v_is_admin boolean := app_hidden.viewer_id() is not null and app_hidden.viewer_is_admin();
  v_count int;
begin
  -- Which private status a post has stands in no count.
  if v_is_admin and posts_count_of_tag.status <> 'PUBLISHED' then
    return (select count(*) from app_public.post_tags
              join app_public.posts on posts.id = post_id
             where post_tags.tag_id = posts_count_of_tag.tag_id
               and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status));
  end if;
  v_count := (select coalesce(sum(value), 0) from conventions.counter_shards
               where counter = 'post_tags.tag_id,is_public'
                 and (key = posts_count_of_tag.tag_id || ',true' and coalesce(posts_count_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
                   or key = posts_count_of_tag.tag_id || ',false' and posts_count_of_tag.status is null));
  if app_hidden.viewer_id() is null or v_is_admin then
    return v_count;
  end if;
  return v_count + (
    select count(*) from app_public.posts
     where not posts.is_public and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status)
       and author_id = (select app_hidden.viewer_id())
       and exists (select from app_public.post_tags where post_tags.post_id = posts.id and post_tags.tag_id = posts_count_of_tag.tag_id));
end $$;
comment on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) is $$The number of posts of a tag that the viewer may see.$$;
grant execute on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_count(
  status app_public.post_status default null, author_id bigint default null, tag text default null
) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
begin
  if tag is not null and posts_count.author_id is not null then
    return (select count(*) from app_public.posts
             where posts.author_id = posts_count.author_id and (posts_count.status is null or posts.status = posts_count.status)
               and id in (select * from app_hidden.post_ids_of_tag(posts_count.tag)));
  elsif tag is not null then
    return coalesce((select app_hidden.posts_count_of_tag(tags.id, posts_count.status) from app_public.tags
                      where name = app_hidden.tag_name(posts_count.tag)), 0);
  elsif posts_count.author_id is not null then
    -- The policies of counts show those of published posts, and of all posts to their author and to admins. After a comma comes a hyphen.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.author_id,status' and key > posts_count.author_id || ',' and key < posts_count.author_id || '-'
               and (posts_count.status is null or key = posts_count.author_id || ',' || posts_count.status));
  elsif app_hidden.viewer_id() is null then
    -- A plan is made for one role. With statements of their own, visitors and members keep their plans on a connection that serves both.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  elsif posts_count.status = 'PUBLISHED' then
    -- Members see the published posts that everybody sees.
    return (select coalesce(sum(value), 0) from conventions.counter_shards where counter = 'posts.status' and key = 'PUBLISHED'::app_public.post_status::text);
  elsif app_hidden.viewer_is_admin() then
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  else
    -- The published posts of everybody, and the others of the viewer. The policies show no other of these rows.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where (counter = 'posts.status'
                    or counter = 'posts.author_id,status' and key > app_hidden.viewer_id() || ',' and key < app_hidden.viewer_id() || '-'
                       and key <> app_hidden.viewer_id() || ',' || 'PUBLISHED'::app_public.post_status)
               and (posts_count.status is null or key in (posts_count.status::text, app_hidden.viewer_id() || ',' || posts_count.status)));
  end if;
end $$;
comment on function app_public.posts_count(app_public.post_status, bigint, text) is $$@describe status Count only posts with this status.
@describe author_id Count only posts of this user.
@describe tag Count only posts with this tag, in any case.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status, bigint, text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.tags_posts_count(tags app_public.tags, status app_public.post_status default null) returns int
language sql stable
return app_hidden.posts_count_of_tag(tags.id, tags_posts_count.status);
comment on function app_public.tags_posts_count(app_public.tags, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this tag that you may see.$$;
grant execute on function app_public.tags_posts_count(app_public.tags, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.users_posts_count(users app_public.users, status app_public.post_status default null) returns int
language sql stable
return app_public.posts_count(users_posts_count.status, users.id);
comment on function app_public.users_posts_count(app_public.users, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this user that you may see.$$;
grant execute on function app_public.users_posts_count(app_public.users, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/posts_count.sql
