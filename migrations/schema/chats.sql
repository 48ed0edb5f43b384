-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A private room whose members read and write messages.
-- @behavior -query:resource:list
-- @listOrder id
-- @firstRows app_hidden.first_chats
create table app_public.chats (
  id               bigint not null generated always as identity, -- The chat’s id.
  title            text, -- The chat’s title; null for an untitled chat.
  last_number      bigint not null default 0, -- [@behavior -*] No later message has this number or a lower one: that of the newest message that was deleted, in SQL.
  created_at       timestamptz not null default now(), -- The time when the chat was created.
  is_direct        boolean not null default false, -- Whether this is the direct chat of two users.
  last_activity_at timestamptz not null default now(), -- [@behavior -*] Not used.
  creator_id       bigint default app_hidden.viewer_id(), -- [@behavior -*] The user who created the chat, renames it and removes members; null when deleted.
  constraint chats_pkey primary key (id),
  constraint chats_creator_id_fkey foreign key (creator_id) references app_public.users(id) on delete set null, -- [@backwardBehavior -*]
  constraint chats_title_blank_check check (((title ~ '\S'::text) or (title = ''::text))), -- A chat’s title needs a character other than white space.
  constraint chats_title_length_check check (((char_length(title) >= 1) and (char_length(title) <= 100))) -- A chat’s title needs between 1 and 100 characters.
);

-- Indexes
create index chats_creator_id_idx on app_public.chats (creator_id);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.chats is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of title on app_public.chats for each row execute function conventions.validate_app_public_chats();
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of created_at on app_public.chats for each row when ((not conventions.is_plausible(new.created_at))) execute function conventions.tg__refuse_times('created_at');

-- Row-level security
alter table app_public.chats enable row level security;
create policy select_as_member on app_public.chats for select to api_member
  using ((exists ( select
   from app_public.chat_members m
  where ((m.chat_id = chats.id) and (m.user_id = ( select app_hidden.viewer_id() as viewer_id)))
 offset 0)));
create policy select_by_right on app_public.chats for select to api_member
  using (( select app_hidden.viewer_may('MODERATE'::app_public.user_right) as viewer_may));

-- Rights, beside the owner's
grant select on app_public.chats to api_member;

-- Referenced by
-- app_private.direct_chats (direct_chats_chat_id_fkey)
-- app_public.chat_members (chat_members_chat_id_fkey)
-- app_public.inbox_entries (inbox_entries_chat_id_fkey)
-- app_public.messages (messages_chat_id_fkey)
