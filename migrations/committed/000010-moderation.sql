--! Previous: sha1:8b968e9bd97b0dbdc180888fbf453a913670112b
--! Hash: sha1:2be1a1c982eee81dae0cabdfc4ddcd41a19cda81
--! Message: moderation

-- Moderation: users report posts, comments and messages, and admins read the reports, ban users and change roles.

-- Bans: why a user cannot sign in. Requests look at app_private.accounts.banned_at.
create table app_public.bans (
  id           bigint generated always as identity primary key,
  user_id      bigint not null references app_public.users on delete cascade,
  reason       text not null,
  banned_by_id bigint references app_public.users on delete set null,
  created_at   timestamptz not null default now(),
  constraint bans_user_id_key unique (user_id),
  constraint bans_reason_length_check check (char_length(reason) between 1 and 1000),
  constraint bans_reason_blank_check check (reason ~ '\S' or reason = '')
);
comment on table app_public.bans is $$@requires app_hidden.require_admin
@behavior -query:resource:list -query:resource:single
@listOrder created_at desc, id desc
@describe listOrder Newest first.
A ban of a user. Only admins see it.$$;
comment on column app_public.bans.id is $$The ban’s id.$$;
comment on column app_public.bans.user_id is $$The banned user.$$;
comment on column app_public.bans.reason is $$The reason. The user is told it at a sign-in.$$;
comment on column app_public.bans.banned_by_id is $$The admin who banned the user; null when the admin is deleted, and for direct SQL.$$;
comment on column app_public.bans.created_at is $$The time of the ban.$$;
comment on constraint bans_user_id_fkey on app_public.bans is $$@notNull$$;
comment on constraint bans_banned_by_id_fkey on app_public.bans is $$@fieldName bannedBy
@backwardBehavior -*$$;
comment on constraint bans_user_id_key on app_public.bans is $$@behavior -single
This user is banned already.$$;
comment on constraint bans_reason_length_check on app_public.bans is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint bans_reason_blank_check on app_public.bans is $$A reason needs more than spaces.$$;
create index bans_created_at_id_idx on app_public.bans (created_at desc, id desc);
create index bans_banned_by_id_idx on app_public.bans (banned_by_id);

alter table app_public.bans enable row level security;
create policy select_as_admin on app_public.bans for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.bans to :API_MEMBER;
-- No writes: ban_user() and unban_user(), and plain SQL, which has the same effect.

--! Included functions/moderation/tg_bans__bar_user.sql
-- Security definer: a role that may write bans need not have rights on accounts.
create or replace function app_hidden.tg_bans__bar_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    update app_private.accounts set banned_at = now() where user_id = new.user_id and banned_at is null;
  else
    update app_private.accounts set banned_at = null where user_id = old.user_id and banned_at is not null;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_bans__bar_user() is $$After a ban is added or removed: the account has it, too. Its triggers end the user’s sessions, subscriptions and tokens.$$;
--! EndIncluded functions/moderation/tg_bans__bar_user.sql
create trigger _500_bar_user after insert or delete on app_public.bans
  for each row execute function app_hidden.tg_bans__bar_user();
select conventions.apply_to('app_public.bans');

-- Reports: what readers find wrong. The author never learns of them.
create type app_public.report_status as enum ('OPEN', 'UPHELD', 'DISMISSED');
comment on type app_public.report_status is $$@describe OPEN No admin has decided yet.
@describe UPHELD An admin has agreed.
@describe DISMISSED An admin has not agreed.
The state of a report.$$;

create table app_public.reports (
  id             bigint generated always as identity primary key,
  status         app_public.report_status not null default 'OPEN',
  post_id        bigint references app_public.posts on delete set null,
  comment_id     bigint references app_public.comments on delete set null,
  message_id     bigint references app_public.messages on delete cascade,
  reasons_count  int not null default 0,
  created_at     timestamptz not null default now(),
  note           text,
  resolved_by_id bigint references app_public.users on delete set null,
  resolved_at    timestamptz,
  queue          smallint not null generated always as (1) stored,
  constraint reports_post_id_key unique (post_id),
  constraint reports_comment_id_key unique (comment_id),
  constraint reports_message_id_key unique (message_id),
  constraint reports_resolved_at_check check ((status = 'OPEN') = (resolved_at is null)),
  constraint reports_target_check check (
    num_nonnulls(post_id, comment_id, message_id) = 1 or status <> 'OPEN' and num_nonnulls(post_id, comment_id, message_id) = 0),
  constraint reports_note_length_check check (char_length(note) <= 1000)
);
comment on table app_public.reports is $$@requires app_hidden.require_admin
@behavior -query:resource:list -query:resource:single
@listOrder created_at, id
@describe listOrder Oldest first.
@totalCount app_hidden.count_reports status
@subscription reportUpdated queue updated 1
@describe reportUpdated Each report, for admins, when a user makes it, another user gives a reason, or an admin decides.
@subscription reportDeleted queue deleted 1
@describe reportDeleted Each report that goes undecided, with what it is about or with its reporters.
The report of a post, a comment or a message, with the reasons of all users who have reported it. Only admins see it.$$;
comment on column app_public.reports.id is $$The report’s id.$$;
comment on column app_public.reports.status is $$@listFilter
OPEN until an admin has decided, and again when another user reports it.$$;
comment on column app_public.reports.post_id is $$The reported post; null for a comment or a message, and when the post is deleted after the decision.$$;
comment on column app_public.reports.comment_id is $$The reported comment; null for a post or a message, and when the comment is deleted after the decision.$$;
comment on column app_public.reports.message_id is $$The reported message; null for a post or a comment.$$;
comment on column app_public.reports.reasons_count is $$The number of users who have reported it.$$;
comment on column app_public.reports.created_at is $$The time of the first reason, or of the first one since the last decision.$$;
comment on column app_public.reports.note is $$A note by the admin who decided.$$;
comment on column app_public.reports.resolved_by_id is $$The admin who decided; null while the report is open, and when the admin is deleted.$$;
comment on column app_public.reports.resolved_at is $$The time of the decision; null while the report is open.$$;
comment on column app_public.reports.queue is $$@behavior -*
Always 1: the key of the one stream of all reports.$$;
comment on constraint reports_post_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_comment_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_message_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_resolved_by_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_post_id_key on app_public.reports is $$@behavior -single
This post has a report already.$$;
comment on constraint reports_comment_id_key on app_public.reports is $$@behavior -single
This comment has a report already.$$;
comment on constraint reports_message_id_key on app_public.reports is $$@behavior -single
This message has a report already.$$;
comment on constraint reports_resolved_at_check on app_public.reports is $$A report has the time of its decision, unless it is open.$$;
comment on constraint reports_target_check on app_public.reports is $$An open report is about one post, comment or message.$$;
comment on constraint reports_note_length_check on app_public.reports is $$A note has at most 1000 characters.$$;
create index reports_created_at_id_idx on app_public.reports (created_at, id);
create index reports_status_created_at_id_idx on app_public.reports (status, created_at, id);
create index reports_resolved_by_id_idx on app_public.reports (resolved_by_id);

-- Why each user has reported it.
create table app_public.report_reasons (
  report_id   bigint not null references app_public.reports on delete cascade,
  reporter_id bigint not null references app_public.users on delete cascade,
  reason      text not null,
  created_at  timestamptz not null default now(),
  primary key (report_id, reporter_id),
  constraint report_reasons_reason_length_check check (char_length(reason) between 1 and 1000),
  constraint report_reasons_reason_blank_check check (reason ~ '\S' or reason = '')
);
comment on table app_public.report_reasons is $$@behavior -query:resource:list -query:resource:connection -query:resource:single -type:node
@listOrder created_at, reporter_id
@describe listOrder Oldest first.
The reason that a user gave for a report. Only the user and admins see it.$$;
comment on column app_public.report_reasons.report_id is $$@behavior -*
The report.$$;
comment on column app_public.report_reasons.reporter_id is $$The user who gave it.$$;
comment on column app_public.report_reasons.reason is $$The reason.$$;
comment on column app_public.report_reasons.created_at is $$The time when it was given.$$;
comment on constraint report_reasons_report_id_fkey on app_public.report_reasons is $$@forwardBehavior -*
@backwardBehavior -connection
@foreignFieldName reasons$$;
comment on constraint report_reasons_reporter_id_fkey on app_public.report_reasons is $$@notNull
@backwardBehavior -*$$;
comment on constraint report_reasons_reason_length_check on app_public.report_reasons is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint report_reasons_reason_blank_check on app_public.report_reasons is $$A reason needs more than spaces.$$;
create index report_reasons_report_id_created_at_reporter_id_idx on app_public.report_reasons (report_id, created_at, reporter_id);
-- For the number of reports that a user has made lately.
create index report_reasons_reporter_id_created_at_idx on app_public.report_reasons (reporter_id, created_at);

alter table app_public.reports enable row level security;
alter table app_public.report_reasons enable row level security;
create policy select_as_admin on app_public.reports for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy update_as_admin on app_public.reports for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy select_own on app_public.report_reasons for select to :API_MEMBER
  using (reporter_id = (select app_hidden.viewer_id()));
create policy select_as_admin on app_public.report_reasons for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select, update (status, note, resolved_by_id, resolved_at) on app_public.reports to :API_MEMBER;
grant select on app_public.report_reasons to :API_MEMBER;
-- No other writes: add_report(), and plain SQL.
-- Of the chats of others, an admin reads the reported messages and no other one, and changes nothing of them but deletes them.
create policy select_reported on app_public.messages for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()) and exists (select from app_public.reports where message_id = messages.id offset 0));
create policy delete_reported on app_public.messages for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()) and exists (select from app_public.reports where message_id = messages.id offset 0))
  with check ((select app_hidden.viewer_is_admin()) and deleted_at is not null);

--! Included functions/moderation/tg_reports__drop_open.sql
-- Security definer: whoever deletes a post need not have rights on its reports.
create or replace function app_hidden.tg_reports__drop_open() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_public.reports where id = old.id;
  return null;
end $$;
comment on function app_hidden.tg_reports__drop_open() is $$When the post or comment of an open report is deleted: there is nothing to decide any more. A decided report stays.$$;
--! EndIncluded functions/moderation/tg_reports__drop_open.sql
create trigger _100_drop_open_update before update of post_id, comment_id on app_public.reports
  for each row when (old.status = 'OPEN' and num_nonnulls(new.post_id, new.comment_id) = 0)
  execute function app_hidden.tg_reports__drop_open();
--! Included functions/moderation/tg_report_reasons__bound.sql
-- Security definer: nobody may lock a row of users.
create or replace function app_hidden.tg_report_reasons__bound() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_blocked_at timestamptz;
begin
  -- Reports of a user take turns, so that each sees the ones before.
  perform from app_public.users where id = new.reporter_id for no key update;
  v_blocked_at := (
    select created_at from app_public.report_reasons
     where reporter_id = new.reporter_id and created_at > now() - interval '1 day'
     order by created_at desc offset 49 limit 1);
  if v_blocked_at is not null then
    raise exception using errcode = 'RATEL', message = 'Too many reports',
      detail = greatest(1, ceil(extract(epoch from v_blocked_at + interval '1 day' - now())))::text;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_report_reasons__bound() is $$Before a reason is added: refuses more than fifty of a user within a day.$$;
--! EndIncluded functions/moderation/tg_report_reasons__bound.sql
create trigger _300_bound before insert on app_public.report_reasons
  for each row execute function app_hidden.tg_report_reasons__bound();
--! Included functions/moderation/tg_report_reasons__count.sql
-- Security definer: reporters do not see reports. The count is changed first: it waits for other reporters, and tells whether one is left.
create or replace function app_hidden.tg_report_reasons__count() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    update app_public.reports
       set reasons_count = reasons_count + added.reasons, status = 'OPEN', resolved_by_id = null, resolved_at = null,
           created_at = case status when 'OPEN' then reports.created_at else now() end
      from (select report_id, count(*) as reasons from changed group by report_id) as added
     where id = report_id;
  else
    update app_public.reports set reasons_count = reasons_count - gone.reasons
      from (select report_id, count(*) as reasons from changed group by report_id) as gone
     where id = report_id;
    delete from app_public.reports using changed where id = report_id and status = 'OPEN' and reasons_count = 0;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_report_reasons__count() is $$After reasons are added: counts them, and reopens their reports. After they are deleted with their users: an open report without any goes.$$;
--! EndIncluded functions/moderation/tg_report_reasons__count.sql
create trigger _500_count_insert after insert on app_public.report_reasons
  referencing new table as changed for each statement execute function app_hidden.tg_report_reasons__count();
create trigger _500_count_delete after delete on app_public.report_reasons
  referencing old table as changed for each statement execute function app_hidden.tg_report_reasons__count();
-- Without the audit trail: the entries of the report say who gave a reason and when.
select conventions.apply_to('app_public.reports'),
       conventions.apply_to('app_public.report_reasons', is_audited => false);
select conventions.count_rows('app_public.reports', 'status');

alter table app_public.notifications
  add column report_id bigint,
  add constraint notifications_report_id_user_id_fkey foreign key (report_id, user_id) references app_public.report_reasons on delete cascade;
comment on column app_public.notifications.report_id is $$@behavior -*
The report that an admin has decided.$$;
comment on constraint notifications_report_id_user_id_fkey on app_public.notifications is $$@fieldName reportReason
@forwardDescription Your reason of the report that an admin has decided. Null for other kinds.
@backwardBehavior -*$$;
create index notifications_report_id_user_id_idx on app_public.notifications (report_id, user_id) where report_id is not null;
--! Included functions/moderation/tg_reports__notify_users.sql
-- Security definer: nobody else may write notifications.
create or replace function app_hidden.tg_reports__notify_users() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_public.notifications using old_rows, new_rows
   where report_id = old_rows.id and new_rows.id = old_rows.id and new_rows.status <> old_rows.status;
  insert into app_public.notifications (user_id, kind, report_id)
  select reporter_id, ('REPORT_' || new_rows.status)::app_public.notification_kind, report_id
    from old_rows join new_rows using (id) join app_public.report_reasons on report_id = id
   where new_rows.status not in ('OPEN', old_rows.status) and reporter_id is distinct from new_rows.resolved_by_id
   order by report_id, reporter_id;
  return null;
end $$;
comment on function app_hidden.tg_reports__notify_users() is $$After a report is decided: notifies its reporters, but the admin who decided. When it is reopened or decided otherwise, that notification goes.$$;
--! EndIncluded functions/moderation/tg_reports__notify_users.sql
create trigger _500_notify_users_update after update on app_public.reports
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_reports__notify_users();
--! Included functions/moderation/report_reading.sql
-- The rule of the admins’ policy of reports, for any viewer.
create or replace function app_private.report_reading(queue bigint, viewer_id bigint) returns table (may_read boolean)
language sql stable rows 1 as $$
  select exists (select from app_public.users where id = report_reading.viewer_id and role = 'ADMIN')
$$;
comment on function app_private.report_reading(bigint, bigint) is $$Whether the viewer may follow the reports: admins may.$$;
--! EndIncluded functions/moderation/report_reading.sql
select change_feed.stream('app_public.reports', 'queue', kinds => '{updated,deleted}', may_read => 'app_private.report_reading');

--! Included functions/moderation/count_reports.sql
create or replace function app_hidden.count_reports(status app_public.report_status default null) returns bigint
language sql stable
-- The policies of counts show these to admins only.
return (select coalesce(sum(value), 0)::bigint from conventions.counter_shards
         where (select app_hidden.require_admin()) and counter = 'reports.status' and (count_reports.status is null or key = count_reports.status::text));
comment on function app_hidden.count_reports(app_public.report_status) is $$The number of reports, or of those with a status, for admins; refused to others.$$;
grant execute on function app_hidden.count_reports(app_public.report_status) to :API_MEMBER;
--! EndIncluded functions/moderation/count_reports.sql
--! Included functions/moderation/ban_user.sql
-- Security definer: the API's roles may not write bans or accounts.
create or replace function app_public.ban_user(user_id bigint, reason text) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user app_public.users;
begin
  perform app_hidden.require_admin();
  -- Locked, so that the user does not become an admin meanwhile.
  select * into v_user from app_public.users where id = ban_user.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  elsif v_user.id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "You cannot ban yourself."}]');
  elsif v_user.role = 'ADMIN' then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ADMIN", "message": "An admin cannot be banned. Change the role first."}]');
  end if;
  insert into app_public.bans (user_id, reason, banned_by_id)
  values (v_user.id, ban_user.reason, app_hidden.viewer_id())
  on conflict on constraint bans_user_id_key do update set reason = excluded.reason, banned_by_id = excluded.banned_by_id
   where bans.reason <> excluded.reason;
  return v_user;
end $$;
comment on function app_public.ban_user(bigint, text) is $$@errorCode ADMIN It is an admin, whom nobody bans.
@describe user_id The user to ban.
@describe reason The reason, which the user is told at a sign-in: 1 to 1,000 characters.
Bans a user, as an admin: all sessions and subscriptions end at once, and the user can neither sign in nor reset the password. What the user has written stays. A second ban changes the reason.$$;
grant execute on function app_public.ban_user(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/ban_user.sql
--! Included functions/moderation/unban_user.sql
-- Security definer: the API's roles may not write bans or accounts.
create or replace function app_public.unban_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user app_public.users;
begin
  perform app_hidden.require_admin();
  select * into v_user from app_public.users where id = unban_user.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  delete from app_public.bans where bans.user_id = v_user.id;
  -- A ban that an operator has set in SQL has no row.
  update app_private.accounts set banned_at = null where accounts.user_id = v_user.id and banned_at is not null;
  return v_user;
end $$;
comment on function app_public.unban_user(bigint) is $$@describe user_id The user who may sign in again.
Lifts the ban of a user, as an admin. Former sessions stay ended. Idempotent.$$;
grant execute on function app_public.unban_user(bigint) to :API_MEMBER;
--! EndIncluded functions/moderation/unban_user.sql
--! Included functions/moderation/set_user_role.sql
-- Security definer: the API's roles may not write roles.
create or replace function app_public.set_user_role(user_id bigint, role app_public.user_role) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user app_public.users;
begin
  perform app_hidden.require_admin();
  -- Changes of admins take turns. Two admins who demote each other: the second one is no admin any more.
  perform from app_public.users where users.role = 'ADMIN' order by id for no key update;
  perform app_hidden.require_admin();
  select * into v_user from app_public.users where id = set_user_role.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  elsif v_user.id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "You cannot change your own role."}]');
  elsif set_user_role.role = 'ADMIN' and exists (
    select from app_private.accounts where accounts.user_id = v_user.id and banned_at is not null) then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "BANNED", "message": "A banned user cannot become an admin."}]');
  end if;
  update app_public.users set role = set_user_role.role where id = v_user.id and users.role <> set_user_role.role;
  select * into v_user from app_public.users where id = v_user.id;
  return v_user;
end $$;
comment on function app_public.set_user_role(bigint, app_public.user_role) is $$@errorCode BANNED It is a banned user.
@errorCode ONESELF It is the user’s own id.
@describe user_id The user whose role changes.
@describe role The new role.
Changes the role of another user, as an admin. Nobody changes their own role, so an admin always remains.$$;
grant execute on function app_public.set_user_role(bigint, app_public.user_role) to :API_MEMBER;
--! EndIncluded functions/moderation/set_user_role.sql
--! Included functions/moderation/report_post.sql
create or replace function app_public.report_post(post_id bigint, reason text) returns app_public.action_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_result app_public.action_result := app_hidden.add_report('post', report_post.post_id, report_post.reason);
begin
  -- Afterwards: it may be hidden meanwhile.
  perform app_hidden.require_row('app_public.posts', report_post.post_id, 'post');
  return v_result;
end $$;
comment on function app_public.report_post(bigint, text) is $$@describe post_id The post to report.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a post to the admins. The author never learns of it. A notification tells you of the decision. Idempotent: your first reason stays. Fifty reports a day, then RATE_LIMITED.$$;
grant execute on function app_public.report_post(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/report_post.sql
--! Included functions/moderation/add_report.sql
-- Security definer: reporters do not see reports.
create or replace function app_hidden.add_report(thing text, id bigint, reason text) returns app_public.action_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_post_id bigint := case thing when 'post' then add_report.id end;
  v_comment_id bigint := case thing when 'comment' then add_report.id end;
  v_message_id bigint := case thing when 'message' then add_report.id end;
  v_report_id bigint;
begin
  insert into app_public.reports (post_id, comment_id, message_id) values (v_post_id, v_comment_id, v_message_id) on conflict do nothing;
  -- Locked, so that it is not deleted before it has this reason.
  select reports.id into strict v_report_id from app_public.reports
   where post_id = v_post_id or comment_id = v_comment_id or message_id = v_message_id for update;
  insert into app_public.report_reasons (report_id, reporter_id, reason)
  values (v_report_id, app_hidden.viewer_id(), add_report.reason)
  on conflict do nothing;
  return (true, format('The %s is reported.', thing));
exception when foreign_key_violation or no_data_found then
  perform app_hidden.refuse_missing(thing);
end $$;
comment on function app_hidden.add_report(text, bigint, text) is $$Adds the viewer’s reason to the report of a post, comment or message. The caller asks whether the viewer sees it. The first reason of a user stays.$$;
grant execute on function app_hidden.add_report(text, bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/add_report.sql
--! Included functions/moderation/report_comment.sql
create or replace function app_public.report_comment(comment_id bigint, reason text) returns app_public.action_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_result app_public.action_result := app_hidden.add_report('comment', report_comment.comment_id, report_comment.reason);
begin
  -- Afterwards: it may be hidden meanwhile.
  perform app_hidden.require_row('app_public.comments', report_comment.comment_id, 'comment');
  return v_result;
end $$;
comment on function app_public.report_comment(bigint, text) is $$@describe comment_id The comment to report.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a comment to the admins. The author never learns of it. A notification tells you of the decision. Idempotent: your first reason stays. Fifty reports a day, then RATE_LIMITED.$$;
grant execute on function app_public.report_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/report_comment.sql
--! Included functions/moderation/report_message.sql
create or replace function app_public.report_message(message_id bigint, reason text) returns app_public.action_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- An admin may see the message without being a member.
  if not exists (
    select from app_public.messages join app_public.chat_members using (chat_id)
     where messages.id = report_message.message_id and user_id = app_hidden.viewer_id()) then
    perform app_hidden.refuse_missing('message');
  end if;
  return app_hidden.add_report('message', report_message.message_id, report_message.reason);
end $$;
comment on function app_public.report_message(bigint, text) is $$@describe message_id The message to report, in one of your chats.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a message to the admins, who can read it then. The sender never learns of it. A notification tells you of the decision. Idempotent: your first reason stays. Fifty reports a day, then RATE_LIMITED.$$;
grant execute on function app_public.report_message(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/report_message.sql
--! Included functions/moderation/resolve_report.sql
create or replace function app_public.resolve_report(id bigint, status app_public.report_status, note text default null) returns app_public.reports
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_report app_public.reports;
begin
  update app_public.reports
     set status = resolve_report.status,
         note = resolve_report.note,
         resolved_by_id = case when resolve_report.status <> 'OPEN' then app_hidden.viewer_id() end,
         resolved_at = case when resolve_report.status <> 'OPEN' then now() end
   where reports.id = resolve_report.id
  returning * into v_report;
  if not found then
    perform app_hidden.refuse_missing('report');
  end if;
  return v_report;
end $$;
comment on function app_public.resolve_report(bigint, app_public.report_status, text) is $$@describe id The report to decide.
@describe status The decision; OPEN reopens the report.
@describe note A note for other admins: at most 1,000 characters.
Decides a report, as an admin. It changes neither the post, the comment nor the message, and bans nobody.$$;
grant execute on function app_public.resolve_report(bigint, app_public.report_status, text) to :API_MEMBER;
--! EndIncluded functions/moderation/resolve_report.sql
