-- Notifications: what has happened that concerns a user. Triggers write them, in the transaction of the event.
do $$
begin
  create type app_public.notification_kind as enum ('FOLLOWED', 'COMMENTED', 'REPLIED');
exception when duplicate_object then
  null;
end $$;
comment on type app_public.notification_kind is $$@describe FOLLOWED The actor follows you.
@describe COMMENTED The actor has commented on a post of yours.
@describe REPLIED The actor has replied to a comment of yours.
What has happened.$$;

create table if not exists app_public.notifications (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references app_public.users on delete cascade,
  kind       app_public.notification_kind not null,
  actor_id   bigint not null references app_public.users on delete cascade,
  post_id    bigint references app_public.posts on delete cascade,
  comment_id bigint references app_public.comments on delete cascade,
  read_at    timestamptz,
  created_at timestamptz not null default now()
);
comment on table app_public.notifications is $$@describe listOrder Newest first.
@listOrder id desc
@subscription notificationAdded user_id added viewer
@describe notificationAdded Each notification of the signed-in user as it is added, over WebSocket, in order, once.
A message to one user that something has happened: somebody follows the user, or has commented or replied. Only that user sees it, for 90 days, and while the post is visible to the user.$$;
comment on column app_public.notifications.id is $$The notification’s id. Never changes. Newer ones have higher ids.$$;
comment on column app_public.notifications.user_id is E'@behavior -*\nThe user who is notified.';
comment on column app_public.notifications.kind is $$What has happened.$$;
comment on column app_public.notifications.actor_id is $$The user who did it.$$;
comment on column app_public.notifications.post_id is $$The post that it is about. Null when somebody follows you.$$;
comment on column app_public.notifications.comment_id is $$The new comment or reply. Null when somebody follows you.$$;
comment on column app_public.notifications.read_at is E'@listFilter isNull:unread\nThe time when it was marked as read. Null while it is unread.';
comment on column app_public.notifications.created_at is $$The time of the event.$$;
comment on constraint notifications_user_id_fkey on app_public.notifications is E'@backwardBehavior -*\n@forwardBehavior -*';
comment on constraint notifications_actor_id_fkey on app_public.notifications is E'@backwardBehavior -*\n@notNull';
comment on constraint notifications_post_id_fkey on app_public.notifications is '@backwardBehavior -*';
comment on constraint notifications_comment_id_fkey on app_public.notifications is '@backwardBehavior -*';
-- For the list, for unread ones and for those that have been read. The last one costs nothing until then.
create index if not exists notifications_user_id_id_idx on app_public.notifications (user_id, id desc);
create index if not exists notifications_user_id_id_unread_idx on app_public.notifications (user_id, id desc) where read_at is null;
create index if not exists notifications_user_id_id_read_idx on app_public.notifications (user_id, id desc) where read_at is not null;
-- For deletes of users, posts and comments.
create index if not exists notifications_actor_id_user_id_idx on app_public.notifications (actor_id, user_id);
create index if not exists notifications_post_id_idx on app_public.notifications (post_id);
create index if not exists notifications_comment_id_idx on app_public.notifications (comment_id);

-- Not audited: each repeats an event that is.
select app_hidden.protect('app_public.notifications', is_audited => false);
--!include functions/show_with_parent.sql
-- Hidden with the post. The policy of show_with_parent() admits nobody else's notifications, because the next one restricts it.
select app_hidden.show_with_parent('app_public.notifications', 'post_id');
drop policy if exists select_without_post on app_public.notifications;
create policy select_without_post on app_public.notifications for select to :API_MEMBER
  using (post_id is null);
drop policy if exists select_only_own on app_public.notifications;
create policy select_only_own on app_public.notifications as restrictive for select to :API_ANONYMOUS, :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
drop policy if exists update_own on app_public.notifications;
create policy update_own on app_public.notifications for update to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
grant select, update (read_at) on app_public.notifications to :API_MEMBER;

--!include functions/is_recent.sql
--!include functions/notify_users.sql
create or replace trigger _700_notify_users after insert on app_public.comments referencing new table as new_rows
  for each statement execute function app_hidden.tg_comments__notify_users();
create or replace trigger _700_notify_users after insert on app_public.follows referencing new table as new_rows
  for each statement execute function app_hidden.tg_follows__notify_users();
create or replace trigger _700_notify_users_less after delete on app_public.follows referencing old table as old_rows
  for each statement execute function app_hidden.tg_follows__notify_users();
select app_hidden.stream('app_public.notifications', 'user_id', kinds => '{added}');

--!include functions/mark_notifications_read.sql
--!include functions/users_unread_notifications_count.sql
--!include functions/maintain.sql
-- It deletes the events of the user's own streams as well.
--!include functions/erase_user.sql
