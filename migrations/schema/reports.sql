-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- A report of a post or a comment.
create table app_public.reports (
  id             bigint not null generated always as identity, -- The report’s id.
  status         app_public.report_status not null default 'OPEN'::app_public.report_status, -- OPEN until an admin has decided.
  reporter_id    bigint not null, -- The user who reported it.
  post_id        bigint, -- The reported post; null for a comment.
  comment_id     bigint, -- The reported comment; null for a post.
  reason         text not null, -- The reason that the reporter gave.
  created_at     timestamptz not null default now(), -- The time of the report.
  note           text, -- A note by the admin who decided.
  resolved_by_id bigint, -- The admin who decided; null while the report is open, and when the admin is deleted.
  resolved_at    timestamptz, -- The time of the decision; null while the report is open.
  constraint reports_pkey primary key (id),
  constraint reports_reporter_id_comment_id_key unique (reporter_id, comment_id), -- You have reported this comment already.
  constraint reports_reporter_id_post_id_key unique (reporter_id, post_id), -- You have reported this post already.
  constraint reports_comment_id_fkey foreign key (comment_id) references app_public.comments(id) on delete cascade,
  constraint reports_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade,
  constraint reports_reporter_id_fkey foreign key (reporter_id) references app_public.users(id) on delete cascade,
  constraint reports_resolved_by_id_fkey foreign key (resolved_by_id) references app_public.users(id) on delete set null,
  constraint reports_note_length_check check ((char_length(note) <= 1000)), -- A note has at most 1000 characters.
  constraint reports_reason_blank_check check (((reason ~ '\S'::text) or (reason = ''::text))), -- A reason needs more than spaces.
  constraint reports_reason_length_check check (((char_length(reason) >= 1) and (char_length(reason) <= 1000))), -- A reason needs between 1 and 1000 characters.
  constraint reports_resolved_at_check check (((status = 'OPEN'::app_public.report_status) = (resolved_at is null))), -- A report has the time of its decision, unless it is open.
  constraint reports_target_check check ((num_nonnulls(post_id, comment_id) = 1)) -- A report is about either a post or a comment.
);

-- Indexes
create index reports_comment_id_idx on app_public.reports (comment_id);
create index reports_created_at_id_idx on app_public.reports (created_at, id);
create index reports_post_id_idx on app_public.reports (post_id);
create index reports_reporter_id_created_at_idx on app_public.reports (reporter_id, created_at);
create index reports_resolved_by_id_idx on app_public.reports (resolved_by_id);
create index reports_status_created_at_id_idx on app_public.reports (status, created_at, id);

-- Triggers, before and after, in the order in which they run
-- Before a row is written: brings its texts into the form of app_hidden.normal_text().
create trigger _050_normalize_text before insert or update on app_public.reports for each row execute function app_hidden.tg__normalize_text();
-- Before a row is written: raises FAULT with all its faults, where PostgreSQL would report only the first.
create trigger _200_refuse_faults before insert or update on app_public.reports for each row execute function app_hidden.tg__refuse_faults();
-- Before a report is added: refuses more than fifty reports of a user within a day.
create trigger _300_bound before insert on app_public.reports for each row execute function app_hidden.tg_reports__bound();
-- After a statement: records its changes in the audit trail.
create trigger _900_record_truncates before truncate on app_public.reports for each statement execute function app_hidden.tg__record_changes('id');
-- After rows change: keeps the counts of a column’s values.
create trigger _600_count_status_added after insert on app_public.reports referencing new table as new_rows for each statement execute function app_hidden.tg__count_rows('status');
-- After rows change: keeps the counts of a column’s values.
create trigger _600_count_status_removed after delete on app_public.reports referencing old table as old_rows for each statement execute function app_hidden.tg__count_rows('status');
-- After rows change: keeps the counts of a column’s values.
create trigger _600_count_status_truncated after truncate on app_public.reports for each statement execute function app_hidden.tg__count_rows('status');
-- After rows change: keeps the counts of a column’s values.
create trigger _600_count_status_updated after update on app_public.reports referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__count_rows('status');
-- After a statement: records its changes in the audit trail.
create trigger _900_record_deletes after delete on app_public.reports referencing old table as old_rows for each statement execute function app_hidden.tg__record_changes('id');
-- After a statement: records its changes in the audit trail.
create trigger _900_record_inserts after insert on app_public.reports referencing new table as new_rows for each statement execute function app_hidden.tg__record_changes('id');
-- After a statement: records its changes in the audit trail.
create trigger _900_record_updates after update on app_public.reports referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__record_changes('id');

-- Policies
create policy insert_own on app_public.reports for insert to api_member
  with check (((reporter_id = ( select app_hidden.viewer_id() as viewer_id)) and ((post_id is null) or (exists ( select
   from app_public.posts
  where (posts.id = reports.post_id)))) and ((comment_id is null) or (exists ( select
   from app_public.comments
  where (comments.id = reports.comment_id))))));
create policy select_as_admin on app_public.reports for select to api_member
  using (( select app_hidden.viewer_is_admin() as viewer_is_admin));
create policy update_as_admin on app_public.reports for update to api_member
  using (( select app_hidden.viewer_is_admin() as viewer_is_admin));

-- Rights, beside the owner's
grant insert (reporter_id, post_id, comment_id, reason) on app_public.reports to api_member;
grant select on app_public.reports to api_member;
grant update (status, note, resolved_by_id, resolved_at) on app_public.reports to api_member;
