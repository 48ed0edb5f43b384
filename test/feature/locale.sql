-- Posts have a locale, and a slug is unique among the posts of one locale.
alter table app_public.posts add column if not exists locale text not null default 'en';
alter table app_public.posts drop constraint if exists posts_slug_key, drop constraint if exists posts_locale_slug_key,
  drop constraint if exists posts_locale_check,
  add constraint posts_locale_slug_key unique (locale, slug),
  add constraint posts_locale_check check (locale ~ '^[a-z]{2}$');
comment on column app_public.posts.locale is E'@listFilter\nThe language of the post: two letters, such as en.';
comment on constraint posts_locale_slug_key on app_public.posts is $$This slug is already in use.$$;
comment on constraint posts_locale_check on app_public.posts is $$A locale has two lower-case letters.$$;
create index if not exists posts_locale_listed_at_id_idx on app_public.posts (locale, listed_at desc, id desc);
select conventions.allow_writing('app_public.posts', '{locale}',
  on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');

-- As it was, but for the locale.
create or replace function app_hidden.free_slug(post app_public.posts) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_slug text := app_hidden.slugify(post.title);
begin
  if post.status = 'PUBLISHED' and v_slug !~ '-[0-9]+$'
     and pg_try_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(post.locale || v_slug))
     and not exists (select from app_public.posts where locale = post.locale and slug = v_slug and id <> post.id) then
    return v_slug;
  end if;
  loop
    v_slug := v_slug || '-' || post.id;
    exit when not exists (select from app_public.posts where locale = post.locale and slug = v_slug and id <> post.id);
  end loop;
  return v_slug;
end $$;

-- Clients that know no locale find the posts in English, postByLocaleAndSlug finds the others: db:check -- --allow Query.postBySlug
create or replace function app_public.post_by_slug(slug text) returns app_public.posts
language sql stable set search_path = pg_catalog, pg_temp as $$
  select * from app_public.posts where locale = 'en' and posts.slug = post_by_slug.slug
$$;
comment on function app_public.post_by_slug(text) is $$@deprecated Use postByLocaleAndSlug.
@describe slug The slug of the post.
The post in English with this slug.$$;
grant execute on function app_public.post_by_slug(text) to :API_ANONYMOUS, :API_MEMBER;
