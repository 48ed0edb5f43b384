-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A text by a member of a chat.
-- @describe listOrder Newest first.
-- @subscription messageAdded chat_id
-- @subscription messageUpdated chat_id updated
-- @describe messageUpdated Each message as it is edited or deleted, in order, once.
-- @listOrder number desc, id desc
-- @behavior -query:resource:list -query:resource:connection -query:resource:single
create table app_public.messages (
  id         bigint not null generated always as identity, -- The message’s id.
  chat_id    bigint not null, -- The chat of the message.
  number     bigint not null, -- [@behavior -*] The position in its chat, from 1 and without gaps.
  sender_id  bigint, -- The user who sent the message; null when deleted.
  text       text not null, -- The text; [erased] when the message or its sender is deleted.
  created_at timestamptz not null default now(), -- [@timestampFormat DATE] The time when the message was sent.
  edited_at  timestamptz, -- The time of the last edit; null before the first one.
  deleted_at timestamptz, -- The time when the message was deleted, or null.
  relist_at  timestamptz not null default '-infinity'::timestamp with time zone, -- [@behavior -*] From this time on, by the clock of the server, the next message moves the chat up in the inboxes of its members at once.
  constraint messages_pkey primary key (id),
  constraint messages_chat_id_number_key unique (chat_id, number), -- [@behavior -single] This number is already in use in the chat.
  constraint messages_chat_id_fkey foreign key (chat_id) references app_public.chats(id) on delete cascade, -- [@backwardBehavior -list] [@notNull inherited]
  constraint messages_sender_id_fkey foreign key (sender_id) references app_public.users(id) on delete set null, -- [@backwardBehavior -*]
  constraint messages_deleted_at_check check (((deleted_at is null) or (text = '[erased]'::text))), -- A deleted message has the text [erased].
  constraint messages_text_blank_check check (((text ~ '\S'::text) or (text = ''::text))), -- A message needs a character other than white space.
  constraint messages_text_length_check check (((char_length(text) >= 1) and (char_length(text) <= 5000))) -- A message needs between 1 and 5000 characters.
);

-- Indexes
create index messages_created_at_day_idx on app_public.messages ((((created_at at time zone 'UTC'::text))::date));
create index messages_sender_id_chat_id_number_idx on app_public.messages (sender_id, chat_id, number);

-- Triggers, before and after, in the order in which they run
-- Before a message is written: sets its number in the chat, and when the next one may move the chat in the inboxes.
create trigger _100_prepare before insert on app_public.messages for each row execute function app_hidden.tg_messages__prepare();
-- Before a row of app_public.messages is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of deleted_at, text on app_public.messages for each row execute function conventions.validate_app_public_messages();
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of created_at on app_public.messages for each row when ((not conventions.is_plausible(new.created_at))) execute function conventions.tg__refuse_times('created_at');
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.messages for each statement execute function change_feed.tg__refuse_truncate();
-- After messages are written: moves their chats up in the inboxes of the members, unless they have just been moved, and has the members told.
create trigger _500_deliver_insert after insert on app_public.messages referencing new table as new_rows for each statement execute function app_hidden.tg_messages__deliver();
-- After messages are deleted, in SQL: no member has unread messages where none of them is left, and all are told.
create trigger _500_mark_read_delete after delete on app_public.messages referencing old table as old_rows for each statement execute function app_hidden.tg_messages__mark_read();
-- After messages are edited or deleted: the members of chats whose last message it is are told.
create trigger _500_tell_inboxes_update after update on app_public.messages referencing new table as new_rows for each statement execute function app_hidden.tg_messages__tell_inboxes();
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_chat_id_insert after insert on app_public.messages referencing new table as new_rows for each statement execute function change_feed.tg__record_events('chat_id', 'id', 'number', '');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_chat_id_update after update on app_public.messages referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('chat_id', 'id', 'number', '');

-- Row-level security
alter table app_public.messages enable row level security;
create policy delete_reported on app_public.messages for update to api_member
  using ((( select app_hidden.viewer_may('MODERATE'::app_public.user_right) as viewer_may) and (exists ( select
   from app_public.reports
  where (reports.message_id = messages.id)
 offset 0))))
  with check ((( select app_hidden.viewer_may('MODERATE'::app_public.user_right) as viewer_may) and (deleted_at is not null)));
create policy insert_own on app_public.messages for insert to api_member
  with check (((sender_id = ( select app_hidden.viewer_id() as viewer_id)) and (exists ( select
   from app_public.chat_members m
  where ((m.chat_id = messages.chat_id) and (m.user_id = ( select app_hidden.viewer_id() as viewer_id)))
 offset 0))));
create policy select_as_member on app_public.messages for select to api_member
  using ((exists ( select
   from app_public.chat_members m
  where ((m.chat_id = messages.chat_id) and (m.user_id = ( select app_hidden.viewer_id() as viewer_id)))
 offset 0)));
create policy select_reported on app_public.messages for select to api_member
  using ((( select app_hidden.viewer_may('READ_REPORTS'::app_public.user_right) as viewer_may) and (exists ( select
   from app_public.reports
  where (reports.message_id = messages.id)
 offset 0))));
create policy update_own on app_public.messages for update to api_member
  using (((sender_id = ( select app_hidden.viewer_id() as viewer_id)) and (deleted_at is null)))
  with check ((sender_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant insert (chat_id, sender_id, text) on app_public.messages to api_member;
grant select on app_public.messages to api_member;
grant update (text, edited_at, deleted_at) on app_public.messages to api_member;

-- Referenced by
-- app_public.reports (reports_message_id_fkey)
