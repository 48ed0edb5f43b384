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
--!include functions/tg_chat_members__open_inbox.sql
create or replace trigger _500_open_inbox after insert on app_public.chat_members
  referencing new table as added for each statement execute function app_hidden.tg_chat_members__open_inbox();
-- After the trigger, whose lock keeps memberships from being added meanwhile.
insert into app_public.inbox_entries (user_id, chat_id, listed_at, last_read_number)
select user_id, chat_id, last_activity_at, last_number from app_public.chat_members join app_public.chats on chats.id = chat_id
on conflict do nothing;
--!include functions/tg_messages__prepare.sql

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
--!include functions/first_chats.sql
--!include functions/first_chats_of_user.sql
--!include functions/first_members_of_chat.sql
comment on constraint chat_members_chat_id_fkey on app_public.chat_members is '@firstRows app_hidden.first_members_of_chat';
comment on constraint chat_members_user_id_fkey on app_public.chat_members is E'@fieldName members\n@formerFieldName users\n@firstRows app_hidden.first_chats_of_user';

--!include functions/chats_unread_count.sql
--!include functions/mark_chat_read.sql

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
--!include functions/open_direct_chat.sql
--!include functions/add_chat_member.sql
