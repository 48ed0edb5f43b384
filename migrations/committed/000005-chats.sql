--! Previous: sha1:a932c05721dbd93716690dd549b862cd55f9ed2f
--! Hash: sha1:e8bbf55659e8527ada5cfaa29b3661b1dcd87a97
--! Message: chats

--! split: 500-chats.sql
-- Chats: rooms whose members read and write messages. Nobody else knows that they are there.
create table app_public.chats (
  id          bigint generated always as identity primary key,
  title       text,
  last_number bigint not null default 0,
  created_at  timestamptz not null default now(),
  constraint chats_title_length_check check (char_length(title) between 1 and 100),
  constraint chats_last_number_check check (last_number >= 0)
);
comment on table app_public.chats is E'@behavior -*\nA room whose members read and write messages.';
comment on column app_public.chats.id is $$Identifies the chat, for good.$$;
comment on column app_public.chats.title is $$What the members call it; null for a talk that needs no name.$$;
comment on column app_public.chats.last_number is E'@behavior -*\nThe number of the newest message; 0 before the first.';
comment on column app_public.chats.created_at is $$When it was opened.$$;
comment on constraint chats_title_length_check on app_public.chats is $$A chat’s title needs between 1 and 100 characters.$$;
comment on constraint chats_last_number_check on app_public.chats is $$Messages are numbered from 1.$$;
create trigger _200_refuse_faults before insert or update on app_public.chats
  for each row execute function app_hidden.tg__refuse_faults();

create table app_public.chat_members (
  chat_id   bigint not null references app_public.chats on delete cascade,
  user_id   bigint not null references app_public.users on delete cascade,
  joined_at timestamptz not null default now(),
  primary key (chat_id, user_id)
);
comment on table app_public.chat_members is E'@behavior -*\nWho is in which chat.';
comment on column app_public.chat_members.chat_id is $$The chat.$$;
comment on column app_public.chat_members.user_id is $$The user who is in it.$$;
comment on column app_public.chat_members.joined_at is $$Since when.$$;
comment on constraint chat_members_chat_id_fkey on app_public.chat_members is E'@behavior -*';
comment on constraint chat_members_user_id_fkey on app_public.chat_members is E'@behavior -*';
-- Carries “the viewer's chats” and the foreign key to users.
create index chat_members_user_id_chat_id_idx on app_public.chat_members (user_id, chat_id);

create table app_public.messages (
  id         bigint generated always as identity primary key,
  chat_id    bigint not null references app_public.chats on delete cascade,
  number     bigint not null,
  -- A chat stays readable when one of its members is gone.
  sender_id  bigint references app_public.users on delete set null,
  text       text not null,
  created_at timestamptz not null default now(),
  constraint messages_chat_id_number_key unique (chat_id, number),
  constraint messages_text_length_check check (char_length(text) between 1 and 5000),
  constraint messages_text_blank_check check (text ~ '\S' or text = '')
);
comment on table app_public.messages is E'@subscription messageAdded chat_id\n@listOrder number desc, id desc\n@behavior -query:resource:list -query:resource:connection\nWhat a member says in a chat.';
comment on column app_public.messages.id is $$Identifies the message, for good.$$;
comment on column app_public.messages.chat_id is $$The chat that it was said in.$$;
comment on column app_public.messages.number is E'@behavior -*\nThe place in its chat, from 1 and without gaps. Given under the lock of the chat’s row, so messages become visible in the order of their numbers.';
comment on column app_public.messages.sender_id is $$Who said it; null when that user is gone.$$;
comment on column app_public.messages.text is $$What was said.$$;
comment on column app_public.messages.created_at is $$When it was said.$$;
comment on constraint messages_chat_id_number_key on app_public.messages is E'@behavior -single\nThis place in the chat is taken.';
comment on constraint messages_text_length_check on app_public.messages is $$A message needs between 1 and 5000 characters.$$;
comment on constraint messages_text_blank_check on app_public.messages is $$A message needs more than spaces.$$;
comment on constraint messages_chat_id_fkey on app_public.messages is E'@behavior -*';
comment on constraint messages_sender_id_fkey on app_public.messages is E'@backwardBehavior -*';
-- Carries the foreign key to users.
create index messages_sender_id_idx on app_public.messages (sender_id);

--! Included functions/tg_messages__prepare.sql
-- Security definer: a chat's last number is nobody's to write.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.text := normalize(new.text, NFC);
  -- The lock on the chat's row is held to the end of the transaction: the next message waits for this one to commit or to
  -- vanish, so numbers have no gaps and are committed in order.
  update app_public.chats set last_number = last_number + 1 where id = new.chat_id returning last_number into new.number;
  if not found then
    -- The foreign key says it better.
    new.number := 1;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: normal form C, and its number in the chat.$$;
--! EndIncluded functions/tg_messages__prepare.sql
create trigger _100_prepare before insert on app_public.messages
  for each row execute function app_hidden.tg_messages__prepare();
create trigger _200_refuse_faults before insert or update on app_public.messages
  for each row execute function app_hidden.tg__refuse_faults();

--! Included functions/viewer_chat_ids.sql
-- Security definer: the policy of chat_members asks this, and would otherwise ask itself.
create or replace function app_hidden.viewer_chat_ids() returns setof bigint
language sql stable security definer rows 20 set search_path = '' as $$
  select chat_id from app_public.chat_members where user_id = app_hidden.viewer_id()
$$;
comment on function app_hidden.viewer_chat_ids() is $$The chats that the viewer is a member of.$$;
grant execute on function app_hidden.viewer_chat_ids() to :API_MEMBER;
--! EndIncluded functions/viewer_chat_ids.sql

alter table app_public.chats enable row level security;
create policy select_as_member on app_public.chats for select to :API_MEMBER
  using (id in (select app_hidden.viewer_chat_ids()));
create policy select_as_admin on app_public.chats for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.chats to :API_MEMBER;

alter table app_public.chat_members enable row level security;
create policy select_as_member on app_public.chat_members for select to :API_MEMBER
  using (chat_id in (select app_hidden.viewer_chat_ids()));
create policy select_as_admin on app_public.chat_members for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.chat_members to :API_MEMBER;

alter table app_public.messages enable row level security;
create policy select_as_member on app_public.messages for select to :API_MEMBER
  using (chat_id in (select app_hidden.viewer_chat_ids()));
create policy select_as_admin on app_public.messages for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy insert_own on app_public.messages for insert to :API_MEMBER
  with check (sender_id = (select app_hidden.viewer_id()) and chat_id in (select app_hidden.viewer_chat_ids()));
grant select, insert (chat_id, sender_id, text) on app_public.messages to :API_MEMBER;
