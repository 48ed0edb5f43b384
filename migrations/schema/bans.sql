-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A ban of a user.
-- @requires app_hidden.require_right_to_ban
-- @behavior -query:resource:list -query:resource:single
-- @listOrder created_at desc, id desc
-- @describe listOrder Newest first.
create table app_public.bans (
  id           bigint not null generated always as identity, -- The ban’s id.
  user_id      bigint not null, -- The banned user.
  reason       text not null, -- The reason.
  banned_by_id bigint, -- The admin who banned the user; null when the admin is deleted, and for direct SQL.
  created_at   timestamptz not null default now(), -- The time of the ban.
  constraint bans_pkey primary key (id),
  constraint bans_user_id_key unique (user_id), -- [@behavior -single] This user is banned already.
  constraint bans_banned_by_id_fkey foreign key (banned_by_id) references app_public.users(id) on delete set null, -- [@fieldName bannedBy] [@backwardBehavior -*]
  constraint bans_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade, -- [@notNull]
  constraint bans_reason_blank_check check (((reason ~ '\S'::text) or (reason = ''::text))), -- A reason needs more than spaces.
  constraint bans_reason_length_check check (((char_length(reason) >= 1) and (char_length(reason) <= 1000))) -- A reason needs between 1 and 1000 characters.
);

-- Indexes
create index bans_banned_by_id_idx on app_public.bans (banned_by_id);
create index bans_created_at_id_idx on app_public.bans (created_at desc, id desc);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.bans is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of reason on app_public.bans for each row execute function conventions.validate_app_public_bans();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.bans for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a ban is added or removed: the account has it, too.
create trigger _500_bar_user after insert or delete on app_public.bans for each row execute function app_hidden.tg_bans__bar_user();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.bans referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.bans referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.bans referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');

-- Row-level security
alter table app_public.bans enable row level security;
create policy select_by_right on app_public.bans for select to api_member
  using (( select app_hidden.viewer_may('BAN'::app_public.user_right) as viewer_may));

-- Rights, beside the owner's
grant select on app_public.bans to api_member;
