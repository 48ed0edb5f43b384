--! Previous: sha1:2d167e2c5e73807334c503ddb16ab70c474f4c83
--! Hash: sha1:6cc21f671297fe0f31249046d225901ee83b754c
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
  reporter_id    bigint not null references app_public.users on delete cascade,
  post_id        bigint references app_public.posts on delete set null,
  comment_id     bigint references app_public.comments on delete set null,
  message_id     bigint references app_public.messages on delete cascade,
  reason         text not null,
  created_at     timestamptz not null default now(),
  note           text,
  resolved_by_id bigint references app_public.users on delete set null,
  resolved_at    timestamptz,
  constraint reports_reporter_id_post_id_key unique (reporter_id, post_id),
  constraint reports_reporter_id_comment_id_key unique (reporter_id, comment_id),
  constraint reports_reporter_id_message_id_key unique (reporter_id, message_id),
  constraint reports_resolved_at_check check ((status = 'OPEN') = (resolved_at is null)),
  constraint reports_target_check check (
    num_nonnulls(post_id, comment_id, message_id) = 1 or status <> 'OPEN' and num_nonnulls(post_id, comment_id, message_id) = 0),
  constraint reports_reason_length_check check (char_length(reason) between 1 and 1000),
  constraint reports_reason_blank_check check (reason ~ '\S' or reason = ''),
  constraint reports_note_length_check check (char_length(note) <= 1000)
);
comment on table app_public.reports is $$@requires app_hidden.require_admin
@behavior -query:resource:list -query:resource:single
@listOrder created_at, id
@describe listOrder Oldest first.
@totalCount app_hidden.count_reports status
A report of a post, a comment or a message. Only admins see it.$$;
comment on column app_public.reports.id is $$The report’s id.$$;
comment on column app_public.reports.status is $$@listFilter
OPEN until an admin has decided.$$;
comment on column app_public.reports.reporter_id is $$The user who reported it.$$;
comment on column app_public.reports.post_id is $$The reported post; null for a comment or a message, and when the post is deleted after the decision.$$;
comment on column app_public.reports.comment_id is $$The reported comment; null for a post or a message, and when the comment is deleted after the decision.$$;
comment on column app_public.reports.message_id is $$The reported message; null for a post or a comment.$$;
comment on column app_public.reports.reason is $$The reason that the reporter gave.$$;
comment on column app_public.reports.created_at is $$The time of the report.$$;
comment on column app_public.reports.note is $$A note by the admin who decided.$$;
comment on column app_public.reports.resolved_by_id is $$The admin who decided; null while the report is open, and when the admin is deleted.$$;
comment on column app_public.reports.resolved_at is $$The time of the decision; null while the report is open.$$;
comment on constraint reports_reporter_id_fkey on app_public.reports is $$@notNull
@backwardBehavior -*$$;
comment on constraint reports_post_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_comment_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_message_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_resolved_by_id_fkey on app_public.reports is $$@backwardBehavior -*$$;
comment on constraint reports_reporter_id_post_id_key on app_public.reports is $$@behavior -single
You have reported this post already.$$;
comment on constraint reports_reporter_id_comment_id_key on app_public.reports is $$@behavior -single
You have reported this comment already.$$;
comment on constraint reports_reporter_id_message_id_key on app_public.reports is $$@behavior -single
You have reported this message already.$$;
comment on constraint reports_resolved_at_check on app_public.reports is $$A report has the time of its decision, unless it is open.$$;
comment on constraint reports_target_check on app_public.reports is $$An open report is about one post, comment or message.$$;
comment on constraint reports_reason_length_check on app_public.reports is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint reports_reason_blank_check on app_public.reports is $$A reason needs more than spaces.$$;
comment on constraint reports_note_length_check on app_public.reports is $$A note has at most 1000 characters.$$;
create index reports_created_at_id_idx on app_public.reports (created_at, id);
create index reports_status_created_at_id_idx on app_public.reports (status, created_at, id);
create index reports_post_id_idx on app_public.reports (post_id);
create index reports_comment_id_idx on app_public.reports (comment_id);
create index reports_message_id_idx on app_public.reports (message_id);
create index reports_resolved_by_id_idx on app_public.reports (resolved_by_id);
-- For the number of reports that a user has made lately.
create index reports_reporter_id_created_at_idx on app_public.reports (reporter_id, created_at);

alter table app_public.reports enable row level security;
--! Included functions/moderation/is_in_own_chat.sql
-- Security definer: a policy of reports calls this, and the policies of messages look at reports, without end otherwise.
create or replace function app_hidden.is_in_own_chat(message_id bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from app_public.messages join app_public.chat_members using (chat_id)
                  where messages.id = is_in_own_chat.message_id and user_id = app_hidden.viewer_id())
$$;
comment on function app_hidden.is_in_own_chat(bigint) is $$Whether the message is in a chat that the viewer is a member of.$$;
grant execute on function app_hidden.is_in_own_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/moderation/is_in_own_chat.sql
create policy select_as_admin on app_public.reports for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy insert_own on app_public.reports for insert to :API_MEMBER
  with check (reporter_id = (select app_hidden.viewer_id())
          and (post_id is null or exists (select from app_public.posts where posts.id = reports.post_id))
          and (comment_id is null or exists (select from app_public.comments where comments.id = reports.comment_id))
          and (message_id is null or app_hidden.is_in_own_chat(message_id)));
create policy update_as_admin on app_public.reports for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select, insert (reporter_id, post_id, comment_id, message_id, reason), update (status, note, resolved_by_id, resolved_at)
  on app_public.reports to :API_MEMBER;
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
--! Included functions/moderation/tg_reports__bound.sql
-- Security definer: reporters do not see their own reports.
create or replace function app_hidden.tg_reports__bound() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_blocked_at timestamptz;
begin
  -- Reports of a user take turns, so that each sees the ones before.
  perform from app_public.users where id = new.reporter_id for no key update;
  v_blocked_at := (
    select created_at from app_public.reports
     where reporter_id = new.reporter_id and created_at > now() - interval '1 day'
     order by created_at desc offset 49 limit 1);
  if v_blocked_at is not null then
    raise exception using errcode = 'RATEL', message = 'Too many reports',
      detail = greatest(1, ceil(extract(epoch from v_blocked_at + interval '1 day' - now())))::text;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_reports__bound() is $$Before a report is added: refuses more than fifty reports of a user within a day.$$;
--! EndIncluded functions/moderation/tg_reports__bound.sql
create trigger _300_bound before insert on app_public.reports
  for each row execute function app_hidden.tg_reports__bound();
select conventions.apply_to('app_public.reports');
select conventions.count_rows('app_public.reports', 'status');

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
begin
  perform app_hidden.require_row('app_public.posts', report_post.post_id, 'post');
  insert into app_public.reports (reporter_id, post_id, reason)
  values (app_hidden.viewer_id(), report_post.post_id, report_post.reason)
  on conflict do nothing;
  return (true, 'The post is reported.'::text);
exception when insufficient_privilege or foreign_key_violation then
  -- The post may have been hidden or deleted since.
  perform app_hidden.require_row('app_public.posts', report_post.post_id, 'post');
  raise;
end $$;
comment on function app_public.report_post(bigint, text) is $$@describe post_id The post to report.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a post to the admins. The author never learns of it. Idempotent: the first report of a post by a user stays. More than fifty reports in a day give RATE_LIMITED.$$;
grant execute on function app_public.report_post(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/report_post.sql
--! Included functions/moderation/report_comment.sql
create or replace function app_public.report_comment(comment_id bigint, reason text) returns app_public.action_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.require_row('app_public.comments', report_comment.comment_id, 'comment');
  insert into app_public.reports (reporter_id, comment_id, reason)
  values (app_hidden.viewer_id(), report_comment.comment_id, report_comment.reason)
  on conflict do nothing;
  return (true, 'The comment is reported.'::text);
exception when insufficient_privilege or foreign_key_violation then
  -- The comment may have been hidden or deleted since.
  perform app_hidden.require_row('app_public.comments', report_comment.comment_id, 'comment');
  raise;
end $$;
comment on function app_public.report_comment(bigint, text) is $$@describe comment_id The comment to report.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a comment to the admins. The author never learns of it. Idempotent: the first report of a comment by a user stays. More than fifty reports in a day give RATE_LIMITED.$$;
grant execute on function app_public.report_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/report_comment.sql
--! Included functions/moderation/report_message.sql
create or replace function app_public.report_message(message_id bigint, reason text) returns app_public.action_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- An admin may see the message without being a member.
  if not app_hidden.is_in_own_chat(report_message.message_id) then
    perform app_hidden.refuse_missing('message');
  end if;
  insert into app_public.reports (reporter_id, message_id, reason)
  values (app_hidden.viewer_id(), report_message.message_id, report_message.reason)
  on conflict do nothing;
  return (true, 'The message is reported.'::text);
end $$;
comment on function app_public.report_message(bigint, text) is $$@describe message_id The message to report, in one of your chats.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a message to the admins, who can read it then. The sender never learns of it. Idempotent: the first report of a message by a user stays. More than fifty reports in a day give RATE_LIMITED.$$;
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
