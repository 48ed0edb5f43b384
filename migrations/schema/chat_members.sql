-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The members of each chat.
-- @manyToMany
create table app_public.chat_members (
  chat_id   bigint not null, -- The chat.
  user_id   bigint not null, -- The member.
  joined_at timestamptz not null default now(), -- The time when the user became a member.
  constraint chat_members_pkey primary key (chat_id, user_id),
  constraint chat_members_chat_id_fkey foreign key (chat_id) references app_public.chats(id) on delete cascade, -- [@backwardBehavior -list]
  constraint chat_members_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade -- [@fieldName members] [@backwardBehavior -list]
);

-- Indexes
create index chat_members_user_id_chat_id_idx on app_public.chat_members (user_id, chat_id);

-- Triggers, before and after, in the order in which they run
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of joined_at on app_public.chat_members for each row when ((not conventions.is_plausible(new.joined_at))) execute function conventions.tg__refuse_times('joined_at');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.chat_members for each statement execute function conventions.tg__record_changes('{chat_id,user_id}', '{}', '{}', '{}', '{}', '{}');
-- After members are added to a chat: puts it into their inboxes, with all messages so far as read, and tells all members.
create trigger _500_open_inbox_insert after insert on app_public.chat_members referencing new table as added for each statement execute function app_hidden.tg_chat_members__open_inbox();
-- After members leave or are removed: notifies the services to check again who may read the chat, and tells those who are no longer members and those who still are.
create trigger _900_notify_rights_delete after delete on app_public.chat_members referencing old table as removed for each statement execute function app_hidden.tg_chat_members__notify_removed();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.chat_members referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{chat_id,user_id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.chat_members referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{chat_id,user_id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.chat_members referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{chat_id,user_id}', '{}', '{}', '{}', '{}', '{}');

-- Row-level security
alter table app_public.chat_members enable row level security;
create policy select_as_member on app_public.chat_members for select to api_member
  using (((user_id = ( select app_hidden.viewer_id() as viewer_id)) or (chat_id in ( select app_hidden.viewer_chat_ids() as viewer_chat_ids))));
create policy select_by_right on app_public.chat_members for select to api_member
  using (( select app_hidden.viewer_may('MODERATE'::app_public.user_right) as viewer_may));

-- Rights, beside the owner's
grant select on app_public.chat_members to api_member;

-- Referenced by
-- app_public.inbox_entries (inbox_entries_chat_id_user_id_fkey)
