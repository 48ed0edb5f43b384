-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Links that show a post before it is published, to whoever has the token.
-- @behavior -*
create table app_public.previews (
  id           bigint not null generated always as identity, -- The preview’s id.
  post_id      bigint not null, -- The post.
  token_hash   bytea not null, -- The SHA-256 of the token.
  expires_at   timestamptz not null, -- When the link ends.
  created_at   timestamptz not null default now(), -- When the link was made.
  made_by_id   bigint default app_hidden.viewer_id(), -- The user who made the link; null for direct SQL and for links made before this was kept, which count as the author’s.
  last_used_at timestamptz, -- When the link was last used, to the minute.
  constraint previews_pkey primary key (id),
  constraint previews_token_hash_key unique (token_hash), -- [@behavior -*] This token is in use.
  constraint previews_made_by_id_fkey foreign key (made_by_id) references app_public.users(id) on delete cascade, -- [@behavior -*]
  constraint previews_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade, -- [@behavior -*]
  constraint previews_expires_at_check check (((expires_at > created_at) and (expires_at <= (created_at + '1 year'::interval)))) -- [@code OUT_OF_RANGE] A preview ends in the future, and within a year.
);

-- Indexes
create index previews_made_by_id_idx on app_public.previews (made_by_id);
create index previews_post_id_id_idx on app_public.previews (post_id, id desc);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.previews is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of created_at, expires_at on app_public.previews for each row execute function conventions.validate_app_public_previews();

-- Row-level security
alter table app_public.previews enable row level security;
create policy editable on app_public.previews for all to api_member
  using ((exists ( select
   from app_public.posts
  where ((posts.id = previews.post_id) and ((posts.author_id = ( select app_hidden.viewer_id() as viewer_id)) or ( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may)))
 offset 0)));

-- Rights, beside the owner's
grant select on app_public.previews to api_anonymous;
grant delete on app_public.previews to api_member;
grant insert (post_id, token_hash, expires_at) on app_public.previews to api_member;
grant select on app_public.previews to api_member;
