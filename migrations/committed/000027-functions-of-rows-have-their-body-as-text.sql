--! Previous: sha1:32e7dd7b9933f2a2c06da3e6234d74b477672fb4
--! Hash: sha1:26d2c5b2f07d1d7d5ca4cff11a0263f15f2ececb
--! Message: Functions of rows have their body as text

--! split: 100-bodies-as-text.sql

-- allow: change-behaviour because the bodies are the same, as text: test/operations
-- Bodies as text: from PostgreSQL's minor versions of November 2026 on, a parsed one keeps its table from getting a column with a default.
--! Included functions/chat/blocks.sql
-- Security definer: a user does not see who has blocked them, and members may not write blocks.
create or replace function app_hidden.is_blocked(user_id bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from app_public.blocks
                  where (blocker_id, blocked_id) in ((app_hidden.viewer_id(), is_blocked.user_id), (is_blocked.user_id, app_hidden.viewer_id())))
$$;
comment on function app_hidden.is_blocked(bigint) is $$Whether the viewer has blocked this user, or this user the viewer.$$;
grant execute on function app_hidden.is_blocked(bigint) to :API_MEMBER;

create or replace function app_hidden.blocked_error() returns jsonb
language sql immutable parallel safe
return '{"code": "BLOCKED", "message": "You cannot chat with this user: one of you has blocked the other."}'::jsonb;
comment on function app_hidden.blocked_error() is $$The code and the message for a user with whom the viewer cannot chat, without the place in the input.$$;
grant execute on function app_hidden.blocked_error() to :API_MEMBER;

create or replace function app_hidden.refuse_blocked(column_name text, user_id bigint) returns void
language plpgsql stable strict set search_path = pg_catalog, pg_temp as $$
begin
  if app_hidden.is_blocked(refuse_blocked.user_id) then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', column_name) || app_hidden.blocked_error()));
  end if;
end $$;
comment on function app_hidden.refuse_blocked(text, bigint) is $$Refuses with BLOCKED when one of the viewer and a user has blocked the other.$$;
grant execute on function app_hidden.refuse_blocked(text, bigint) to :API_MEMBER;

-- Security definer: members may not read direct chats, and the chat is looked up among those of the viewer before.
create or replace function app_hidden.other_in_direct_chat(chat_id bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case app_hidden.viewer_id() when low_user_id then high_user_id else low_user_id end
    from app_private.direct_chats where direct_chats.chat_id = other_in_direct_chat.chat_id
$$;
comment on function app_hidden.other_in_direct_chat(bigint) is $$The other user of a direct chat; null for other chats.$$;
grant execute on function app_hidden.other_in_direct_chat(bigint) to :API_MEMBER;

create or replace function app_public.block_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if block_user.user_id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "You cannot block yourself."}]');
  end if;
  insert into app_public.blocks (blocker_id, blocked_id) values (app_hidden.viewer_id(), block_user.user_id) on conflict do nothing;
  return (select users from app_public.users where users.id = block_user.user_id);
exception when foreign_key_violation then
  perform app_hidden.require_row('app_public.users', block_user.user_id, 'user');
  raise;
end $$;
comment on function app_public.block_user(bigint) is $$@describe user_id The user to block.
Blocks a user: neither can write in your direct chat, or add the other to a chat. Other chats go on. The user is not told. Idempotent.$$;
grant execute on function app_public.block_user(bigint) to :API_MEMBER;

create or replace function app_public.unblock_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.require_row('app_public.users', unblock_user.user_id, 'user');
  delete from app_public.blocks where blocker_id = app_hidden.viewer_id() and blocked_id = unblock_user.user_id;
  return (select users from app_public.users where users.id = unblock_user.user_id);
end $$;
comment on function app_public.unblock_user(bigint) is $$@describe user_id The user to unblock.
Lifts your block of a user. Idempotent.$$;
grant execute on function app_public.unblock_user(bigint) to :API_MEMBER;

create or replace function app_public.users_is_blocked_by_me(users app_public.users) returns boolean
language sql stable as $$
  select exists (select from app_public.blocks
                  where blocker_id = (select app_hidden.viewer_id()) and blocked_id = users.id)
$$;
comment on function app_public.users_is_blocked_by_me(app_public.users) is $$@notNull
Whether you have blocked this user. False without a token.$$;
grant execute on function app_public.users_is_blocked_by_me(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/chat/blocks.sql
--! Included functions/chat/chats_unread_count.sql
create or replace function app_public.chats_unread_count(chats app_public.chats) returns int
language sql stable as $$
  select coalesce((
    select chats.last_number - inbox_entries.last_read_number from app_public.inbox_entries
     where inbox_entries.chat_id = chats.id and inbox_entries.user_id = (select app_hidden.viewer_id())), 0)::int
$$;
comment on function app_public.chats_unread_count(app_public.chats) is $$@notNull
The number of messages by others since the last one that you marked as read, or sent, or since you became a member. 0 where you are not one.$$;
grant execute on function app_public.chats_unread_count(app_public.chats) to :API_MEMBER;
--! EndIncluded functions/chat/chats_unread_count.sql
--! Included functions/comments/comments_replies_count.sql
create or replace function app_public.comments_replies_count(comments app_public.comments) returns int
language sql stable as $$
  select (select coalesce(sum(value), 0)::int from conventions.counter_shards where counter = 'comments.reply_to_id' and key = comments.id::text)
$$;
comment on function app_public.comments_replies_count(app_public.comments) is E'@notNull\nThe number of replies to the comment.';
grant execute on function app_public.comments_replies_count(app_public.comments) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/comments/comments_replies_count.sql
--! Included functions/comments/posts_comments_count.sql
create or replace function app_public.posts_comments_count(posts app_public.posts) returns int
language sql stable as $$
  select (select coalesce(sum(value), 0)::int from conventions.counter_shards where counter = 'comments.post_id' and key = posts.id::text)
$$;
comment on function app_public.posts_comments_count(app_public.posts) is E'@notNull\nThe number of comments on the post, replies included.';
grant execute on function app_public.posts_comments_count(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/comments/posts_comments_count.sql
--! Included functions/comments/update_comment.sql
create or replace function app_public.update_comment(id bigint, text text) returns app_public.comments
language sql volatile as $$
  select app_hidden.update_row(null::app_public.comments, update_comment.id, jsonb_build_object('text', text), 'comment')
$$;
comment on function app_public.update_comment(bigint, text) is $$@describe id The comment to change.
@describe text The new text: 1 to 5,000 characters.
Changes the text of a comment of yours.$$;
grant execute on function app_public.update_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/comments/update_comment.sql
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

-- A parsed body, so that an attribute can be added to the type.
create or replace function app_hidden.follow_summary(counter text, key text) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(value), 0))::app_public.follow_summary from conventions.counter_shards
         where counter_shards.counter = follow_summary.counter and counter_shards.key = follow_summary.key);
comment on function app_hidden.follow_summary(text, text) is $$A counter of follows.$$;
grant execute on function app_hidden.follow_summary(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/count_follows.sql
--! Included functions/follows/users_followers.sql
create or replace function app_public.users_followers(users app_public.users) returns app_public.follow_summary
language sql stable as $$
  select app_hidden.follow_summary('follows.followed_id', users.id::text)
$$;
comment on function app_public.users_followers(app_public.users) is $$@notNull
The number of users who follow this user.$$;
grant execute on function app_public.users_followers(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/users_followers.sql
--! Included functions/follows/users_following.sql
create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
language sql stable as $$
  select app_hidden.follow_summary('follows.follower_id', users.id::text)
$$;
comment on function app_public.users_following(app_public.users) is $$@notNull
The number of users whom this user follows.$$;
grant execute on function app_public.users_following(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/users_following.sql
--! Included functions/follows/users_is_followed_by_me.sql
create or replace function app_public.users_is_followed_by_me(users app_public.users) returns boolean
language sql stable as $$
  select exists (select from app_public.follows
                  where follower_id = (select app_hidden.viewer_id()) and followed_id = users.id)
$$;
comment on function app_public.users_is_followed_by_me(app_public.users) is $$@notNull
Whether you follow this user. False without a token.$$;
grant execute on function app_public.users_is_followed_by_me(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/follows/users_is_followed_by_me.sql
--! Included functions/posts/plain_text.sql
-- Each pattern ends at the first character that it cannot hold, so a text of unfinished marks takes linear time. What a backslash protects
-- waits as a private character.
create or replace function app_hidden.plain_text(markdown text) returns text
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := markdown;
begin
  if v_text ~ '[]*_~`[<>#=|\\&-]|^ {0,3}\d{1,9}[.)]' then
    if strpos(v_text, '\') > 0 then
      v_text := regexp_replace(v_text, '\\$', '', 'gn');
      for v_place in 1..12 loop
        v_text := replace(v_text, '\' || substr('*_[]<`#\~|&!', v_place, 1), chr(63233 + v_place));
      end loop;
    end if;
    -- Fences of code, headings, quotations, items of lists, rules, definitions of links, rows that divide a table.
    v_text := regexp_replace(v_text, '^[ \t]{0,3}(`{3,}[^`\n]*|~{3,}[^\n]*|=+[ \t]*|[-*_](?:[ \t]*[-*_]){2,}[ \t]*|\[[^]\n]+\]:[ \t]*[^ \t\n]+[^\n]*|\|?[ \t]*:?-+:?[ \t]*\|[-:| \t]*)$', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*(?:>[ \t]?)+', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?', '', 'gn');
    v_text := regexp_replace(v_text, '^[ \t]*#{1,6}(?:[ \t]+|$)', '', 'gn');
    v_text := regexp_replace(v_text, '[ \t]+#+[ \t]*$', '', 'gn');
    if strpos(v_text, '<') > 0 then
      v_text := regexp_replace(v_text, '<!--(?:[^-]|-[^-])*-->', ' ', 'g');
      v_text := regexp_replace(v_text, '<(?:script|style)(?:\s[^<>]*)?>(?:[^<]|<[^/])*</(?:script|style)\s*>', ' ', 'gi');
      v_text := regexp_replace(v_text, '<((?:https?|ftp|mailto):[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>', '\1', 'gi');
      v_text := regexp_replace(v_text, '</?(?:p|div|br|hr|li|ul|ol|h[1-6]|tr|td|th|table|blockquote|pre|section|figure|figcaption)(?:[\s/][^<>]*)?>', ' ', 'gi');
      v_text := regexp_replace(v_text, '</?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>', '', 'gi');
    end if;
    if strpos(v_text, '[') > 0 then
      -- Pictures first: one may be the text of a link.
      v_text := regexp_replace(v_text, '!\[([^][]*)\](?:\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+["''(][^()]*)?\)|\[[^][]*\])', '\1', 'g');
      v_text := regexp_replace(v_text, '\[([^][]*)\](?:\(\s*(?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+["''(][^()]*)?\s*\)|\[[^][]*\])', '\1', 'g');
    end if;
    v_text := regexp_replace(v_text, '`+([^`]+)`+', '\1', 'g');
    if strpos(v_text, '*') > 0 then
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
      v_text := regexp_replace(v_text, '\*{1,3}([^\s*](?:[^*\n]*[^\s*])?)\*{1,3}', '\1', 'g');
    end if;
    if strpos(v_text, '_') > 0 then
      v_text := regexp_replace(v_text, '(^|[\s(\[{"''>*~.,;:!?“‘„«¿¡—–-])_{1,3}([^\s_](?:[^\n_]*[^\s_])?)_{1,3}(?![a-zA-Z0-9_\u00C0-\u024F])', '\1\2', 'g');
    end if;
    v_text := regexp_replace(v_text, '~~([^~\n]+)~~', '\1', 'g');
    if strpos(v_text, '&') > 0 then
      v_text := replace(replace(replace(replace(replace(replace(v_text, '&nbsp;', ' '), '&lt;', '<'), '&gt;', '>'), '&quot;', '"'), '&#39;', ''''), '&amp;', '&');
    end if;
    if strpos(markdown, '\') > 0 then
      v_text := translate(v_text, U&'\F702\F703\F704\F705\F706\F707\F708\F709\F70A\F70B\F70C\F70D', '*_[]<`#\~|&!');
    end if;
  end if;
  return btrim(regexp_replace(v_text, '[\s\u0085\u00A0\u2028\u2029]+', ' ', 'g'), ' ');
end $$;
comment on function app_hidden.plain_text(text) is $$A text without the marks of CommonMark and HTML: of links and pictures their text, of code its lines. White space is one space.$$;
grant execute on function app_hidden.plain_text(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_plain_text(posts app_public.posts) returns text
language sql stable cost 1000 as $$
  select app_hidden.plain_text(posts.content)
$$;
comment on function app_public.posts_plain_text(app_public.posts) is $$@notNull
The content without the marks of Markdown and HTML, in one line: for previews, feeds and search engines.$$;
grant execute on function app_public.posts_plain_text(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/plain_text.sql
--! Included functions/posts/post_revisions_version.sql
create or replace function app_public.post_revisions_version(post_revisions app_public.post_revisions) returns text
language sql stable parallel safe as $$
  select app_hidden.version_of(post_revisions.written_at)
$$;
comment on function app_public.post_revisions_version(app_public.post_revisions) is E'@notNull\nThe Post.version of this version. After a CONFLICT, the revision with the ifVersion that was sent is what both changes began with.';
grant execute on function app_public.post_revisions_version(app_public.post_revisions) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/post_revisions_version.sql
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
                      where form = app_hidden.tag_form(posts_count.tag)), 0);
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
language sql stable as $$
  select app_hidden.posts_count_of_tag(tags.id, tags_posts_count.status)
$$;
comment on function app_public.tags_posts_count(app_public.tags, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this tag that you may see.$$;
grant execute on function app_public.tags_posts_count(app_public.tags, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.users_posts_count(users app_public.users, status app_public.post_status default null) returns int
language sql stable as $$
  select app_public.posts_count(users_posts_count.status, users.id)
$$;
comment on function app_public.users_posts_count(app_public.users, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this user that you may see.$$;
grant execute on function app_public.users_posts_count(app_public.users, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/posts_count.sql
--! Included functions/posts/posts_version.sql
create or replace function app_public.posts_version(posts app_public.posts) returns text
language sql stable parallel safe as $$
  select app_hidden.version_of(posts.updated_at)
$$;
comment on function app_public.posts_version(app_public.posts) is E'@notNull\nOpaque. Send it as ifVersion with a change, and nothing is overwritten that you have not read.';
grant execute on function app_public.posts_version(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/posts_version.sql
--! Included functions/users/me.sql
create or replace function app_public.me() returns app_public.users
language sql stable as $$
  select (select users from app_public.users where users.id = app_hidden.viewer_id())
$$;
comment on function app_public.me() is $$The signed-in user; null without one.$$;
grant execute on function app_public.me() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/me.sql
--! Included functions/users/update_profile.sql
create or replace function app_public.update_profile(input app_public.update_profile_input) returns app_public.users
language sql volatile as $$
  select app_hidden.update_row(null::app_public.users, app_hidden.viewer_id(), to_jsonb(input), 'user')
$$;
comment on function app_public.update_profile(app_public.update_profile_input) is $$Changes your profile. A missing field stays; null clears bio and avatar.$$;
grant execute on function app_public.update_profile(app_public.update_profile_input) to :API_MEMBER;
--! EndIncluded functions/users/update_profile.sql
