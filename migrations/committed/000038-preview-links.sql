--! Previous: sha1:8922d4fe48c9d797cde3bf79b4286543964fe260
--! Hash: sha1:17d52e551c3a97e4e0f382ab5939b06e97f0d9e1
--! Message: preview links

--! split: 100-previews.sql

-- allow: definer-function:app_public.preview because it returns what the owner of the token may see, who has 256 random bits
-- Preview links: a token shows a draft, or a post with its working copy, to whoever has it.
create table if not exists app_public.previews (
  id         bigint generated always as identity primary key,
  post_id    bigint not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint previews_token_hash_key unique (token_hash),
  constraint previews_post_id_fkey foreign key (post_id) references app_public.posts on delete cascade,
  constraint previews_expires_at_check check (expires_at > created_at and expires_at <= created_at + interval '1 year')
);
create index if not exists previews_post_id_id_idx on app_public.previews (post_id, id desc);
comment on table app_public.previews is $$@behavior -*
Links that show a post before it is published, to whoever has the token. The API has them as Post.previews.$$;
comment on column app_public.previews.id is $$The preview’s id.$$;
comment on column app_public.previews.post_id is $$The post.$$;
comment on column app_public.previews.token_hash is $$The SHA-256 of the token.$$;
comment on column app_public.previews.expires_at is $$When the link ends.$$;
comment on column app_public.previews.created_at is $$When the link was made.$$;
comment on constraint previews_token_hash_key on app_public.previews is $$@behavior -*
This token is in use.$$;
comment on constraint previews_post_id_fkey on app_public.previews is $$@behavior -*$$;
comment on constraint previews_expires_at_check on app_public.previews is $$@code OUT_OF_RANGE
A preview ends in the future, and within a year.$$;
do $$ begin
  if to_regtype('app_public.preview') is null then
    create type app_public.preview as (id bigint, title text, content text, created_at timestamptz, expires_at timestamptz);
  end if;
end $$;
comment on type app_public.preview is $$A link that shows a post before it is published.$$;
comment on column app_public.preview.id is $$@notNull
The preview’s id, for withdrawPreview.$$;
comment on column app_public.preview.title is $$@notNull
The headline.$$;
comment on column app_public.preview.content is $$@notNull
The full text.$$;
comment on column app_public.preview.created_at is $$@notNull
When the link was made.$$;
comment on column app_public.preview.expires_at is $$@notNull
When the link ends.$$;
select conventions.apply_to('app_public.previews', '{}', is_audited => false);
drop policy if exists editable on app_public.previews;
create policy editable on app_public.previews to :API_MEMBER using (exists (
  select from app_public.posts
   where posts.id = post_id and (author_id = (select app_hidden.viewer_id()) or (select app_hidden.viewer_may('EDIT_ANY_POST'))) offset 0));
grant select on app_public.previews to :API_ANONYMOUS, :API_MEMBER;
grant insert (post_id, token_hash, expires_at), delete on app_public.previews to :API_MEMBER;

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
   where token_hash = sha256(convert_to(preview.token, 'UTF8')) and expires_at > now();
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
--! Included functions/previews/create_preview.sql
create or replace function app_public.create_preview(post_id bigint, expires_at timestamptz) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post app_public.posts := app_hidden.lock_own_post(create_preview.post_id);
  v_token text := translate(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'), '+/=', '-_');
begin
  insert into app_public.previews (post_id, token_hash, expires_at)
  values (v_post.id, sha256(convert_to(v_token, 'UTF8')), create_preview.expires_at);
  return v_token;
end $$;
comment on function app_public.create_preview(bigint, timestamptz) is $$@describe post_id The post.
@describe expires_at When the link ends: within a year.
Makes a link that shows a post of yours, with its unpublished changes, to everyone who has it. Returns the token for the query preview; it is not stored.$$;
grant execute on function app_public.create_preview(bigint, timestamptz) to :API_MEMBER;

create or replace function app_public.withdraw_preview(id bigint) returns app_public.delete_result
language sql volatile return app_hidden.delete_row('app_public.previews', withdraw_preview.id, 'preview');
comment on function app_public.withdraw_preview(bigint) is $$@describe id The preview, of Post.previews.
Ends a preview link at once.$$;
grant execute on function app_public.withdraw_preview(bigint) to :API_MEMBER;
--! EndIncluded functions/previews/create_preview.sql
insert into app_private.jobs (name, priority, statement) values
  ('previews', 100, $$select * from app_private.delete_expired('app_public.previews', 'expires_at', '0', $1)$$)
on conflict (name) do nothing;
