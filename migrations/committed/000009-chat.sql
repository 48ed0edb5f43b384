--! Previous: sha1:4d0abd9284e98dd4e1045441ab7bf656c39f66c8
--! Hash: sha1:8b968e9bd97b0dbdc180888fbf453a913670112b
--! Message: chat

-- Chats: rooms whose members read and write messages. Nobody else knows that they are there.
create table app_public.chats (
  id               bigint generated always as identity primary key,
  title            text,
  last_number      bigint not null default 0,
  created_at       timestamptz not null default now(),
  is_direct        boolean not null default false,
  last_activity_at timestamptz not null default now(),
  relist_at        timestamptz not null default '-infinity',
  creator_id       bigint default app_hidden.viewer_id() references app_public.users on delete set null,
  constraint chats_title_length_check check (char_length(title) between 1 and 100),
  constraint chats_title_blank_check check (title ~ '\S' or title = '')
);
comment on table app_public.chats is $$@behavior -query:resource:list
@listOrder id
@firstRows app_hidden.first_chats
@foreignKey (id, last_number) references app_public.messages (chat_id, number)|@fieldName lastMessage|@backwardBehavior -*|@forwardDescription The last message; null before the first one.
A private room whose members read and write messages.$$;
comment on column app_public.chats.id is $$The chat’s id. Never changes.$$;
comment on column app_public.chats.title is $$The chat’s title; null for an untitled chat.$$;
comment on column app_public.chats.last_number is $$@behavior -*
The number of the newest message; 0 before the first.$$;
comment on column app_public.chats.created_at is $$The time when the chat was created.$$;
comment on column app_public.chats.is_direct is $$Whether this is the direct chat of two users.$$;
comment on column app_public.chats.last_activity_at is $$The time of the last message, or of the chat’s creation before the first one.$$;
comment on column app_public.chats.relist_at is $$@behavior -*
From this time on, the next message moves the chat up in the inboxes of its members.$$;
comment on column app_public.chats.creator_id is $$@behavior -*
The user who created the chat, renames it and removes members; null when deleted.$$;
comment on constraint chats_creator_id_fkey on app_public.chats is $$@backwardBehavior -*$$;
comment on constraint chats_title_length_check on app_public.chats is $$A chat’s title needs between 1 and 100 characters.$$;
comment on constraint chats_title_blank_check on app_public.chats is $$A chat’s title needs a character other than white space.$$;
-- Carries the foreign key to users.
create index chats_creator_id_idx on app_public.chats (creator_id);

create table app_public.chat_members (
  chat_id   bigint not null references app_public.chats on delete cascade,
  user_id   bigint not null references app_public.users on delete cascade,
  joined_at timestamptz not null default now(),
  primary key (chat_id, user_id)
);
comment on table app_public.chat_members is $$@manyToMany
The members of each chat.$$;
comment on column app_public.chat_members.chat_id is $$The chat.$$;
comment on column app_public.chat_members.user_id is $$The member.$$;
-- A thousand of each, whatever the average is. For a few, PostgreSQL would read and sort all, also those of a user or chat with many.
alter table app_public.chat_members alter column chat_id set (n_distinct = -0.001), alter column user_id set (n_distinct = -0.001);
comment on column app_public.chat_members.joined_at is $$The time when the user became a member.$$;
comment on constraint chat_members_chat_id_fkey on app_public.chat_members is $$@backwardBehavior -list$$;
comment on constraint chat_members_user_id_fkey on app_public.chat_members is $$@fieldName members
@backwardBehavior -list$$;
-- Carries “the viewer's chats” and the foreign key to users.
create index chat_members_user_id_chat_id_idx on app_public.chat_members (user_id, chat_id);

--! Included functions/chat/viewer_chat_ids.sql
-- Security definer: the policy of chat_members calls this. Without it, the policy would call itself without end.
create or replace function app_hidden.viewer_chat_ids() returns setof bigint
language sql stable security definer rows 20 set search_path = pg_catalog, pg_temp as $$
  select chat_id from app_public.chat_members where user_id = app_hidden.viewer_id()
$$;
comment on function app_hidden.viewer_chat_ids() is $$The ids of the chats that the viewer is a member of.$$;
grant execute on function app_hidden.viewer_chat_ids() to :API_MEMBER;
--! EndIncluded functions/chat/viewer_chat_ids.sql

-- Policies look memberships up by index. The list of all chats of a viewer is long for some.
alter table app_public.chats enable row level security;
create policy select_as_member on app_public.chats for select to :API_MEMBER
  using (exists (select from app_public.chat_members m where m.chat_id = chats.id and m.user_id = (select app_hidden.viewer_id()) offset 0));
create policy select_as_admin on app_public.chats for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.chats to :API_MEMBER;

alter table app_public.chat_members enable row level security;
create policy select_as_member on app_public.chat_members for select to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()) or chat_id in (select app_hidden.viewer_chat_ids()));
create policy select_as_admin on app_public.chat_members for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.chat_members to :API_MEMBER;

create table app_public.messages (
  id         bigint generated always as identity primary key,
  chat_id    bigint not null references app_public.chats on delete cascade,
  number     bigint not null,
  -- A chat stays readable when one of its members is gone.
  sender_id  bigint references app_public.users on delete set null,
  text       text not null,
  created_at timestamptz not null default now(),
  edited_at  timestamptz,
  deleted_at timestamptz,
  constraint messages_chat_id_number_key unique (chat_id, number),
  constraint messages_deleted_at_check check (deleted_at is null or text = '[erased]'),
  constraint messages_text_length_check check (char_length(text) between 1 and 5000),
  constraint messages_text_blank_check check (text ~ '\S' or text = '')
);
comment on table app_public.messages is $$@describe listOrder Newest first.
@subscription messageAdded chat_id
@subscription messageUpdated chat_id updated
@describe messageUpdated Each message as it is edited or deleted, in order, once.
@listOrder number desc, id desc
@behavior -query:resource:list -query:resource:connection -query:resource:single
A text by a member of a chat.$$;
comment on column app_public.messages.id is $$The message’s id. Never changes.$$;
comment on column app_public.messages.chat_id is $$The chat of the message.$$;
comment on column app_public.messages.number is $$@behavior -*
The position in its chat, from 1 and without gaps. Assigned under a lock on the chat’s row, so messages become visible in the order of their numbers.$$;
comment on column app_public.messages.sender_id is $$The user who sent the message; null when deleted.$$;
comment on column app_public.messages.text is $$The text; [erased] when the message or its sender is deleted.$$;
comment on column app_public.messages.created_at is $$@timestampFormat DATE
The time when the message was sent.$$;
comment on column app_public.messages.edited_at is $$The time of the last edit; null before the first one.$$;
comment on column app_public.messages.deleted_at is $$The time when the message was deleted, or null.$$;
comment on constraint messages_chat_id_fkey on app_public.messages is $$@backwardBehavior -list
@notNull inherited$$;
comment on constraint messages_sender_id_fkey on app_public.messages is $$@backwardBehavior -*$$;
comment on constraint messages_chat_id_number_key on app_public.messages is $$@behavior -single
This number is already in use in the chat.$$;
comment on constraint messages_deleted_at_check on app_public.messages is $$A deleted message has the text [erased].$$;
comment on constraint messages_text_length_check on app_public.messages is $$A message needs between 1 and 5000 characters.$$;
comment on constraint messages_text_blank_check on app_public.messages is $$A message needs a character other than white space.$$;
-- Carries the foreign key to users.
create index messages_sender_id_idx on app_public.messages (sender_id);
-- For the analysts’ days and months.
create index messages_created_at_day_idx on app_public.messages (((created_at at time zone 'UTC')::date));

alter table app_public.messages enable row level security;
create policy select_as_member on app_public.messages for select to :API_MEMBER
  using (exists (select from app_public.chat_members m where m.chat_id = messages.chat_id and m.user_id = (select app_hidden.viewer_id()) offset 0));
create policy insert_own on app_public.messages for insert to :API_MEMBER
  with check (sender_id = (select app_hidden.viewer_id())
    and exists (select from app_public.chat_members m where m.chat_id = messages.chat_id and m.user_id = (select app_hidden.viewer_id()) offset 0));
create policy update_own on app_public.messages for update to :API_MEMBER
  using (sender_id = (select app_hidden.viewer_id()) and deleted_at is null)
  with check (sender_id = (select app_hidden.viewer_id()));
grant select, insert (chat_id, sender_id, text), update (text, edited_at, deleted_at) on app_public.messages to :API_MEMBER;

-- A membership's private part. It is a table of its own, because the audit trail records memberships, and because members see each
-- other's memberships. Each message changes rows here; the fill factor leaves space for their new versions in the same page.
create table app_public.inbox_entries (
  user_id          bigint not null references app_public.users on delete cascade,
  chat_id          bigint not null references app_public.chats on delete cascade,
  listed_at        timestamptz not null,
  last_read_number bigint not null,
  primary key (chat_id, user_id),
  foreign key (chat_id, user_id) references app_public.chat_members on update cascade on delete cascade
) with (fillfactor = 80);
comment on table app_public.inbox_entries is $$@behavior -query:resource:list -query:resource:connection -single -type:node
@listOrder listed_at desc, chat_id desc
@describe listOrder Latest activity first.
@subscription inboxEntryChanged user_id updated viewer
@describe inboxEntryChanged Each chat of your inbox as it is now, after a new message, a change of the last one, of the title, the members or unreadCount.
@subscription chatLeft user_id deleted viewer
@describe chatLeft Each chat that you are no longer a member of, on any device.
A chat in your inbox.$$;
comment on column app_public.inbox_entries.user_id is $$@behavior -*
The member.$$;
-- A thousand entries for each user, whatever the average is. For a few, PostgreSQL would read and sort all, also those of a user with many.
alter table app_public.inbox_entries alter column user_id set (n_distinct = -0.001);
comment on column app_public.inbox_entries.chat_id is $$The chat.$$;
comment on column app_public.inbox_entries.listed_at is $$@behavior -*
Orders the inbox: the time of the last message. It can be behind by 10 milliseconds for each member of the chat.$$;
comment on column app_public.inbox_entries.last_read_number is $$@behavior -*
The number of the last message that the member has read or sent.$$;
comment on constraint inbox_entries_user_id_fkey on app_public.inbox_entries is $$@notNull
@backwardBehavior -list
@foreignFieldName inbox$$;
comment on constraint inbox_entries_chat_id_fkey on app_public.inbox_entries is $$@notNull inherited
@backwardBehavior -*$$;
comment on constraint inbox_entries_chat_id_user_id_fkey on app_public.inbox_entries is $$@behavior -*$$;
create index inbox_entries_user_id_listed_at_chat_id_idx on app_public.inbox_entries (user_id, listed_at desc, chat_id desc);

alter table app_public.inbox_entries enable row level security;
create policy select_own on app_public.inbox_entries for select to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
grant select on app_public.inbox_entries to :API_MEMBER;

create table app_private.direct_chats (
  low_user_id  bigint not null references app_public.users on delete cascade,
  high_user_id bigint not null references app_public.users on delete cascade,
  chat_id      bigint not null references app_public.chats on delete cascade,
  primary key (low_user_id, high_user_id),
  constraint direct_chats_chat_id_key unique (chat_id),
  constraint direct_chats_order_check check (low_user_id < high_user_id)
);
comment on table app_private.direct_chats is $$The one direct chat of two users, whether they are members of it now or have left it.$$;
comment on column app_private.direct_chats.low_user_id is $$The user with the lower id.$$;
comment on column app_private.direct_chats.high_user_id is $$The user with the higher id.$$;
comment on column app_private.direct_chats.chat_id is $$Their chat.$$;
comment on constraint direct_chats_chat_id_key on app_private.direct_chats is $$This chat is the direct chat of two other users.$$;
comment on constraint direct_chats_order_check on app_private.direct_chats is $$The lower id comes first.$$;
-- Serves the foreign key to users.
create index direct_chats_high_user_id_idx on app_private.direct_chats (high_user_id);

alter table app_private.direct_chats enable row level security;

-- Blocks: users who want no messages from each other.
create table app_public.blocks (
  blocker_id bigint not null references app_public.users on delete cascade,
  blocked_id bigint not null references app_public.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (blocker_id, blocked_id)
);
comment on table app_public.blocks is $$@manyToMany
Which user has blocked which: neither writes to the other in a direct chat.$$;
comment on column app_public.blocks.blocker_id is $$The user who blocks.$$;
comment on column app_public.blocks.blocked_id is $$The user who is blocked.$$;
comment on column app_public.blocks.created_at is $$The time of the block.$$;
comment on constraint blocks_blocker_id_fkey on app_public.blocks is $$@fieldName blockers
@backwardBehavior -list
@listOrder created_at desc, blocked_id desc
@describe list The users whom this user has blocked, the last one first. Nobody else sees them.$$;
comment on constraint blocks_blocked_id_fkey on app_public.blocks is $$@fieldName blockedUsers
@backwardBehavior -list -connection$$;
-- Serves the foreign key to users.
create index blocks_blocked_id_idx on app_public.blocks (blocked_id);
-- The list of blocked users.
create index blocks_blocker_id_created_at_blocked_id_idx on app_public.blocks (blocker_id, created_at desc, blocked_id desc);

alter table app_public.blocks enable row level security;
create policy select_own on app_public.blocks for select to :API_MEMBER
  using (blocker_id = (select app_hidden.viewer_id()));
grant select on app_public.blocks to :API_ANONYMOUS, :API_MEMBER;
--! Included functions/chat/blocks.sql
-- Security definer: a user does not see who has blocked them, and members may not write blocks.
create or replace function app_hidden.is_blocked(user_id bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from app_public.blocks
                  where (blocker_id, blocked_id) in ((app_hidden.viewer_id(), is_blocked.user_id), (is_blocked.user_id, app_hidden.viewer_id())))
$$;
comment on function app_hidden.is_blocked(bigint) is $$Whether the viewer has blocked this user, or this user the viewer.$$;
grant execute on function app_hidden.is_blocked(bigint) to :API_MEMBER;

create or replace function app_hidden.blocked_error() returns jsonb
language sql immutable parallel safe
return '{"code": "BLOCKED", "message": "You cannot chat with this user: one of you has blocked the other."}'::jsonb;
comment on function app_hidden.blocked_error() is $$The code and the message for a user with whom the viewer cannot chat, without the place in the input.$$;
grant execute on function app_hidden.blocked_error() to :API_MEMBER;

create or replace function app_hidden.refuse_blocked(column_name text, user_id bigint) returns void
language plpgsql stable strict set search_path = pg_catalog, pg_temp as $$
begin
  if app_hidden.is_blocked(refuse_blocked.user_id) then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', column_name) || app_hidden.blocked_error()));
  end if;
end $$;
comment on function app_hidden.refuse_blocked(text, bigint) is $$Refuses with BLOCKED when one of the viewer and a user has blocked the other.$$;
grant execute on function app_hidden.refuse_blocked(text, bigint) to :API_MEMBER;

-- Security definer: members may not read direct chats, and the chat is looked up among those of the viewer before.
create or replace function app_hidden.other_in_direct_chat(chat_id bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case app_hidden.viewer_id() when low_user_id then high_user_id else low_user_id end
    from app_private.direct_chats where direct_chats.chat_id = other_in_direct_chat.chat_id
$$;
comment on function app_hidden.other_in_direct_chat(bigint) is $$The other user of a direct chat; null for other chats.$$;
grant execute on function app_hidden.other_in_direct_chat(bigint) to :API_MEMBER;

create or replace function app_public.block_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if block_user.user_id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "You cannot block yourself."}]');
  end if;
  insert into app_public.blocks (blocker_id, blocked_id) values (app_hidden.viewer_id(), block_user.user_id) on conflict do nothing;
  return (select users from app_public.users where users.id = block_user.user_id);
exception when foreign_key_violation then
  perform app_hidden.require_row('app_public.users', block_user.user_id, 'user');
  raise;
end $$;
comment on function app_public.block_user(bigint) is $$@describe user_id The user to block.
Blocks a user: neither can write in your direct chat, or add the other to a chat. Other chats go on. The user is not told. Idempotent.$$;
grant execute on function app_public.block_user(bigint) to :API_MEMBER;

create or replace function app_public.unblock_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.require_row('app_public.users', unblock_user.user_id, 'user');
  delete from app_public.blocks where blocker_id = app_hidden.viewer_id() and blocked_id = unblock_user.user_id;
  return (select users from app_public.users where users.id = unblock_user.user_id);
end $$;
comment on function app_public.unblock_user(bigint) is $$@describe user_id The user to unblock.
Lifts your block of a user. Idempotent.$$;
grant execute on function app_public.unblock_user(bigint) to :API_MEMBER;

create or replace function app_public.users_is_blocked_by_me(users app_public.users) returns boolean
language sql stable
return exists (select from app_public.blocks
                where blocker_id = (select app_hidden.viewer_id()) and blocked_id = users.id);
comment on function app_public.users_is_blocked_by_me(app_public.users) is $$@notNull
Whether you have blocked this user. False without a token.$$;
grant execute on function app_public.users_is_blocked_by_me(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/chat/blocks.sql

-- A message inserts here, and waits for no other one: the events of a user are numbered under one lock, which messages to all chats of that
-- user would share. chat_id has no foreign key: a change may be of a chat that is gone.
create table app_private.inbox_changes (
  id      bigint generated always as identity primary key,
  chat_id bigint not null,
  user_id bigint references app_public.users on delete cascade,
  due_at  timestamptz not null default clock_timestamp()
);
comment on table app_private.inbox_changes is $$The changes of inboxes that are not in the change feed yet. Each service moves them there every second.$$;
comment on column app_private.inbox_changes.id is $$Identifies the change.$$;
comment on column app_private.inbox_changes.chat_id is $$The chat.$$;
comment on column app_private.inbox_changes.user_id is $$The member whose entry has changed, or is gone; null for all members.$$;
comment on column app_private.inbox_changes.due_at is $$From this time on, the change is recorded.$$;

-- Carries the foreign key to users. Changes for all members, as those of messages, are not in it.
create index inbox_changes_user_id_idx on app_private.inbox_changes (user_id) where user_id is not null;

alter table app_private.inbox_changes enable row level security;

select conventions.apply_to('app_public.chats', '{title}', is_audited => false),
       conventions.apply_to('app_public.blocks', is_audited => false),
       conventions.apply_to('app_public.messages', is_audited => false),
       conventions.apply_to('app_public.inbox_entries', is_audited => false),
       conventions.audit('app_public.chat_members');

--! Included functions/chat/tg_messages__prepare.sql
-- Security definer: members may write neither chats nor inbox entries.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_time timestamptz;
  v_wait interval;
  v_count int;
begin
  -- The lock on the chat's row lasts to the end of the transaction: the next message waits until this one commits or rolls
  -- back. So numbers have no gaps and are committed in order. No index has a column that this changes, so the row's new version
  -- needs no index entries.
  update app_public.chats
     set last_number = last_number + 1,
         last_activity_at = case last_number when 0 then new.created_at else greatest(last_activity_at, new.created_at) end
   where id = new.chat_id
  returning last_number, last_activity_at, case when last_activity_at < relist_at then relist_at - last_activity_at else '0' end
    into new.number, v_time, v_wait;
  if not found then
    -- Let the foreign key report the missing chat.
    new.number := 1;
    return new;
  end if;
  if v_wait = '0' then
    update app_public.inbox_entries
       set listed_at = v_time,
           last_read_number = case user_id when new.sender_id then new.number else last_read_number end
     where chat_id = new.chat_id;
    get diagnostics v_count = row_count;
    -- A chat with many messages and members moves less often: it costs at most a hundred rows a second.
    update app_public.chats set relist_at = v_time + v_count * interval '10 milliseconds' where id = new.chat_id;
  else
    update app_public.inbox_entries set last_read_number = new.number
     where chat_id = new.chat_id and user_id = new.sender_id;
  end if;
  -- By the clock, because a message can have any created_at.
  insert into app_private.inbox_changes (chat_id, due_at) values (new.chat_id, clock_timestamp() + v_wait);
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: sets its number in the chat, moves the chat up in the inboxes of its members, and marks it as read for its sender.$$;
--! EndIncluded functions/chat/tg_messages__prepare.sql
create trigger _100_prepare before insert on app_public.messages
  for each row execute function app_hidden.tg_messages__prepare();
--! Included functions/chat/tg_chat_members__open_inbox.sql
-- Security definer: members may not write inbox entries.
create or replace function app_hidden.tg_chat_members__open_inbox() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- With the lock, this waits for a message that is being sent and moves only the entries that it sees.
  insert into app_public.inbox_entries (chat_id, user_id, listed_at, last_read_number)
  select chats.id, added.user_id, chats.last_activity_at, chats.last_number
    from added join app_public.chats on chats.id = added.chat_id
   order by chats.id
     for share of chats;
  insert into app_private.inbox_changes (chat_id) select chat_id from added group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__open_inbox() is $$After members are added to a chat: puts it into their inboxes, with all messages so far as read, and tells all members.$$;
--! EndIncluded functions/chat/tg_chat_members__open_inbox.sql
create trigger _500_open_inbox_insert after insert on app_public.chat_members
  referencing new table as added for each statement execute function app_hidden.tg_chat_members__open_inbox();
--! Included functions/chat/tg_messages__mark_read.sql
-- Security definer: members may not write inbox entries. The lock on the chats is that of a message that is being sent.
create or replace function app_hidden.tg_messages__mark_read() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from app_public.chats where id in (select chat_id from old_rows) order by id for no key update;
  update app_public.inbox_entries i set last_read_number = chats.last_number
    from app_public.chats
   where chats.id = i.chat_id and chats.id in (select chat_id from old_rows) and i.last_read_number < chats.last_number
     and not exists (select from app_public.messages m where m.chat_id = i.chat_id and m.number > i.last_read_number);
  insert into app_private.inbox_changes (chat_id) select chat_id from old_rows group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_messages__mark_read() is $$After messages are deleted, in SQL: no member has unread messages where none of them is left, and all are told.$$;
--! EndIncluded functions/chat/tg_messages__mark_read.sql
create trigger _500_mark_read_delete after delete on app_public.messages
  referencing old table as old_rows for each statement execute function app_hidden.tg_messages__mark_read();
--! Included functions/chat/tg_messages__tell_inboxes.sql
-- Security definer: members may not write changes of inboxes.
create or replace function app_hidden.tg_messages__tell_inboxes() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_private.inbox_changes (chat_id)
  select chat_id from new_rows join app_public.chats on chats.id = chat_id and last_number = number;
  return null;
end $$;
comment on function app_hidden.tg_messages__tell_inboxes() is $$After messages are edited or deleted: the members of chats whose last message it is are told.$$;
--! EndIncluded functions/chat/tg_messages__tell_inboxes.sql
create trigger _500_tell_inboxes_update after update on app_public.messages
  referencing new table as new_rows for each statement execute function app_hidden.tg_messages__tell_inboxes();
-- A subscription ends when its user leaves the chat. What no trigger tells, the services find within seconds.
--! Included functions/chat/tg_chat_members__notify_removed.sql
-- Security definer: members may not write changes of inboxes, and only the owner and the service may know the channel.
create or replace function app_hidden.tg_chat_members__notify_removed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app_private.inbox_changes (chat_id, user_id)
  select chat_id, user_id from removed join app_public.users on users.id = user_id
  union all select chat_id, null from removed group by chat_id;
  perform change_feed.notify_rights('app_public.messages', 'chat_id', chat_id::text) from removed group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__notify_removed() is $$After members leave or are removed: notifies the services to check again who may read the chat, and tells those who are no longer members and those who still are.$$;
--! EndIncluded functions/chat/tg_chat_members__notify_removed.sql
create trigger _900_notify_rights_delete after delete on app_public.chat_members
  referencing old table as removed
  for each statement execute function app_hidden.tg_chat_members__notify_removed();

--! Included functions/chat/chat_reading.sql
-- The rule of a member’s policy of messages, for any viewer. Change both together: test/messages/rights.test.ts
-- compares them. Without security definer and search_path, so that PostgreSQL inlines it into a query over many viewers.
create or replace function app_private.chat_reading(chat_id bigint, viewer_id bigint, out last_number bigint, out may_read boolean)
returns setof record language sql stable rows 1 as $$
  select c.last_number, m.user_id is not null
    from app_public.chats c
    left join app_private.accounts a on a.user_id = chat_reading.viewer_id and a.banned_at is null
    left join app_public.chat_members m on m.chat_id = c.id and m.user_id = a.user_id
   where c.id = chat_reading.chat_id
$$;
comment on function app_private.chat_reading(bigint, bigint) is $$Whether the viewer may follow the chat, and the number of its newest message. Returns no row when the chat does not exist.$$;
--! EndIncluded functions/chat/chat_reading.sql
select change_feed.stream('app_public.messages', 'chat_id', kinds => '{added,updated}', may_read => 'app_private.chat_reading',
  number_column => 'number', last_number_column => 'last_number');

select change_feed.stream('app_public.inbox_entries', 'user_id', kinds => '{updated,deleted}', may_read => 'app_private.own_reading',
  keep => '1 day', has_triggers => false);
--! Included functions/chat/record_inbox_changes.sql
-- Security definer: the service's login can choose neither the changes nor the time.
--
-- The heads of these streams are locked by this function alone, in their order: no other transaction holds it up, or waits for it.
create or replace function app_hidden.record_inbox_changes(out are_more_due boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_kinds text[];
  v_user_ids text[];
  v_chat_ids text[];
begin
  with due as (
    delete from app_private.inbox_changes where id in (
      select id from app_private.inbox_changes where due_at <= clock_timestamp() order by id limit 100 for update skip locked)
    returning chat_id, user_id
  ), changes as (
    select 'updated' as kind, i.user_id, i.chat_id
      from due join app_public.inbox_entries i on i.chat_id = due.chat_id and i.user_id = coalesce(due.user_id, i.user_id)
    union
    select 'deleted', due.user_id, due.chat_id
      from due left join app_public.inbox_entries i using (chat_id, user_id) where due.user_id is not null and i.user_id is null
  )
  select array_agg(kind), array_agg(user_id::text), array_agg(chat_id::text), (select count(*) = 100 from due)
    into v_kinds, v_user_ids, v_chat_ids, are_more_due
    from changes;
  perform change_feed.record_events('app_public.inbox_entries', 'user_id', v_kinds, v_user_ids, v_chat_ids);
end $$;
comment on function app_hidden.record_inbox_changes() is $$Records changes of inboxes that are due in the change feed, each entry once. Returns whether there may be more.$$;
grant execute on function app_hidden.record_inbox_changes() to :API_LOGIN;
--! EndIncluded functions/chat/record_inbox_changes.sql

--! Included functions/chat/member_errors.sql
create or replace function app_hidden.member_errors(member_ids bigint[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
  select case
    -- The number first: each member of a list that is too long would take time.
    when cardinality(member_ids) > 100 then jsonb_build_array(jsonb_build_object('column', 'member_ids',
      'code', 'TOO_LONG', 'message', 'A chat starts with at most 100 other members.', 'params', '{"max": 100}'::jsonb))
    else (
      select coalesce(jsonb_agg(jsonb_build_object('column', 'member_ids', 'index', place - 1) || case
               when not exists (select from app_public.users where users.id = given.id)
                 then '{"code": "INVALID_REFERENCE", "message": "This user does not exist."}'::jsonb
               else app_hidden.blocked_error() end order by place), '[]')
        from unnest(member_ids) with ordinality as given (id, place)
       where not exists (select from app_public.users where users.id = given.id) or app_hidden.is_blocked(given.id))
  end
$$;
comment on function app_hidden.member_errors(bigint[]) is $$The validation errors of the members of a new chat, in the form of conventions.validation_errors().$$;
--! EndIncluded functions/chat/member_errors.sql
--! Included functions/chat/send_message.sql
create or replace function app_public.send_message(chat_id bigint, text text, idempotency_key text default null) returns app_public.messages
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_is_direct boolean;
  v_message app_public.messages;
begin
  if send_message.idempotency_key is not null then
    v_message := app_hidden.earlier_result(v_message, send_message.idempotency_key, jsonb_build_object('chat_id', send_message.chat_id, 'text', send_message.text));
    if v_message.id is not null then
      return v_message;
    end if;
  end if;
  select is_direct into v_is_direct from app_public.chats where id = send_message.chat_id;
  if not found then
    perform app_hidden.refuse_missing('chat');
  elsif v_is_direct then
    perform app_hidden.refuse_blocked('chat_id', app_hidden.other_in_direct_chat(send_message.chat_id));
  end if;
  insert into app_public.messages (chat_id, sender_id, text)
  values (send_message.chat_id, app_hidden.viewer_id(), send_message.text)
  returning * into v_message;
  perform app_hidden.keep_result(send_message.idempotency_key, v_message.id);
  return v_message;
end $$;
comment on function app_public.send_message(bigint, text, text) is $$@describe chat_id One of your chats.
@describe text The text: 1 to 5,000 characters.
@describe idempotency_key Your choice, 1 to 255 characters, such as a UUID. Repeated within a day, the call returns the same message and creates nothing.
Sends a message to a chat.$$;
grant execute on function app_public.send_message(bigint, text, text) to :API_MEMBER;
--! EndIncluded functions/chat/send_message.sql
--! Included functions/chat/update_message.sql
create or replace function app_public.update_message(id bigint, text text) returns app_public.messages
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_message app_public.messages;
begin
  select * into v_message from app_public.messages where messages.id = update_message.id and deleted_at is null;
  if not found then
    perform app_hidden.refuse_missing('message');
  end if;
  perform app_hidden.refuse_blocked('id', app_hidden.other_in_direct_chat(v_message.chat_id));
  -- The same text again, as after a lost response, is no edit.
  return app_hidden.update_row(v_message, update_message.id, jsonb_build_object('text', update_message.text,
    'edited_at', case when update_message.text <> v_message.text then now() end), 'message');
end $$;
comment on function app_public.update_message(bigint, text) is $$@errorCode BLOCKED One of the two users has blocked the other.
@describe id The message to change.
@describe text The new text: 1 to 5,000 characters.
Changes the text of a message of yours.$$;
grant execute on function app_public.update_message(bigint, text) to :API_MEMBER;
--! EndIncluded functions/chat/update_message.sql
--! Included functions/chat/delete_message.sql
create or replace function app_public.delete_message(id bigint) returns app_public.messages
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_message app_public.messages;
begin
  select * into v_message from app_public.messages where messages.id = delete_message.id and deleted_at is not null;
  if not found then
    v_message := app_hidden.update_row(v_message, delete_message.id,
      jsonb_build_object('text', '[erased]', 'deleted_at', now()), 'message');
  end if;
  return v_message;
end $$;
comment on function app_public.delete_message(bigint) is $$@describe id The message to delete.
Deletes the text of a message of yours, or as an admin of a reported one. The message keeps its place, with deletedAt and the text [erased]. Idempotent.$$;
grant execute on function app_public.delete_message(bigint) to :API_MEMBER;
--! EndIncluded functions/chat/delete_message.sql
--! Included functions/chat/create_chat.sql
-- Security definer: members may not write chats and memberships directly.
create or replace function app_public.create_chat(member_ids bigint[], title text default null, idempotency_key text default null) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_errors jsonb := app_hidden.member_errors(create_chat.member_ids);
  v_detail text;
  v_chat app_public.chats;
begin
  if create_chat.idempotency_key is not null then
    v_chat := app_hidden.earlier_result(v_chat, create_chat.idempotency_key, jsonb_build_object('member_ids', create_chat.member_ids, 'title', create_chat.title));
    if v_chat.id is not null then
      -- The owner of this function sees chats that the viewer has left.
      if not exists (select from app_public.chat_members where chat_id = v_chat.id and user_id = app_hidden.viewer_id()) then
        perform app_hidden.refuse_missing('result');
      end if;
      return v_chat;
    end if;
  end if;
  begin
    insert into app_public.chats (title) values (create_chat.title) returning * into v_chat;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_errors := v_detail::jsonb || v_errors;
  end;
  perform conventions.raise_validation_errors(v_errors);
  insert into app_public.chat_members (chat_id, user_id)
  select v_chat.id, id from unnest(create_chat.member_ids || app_hidden.viewer_id()) as id group by id;
  perform app_hidden.keep_result(create_chat.idempotency_key, v_chat.id);
  return v_chat;
exception when foreign_key_violation then
  -- A member may have been deleted since.
  perform conventions.raise_validation_errors(app_hidden.member_errors(create_chat.member_ids));
  raise;
end $$;
comment on function app_public.create_chat(bigint[], text, text) is $$@describe member_ids The other members, at most 100.
@describe title The chat’s title: 1 to 100 characters, or null.
@describe idempotency_key Your choice, 1 to 255 characters, such as a UUID. Repeated within a day, the call returns the same chat and creates nothing.
Creates a chat between you and other users.$$;
grant execute on function app_public.create_chat(bigint[], text, text) to :API_MEMBER;
--! EndIncluded functions/chat/create_chat.sql
--! Included functions/chat/open_direct_chat.sql
-- Security definer: members may not write chats and memberships directly.
create or replace function app_public.open_direct_chat(user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_low_id bigint := least(open_direct_chat.user_id, app_hidden.viewer_id());
  v_high_id bigint := greatest(open_direct_chat.user_id, app_hidden.viewer_id());
  v_chat app_public.chats;
begin
  if v_low_id = v_high_id then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'user_id',
      'code', 'ONESELF', 'message', 'You cannot have a direct chat with yourself.')));
  end if;
  perform app_hidden.refuse_blocked('user_id', open_direct_chat.user_id);
  select chats.* into v_chat from app_private.direct_chats join app_public.chats on chats.id = direct_chats.chat_id
   where low_user_id = v_low_id and high_user_id = v_high_id;
  if not found then
    begin
      insert into app_public.chats (is_direct) values (true) returning * into v_chat;
      insert into app_private.direct_chats (low_user_id, high_user_id, chat_id) values (v_low_id, v_high_id, v_chat.id);
    exception when unique_violation then
      -- Another transaction has created the chat meanwhile, and has committed. This block's own chat is rolled back.
      select chats.* into v_chat from app_private.direct_chats join app_public.chats on chats.id = direct_chats.chat_id
       where low_user_id = v_low_id and high_user_id = v_high_id;
    end;
  end if;
  -- A user who has left is a member again.
  insert into app_public.chat_members (chat_id, user_id) values (v_chat.id, v_low_id), (v_chat.id, v_high_id)
  on conflict do nothing;
  return v_chat;
exception when foreign_key_violation then
  perform app_hidden.require_row('app_public.users', open_direct_chat.user_id, 'user');
  raise;
end $$;
comment on function app_public.open_direct_chat(bigint) is $$@describe user_id The other user.
The one direct chat with another user; creates it if there is none. If one has left it, both are members again. Idempotent.$$;
grant execute on function app_public.open_direct_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/chat/open_direct_chat.sql
--! Included functions/chat/require_group_chat.sql
-- The functions that call this run as the owner, who sees every chat, so it checks the viewer's access itself.
create or replace function app_hidden.require_group_chat(chat_id bigint, column_name text, of_creator boolean) returns app_public.chats
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_is_admin boolean := app_hidden.viewer_is_admin();
  v_chat app_public.chats;
begin
  select * into v_chat from app_public.chats
   where chats.id = require_group_chat.chat_id and (chats.id in (select app_hidden.viewer_chat_ids()) or v_is_admin);
  if not found then
    perform app_hidden.refuse_missing('chat');
  elsif v_chat.is_direct then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', column_name,
      'code', 'DIRECT_CHAT', 'message', 'A direct chat keeps its two members, and has no title.')));
  elsif of_creator and not v_is_admin and v_chat.creator_id is distinct from app_hidden.viewer_id() then
    perform app_hidden.refuse_unauthorized();
  end if;
  return v_chat;
end $$;
comment on function app_hidden.require_group_chat(bigint, text, boolean) is $$A chat of the viewer’s, or any chat for an admin. Refuses direct chats and, where asked, chats that another user has created.$$;
--! EndIncluded functions/chat/require_group_chat.sql
--! Included functions/chat/rename_chat.sql
-- Security definer: members may write neither chats nor changes of inboxes.
create or replace function app_public.rename_chat(id bigint, title text) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_chat app_public.chats := app_hidden.require_group_chat(rename_chat.id, 'id', true);
begin
  update app_public.chats set title = rename_chat.title where chats.id = v_chat.id returning * into v_chat;
  insert into app_private.inbox_changes (chat_id) values (v_chat.id);
  return v_chat;
end $$;
comment on function app_public.rename_chat(bigint, text) is $$@errorCode DIRECT_CHAT It is a direct chat, which keeps its two members and has no title.
@describe id A chat that you have created.
@describe title The new title: 1 to 100 characters.
Renames a chat that you have created. Admins can rename any chat.$$;
grant execute on function app_public.rename_chat(bigint, text) to :API_MEMBER;
--! EndIncluded functions/chat/rename_chat.sql
--! Included functions/chat/add_chat_member.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.add_chat_member(chat_id bigint, user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_chat app_public.chats := app_hidden.require_group_chat(add_chat_member.chat_id, 'chat_id', false);
begin
  perform app_hidden.refuse_blocked('user_id', add_chat_member.user_id);
  insert into app_public.chat_members (chat_id, user_id) values (v_chat.id, add_chat_member.user_id)
  on conflict do nothing;
  return v_chat;
exception when foreign_key_violation then
  perform app_hidden.require_row('app_public.users', add_chat_member.user_id, 'user');
  raise;
end $$;
comment on function app_public.add_chat_member(bigint, bigint) is $$@errorCode BLOCKED One of the two users has blocked the other.
@errorCode DIRECT_CHAT It is a direct chat, which keeps its two members and has no title.
@describe chat_id One of your chats, but no direct chat.
@describe user_id The user to add.
Adds a user to a chat of yours. The new member can read all its messages. Idempotent.$$;
grant execute on function app_public.add_chat_member(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/chat/add_chat_member.sql
--! Included functions/chat/remove_chat_member.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.remove_chat_member(chat_id bigint, user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_chat app_public.chats := app_hidden.require_group_chat(remove_chat_member.chat_id, 'chat_id', true);
begin
  perform app_hidden.require_row('app_public.users', remove_chat_member.user_id, 'user');
  if remove_chat_member.user_id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "Leave the chat with leaveChat."}]');
  end if;
  delete from app_public.chat_members m where m.chat_id = v_chat.id and m.user_id = remove_chat_member.user_id;
  return v_chat;
end $$;
comment on function app_public.remove_chat_member(bigint, bigint) is $$@errorCode DIRECT_CHAT It is a direct chat, which keeps its two members and has no title.
@describe chat_id A chat that you have created.
@describe user_id The member to remove.
Removes a member from a chat that you have created. The messages stay. Admins can remove members of any chat. Idempotent.$$;
grant execute on function app_public.remove_chat_member(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/chat/remove_chat_member.sql
--! Included functions/chat/leave_chat.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.leave_chat(chat_id bigint) returns app_public.delete_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from app_public.chat_members
   where chat_members.chat_id = leave_chat.chat_id and user_id = app_hidden.viewer_id();
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  return (true, format('You have left chat %s.', leave_chat.chat_id), leave_chat.chat_id, 'app_public.chats'::text, null::bigint);
end $$;
comment on function app_public.leave_chat(bigint) is $$@describe chat_id The chat to leave.
Leaves a chat. Your messages stay, but you can no longer read them.$$;
grant execute on function app_public.leave_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/chat/leave_chat.sql
--! Included functions/chat/first_chats.sql
-- For a member, the memberships are in the list's order. The policy alone would make PostgreSQL look at all chats.
create or replace function app_hidden.first_chats(page int) returns setof app_public.chats
language sql stable as $$
  (select chats.* from app_public.chats
    where id = any (array(
      select chat_id from app_public.chat_members
       where user_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
       order by chat_id limit page)))
   union all
  (select chats.* from app_public.chats where (select app_hidden.viewer_is_admin()) order by id limit page)
$$;
comment on function app_hidden.first_chats(int) is $$The first chats of Query.chatsConnection.$$;
grant execute on function app_hidden.first_chats(int) to :API_MEMBER;
--! EndIncluded functions/chat/first_chats.sql
--! Included functions/chat/users_unread_chats_count.sql
-- plpgsql, as users_unread_notifications_count().
create or replace function app_public.users_unread_chats_count(users app_public.users) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if users.id = app_hidden.viewer_id() then
    return (select count(*) from (
      select from app_public.inbox_entries join app_public.chats on chats.id = chat_id
       where user_id = users.id and last_number > last_read_number limit 100) as unread);
  end if;
  return null;
end $$;
comment on function app_public.users_unread_chats_count(app_public.users) is $$The number of chats with unread messages, at most 100: 100 stands for 100 or more. Null for other users than the signed-in one.$$;
grant execute on function app_public.users_unread_chats_count(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/chat/users_unread_chats_count.sql
--! Included functions/chat/chats_unread_count.sql
create or replace function app_public.chats_unread_count(chats app_public.chats) returns int
language sql stable
return coalesce((
  select chats.last_number - inbox_entries.last_read_number from app_public.inbox_entries
   where inbox_entries.chat_id = chats.id and inbox_entries.user_id = (select app_hidden.viewer_id())), 0)::int;
comment on function app_public.chats_unread_count(app_public.chats) is $$@notNull
The number of messages by others since the last one that you marked as read, or sent, or since you became a member. 0 where you are not one.$$;
grant execute on function app_public.chats_unread_count(app_public.chats) to :API_MEMBER;
--! EndIncluded functions/chat/chats_unread_count.sql
--! Included functions/chat/mark_chat_read.sql
-- Security definer: members may not write inbox entries.
create or replace function app_public.mark_chat_read(chat_id bigint, message_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_chat app_public.chats;
  v_number bigint;
begin
  select chats.* into v_chat
    from app_public.inbox_entries join app_public.chats on chats.id = inbox_entries.chat_id
   where inbox_entries.chat_id = mark_chat_read.chat_id and inbox_entries.user_id = app_hidden.viewer_id();
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  select number into v_number from app_public.messages
   where messages.id = mark_chat_read.message_id and messages.chat_id = mark_chat_read.chat_id;
  if not found then
    perform app_hidden.refuse_missing('message');
  end if;
  -- Later messages may have been deleted, in SQL.
  if not exists (select from app_public.messages where messages.chat_id = mark_chat_read.chat_id and number > v_number) then
    v_number := greatest(v_number, v_chat.last_number);
  end if;
  update app_public.inbox_entries set last_read_number = v_number
   where inbox_entries.chat_id = mark_chat_read.chat_id and inbox_entries.user_id = app_hidden.viewer_id()
     and last_read_number < v_number;
  if found then
    insert into app_private.inbox_changes (chat_id, user_id) values (mark_chat_read.chat_id, app_hidden.viewer_id());
  end if;
  return v_chat;
end $$;
comment on function app_public.mark_chat_read(bigint, bigint) is $$@describe chat_id One of your chats.
@describe message_id The newest message of this chat that you have read.
Marks the messages of a chat as read, up to this one. Never marks one as unread. No other member sees it.$$;
grant execute on function app_public.mark_chat_read(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/chat/mark_chat_read.sql
