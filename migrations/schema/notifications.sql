-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Tells a user that somebody follows, has commented or replied, or that an admin has decided about what the user has reported.
-- @behavior -query:resource:list -query:resource:single
-- @describe listOrder Newest first.
-- @listOrder id desc
-- @subscription notificationAdded user_id added viewer
-- @describe notificationAdded Each notification of the signed-in user as it is added, in order, once.
create table app_public.notifications (
  id         bigint not null generated always as identity, -- The notification’s id.
  user_id    bigint not null, -- [@behavior -*] The user who is notified.
  kind       app_public.notification_kind not null, -- What has happened.
  actor_id   bigint, -- The user who did it.
  post_id    bigint, -- The post of the comment or reply.
  comment_id bigint, -- The new comment or reply.
  read_at    timestamptz, -- [@listFilter isNull:unread] The time when it was marked as read.
  created_at timestamptz not null default now(), -- The time of the event.
  report_id  bigint, -- [@behavior -*] The report that an admin has decided.
  constraint notifications_pkey primary key (id),
  constraint notifications_actor_id_fkey foreign key (actor_id) references app_public.users(id) on delete cascade, -- [@backwardBehavior -*]
  constraint notifications_comment_id_fkey foreign key (comment_id) references app_public.comments(id) on delete cascade, -- [@backwardBehavior -*]
  constraint notifications_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade, -- [@backwardBehavior -*]
  constraint notifications_report_id_user_id_fkey foreign key (report_id, user_id) references app_public.report_reasons(report_id, reporter_id) on delete cascade, -- [@fieldName reportReason] [@forwardDescription Your reason of the report that an admin has decided. Null for other kinds.] [@backwardBehavior -*]
  constraint notifications_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade -- [@backwardBehavior -*] [@notNull]
);

-- Indexes
create index notifications_actor_id_user_id_idx on app_public.notifications (actor_id, user_id);
create index notifications_comment_id_idx on app_public.notifications (comment_id) where (comment_id is not null);
create index notifications_post_id_idx on app_public.notifications (post_id) where (post_id is not null);
create index notifications_report_id_user_id_idx on app_public.notifications (report_id, user_id) where (report_id is not null);
create index notifications_user_id_id_idx on app_public.notifications (user_id, id desc);
create index notifications_user_id_id_read_idx on app_public.notifications (user_id, id desc) where (read_at is not null);
create index notifications_user_id_id_unread_idx on app_public.notifications (user_id, id desc) where (read_at is null);

-- Triggers, before and after, in the order in which they run
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.notifications for each statement execute function change_feed.tg__refuse_truncate();
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_user_id_insert after insert on app_public.notifications referencing new table as new_rows for each statement execute function change_feed.tg__record_events('user_id', 'id', '', '');
-- After notifications are marked as read, or unread ones are gone: their users are told once for all of them, so that another tab counts anew.
create trigger _900_tell_user_delete after delete on app_public.notifications referencing old table as old_rows for each statement execute function app_hidden.tg_notifications__tell_user();
-- After notifications are marked as read, or unread ones are gone: their users are told once for all of them, so that another tab counts anew.
create trigger _900_tell_user_update after update on app_public.notifications referencing new table as new_rows for each statement execute function app_hidden.tg_notifications__tell_user();

-- Row-level security
alter table app_public.notifications enable row level security;
create policy select_own on app_public.notifications for select to api_member
  using (((user_id = ( select app_hidden.viewer_id() as viewer_id)) and ((post_id is null) or (exists ( select
   from app_public.posts
  where (posts.id = notifications.post_id)
 offset 0)))));
create policy update_own on app_public.notifications for update to api_member
  using ((user_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.notifications to api_member;
grant update (read_at) on app_public.notifications to api_member;
