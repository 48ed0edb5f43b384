-- Moderation: users report posts and comments, and admins read the reports, ban users and change roles.
drop table if exists app_public.reports cascade;
drop type if exists app_public.report_status;
drop table if exists app_public.bans cascade;

-- Bans: why a user cannot sign in. app_private.accounts.banned_at is what requests look at.
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
comment on table app_public.bans is E'@listOrder created_at desc, id desc\n@describe listOrder Newest first.\nA ban of a user. Only admins see it.';
comment on column app_public.bans.id is $$The ban’s id.$$;
comment on column app_public.bans.user_id is $$The banned user.$$;
comment on column app_public.bans.reason is $$The reason, for other admins.$$;
comment on column app_public.bans.banned_by_id is $$The admin who banned the user; null when the admin is deleted, and for direct SQL.$$;
comment on column app_public.bans.created_at is $$The time of the ban.$$;
comment on constraint bans_user_id_key on app_public.bans is E'@behavior -single\nThis user is banned already.';
comment on constraint bans_reason_length_check on app_public.bans is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint bans_reason_blank_check on app_public.bans is $$A reason needs more than spaces.$$;
comment on constraint bans_user_id_fkey on app_public.bans is '@notNull';
comment on constraint bans_banned_by_id_fkey on app_public.bans is E'@fieldName bannedBy\n@backwardBehavior -*';
create index bans_created_at_id_idx on app_public.bans (created_at desc, id desc);
create index bans_banned_by_id_idx on app_public.bans (banned_by_id);
select app_hidden.protect('app_public.bans');
create policy select_as_admin on app_public.bans for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.bans to :API_MEMBER;
-- No writes: ban_user() and unban_user(), and plain SQL, which has the same effect.
--!include functions/tg_bans__bar_user.sql
create or replace trigger _500_bar_user after insert or delete on app_public.bans
  for each row execute function app_hidden.tg_bans__bar_user();

create type app_public.report_status as enum ('OPEN', 'UPHELD', 'DISMISSED');
comment on type app_public.report_status is $$@describe OPEN No admin has decided yet.
@describe UPHELD An admin has agreed.
@describe DISMISSED An admin has not agreed.
The state of a report.$$;

-- Reports: what readers find wrong. The author never learns of them.
create table app_public.reports (
  id             bigint generated always as identity primary key,
  status         app_public.report_status not null default 'OPEN',
  reporter_id    bigint not null references app_public.users on delete cascade,
  post_id        bigint references app_public.posts on delete cascade,
  comment_id     bigint references app_public.comments on delete cascade,
  reason         text not null,
  created_at     timestamptz not null default now(),
  note           text,
  resolved_by_id bigint references app_public.users on delete set null,
  resolved_at    timestamptz,
  constraint reports_reporter_id_post_id_key unique (reporter_id, post_id),
  constraint reports_reporter_id_comment_id_key unique (reporter_id, comment_id),
  constraint reports_target_check check (num_nonnulls(post_id, comment_id) = 1),
  constraint reports_resolved_at_check check ((status = 'OPEN') = (resolved_at is null)),
  constraint reports_reason_length_check check (char_length(reason) between 1 and 1000),
  constraint reports_reason_blank_check check (reason ~ '\S' or reason = ''),
  constraint reports_note_length_check check (char_length(note) <= 1000)
);
comment on table app_public.reports is E'@listOrder created_at, id\n@describe listOrder Oldest first.\n@totalCount app_hidden.count_reports status\nA report of a post or a comment. Only admins see it.';
comment on column app_public.reports.id is $$The report’s id.$$;
comment on column app_public.reports.status is E'@listFilter\nOPEN until an admin has decided.';
comment on column app_public.reports.reporter_id is $$The user who reported it.$$;
comment on column app_public.reports.post_id is $$The reported post; null for a comment.$$;
comment on column app_public.reports.comment_id is $$The reported comment; null for a post.$$;
comment on column app_public.reports.reason is $$The reason that the reporter gave.$$;
comment on column app_public.reports.created_at is $$The time of the report.$$;
comment on column app_public.reports.note is $$A note by the admin who decided.$$;
comment on column app_public.reports.resolved_by_id is $$The admin who decided; null while the report is open, and when the admin is deleted.$$;
comment on column app_public.reports.resolved_at is $$The time of the decision; null while the report is open.$$;
comment on constraint reports_reporter_id_post_id_key on app_public.reports is E'@behavior -single\nYou have reported this post already.';
comment on constraint reports_reporter_id_comment_id_key on app_public.reports is E'@behavior -single\nYou have reported this comment already.';
comment on constraint reports_target_check on app_public.reports is $$A report is about either a post or a comment.$$;
comment on constraint reports_resolved_at_check on app_public.reports is $$A report has the time of its decision, unless it is open.$$;
comment on constraint reports_reason_length_check on app_public.reports is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint reports_reason_blank_check on app_public.reports is $$A reason needs more than spaces.$$;
comment on constraint reports_note_length_check on app_public.reports is $$A note has at most 1000 characters.$$;
comment on constraint reports_reporter_id_fkey on app_public.reports is E'@notNull\n@backwardBehavior -*';
comment on constraint reports_post_id_fkey on app_public.reports is '@backwardBehavior -*';
comment on constraint reports_comment_id_fkey on app_public.reports is '@backwardBehavior -*';
comment on constraint reports_resolved_by_id_fkey on app_public.reports is '@backwardBehavior -*';
create index reports_created_at_id_idx on app_public.reports (created_at, id);
create index reports_status_created_at_id_idx on app_public.reports (status, created_at, id);
create index reports_post_id_idx on app_public.reports (post_id);
create index reports_comment_id_idx on app_public.reports (comment_id);
create index reports_resolved_by_id_idx on app_public.reports (resolved_by_id);
-- For the number of reports that a user has made lately.
create index reports_reporter_id_created_at_idx on app_public.reports (reporter_id, created_at);
select app_hidden.protect('app_public.reports');
create policy select_as_admin on app_public.reports for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy insert_own on app_public.reports for insert to :API_MEMBER
  with check (reporter_id = (select app_hidden.viewer_id())
          and (post_id is null or exists (select from app_public.posts where posts.id = reports.post_id))
          and (comment_id is null or exists (select from app_public.comments where comments.id = reports.comment_id)));
create policy update_as_admin on app_public.reports for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select, insert (reporter_id, post_id, comment_id, reason), update (status, note, resolved_by_id, resolved_at)
  on app_public.reports to :API_MEMBER;
--!include functions/tg_reports__bound.sql
create or replace trigger _300_bound before insert on app_public.reports
  for each row execute function app_hidden.tg_reports__bound();
select app_private.count_rows('app_public.reports', 'status');
--!include functions/count_reports.sql

--!include functions/ban_user.sql
--!include functions/unban_user.sql
--!include functions/set_user_role.sql
--!include functions/report_post.sql
--!include functions/report_comment.sql
--!include functions/resolve_report.sql
