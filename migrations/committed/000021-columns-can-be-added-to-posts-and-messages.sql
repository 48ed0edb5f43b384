--! Previous: sha1:ef9c575c12f4bf611ae2bc0da2864b43bd12d843
--! Hash: sha1:2976aef741b92b31af636f15e996218ec09422b6
--! Message: columns can be added to posts and messages

--! split: 090-whole-rows.sql
-- A column can be added to posts and messages, and dropped again: feed and messages no longer keep a list of columns.
--! Included functions/feed.sql
-- A single SQL statement, so that PostgreSQL inlines it and uses the index for order and limit. The body is text: a parsed
-- one (begin atomic) would keep today's columns of posts, and fail when a migration adds one.
create or replace function app_public.feed() returns setof app_public.posts
language sql stable as $$
  select posts.*
    from app_public.posts
   where status = 'PUBLISHED'
     and (not (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
       or author_id = (select app_hidden.viewer_id())
       or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())));
$$;
comment on function app_public.feed() is $$@listLimit required
The newest published posts by you and the users you follow. By all users when you follow nobody or are not signed in.$$;
grant execute on function app_public.feed() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/feed.sql
--! Included functions/messages.sql
-- The body is text: a parsed one (begin atomic) would keep today's columns of messages, and fail when a migration adds one.
create or replace function app_public.messages(chat_id bigint, before bigint default null) returns setof app_public.messages
language sql stable as $$
  select m.*
    from app_public.messages m
   -- A subquery, so that it runs once, before any row is read.
   where (select app_hidden.require_chat(messages.chat_id))
     and m.chat_id = messages.chat_id
     and (messages.before is null
       or m.number < (select b.number from app_public.messages b where b.id = messages.before and b.chat_id = messages.chat_id));
$$;
comment on function app_public.messages(bigint, bigint) is $$@describe chat_id The chat.
@describe before Only messages older than this one, to page backwards.
The messages of a chat of yours, newest first.$$;
grant execute on function app_public.messages(bigint, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/messages.sql
