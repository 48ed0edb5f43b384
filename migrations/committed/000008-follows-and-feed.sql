--! Previous: sha1:54f28374a585914d235c34f574525060dbd54eec
--! Hash: sha1:4d0abd9284e98dd4e1045441ab7bf656c39f66c8
--! Message: follows and feed

-- Follows: which user reads which. Everybody sees them and their counts.
create table app_public.follows (
  follower_id bigint not null references app_public.users on delete cascade,
  followed_id bigint not null references app_public.users on delete cascade,
  created_at  timestamptz not null default now(),
  primary key (follower_id, followed_id),
  constraint follows_not_oneself_check check (follower_id <> followed_id)
);
comment on table app_public.follows is $$@manyToMany
Which user follows which.$$;
comment on column app_public.follows.follower_id is $$The user who follows.$$;
comment on column app_public.follows.followed_id is $$The user who is followed.$$;
comment on column app_public.follows.created_at is $$The time when the follow began.$$;
comment on constraint follows_follower_id_fkey on app_public.follows is $$@fieldName followers
@backwardBehavior -list
@listOrder created_at desc, followed_id desc
@totalCount app_hidden.count_following
@describe list The users whom this user follows. Newest follow first.$$;
comment on constraint follows_followed_id_fkey on app_public.follows is $$@fieldName following
@backwardBehavior -list
@listOrder created_at desc, follower_id desc
@totalCount app_hidden.count_followers
@describe list The users who follow this user. Newest follow first.$$;
comment on constraint follows_not_oneself_check on app_public.follows is $$@code ONESELF
You cannot follow yourself.$$;
-- For the analysts’ days and months.
create index follows_created_at_day_idx on app_public.follows (((created_at at time zone 'UTC')::date));
-- Lists of followers and of followed users, newest follow first, and whether the viewer follows a user.
create index follows_followed_id_created_at_follower_id_idx on app_public.follows (followed_id, created_at desc, follower_id desc);
create index follows_follower_id_created_at_followed_id_idx on app_public.follows (follower_id, created_at desc, followed_id desc);

alter table app_public.follows enable row level security;
create policy select_all on app_public.follows for select to :API_ANONYMOUS, :API_MEMBER using (true);
create policy insert_own on app_public.follows for insert to :API_MEMBER
  with check (follower_id = (select app_hidden.viewer_id()));
create policy delete_own on app_public.follows for delete to :API_MEMBER
  using (follower_id = (select app_hidden.viewer_id()));
grant select on app_public.follows to :API_ANONYMOUS, :API_MEMBER;
grant insert (follower_id, followed_id), delete on app_public.follows to :API_MEMBER;

select conventions.count_rows('app_public.follows', 'followed_id'), conventions.count_rows('app_public.follows', 'follower_id');
create policy select_follows on conventions.counter_shards for select to :API_ANONYMOUS, :API_MEMBER
  using (counter in ('follows.followed_id', 'follows.follower_id'));
create trigger _700_notify_users_insert after insert on app_public.follows referencing new table as new_rows
  for each statement execute function app_hidden.tg_follows__notify_users();
create trigger _700_notify_users_delete after delete on app_public.follows referencing old table as old_rows
  for each statement execute function app_hidden.tg_follows__notify_users();

create type app_public.follow_summary as (
  count int
);
comment on type app_public.follow_summary is $$The followers of a user, or the users that a user follows.$$;
comment on column app_public.follow_summary.count is $$@notNull
The number of users.$$;

create type app_public.follow_result as (
  user_id   bigint,
  viewer_id bigint
);
comment on type app_public.follow_result is $$@foreignKey (user_id) references app_public.users (id)|@fieldName user|@notNull
@foreignKey (viewer_id) references app_public.users (id)|@fieldName viewer|@notNull
The two users of a follow, as they are now.$$;
comment on column app_public.follow_result.user_id is $$@notNull
@behavior -*
The user who is followed, or no longer.$$;
comment on column app_public.follow_result.viewer_id is $$@notNull
@behavior -*
The signed-in user.$$;

--! Included functions/follows/users_followers.sql
create or replace function app_public.users_followers(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(value), 0))::app_public.follow_summary from conventions.counter_shards
         where counter = 'follows.followed_id' and key = users.id::text);
comment on function app_public.users_followers(app_public.users) is $$@notNull
The number of users who follow this user.$$;
grant execute on function app_public.users_followers(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/users_followers.sql
--! Included functions/follows/users_following.sql
create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(value), 0))::app_public.follow_summary from conventions.counter_shards
         where counter = 'follows.follower_id' and key = users.id::text);
comment on function app_public.users_following(app_public.users) is $$@notNull
The number of users whom this user follows.$$;
grant execute on function app_public.users_following(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/users_following.sql
--! Included functions/follows/count_follows.sql
create or replace function app_hidden.count_followers(followed_id bigint) returns bigint
language sql stable
return (select coalesce(sum(value), 0)::bigint from conventions.counter_shards
         where counter = 'follows.followed_id' and key = count_followers.followed_id::text);
comment on function app_hidden.count_followers(bigint) is $$The number of users who follow a user.$$;
grant execute on function app_hidden.count_followers(bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.count_following(follower_id bigint) returns bigint
language sql stable
return (select coalesce(sum(value), 0)::bigint from conventions.counter_shards
         where counter = 'follows.follower_id' and key = count_following.follower_id::text);
comment on function app_hidden.count_following(bigint) is $$The number of users whom a user follows.$$;
grant execute on function app_hidden.count_following(bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/count_follows.sql
--! Included functions/follows/users_is_followed_by_me.sql
create or replace function app_public.users_is_followed_by_me(users app_public.users) returns boolean
language sql stable
return exists (select from app_public.follows
                where follower_id = (select app_hidden.viewer_id()) and followed_id = users.id);
comment on function app_public.users_is_followed_by_me(app_public.users) is $$@notNull
Whether you follow this user. False without a token.$$;
grant execute on function app_public.users_is_followed_by_me(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/users_is_followed_by_me.sql
--! Included functions/follows/follow_user.sql
create or replace function app_public.follow_user(user_id bigint) returns app_public.follow_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- The violated constraint would name its two columns, which are no arguments of this function.
  if follow_user.user_id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors(jsonb_agg(
      jsonb_build_object('column', 'user_id', 'code', code, 'message', message)))
       from conventions.constraint_messages
      where (table_name, constraint_name) = ('follows', 'follows_not_oneself_check');
  end if;
  insert into app_public.follows (follower_id, followed_id)
  values (app_hidden.viewer_id(), follow_user.user_id)
  on conflict do nothing;
  return (follow_user.user_id, app_hidden.viewer_id());
exception when foreign_key_violation then
  perform app_hidden.require_row('app_public.users', follow_user.user_id, 'user');
  raise;
end $$;
comment on function app_public.follow_user(bigint) is $$@describe user_id The user to follow.
Follows a user: the user’s posts appear in your feed. Idempotent.$$;
grant execute on function app_public.follow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/follows/follow_user.sql
--! Included functions/follows/unfollow_user.sql
create or replace function app_public.unfollow_user(user_id bigint) returns app_public.follow_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_public.follows
   where follower_id = app_hidden.viewer_id() and followed_id = unfollow_user.user_id;
  if not found then
    perform app_hidden.require_row('app_public.users', unfollow_user.user_id, 'user');
  end if;
  return (unfollow_user.user_id, app_hidden.viewer_id());
end $$;
comment on function app_public.unfollow_user(bigint) is $$@describe user_id The user to unfollow.
Unfollows a user. Idempotent.$$;
grant execute on function app_public.unfollow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/follows/unfollow_user.sql

-- The newest posts of the users whom the viewer follows.
--! Included functions/follows/feed.sql
-- A single SQL statement, so that PostgreSQL inlines it and uses the index for order and limit. The body is text: a parsed
-- one (begin atomic) would keep today's columns of posts, and fail when a migration adds one.
--
-- A list needs only its first rows, `page` of them. For a viewer who follows active authors, enough of them are among the newest posts of
-- everybody. If not, they are among the newest of each author, which the index finds however seldom the authors write. Without `page`,
-- for a connection, all posts are read in order until the limit is reached.
create or replace function app_public.feed(page int default null) returns setof app_public.posts
language sql stable as $$
  select posts.*
    from app_public.posts
   where is_public
     and (page is null
          and (not (select exists (select from app_public.follows join app_public.posts p on p.author_id = followed_id and p.is_public where follower_id = app_hidden.viewer_id()))
            or author_id = (select app_hidden.viewer_id())
            or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())))
       or page is not null
          and id = any (array(
            with newest as materialized (
              select latest.id
                from (select posts.id, author_id, listed_at from app_public.posts
                       where is_public order by listed_at desc, id desc limit greatest(page, 500)) as latest
               where not (select exists (select from app_public.follows join app_public.posts p on p.author_id = followed_id and p.is_public where follower_id = app_hidden.viewer_id()))
                  or author_id = (select app_hidden.viewer_id())
                  or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id()))
               order by listed_at desc, latest.id desc limit page
            )
            select newest.id from newest
             union all
            (select of_author.id
               from (select app_hidden.viewer_id() as id
                      union all
                     select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())) as author,
                    lateral (select posts.id, posts.listed_at from app_public.posts
                              where author_id = author.id and is_public
                              order by listed_at desc, id desc limit page) as of_author
              where (select count(*) from newest) < page
              order by of_author.listed_at desc, of_author.id desc limit page))));
$$;
comment on function app_public.feed(int) is $$@listLimit required
@pageArgument page
The published posts by you and the users you follow, newest first. By all users while nobody whom you follow has published, or without a token.$$;
grant execute on function app_public.feed(int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/feed.sql
