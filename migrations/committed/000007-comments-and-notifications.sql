--! Previous: sha1:21c5cda565111ee0cc57dd126d1f54901b2a622c
--! Hash: sha1:54f28374a585914d235c34f574525060dbd54eec
--! Message: comments and notifications

-- Comments: what readers say about a post. All who can see the post can see them.
create table app_public.comments (
  id          bigint generated always as identity primary key,
  post_id     bigint not null references app_public.posts on delete cascade,
  author_id   bigint not null references app_public.users on delete cascade,
  text        text not null,
  created_at  timestamptz not null default now(),
  -- A copy of the post's column, for the policy. False only means that the post is looked up.
  is_public   boolean not null default false,
  reply_to_id bigint references app_public.comments on delete cascade,
  updated_at  timestamptz,
  constraint comments_text_length_check check (char_length(text) between 1 and 5000),
  constraint comments_text_blank_check check (text ~ '\S' or text = ''),
  constraint comments_inherited_fkey foreign key (post_id, is_public)
    references app_public.posts (id, is_public) on update cascade on delete cascade
);
comment on table app_public.comments is $$@describe listOrder Oldest first.
@listOrder created_at, id
@behavior -query:resource:list -query:resource:connection
@subscription commentAdded post_id
@subscription commentUpdated post_id updated
@subscription commentDeleted post_id deleted
A text by a user about a post, or a reply to one. Visible to all who can see the post.$$;
comment on column app_public.comments.id is $$The comment’s id. Never changes.$$;
comment on column app_public.comments.post_id is $$The post that the comment is about.$$;
comment on column app_public.comments.author_id is $$The user who wrote the comment.$$;
comment on column app_public.comments.text is $$The text.$$;
comment on column app_public.comments.created_at is $$@timestampFormat DATE
The time when the comment was written.$$;
comment on column app_public.comments.is_public is $$@behavior -*
Whether everybody may see the post, and so this comment. A copy.$$;
comment on column app_public.comments.reply_to_id is $$@listFilter isNull:topLevel
The comment that this one replies to, or null.$$;
comment on column app_public.comments.updated_at is $$The time of the last change. Null when the comment has never changed.$$;
comment on constraint comments_author_id_fkey on app_public.comments is $$@notNull
@backwardBehavior -list$$;
comment on constraint comments_post_id_fkey on app_public.comments is $$@notNull inherited$$;
comment on constraint comments_reply_to_id_fkey on app_public.comments is $$@foreignFieldName replies
@backwardBehavior -list$$;
comment on constraint comments_inherited_fkey on app_public.comments is $$@behavior -*
Inherited visibility: the post’s changes reach the copy in the same statement.$$;
comment on constraint comments_text_length_check on app_public.comments is $$A comment needs between 1 and 5000 characters.$$;
comment on constraint comments_text_blank_check on app_public.comments is $$A comment needs a character other than white space.$$;
-- Carries Post.comments, oldest first, and the foreign key to posts.
create index comments_post_id_created_at_id_idx on app_public.comments (post_id, created_at, id);
-- Carries User.comments and the foreign key to users.
create index comments_author_id_created_at_id_idx on app_public.comments (author_id, created_at, id);
-- For the analysts’ days and months.
create index comments_created_at_day_idx on app_public.comments (((created_at at time zone 'UTC')::date));
-- For Comment.replies, oldest first, and the foreign key.
create index comments_reply_to_id_created_at_id_idx on app_public.comments (reply_to_id, created_at, id);
-- For Post.comments(topLevel: true).
create index comments_post_id_created_at_id_top_level_idx on app_public.comments (post_id, created_at, id) where reply_to_id is null;

alter table app_public.comments enable row level security;
-- Only posts that not everybody may see are looked up.
create policy select_visible on app_public.comments for select to :API_ANONYMOUS, :API_MEMBER
  using (is_public or exists (select from app_public.posts where posts.id = post_id offset 0));
create policy insert_own on app_public.comments for insert to :API_MEMBER
  with check (author_id = (select app_hidden.viewer_id())
          and exists (select from app_public.posts where posts.id = comments.post_id));
create policy update_own on app_public.comments for update to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy delete_on_own_post on app_public.comments for delete to :API_MEMBER
  using (exists (select from app_public.posts where posts.id = comments.post_id and posts.author_id = (select app_hidden.viewer_id()) offset 0));
create policy delete_own on app_public.comments for delete to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy delete_as_admin on app_public.comments for delete to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.comments to :API_ANONYMOUS, :API_MEMBER;
grant insert (post_id, author_id, text, reply_to_id), update (text), delete on app_public.comments to :API_MEMBER;

-- A count tells no more than the policies of its table. `case`, so that the keys of other counts are not read as ids.
create policy select_comments on conventions.counter_shards for select to :API_ANONYMOUS, :API_MEMBER
  using (case counter
    when 'comments.post_id' then exists (select from app_public.posts where posts.id = counter_shards.key::bigint offset 0)
    when 'comments.reply_to_id' then exists (select from app_public.comments where comments.id = counter_shards.key::bigint offset 0)
    else false end);

--! Included functions/comments/tg_comments__place_reply.sql
-- With the rights of the writer: a comment that the writer may not see is as missing as any other.
create or replace function app_hidden.tg_comments__place_reply() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_comment app_public.comments;
  v_fault jsonb;
begin
  if tg_op = 'UPDATE' and (new.reply_to_id, new.post_id) is not distinct from (old.reply_to_id, old.post_id) then
    -- Only the visibility of the post changes.
    return new;
  end if;
  select * into v_comment from app_public.comments where id = new.reply_to_id;
  if tg_op = 'UPDATE' and new.reply_to_id is not distinct from old.reply_to_id then
    new.post_id := coalesce(v_comment.post_id, new.post_id);
    return new;
  end if;
  v_fault := case
    when v_comment.post_id is distinct from new.post_id
      then '{"code": "INVALID_REFERENCE", "message": "There is no such comment on this post."}'
    when v_comment.reply_to_id is not null
      then '{"code": "NESTED_REPLY", "message": "This comment is a reply. Reply to the comment that it replies to."}'
  end;
  if v_fault is not null then
    perform conventions.raise_validation_errors(conventions.validation_errors(tg_relid, to_jsonb(new)) || (v_fault || '{"column": "reply_to_id"}'));
  end if;
  return new;
end $$;
comment on function app_hidden.tg_comments__place_reply() is $$Before a reply is written: refuses one to a comment on another post, or to a reply. A reply that is moved stays on the post of its comment.$$;

create or replace function app_hidden.tg_comments__move_along() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  update app_public.comments set post_id = new.post_id where reply_to_id = new.id and post_id <> new.post_id;
  update app_public.notifications set post_id = new.post_id where comment_id = new.id;
  return null;
end $$;
comment on function app_hidden.tg_comments__move_along() is $$After a comment is moved to another post: moves its replies, and the notifications of it.$$;
--! EndIncluded functions/comments/tg_comments__place_reply.sql
-- Before _110_inherit_visibility, which needs the post.
create trigger _105_place_reply before insert or update of reply_to_id, post_id on app_public.comments
  for each row when (new.reply_to_id is not null) execute function app_hidden.tg_comments__place_reply();
create trigger _110_inherit_visibility before insert or update of post_id on app_public.comments
  for each row execute function app_hidden.tg__inherit_visibility();
create trigger _500_move_along_update after update of post_id on app_public.comments
  for each row when (old.post_id <> new.post_id) execute function app_hidden.tg_comments__move_along();
select conventions.apply_to('app_public.comments');
select conventions.count_rows('app_public.comments', 'post_id'), conventions.count_rows('app_public.comments', 'reply_to_id');
select change_feed.stream('app_public.comments', 'post_id');

create type app_public.create_comment_input as (
  post_id     bigint,
  text        text,
  reply_to_id bigint
);
comment on type app_public.create_comment_input is $$A new comment.$$;
comment on column app_public.create_comment_input.post_id is $$@notNull
The post to comment on.$$;
comment on column app_public.create_comment_input.text is $$@notNull
The text: 1 to 5,000 characters.$$;
comment on column app_public.create_comment_input.reply_to_id is $$The comment to reply to, on the same post and no reply itself.$$;

--! Included functions/comments/create_comment.sql
create or replace function app_public.create_comment(input app_public.create_comment_input, idempotency_key text default null)
returns app_public.comments
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_comment app_public.comments;
begin
  if create_comment.idempotency_key is not null then
    v_comment := app_hidden.earlier_result(v_comment, create_comment.idempotency_key, to_jsonb(input));
    if v_comment.id is not null then
      return v_comment;
    end if;
  end if;
  perform app_hidden.require_row('app_public.posts', input.post_id, 'post');
  insert into app_public.comments (post_id, author_id, text, reply_to_id)
  values (input.post_id, app_hidden.viewer_id(), input.text, input.reply_to_id)
  returning * into v_comment;
  perform app_hidden.keep_result(create_comment.idempotency_key, v_comment.id);
  return v_comment;
exception when insufficient_privilege or foreign_key_violation then
  -- The post may have been hidden or deleted since.
  perform app_hidden.require_row('app_public.posts', input.post_id, 'post');
  raise;
end $$;
comment on function app_public.create_comment(app_public.create_comment_input, text) is $$@errorCode NESTED_REPLY It is a reply itself, to which nobody replies.
@describe idempotency_key Your choice, 1 to 255 characters, such as a UUID. Repeated within a day, the call returns the same comment and creates nothing.
Adds a comment to a post, or a reply to a comment.$$;
grant execute on function app_public.create_comment(app_public.create_comment_input, text) to :API_MEMBER;
--! EndIncluded functions/comments/create_comment.sql
--! Included functions/comments/update_comment.sql
create or replace function app_public.update_comment(id bigint, text text) returns app_public.comments
language sql volatile
return app_hidden.update_row(null::app_public.comments, update_comment.id, jsonb_build_object('text', text), 'comment');
comment on function app_public.update_comment(bigint, text) is $$@describe id The comment to change.
@describe text The new text: 1 to 5,000 characters.
Changes the text of a comment of yours.$$;
grant execute on function app_public.update_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/comments/update_comment.sql
--! Included functions/comments/delete_comment.sql
create or replace function app_public.delete_comment(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_post_id bigint := (select post_id from app_public.comments where comments.id = delete_comment.id);
  v_result app_public.delete_result := app_hidden.delete_row('app_public.comments', delete_comment.id, 'comment');
begin
  v_result.post_id := v_post_id;
  return v_result;
end $$;
comment on function app_public.delete_comment(bigint) is $$@describe id The comment to delete.
Deletes a comment of yours, with its replies. The post’s author and admins can delete the comments of others.$$;
grant execute on function app_public.delete_comment(bigint) to :API_MEMBER;
--! EndIncluded functions/comments/delete_comment.sql
--! Included functions/comments/posts_comments_count.sql
create or replace function app_public.posts_comments_count(posts app_public.posts) returns int
language sql stable
return (select coalesce(sum(value), 0)::int from conventions.counter_shards where counter = 'comments.post_id' and key = posts.id::text);
comment on function app_public.posts_comments_count(app_public.posts) is E'@notNull\nThe number of comments on the post, replies included.';
grant execute on function app_public.posts_comments_count(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/comments/posts_comments_count.sql
--! Included functions/comments/comments_replies_count.sql
create or replace function app_public.comments_replies_count(comments app_public.comments) returns int
language sql stable
return (select coalesce(sum(value), 0)::int from conventions.counter_shards where counter = 'comments.reply_to_id' and key = comments.id::text);
comment on function app_public.comments_replies_count(app_public.comments) is E'@notNull\nThe number of replies to the comment.';
grant execute on function app_public.comments_replies_count(app_public.comments) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/comments/comments_replies_count.sql

-- Notifications: what has happened that concerns a user. Triggers write them, in the transaction of the event.
create type app_public.notification_kind as enum ('FOLLOWED', 'COMMENTED', 'REPLIED', 'REPORT_UPHELD', 'REPORT_DISMISSED');
comment on type app_public.notification_kind is $$@describe FOLLOWED The actor follows you.
@describe COMMENTED The actor has commented on a post of yours.
@describe REPLIED The actor has replied to a comment of yours.
@describe REPORT_UPHELD An admin has agreed with a report of yours.
@describe REPORT_DISMISSED An admin has not agreed with a report of yours.
What has happened.$$;

create table app_public.notifications (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references app_public.users on delete cascade,
  kind       app_public.notification_kind not null,
  actor_id   bigint references app_public.users on delete cascade,
  post_id    bigint references app_public.posts on delete cascade,
  comment_id bigint references app_public.comments on delete cascade,
  read_at    timestamptz,
  created_at timestamptz not null default now()
);
comment on table app_public.notifications is $$@behavior -query:resource:list -query:resource:single
@describe listOrder Newest first.
@listOrder id desc
@subscription notificationAdded user_id added viewer
@describe notificationAdded Each notification of the signed-in user as it is added, in order, once.
Tells a user that somebody follows, has commented or replied, or that an admin has decided about what the user has reported. Only that user sees it, for 90 days, and while the post is visible to the user.$$;
comment on column app_public.notifications.id is $$The notification’s id. Never changes. Newer ones have higher ids.$$;
comment on column app_public.notifications.user_id is $$@behavior -*
The user who is notified.$$;
comment on column app_public.notifications.kind is $$What has happened.$$;
comment on column app_public.notifications.actor_id is $$The user who did it. Null for the decision about a report.$$;
comment on column app_public.notifications.post_id is $$The post of the comment or reply. Null for all else.$$;
comment on column app_public.notifications.comment_id is $$The new comment or reply. Null for all else.$$;
comment on column app_public.notifications.read_at is $$@listFilter isNull:unread
The time when it was marked as read. Null while it is unread.$$;
comment on column app_public.notifications.created_at is $$The time of the event.$$;
comment on constraint notifications_user_id_fkey on app_public.notifications is $$@backwardBehavior -*
@notNull$$;
comment on constraint notifications_actor_id_fkey on app_public.notifications is $$@backwardBehavior -*$$;
comment on constraint notifications_post_id_fkey on app_public.notifications is $$@backwardBehavior -*$$;
comment on constraint notifications_comment_id_fkey on app_public.notifications is $$@backwardBehavior -*$$;
-- For the list, for unread ones and for those that have been read. The last one costs nothing until then.
create index notifications_user_id_id_idx on app_public.notifications (user_id, id desc);
create index notifications_user_id_id_unread_idx on app_public.notifications (user_id, id desc) where read_at is null;
create index notifications_user_id_id_read_idx on app_public.notifications (user_id, id desc) where read_at is not null;
-- For deletes of users, posts and comments.
create index notifications_actor_id_user_id_idx on app_public.notifications (actor_id, user_id);
create index notifications_post_id_idx on app_public.notifications (post_id) where post_id is not null;
create index notifications_comment_id_idx on app_public.notifications (comment_id) where comment_id is not null;

alter table app_public.notifications enable row level security;
-- A notification is the user's own, and hidden with its post.
create policy select_own on app_public.notifications for select to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id())
     and (post_id is null or exists (select from app_public.posts where posts.id = post_id offset 0)));
create policy update_own on app_public.notifications for update to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
grant select, update (read_at) on app_public.notifications to :API_MEMBER;

-- Not audited: each repeats an event that is.
select conventions.apply_to('app_public.notifications', is_audited => false);
select change_feed.stream('app_public.notifications', 'user_id', kinds => '{added}');
--! Included functions/notifications/tg_notifications__tell_user.sql
-- Security definer: nobody else may write events.
create or replace function app_hidden.tg_notifications__tell_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform change_feed.record_events('app_public.users', 'id', array_agg('updated'::text), array_agg(user_id::text), array_agg(user_id::text))
     from (select distinct user_id from new_rows) as told;
  return null;
end $$;
comment on function app_hidden.tg_notifications__tell_user() is $$After notifications are marked as read: their users are told once for all of them, so that another tab counts anew.$$;
--! EndIncluded functions/notifications/tg_notifications__tell_user.sql
create trigger _900_tell_user_update after update on app_public.notifications
  referencing new table as new_rows for each statement execute function app_hidden.tg_notifications__tell_user();

--! Included functions/notifications/is_recent.sql
create or replace function app_hidden.is_recent(event timestamptz) returns boolean
language sql stable
return event > now() - interval '90 days';
comment on function app_hidden.is_recent(timestamptz) is $$Whether a notification of an event at that time is still kept. A job deletes the others.$$;
--! EndIncluded functions/notifications/is_recent.sql
--! Included functions/notifications/notify_users.sql
-- Security definer: nobody else may write notifications. The events of users who are away wait here, so one row is written for each
-- user whom an event concerns, however many follow or have commented.
create or replace function app_hidden.tg_comments__notify_users() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
begin
  if app_hidden.is_import() then
    return null;
  end if;
  insert into app_public.notifications (user_id, kind, actor_id, post_id, comment_id, created_at)
  select told.user_id, told.kind::app_public.notification_kind, added.author_id, added.post_id, added.id, added.created_at
    from new_rows as added
    join app_public.posts on posts.id = added.post_id
    left join app_public.comments as answered on answered.id = added.reply_to_id
   cross join lateral (values
          (answered.author_id, 'REPLIED'),
          -- The author of both hears of it once.
          (nullif(posts.author_id, answered.author_id), 'COMMENTED')) as told (user_id, kind)
   where told.user_id <> added.author_id and app_hidden.is_recent(added.created_at)
   order by added.id;
  return null;
end $$;
comment on function app_hidden.tg_comments__notify_users() is $$After comments are added: notifies the authors of their posts, and of the comments that they reply to. Nobody hears of what they did themselves.$$;

-- Security definer: nobody else may write notifications.
create or replace function app_hidden.tg_follows__notify_users() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
begin
  if tg_op = 'INSERT' then
    insert into app_public.notifications (user_id, kind, actor_id, created_at)
    select followed_id, 'FOLLOWED', follower_id, created_at from new_rows where app_hidden.is_recent(created_at) order by created_at, follower_id;
  else
    delete from app_public.notifications using old_rows
     where notifications.user_id = followed_id and actor_id = follower_id and kind = 'FOLLOWED';
  end if;
  return null;
end $$;
comment on function app_hidden.tg_follows__notify_users() is $$After users follow others: notifies those. After they stop: removes that notification.$$;
--! EndIncluded functions/notifications/notify_users.sql
create trigger _700_notify_users_insert after insert on app_public.comments referencing new table as new_rows
  for each statement execute function app_hidden.tg_comments__notify_users();
--! Included functions/notifications/mark_notifications_read.sql
create or replace function app_public.mark_notifications_read(up_to_id bigint) returns app_public.users
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  update app_public.notifications set read_at = now()
   where user_id = app_hidden.viewer_id() and read_at is null and id <= mark_notifications_read.up_to_id;
  return app_public.me();
end $$;
comment on function app_public.mark_notifications_read(bigint) is $$@describe up_to_id The newest notification that has been read.
Marks notifications of yours as read: this one and all older ones. Returns you.$$;
grant execute on function app_public.mark_notifications_read(bigint) to :API_MEMBER;
--! EndIncluded functions/notifications/mark_notifications_read.sql
--! Included functions/notifications/users_unread_notifications_count.sql
-- plpgsql, so that PostgreSQL does not inline the query: requests without a token have no right to the table, and do not read it.
create or replace function app_public.users_unread_notifications_count(users app_public.users) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if users.id = app_hidden.viewer_id() then
    -- Enough for a badge that says 99+, and the same work for any number.
    return (select count(*) from (
      select from app_public.notifications where user_id = users.id and read_at is null limit 100) as unread);
  end if;
  return null;
end $$;
comment on function app_public.users_unread_notifications_count(app_public.users) is $$The number of unread notifications, 100 for 100 or more. Null for other users.$$;
grant execute on function app_public.users_unread_notifications_count(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/notifications/users_unread_notifications_count.sql
