--! Previous: sha1:b865e05cdf2b81ffb697ab239720adb1fd491085
--! Hash: sha1:cbdc3e0887cf5fc957df1c6e49d73fc85119607d
--! Message: names agree

--! split: 400-results-for-caches.sql
-- Results say which record was deleted, and which values are always there.
do $$ begin
  alter type app_public.delete_result add attribute id bigint, add attribute relation text;
exception when duplicate_column then null;
end $$;
comment on column app_public.delete_result.success is E'@notNull\nAlways true. A deletion that fails is an error instead.';
comment on column app_public.delete_result.message is E'@notNull\nA sentence for the user that says what was deleted.';
comment on column app_public.delete_result.id is E'@notNull\nThe id of the deleted record. Of leaveChat, the chat’s: you can no longer see it.';
comment on column app_public.delete_result.relation is E'@name deletedNodeId\n@nodeIdOf id\nThe nodeId of the same record, which caches remove.';
--! Included functions/delete_row.sql
-- Security invoker: the viewer's policies and grants decide.
create or replace function app_hidden.delete_row(relation regclass, id bigint, thing text) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
declare
  v_count int;
begin
  execute format('delete from %s where id = $1', relation) using delete_row.id;
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform app_hidden.require_row(relation, delete_row.id, thing);
    perform app_hidden.refuse_unauthorized();
  end if;
  return (true, format('%s %s is deleted.', upper(left(thing, 1)) || substr(thing, 2), delete_row.id),
    delete_row.id, relation::text);
end $$;
comment on function app_hidden.delete_row(regclass, bigint, text) is $$Deletes one row. Refuses with UNAUTHORIZED when the viewer can see the row, else with NOT_FOUND.$$;
grant execute on function app_hidden.delete_row(regclass, bigint, text) to :API_MEMBER;
--! EndIncluded functions/delete_row.sql
--! Included functions/leave_chat.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.leave_chat(chat_id bigint) returns app_public.delete_result
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app_public.chat_members
   where chat_members.chat_id = leave_chat.chat_id and user_id = app_hidden.viewer_id();
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  return (true, format('You have left chat %s.', leave_chat.chat_id), leave_chat.chat_id, 'app_public.chats'::text);
end $$;
comment on function app_public.leave_chat(bigint) is $$@describe chat_id The chat to leave.
Leaves a chat. Your messages stay, but you can no longer read them.$$;
grant execute on function app_public.leave_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/leave_chat.sql

comment on column app_public.follow_summary.count is E'@notNull\nThe number of users.';
--! Included functions/users_followers.sql
create or replace function app_public.users_followers(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(rows), 0))::app_public.follow_summary from app_hidden.counts
         where name = 'follows.followed_id' and key = users.id::text);
comment on function app_public.users_followers(app_public.users) is $$@notNull
The number of users who follow this user.$$;
grant execute on function app_public.users_followers(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_followers.sql
--! Included functions/users_following.sql
create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(rows), 0))::app_public.follow_summary from app_hidden.counts
         where name = 'follows.follower_id' and key = users.id::text);
comment on function app_public.users_following(app_public.users) is $$@notNull
The number of users whom this user follows.$$;
grant execute on function app_public.users_following(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_following.sql

comment on constraint posts_author_id_fkey on app_public.posts is '@notNull';
comment on constraint comments_author_id_fkey on app_public.comments is '@notNull';

comment on type app_public.session is E'@accessToken user_id\n@foreignKey (user_id) references app_public.users (id)|@fieldName user|@notNull\nThe tokens of a session: an access token for the next minutes, and a refresh token to get the next two.';
comment on column app_public.session.user_id is E'@notNull\nThe user who signed in.';
comment on column app_public.session.refresh_token is E'@notNull\nExchanges once for new tokens: refreshSession(refreshToken). Keep it secret.';
comment on column app_public.session.refresh_token_expires_at is E'@notNull\n@timestampFormat DATE_TIME\nThe time when the refresh token expires.';

--! split: 410-names-agree.sql
-- Names that say the same thing are the same. Each former name stays for a time, deprecated.
comment on constraint chat_members_user_id_fkey on app_public.chat_members is E'@fieldName members\n@formerFieldName users';
comment on column app_public.audit_trail.actor_role is E'@name actor_login\n@formerly actor_role\nThe database login that made the change: the service’s or a person’s.';

-- PostgreSQL cannot rename an argument of a function.
drop function if exists app_public.follow_user(bigint);
--! Included functions/follow_user.sql
create or replace function app_public.follow_user(user_id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  select * into v_user from app_public.users where users.id = follow_user.user_id;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  -- The violated constraint would name its two columns, which are no arguments of this function.
  if follow_user.user_id = app_hidden.viewer_id() then
    perform app_hidden.refuse_faults(jsonb_agg(
      jsonb_build_object('column', 'user_id', 'code', rules.code, 'message', rules.message)))
       from app_hidden.rules
      where (rules.table_name, rules.rule_name) = ('follows', 'follows_not_oneself_check');
  end if;
  insert into app_public.follows (follower_id, followed_id)
  values (app_hidden.viewer_id(), follow_user.user_id)
  on conflict do nothing;
  return v_user;
end $$;
comment on function app_public.follow_user(bigint) is $$@formerArgument user_id id
@describe user_id The user to follow.
Follows a user: the user’s posts appear in your feed. Idempotent.$$;
grant execute on function app_public.follow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/follow_user.sql
drop function if exists app_public.unfollow_user(bigint);
--! Included functions/unfollow_user.sql
create or replace function app_public.unfollow_user(user_id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  select * into v_user from app_public.users where users.id = unfollow_user.user_id;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  delete from app_public.follows
   where follower_id = app_hidden.viewer_id() and followed_id = unfollow_user.user_id;
  return v_user;
end $$;
comment on function app_public.unfollow_user(bigint) is $$@formerArgument user_id id
@describe user_id The user to unfollow.
Unfollows a user. Idempotent.$$;
grant execute on function app_public.unfollow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/unfollow_user.sql
drop function if exists app_public.messages(bigint, bigint);
--! Included functions/messages.sql
-- The body is text: a parsed one (begin atomic) would keep today's columns of messages, and fail when a migration adds one.
create or replace function app_public.messages(chat_id bigint, before_id bigint default null) returns setof app_public.messages
language sql stable as $$
  select m.*
    from app_public.messages m
   -- A subquery, so that it runs once, before any row is read.
   where (select app_hidden.require_chat(messages.chat_id))
     and m.chat_id = messages.chat_id
     and (messages.before_id is null
       or m.number < (select b.number from app_public.messages b where b.id = messages.before_id and b.chat_id = messages.chat_id));
$$;
comment on function app_public.messages(bigint, bigint) is $$@formerArgument before_id before
@describe chat_id The chat.
@describe before_id Only messages older than this one, to page backwards.
The messages of a chat of yours, newest first.$$;
grant execute on function app_public.messages(bigint, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/messages.sql
