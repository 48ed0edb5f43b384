--! Previous: sha1:9b0be6418f8036df891163525ae929afc72a6c05
--! Hash: sha1:86ee795ebddb0b308fb2ee93b7006f159b7703c1
--! Message: Chats are listed by activity

--! split: 500-chats-by-activity.sql
-- A chat screen in one request: the viewer's chats by latest activity, each with its last message and the number of unread ones; and
-- one direct chat for each two users.

alter table app_public.chats
  add column if not exists is_direct boolean not null default false,
  add column if not exists last_activity_at timestamptz not null default now(),
  add column if not exists relist_at timestamptz not null default '-infinity';
comment on column app_public.chats.is_direct is $$Whether this is the direct chat of two users. Nobody can be added to it.$$;
comment on column app_public.chats.last_activity_at is E'@timestampFormat DATE_TIME\nThe time of the last message, or of the chat’s creation before the first one.';
comment on column app_public.chats.relist_at is E'@behavior -*\nFrom this time on, the next message moves the chat up in the inboxes of its members.';
comment on table app_public.chats is E'@listOrder id\n@firstRows app_hidden.first_chats\n@foreignKey (id, last_number) references app_public.messages (chat_id, number)|@fieldName lastMessage|@backwardBehavior -*|@forwardDescription The last message; null before the first one.\nA private room whose members read and write messages.';
update app_public.chats set last_activity_at = coalesce(
         (select created_at from app_public.messages where chat_id = chats.id and number = last_number), created_at)
 where relist_at = '-infinity';

-- A membership's private part. It is a table of its own, because the audit trail records memberships, and because members see each
-- other's memberships. Each message changes rows here; the fill factor leaves space for their new versions in the same page.
create table if not exists app_public.inbox_entries (
  user_id          bigint not null references app_public.users on delete cascade,
  chat_id          bigint not null references app_public.chats on delete cascade,
  listed_at        timestamptz not null,
  last_read_number bigint not null,
  primary key (chat_id, user_id),
  foreign key (chat_id, user_id) references app_public.chat_members on delete cascade on update cascade
) with (fillfactor = 80);
comment on table app_public.inbox_entries is E'@behavior -query:resource:list -query:resource:connection -single -type:node\n@listOrder listed_at desc, chat_id desc\n@describe listOrder Latest activity first.\nA chat in your inbox.';
comment on column app_public.inbox_entries.user_id is E'@behavior -*\nThe member.';
comment on column app_public.inbox_entries.chat_id is $$The chat.$$;
comment on column app_public.inbox_entries.listed_at is E'@behavior -*\nOrders the inbox: the time of the last message. It can be behind by 10 milliseconds for each member of the chat.';
comment on column app_public.inbox_entries.last_read_number is E'@behavior -*\nThe number of the last message that the member has read or sent.';
comment on constraint inbox_entries_chat_id_fkey on app_public.inbox_entries is E'@backwardBehavior -*';
comment on constraint inbox_entries_user_id_fkey on app_public.inbox_entries is E'@forwardBehavior -*\n@foreignFieldName inbox';
comment on constraint inbox_entries_chat_id_user_id_fkey on app_public.inbox_entries is '@behavior -*';
create index if not exists inbox_entries_user_id_listed_at_chat_id_idx on app_public.inbox_entries (user_id, listed_at desc, chat_id desc);
-- A thousand entries for each user, whatever the average is. For a few, PostgreSQL would read and sort all, also those of a user with many.
alter table app_public.inbox_entries alter column user_id set (n_distinct = -0.001);
select app_hidden.protect('app_public.inbox_entries', is_audited => false);
drop policy if exists select_own on app_public.inbox_entries;
create policy select_own on app_public.inbox_entries for select to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
grant select on app_public.inbox_entries to :API_MEMBER;
--! Included functions/tg_chat_members__open_inbox.sql
-- Security definer: members may not write inbox entries.
create or replace function app_hidden.tg_chat_members__open_inbox() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- With the lock, this waits for a message that is being sent and moves only the entries that it sees.
  insert into app_public.inbox_entries (chat_id, user_id, listed_at, last_read_number)
  select chats.id, added.user_id, chats.last_activity_at, chats.last_number
    from added join app_public.chats on chats.id = added.chat_id
   order by chats.id
     for share of chats;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__open_inbox() is $$After members are added to a chat: puts it into their inboxes, with all messages so far as read.$$;
--! EndIncluded functions/tg_chat_members__open_inbox.sql
create or replace trigger _500_open_inbox after insert on app_public.chat_members
  referencing new table as added for each statement execute function app_hidden.tg_chat_members__open_inbox();
-- After the trigger, whose lock keeps memberships from being added meanwhile.
insert into app_public.inbox_entries (user_id, chat_id, listed_at, last_read_number)
select user_id, chat_id, last_activity_at, last_number from app_public.chat_members join app_public.chats on chats.id = chat_id
on conflict do nothing;
--! Included functions/tg_messages__prepare.sql
-- Security definer: members may write neither chats nor inbox entries.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_time timestamptz;
  v_is_due boolean;
  v_count int;
begin
  -- The lock on the chat's row lasts to the end of the transaction: the next message waits until this one commits or rolls
  -- back. So numbers have no gaps and are committed in order. No index has a column that this changes, so the row's new version
  -- needs no index entries.
  update app_public.chats
     set last_number = last_number + 1,
         last_activity_at = case last_number when 0 then new.created_at else greatest(last_activity_at, new.created_at) end
   where id = new.chat_id
  returning last_number, last_activity_at, last_activity_at >= relist_at into new.number, v_time, v_is_due;
  if not found then
    -- Let the foreign key report the missing chat.
    new.number := 1;
    return new;
  end if;
  if v_is_due then
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
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: sets its number in the chat, moves the chat up in the inboxes of its members, and marks it as read for its sender.$$;
--! EndIncluded functions/tg_messages__prepare.sql

-- Policies look memberships up. The list of all chats of a viewer, which they read before, is long for some.
alter policy select_as_member on app_public.chat_members
  using (user_id = (select app_hidden.viewer_id()) or chat_id in (select app_hidden.viewer_chat_ids()));
alter policy select_as_member on app_public.chats
  using (exists (select from app_public.chat_members m where m.chat_id = chats.id and m.user_id = (select app_hidden.viewer_id()) offset 0));
alter policy select_as_member on app_public.messages
  using (exists (select from app_public.chat_members m where m.chat_id = messages.chat_id and m.user_id = (select app_hidden.viewer_id()) offset 0));
alter policy insert_own on app_public.messages
  with check (sender_id = (select app_hidden.viewer_id())
    and exists (select from app_public.chat_members m where m.chat_id = messages.chat_id and m.user_id = (select app_hidden.viewer_id()) offset 0));
--! Included functions/first_chats.sql
-- For a member, the memberships are in the list's order. The policy alone would make PostgreSQL look at all chats. The memberships are
-- looked up with `between` and not with `=`, because PostgreSQL would expect few of them, read all and sort them.
create or replace function app_hidden.first_chats(page int) returns setof app_public.chats
language sql stable as $$
  (select chats.* from app_public.chats
    where id = any (array(
      select chat_id from app_public.chat_members
       where user_id between (select app_hidden.viewer_id()) and (select app_hidden.viewer_id())
         and not (select app_hidden.viewer_is_admin())
       order by user_id, chat_id limit page)))
   union all
  (select chats.* from app_public.chats where (select app_hidden.viewer_is_admin()) order by id limit page)
$$;
comment on function app_hidden.first_chats(int) is $$The first chats of the list Query.chats.$$;
grant execute on function app_hidden.first_chats(int) to :API_MEMBER;
--! EndIncluded functions/first_chats.sql
--! Included functions/first_chats_of_user.sql
-- With `between` and not `=`, as app_hidden.first_chats().
create or replace function app_hidden.first_chats_of_user(user_id bigint, page int) returns setof app_public.chats
language sql stable as $$
  select chats.* from app_public.chats
   where id = any (array(
     select chat_id from app_public.chat_members m
      where m.user_id between first_chats_of_user.user_id and first_chats_of_user.user_id
      order by m.user_id, chat_id limit page))
$$;
comment on function app_hidden.first_chats_of_user(bigint, int) is $$The first chats of the list User.chats.$$;
grant execute on function app_hidden.first_chats_of_user(bigint, int) to :API_MEMBER;
--! EndIncluded functions/first_chats_of_user.sql
--! Included functions/first_members_of_chat.sql
-- With `between` and not `=`, as app_hidden.first_chats().
create or replace function app_hidden.first_members_of_chat(chat_id bigint, page int) returns setof app_public.users
language sql stable as $$
  select users.* from app_public.users
   where id = any (array(
     select user_id from app_public.chat_members m
      where m.chat_id between first_members_of_chat.chat_id and first_members_of_chat.chat_id
      order by m.chat_id, user_id limit page))
$$;
comment on function app_hidden.first_members_of_chat(bigint, int) is $$The first users of the list Chat.members.$$;
grant execute on function app_hidden.first_members_of_chat(bigint, int) to :API_MEMBER;
--! EndIncluded functions/first_members_of_chat.sql
comment on constraint chat_members_chat_id_fkey on app_public.chat_members is '@firstRows app_hidden.first_members_of_chat';
comment on constraint chat_members_user_id_fkey on app_public.chat_members is E'@fieldName members\n@formerFieldName users\n@firstRows app_hidden.first_chats_of_user';

--! Included functions/chats_unread_count.sql
create or replace function app_public.chats_unread_count(chats app_public.chats) returns int
language sql stable
return coalesce((
  select chats.last_number - inbox_entries.last_read_number from app_public.inbox_entries
   where inbox_entries.chat_id = chats.id and inbox_entries.user_id = (select app_hidden.viewer_id())), 0)::int;
comment on function app_public.chats_unread_count(app_public.chats) is $$@notNull
The number of messages by others that you have not read: those after the last one that you marked as read, or sent. It begins at 0 when you become a member. 0 where you are not one.$$;
grant execute on function app_public.chats_unread_count(app_public.chats) to :API_MEMBER;
--! EndIncluded functions/chats_unread_count.sql
--! Included functions/mark_chat_read.sql
-- Security definer: members may not write inbox entries.
create or replace function app_public.mark_chat_read(chat_id bigint, message_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
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
  update app_public.inbox_entries set last_read_number = v_number
   where inbox_entries.chat_id = mark_chat_read.chat_id and inbox_entries.user_id = app_hidden.viewer_id()
     and last_read_number < v_number;
  return v_chat;
end $$;
comment on function app_public.mark_chat_read(bigint, bigint) is $$@describe chat_id One of your chats.
@describe message_id The newest message of this chat that you have read.
Marks the messages of a chat as read, up to and including this one. Never marks a message as unread. Idempotent. No other member sees it.$$;
grant execute on function app_public.mark_chat_read(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/mark_chat_read.sql

create table if not exists app_private.direct_chats (
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
create index if not exists direct_chats_high_user_id_idx on app_private.direct_chats (high_user_id);
select app_hidden.protect('app_private.direct_chats', is_audited => false);
--! Included functions/open_direct_chat.sql
-- Security definer: members may not write chats and memberships directly.
create or replace function app_public.open_direct_chat(user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_low_id bigint := least(open_direct_chat.user_id, app_hidden.viewer_id());
  v_high_id bigint := greatest(open_direct_chat.user_id, app_hidden.viewer_id());
  v_chat app_public.chats;
begin
  if not exists (select from app_public.users where users.id = open_direct_chat.user_id) then
    perform app_hidden.refuse_missing('user');
  end if;
  if v_low_id = v_high_id then
    perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'user_id',
      'code', 'ONESELF', 'message', 'You cannot have a direct chat with yourself.')));
  end if;
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
end $$;
comment on function app_public.open_direct_chat(bigint) is $$@describe user_id The other user.
The one direct chat between you and another user; creates it if there is none. If one of you has left it, both are members again. Idempotent.$$;
grant execute on function app_public.open_direct_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/open_direct_chat.sql
--! Included functions/add_chat_member.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.add_chat_member(chat_id bigint, user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat app_public.chats;
begin
  -- This runs as the function's owner, who sees every chat, so it checks the viewer's access itself.
  select * into v_chat from app_public.chats
   where chats.id = add_chat_member.chat_id
     and (chats.id in (select app_hidden.viewer_chat_ids()) or app_hidden.viewer_is_admin());
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  if not exists (select from app_public.users where users.id = add_chat_member.user_id) then
    perform app_hidden.refuse_missing('user');
  end if;
  if v_chat.is_direct then
    perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'chat_id',
      'code', 'DIRECT_CHAT', 'message', 'Nobody can be added to a direct chat.')));
  end if;
  insert into app_public.chat_members (chat_id, user_id) values (v_chat.id, add_chat_member.user_id)
  on conflict do nothing;
  return v_chat;
end $$;
comment on function app_public.add_chat_member(bigint, bigint) is $$@describe chat_id One of your chats, but no direct chat.
@describe user_id The user to add.
Adds a user to a chat of yours. The new member can read all its messages. Idempotent.$$;
grant execute on function app_public.add_chat_member(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/add_chat_member.sql
