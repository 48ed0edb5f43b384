-- Bookmarks: posts that a user wants to find again. Nobody else sees them, so the audit trail has none.
drop table if exists app_public.bookmarks cascade;
create table app_public.bookmarks (
  user_id    bigint not null references app_public.users on delete cascade,
  post_id    bigint not null references app_public.posts on delete cascade,
  created_at timestamptz not null default now(),
  constraint bookmarks_pkey primary key (user_id, post_id)
);
comment on table app_public.bookmarks is E'@listOrder created_at desc, post_id desc\nA post that you want to find again.';
comment on column app_public.bookmarks.user_id is $$The user who has the bookmark.$$;
comment on column app_public.bookmarks.post_id is $$The post.$$;
comment on column app_public.bookmarks.created_at is $$When the user set the bookmark.$$;
comment on constraint bookmarks_post_id_fkey on app_public.bookmarks is $$@backwardBehavior -*$$;
create index bookmarks_created_at_post_id_idx on app_public.bookmarks (created_at desc, post_id desc);
create index bookmarks_user_id_created_at_post_id_idx on app_public.bookmarks (user_id, created_at desc, post_id desc);
create index bookmarks_post_id_idx on app_public.bookmarks (post_id);
select conventions.apply_to('app_public.bookmarks', is_audited => false);

-- A bookmark of a post that is hidden is hidden as well, and returns with the post.
create policy select_own on app_public.bookmarks for select to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()) and exists (select from app_public.posts where posts.id = post_id offset 0));
create policy insert_own on app_public.bookmarks for insert to :API_MEMBER with check (user_id = (select app_hidden.viewer_id()));
create policy delete_own on app_public.bookmarks for delete to :API_MEMBER using (user_id = (select app_hidden.viewer_id()));
-- Visitors have the right, and no policy: they see none.
grant select on app_public.bookmarks to :API_ANONYMOUS, :API_MEMBER;
grant insert (user_id, post_id), delete on app_public.bookmarks to :API_MEMBER;

create or replace function app_public.bookmark_post(id bigint) returns app_public.posts
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select app_hidden.require_row('app_public.posts', bookmark_post.id, 'post');
  insert into app_public.bookmarks (user_id, post_id) values (app_hidden.viewer_id(), bookmark_post.id) on conflict do nothing;
  select * from app_public.posts where posts.id = bookmark_post.id
$$;
comment on function app_public.bookmark_post(bigint) is $$Bookmarks a post. Idempotent.$$;
create or replace function app_public.remove_bookmark(post_id bigint) returns app_public.posts
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select app_hidden.require_row('app_public.posts', remove_bookmark.post_id, 'post');
  delete from app_public.bookmarks where user_id = app_hidden.viewer_id() and bookmarks.post_id = remove_bookmark.post_id;
  select * from app_public.posts where posts.id = remove_bookmark.post_id
$$;
comment on function app_public.remove_bookmark(bigint) is E'@describe post_id The post.\nRemoves your bookmark of a post. Idempotent.';
create or replace function app_public.posts_is_bookmarked_by_me(posts app_public.posts) returns boolean
language sql stable as $$
  select exists (select from app_public.bookmarks where user_id = (select app_hidden.viewer_id()) and post_id = posts.id)
$$;
comment on function app_public.posts_is_bookmarked_by_me(app_public.posts) is E'@notNull\nWhether you have bookmarked the post.';
grant execute on function app_public.bookmark_post(bigint), app_public.remove_bookmark(bigint) to :API_MEMBER;
grant execute on function app_public.posts_is_bookmarked_by_me(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
