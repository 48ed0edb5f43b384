-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A chat in your inbox.
-- @behavior -query:resource:list -query:resource:connection -single -type:node
-- @listOrder listed_at desc, chat_id desc
-- @describe listOrder Latest activity first.
-- @subscription inboxEntryChanged user_id updated viewer
-- @describe inboxEntryChanged Each chat of your inbox as it is now, after a new message, a change of the last one, of the title, the members or unreadCount.
-- @subscription chatLeft user_id deleted viewer
-- @describe chatLeft Each chat that you are no longer a member of, on any device.
create table app_public.inbox_entries (
  user_id          bigint not null, -- [@behavior -*] The member.
  chat_id          bigint not null, -- The chat.
  listed_at        timestamptz not null, -- [@behavior -*] Orders the inbox: the time of the last message.
  last_read_number bigint not null, -- [@behavior -*] The number of the last message that the member has marked as read, or of the newest when the user became a member.
  constraint inbox_entries_pkey primary key (chat_id, user_id),
  constraint inbox_entries_chat_id_fkey foreign key (chat_id) references app_public.chats(id) on delete cascade, -- [@notNull inherited] [@backwardBehavior -*]
  constraint inbox_entries_chat_id_user_id_fkey foreign key (chat_id, user_id) references app_public.chat_members(chat_id, user_id) on update cascade on delete cascade, -- [@behavior -*]
  constraint inbox_entries_user_id_fkey foreign key (user_id) references app_public.users(id) on delete cascade -- [@notNull] [@backwardBehavior -list] [@foreignFieldName inbox]
);

-- Indexes
create index inbox_entries_user_id_listed_at_chat_id_idx on app_public.inbox_entries (user_id, listed_at desc, chat_id desc);

-- Triggers, before and after, in the order in which they run
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.inbox_entries for each statement execute function change_feed.tg__refuse_truncate();

-- Row-level security
alter table app_public.inbox_entries enable row level security;
create policy select_own on app_public.inbox_entries for select to api_member
  using ((user_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.inbox_entries to api_member;
