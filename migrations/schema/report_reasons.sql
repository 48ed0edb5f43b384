-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The reason that a user gave for a report.
-- @behavior -query:resource:list -query:resource:connection -query:resource:single -type:node
-- @listOrder created_at, reporter_id
-- @describe listOrder Oldest first.
create table app_public.report_reasons (
  report_id   bigint not null, -- [@behavior -*] The report.
  reporter_id bigint not null, -- The user who gave it.
  reason      text not null, -- The reason.
  created_at  timestamptz not null default now(), -- The time when it was given.
  constraint report_reasons_pkey primary key (report_id, reporter_id),
  constraint report_reasons_report_id_fkey foreign key (report_id) references app_public.reports(id) on delete cascade, -- [@forwardBehavior -*] [@backwardBehavior -connection] [@foreignFieldName reasons]
  constraint report_reasons_reporter_id_fkey foreign key (reporter_id) references app_public.users(id) on delete cascade, -- [@notNull] [@backwardBehavior -*]
  constraint report_reasons_reason_blank_check check (((reason ~ '\S'::text) or (reason = ''::text))), -- A reason needs more than spaces.
  constraint report_reasons_reason_length_check check (((char_length(reason) >= 1) and (char_length(reason) <= 1000))) -- A reason needs between 1 and 1000 characters.
);

-- Indexes
create index report_reasons_report_id_created_at_reporter_id_idx on app_public.report_reasons (report_id, created_at, reporter_id);
create index report_reasons_reporter_id_created_at_idx on app_public.report_reasons (reporter_id, created_at);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.report_reasons is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of reason on app_public.report_reasons for each row execute function conventions.validate_app_public_report_reasons();
-- Before a reason is added: refuses more than fifty of a user within a day.
create trigger _300_bound before insert on app_public.report_reasons for each row when ((new.created_at >= now())) execute function app_hidden.tg_report_reasons__bound();
-- After reasons are added: counts them, and reopens their reports.
create trigger _500_count_delete after delete on app_public.report_reasons referencing old table as changed for each statement execute function app_hidden.tg_report_reasons__count();
-- After reasons are added: counts them, and reopens their reports.
create trigger _500_count_insert after insert on app_public.report_reasons referencing new table as changed for each statement execute function app_hidden.tg_report_reasons__count();

-- Row-level security
alter table app_public.report_reasons enable row level security;
create policy select_by_right on app_public.report_reasons for select to api_member
  using (( select app_hidden.viewer_may('READ_REPORTS'::app_public.user_right) as viewer_may));
create policy select_own on app_public.report_reasons for select to api_member
  using ((reporter_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.report_reasons to api_member;

-- Referenced by
-- app_public.notifications (notifications_report_id_user_id_fkey)
