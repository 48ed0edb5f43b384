--! Previous: sha1:2976aef741b92b31af636f15e996218ec09422b6
--! Hash: sha1:704be19de268a98e675caea70f65c800be37ee2b
--! Message: every status but published is private

--! split: 200-post-status.sql
-- A status that a DBA adds to app_public.post_status can be used at once: nothing but PUBLISHED is public.
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
begin
  -- A generated excerpt follows the content. An excerpt that the author wrote stays.
  if new.excerpt is null
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED'));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED');
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
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
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
comment on column app_public.posts.published_at is $$The time when the post last became public; null if it is not.$$;
