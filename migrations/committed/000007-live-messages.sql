--! Previous: sha1:21158dd47752ba108b014324e8c866391e673ef5
--! Hash: sha1:a2621d042d91f2e728262a37311947542b0c801e
--! Message: live-messages

--! split: 610-live-messages.sql
-- Live messages: whoever adds one, through the API or by plain SQL, wakes every service that has readers of the chat. The
-- one channel is a bell and carries ids only; the services read the rows from the table (src/messages).

--! Included functions/tg_messages__notify_added.sql
create or replace function app_hidden.tg_messages__notify_added() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- The lowest number says it all: the statement's others are committed with it. Ids only, because whoever can connect can
  -- listen.
  perform pg_notify('content_service_messages', format('%s:%s', chat_id, min(number))) from added group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_messages__notify_added() is $$After messages are added: tells the services which chat has grown, and from which number on. At commit, in the order of the numbers.$$;
--! EndIncluded functions/tg_messages__notify_added.sql
create or replace trigger _900_notify_added after insert on app_public.messages
  referencing new table as added
  for each statement execute function app_hidden.tg_messages__notify_added();

-- Who may read no longer is told at once. What no trigger tells (a chat deleted before an admin's eyes, a member's row
-- rewritten) the services find within seconds: each heartbeat asks for all.
--! Included functions/tg_chat_members__notify_removed.sql
create or replace function app_hidden.tg_chat_members__notify_removed() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('content_service_messages', format('%s:', chat_id)) from removed group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__notify_removed() is $$After members left or were removed: tells the services to look again who may read the chat.$$;
--! EndIncluded functions/tg_chat_members__notify_removed.sql
create or replace trigger _900_notify_removed after delete on app_public.chat_members
  referencing old table as removed
  for each statement execute function app_hidden.tg_chat_members__notify_removed();

--! Included functions/tg_accounts__notify_barred.sql
create or replace function app_hidden.tg_accounts__notify_barred() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('content_service_messages', format('user:%s', old.user_id));
  return null;
end $$;
comment on function app_hidden.tg_accounts__notify_barred() is $$After a user is banned or gone: tells the services to look again what they may read.$$;
--! EndIncluded functions/tg_accounts__notify_barred.sql
create or replace trigger _900_notify_banned after update of banned_at on app_private.accounts
  for each row when (old.banned_at is null and new.banned_at is not null)
  execute function app_hidden.tg_accounts__notify_barred();
create or replace trigger _900_notify_gone after delete on app_private.accounts
  for each row execute function app_hidden.tg_accounts__notify_barred();

--! Included functions/tg_users__notify_demoted.sql
create or replace function app_hidden.tg_users__notify_demoted() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('content_service_messages', format('user:%s', old.id));
  return null;
end $$;
comment on function app_hidden.tg_users__notify_demoted() is $$After an admin has become one no longer: tells the services to look again what they may read.$$;
--! EndIncluded functions/tg_users__notify_demoted.sql
create or replace trigger _900_notify_demoted after update of role on app_public.users
  for each row when (old.role = 'ADMIN' and new.role <> 'ADMIN')
  execute function app_hidden.tg_users__notify_demoted();

--! Included functions/chat_reading.sql
-- What the policies of chats and messages say, for a viewer who is not the one asking. Change them and this together;
-- test/messages/rights.test.ts compares the two. Neither definer nor search_path: so that it is inlined, and asked for a
-- thousand viewers in one go.
create or replace function app_private.chat_reading(chat_id bigint, viewer_id bigint, out last_number bigint, out may_read boolean)
returns setof record language sql stable rows 1 as $$
  select c.last_number, a.user_id is not null and (m.user_id is not null or u.role = 'ADMIN')
    from app_public.chats c
    left join app_private.accounts a on a.user_id = chat_reading.viewer_id and a.banned_at is null
    left join app_public.users u on u.id = a.user_id
    left join app_public.chat_members m on m.chat_id = c.id and m.user_id = a.user_id
   where c.id = chat_reading.chat_id
$$;
comment on function app_private.chat_reading(bigint, bigint) is $$Whether that viewer may read that chat, and the number of its newest message. No row when there is no such chat.$$;
--! EndIncluded functions/chat_reading.sql
--! Included functions/open_message_streams.sql
-- Security definer: the login role asks on behalf of many viewers, and may read nothing itself.
create or replace function app_private.open_message_streams(chat_ids bigint[], viewer_ids bigint[], after_ids bigint[], horizons xid8[])
returns table (place int, may_read boolean, start_number bigint)
language sql stable security definer set search_path = '' as $$
  select o.place::int,
         coalesce(r.may_read, false),
         case
           when o.after_id is not null then
             (select m.number from app_public.messages m where m.id = o.after_id and m.chat_id = o.chat_id)
           when o.horizon is null then r.last_number
           -- The newest of those that were there before the horizon. Numbers are committed in order, so whatever is below
           -- was there as well. xmin is older than the horizon only if its transaction had ended by then; a
           -- subtransaction's is younger than its parent's.
           else coalesce(
             (select m.number from app_public.messages m
               where m.chat_id = o.chat_id and age(m.xmin) > age(o.horizon::xid)
               order by m.number desc limit 1), 0)
         end
    from unnest(chat_ids, viewer_ids, after_ids, horizons)
         with ordinality as o (chat_id, viewer_id, after_id, horizon, place)
    left join lateral app_private.chat_reading(o.chat_id, o.viewer_id) as r on true
$$;
comment on function app_private.open_message_streams(bigint[], bigint[], bigint[], xid8[]) is $$Where each of many new subscriptions to a chat starts: after the message named; else after what was committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest message. start_number is null when the message named is not of that chat.$$;
grant execute on function app_private.open_message_streams(bigint[], bigint[], bigint[], xid8[]) to :API_LOGIN;
--! EndIncluded functions/open_message_streams.sql
--! Included functions/read_message_streams.sql
-- Security definer: the login role asks on behalf of many viewers, and may read nothing itself.
create or replace function app_private.read_message_streams(chat_ids bigint[], after_numbers bigint[], viewer_places int[], viewer_ids bigint[], page_size int)
returns table (place int, message_ids bigint[], numbers bigint[], reached bigint, refused_ids bigint[])
language sql stable security definer set search_path = '' as $$
  with cursors as materialized (
    select c.place::int, c.chat_id, c.after_number
      from unnest(chat_ids, after_numbers) with ordinality as c (chat_id, after_number, place)
  ), refused as (
    select c.place, array_agg(v.viewer_id) as ids
      from unnest(viewer_places, viewer_ids) as v (place, viewer_id)
      join cursors c using (place)
      left join lateral app_private.chat_reading(c.chat_id, v.viewer_id) as r on true
     where r.may_read is not true
     group by c.place
  )
  select c.place,
         page.ids,
         page.numbers,
         case when cardinality(page.ids) = page_size then page.numbers[page_size] else chats.last_number end,
         refused.ids
    from cursors c
    left join app_public.chats on chats.id = c.chat_id
    left join lateral (
      select array_agg(m.id order by m.number) as ids, array_agg(m.number order by m.number) as numbers
        from (select id, number from app_public.messages
               where messages.chat_id = c.chat_id and messages.number > c.after_number
               order by number limit page_size) m
    ) as page on true
    left join refused on refused.place = c.place
$$;
comment on function app_private.read_message_streams(bigint[], bigint[], int[], bigint[], int) is $$For many places in chats at once, as of one moment: the next messages after each (none where after_numbers is null), the number up to which nothing is left out, and which of the viewers (each with the 1-based place that they read from) may not read the chat.$$;
grant execute on function app_private.read_message_streams(bigint[], bigint[], int[], bigint[], int) to :API_LOGIN;
--! EndIncluded functions/read_message_streams.sql
