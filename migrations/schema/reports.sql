-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The report of a post, a comment or a message, with the reasons of all users who have reported it.
-- @requires app_hidden.require_right_to_read_reports
-- @behavior -query:resource:list -query:resource:single
-- @listOrder created_at, id
-- @describe listOrder Oldest first.
-- @totalCount app_hidden.count_reports status
-- @subscription reportUpdated queue updated 1
-- @describe reportUpdated Each report, for admins, when a user makes it, another user gives a reason, or an admin decides.
-- @subscription reportDeleted queue deleted 1
-- @describe reportDeleted Each report that goes undecided, with what it is about or with its reporters.
create table app_public.reports (
  id             bigint not null generated always as identity, -- The report’s id.
  status         app_public.report_status not null default 'OPEN'::app_public.report_status, -- [@listFilter] OPEN until an admin has decided, and again when another user reports it.
  post_id        bigint, -- The reported post; null for a comment or a message, and when the post is deleted after the decision.
  comment_id     bigint, -- The reported comment; null for a post or a message, and when the comment is deleted after the decision.
  message_id     bigint, -- The reported message; null for a post or a comment.
  reasons_count  integer not null default 0, -- The number of users who have reported it.
  created_at     timestamptz not null default now(), -- The time of the first reason, or of the first one since the last decision.
  note           text, -- A note by the admin who decided.
  resolved_by_id bigint, -- The admin who decided; null while the report is open, and when the admin is deleted.
  resolved_at    timestamptz, -- The time of the decision; null while the report is open.
  queue          smallint not null generated always as (1) stored, -- [@behavior -*] Always 1: the key of the one stream of all reports.
  constraint reports_pkey primary key (id),
  constraint reports_comment_id_key unique (comment_id), -- [@behavior -single] This comment has a report already.
  constraint reports_message_id_key unique (message_id), -- [@behavior -single] This message has a report already.
  constraint reports_post_id_key unique (post_id), -- [@behavior -single] This post has a report already.
  constraint reports_comment_id_fkey foreign key (comment_id) references app_public.comments(id) on delete set null, -- [@backwardBehavior -*]
  constraint reports_message_id_fkey foreign key (message_id) references app_public.messages(id) on delete cascade, -- [@backwardBehavior -*]
  constraint reports_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete set null, -- [@backwardBehavior -*]
  constraint reports_resolved_by_id_fkey foreign key (resolved_by_id) references app_public.users(id) on delete set null, -- [@backwardBehavior -*]
  constraint reports_note_length_check check ((char_length(note) <= 1000)), -- A note has at most 1000 characters.
  constraint reports_resolved_at_check check (((status = 'OPEN'::app_public.report_status) = (resolved_at is null))), -- A report has the time of its decision, unless it is open.
  constraint reports_target_check check (((num_nonnulls(post_id, comment_id, message_id) = 1) or ((status <> 'OPEN'::app_public.report_status) and (num_nonnulls(post_id, comment_id, message_id) = 0)))) -- An open report is about one post, comment or message.
);

-- Indexes
create index reports_created_at_id_idx on app_public.reports (created_at, id);
create index reports_resolved_by_id_idx on app_public.reports (resolved_by_id);
create index reports_status_created_at_id_idx on app_public.reports (status, created_at, id);

-- Triggers, before and after, in the order in which they run
-- When the post or comment of an open report is deleted: there is nothing to decide any more.
create trigger _100_drop_open_update before update of post_id, comment_id on app_public.reports for each row when (((old.status = 'OPEN'::app_public.report_status) and (num_nonnulls(new.post_id, new.comment_id) = 0))) execute function app_hidden.tg_reports__drop_open();
-- Before a row of app_public.reports is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of comment_id, message_id, note, post_id, resolved_at, status on app_public.reports for each row execute function conventions.validate_app_public_reports();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.reports for each statement execute function conventions.tg__record_changes('{id}', '{}', '{reports.status}', '{status}', '{NULL}', '{queue}');
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.reports for each statement execute function change_feed.tg__refuse_truncate();
-- After a report is decided: notifies its reporters, but the admin who decided.
create trigger _500_notify_users_update after update on app_public.reports referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_reports__notify_users();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.reports referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{reports.status}', '{status}', '{NULL}', '{queue}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.reports referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{reports.status}', '{status}', '{NULL}', '{queue}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.reports referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{reports.status}', '{status}', '{NULL}', '{queue}');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_queue_delete after delete on app_public.reports referencing old table as old_rows for each statement execute function change_feed.tg__record_events('queue', 'id', '', '');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_queue_update after update on app_public.reports referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('queue', 'id', '', '');

-- Row-level security
alter table app_public.reports enable row level security;
create policy select_by_right on app_public.reports for select to api_member
  using (( select app_hidden.viewer_may('READ_REPORTS'::app_public.user_right) as viewer_may));
create policy update_by_right on app_public.reports for update to api_member
  using (( select app_hidden.viewer_may('MODERATE'::app_public.user_right) as viewer_may));

-- Rights, beside the owner's
grant select on app_public.reports to api_member;
grant update (status, note, resolved_by_id, resolved_at) on app_public.reports to api_member;

-- Referenced by
-- app_public.report_reasons (report_reasons_report_id_fkey)
