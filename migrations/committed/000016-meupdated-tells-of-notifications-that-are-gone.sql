--! Previous: sha1:8a2a286e05628d78412e7fdf3b2c6fd5a781b92a
--! Hash: sha1:3adfd490959f76b091fd2d79bce51fc17504b896
--! Message: meUpdated tells of notifications that are gone

--! split: 300-told.sql

-- allow: change-behaviour:app_hidden.tg_notifications__tell_user because users also hear when unread notifications are gone
-- allow: change-behaviour:app_hidden.record_inbox_changes because several changes of one inbox entry are recorded once
-- allow: create-trigger:_900_tell_notified_update on app_public.posts because users hear when unread notifications are hidden or deleted: test/comments/live
-- allow: create-trigger:_900_tell_user_delete on app_public.notifications because users hear when unread notifications are hidden or deleted: test/comments/live
-- allow: change-behaviour:app_private.erase_user because events are numbered before those of the user are deleted: test/maintenance/eraseUser
-- The devices of a user hear of each change of the number of unread notifications.
--! Included functions/notifications/tell_users.sql
create or replace function app_hidden.tell_users(user_ids bigint[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if user_ids <> '{}' then
    perform change_feed.record_events('app_public.users', 'id', array_fill('updated'::text, array[cardinality(user_ids)]), user_ids::text[], user_ids::text[]);
  end if;
end $$;
comment on function app_hidden.tell_users(bigint[]) is $$Sends meUpdated to users whose counts have changed.$$;
--! EndIncluded functions/notifications/tell_users.sql
--! Included functions/notifications/tg_notifications__tell_user.sql
-- Security definer: nobody else may write events.
create or replace function app_hidden.tg_notifications__tell_user() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user_ids bigint[];
begin
  if tg_op = 'UPDATE' then
    v_user_ids := array(select distinct user_id from new_rows);
  else
    -- A deleted user has no device to tell.
    v_user_ids := array(select distinct user_id from old_rows join app_public.users on users.id = user_id where read_at is null);
  end if;
  perform app_hidden.tell_users(v_user_ids);
  return null;
end $$;
comment on function app_hidden.tg_notifications__tell_user() is $$After notifications are marked as read, or unread ones are gone: their users are told once for all of them, so that another tab counts anew.$$;

-- Security definer: nobody else may read notifications of others, and write events.
--
-- Without enable_nestloop, a session that planned this for one row would compare each of many rows with each other.
create or replace function app_hidden.tg_posts__tell_notified() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_nestloop = off set jit = off as $$
declare
  v_post_ids bigint[] := array(
    select id from old_rows join new_rows using (id) where old_rows.is_public <> new_rows.is_public);
begin
  if v_post_ids <> '{}' then
    perform app_hidden.tell_users(array(
      select distinct user_id from app_public.notifications where post_id = any (v_post_ids) and read_at is null));
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__tell_notified() is $$After posts are hidden or published: those who have unread notifications of them are told, because these are not counted while the post is hidden.$$;
--! EndIncluded functions/notifications/tg_notifications__tell_user.sql
create trigger _900_tell_user_delete after delete on app_public.notifications
  referencing old table as old_rows for each statement execute function app_hidden.tg_notifications__tell_user();
create trigger _900_tell_notified_update after update on app_public.posts
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_posts__tell_notified();

-- Changes of one entry are recorded once, and read once: a chat with many members and many changes took the product of both.
--! Included functions/chat/record_inbox_changes.sql
-- Security definer: the service's login can choose neither the changes nor the time.
--
-- The heads of these streams are locked by this function alone: no other transaction holds it up, or waits for it.
create or replace function app_hidden.record_inbox_changes(out are_more_due boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_kinds text[];
  v_user_ids text[];
  v_chat_ids text[];
begin
  with taken as (
    delete from app_private.inbox_changes where id in (
      select id from app_private.inbox_changes where due_at <= clock_timestamp() order by id limit 100 for update skip locked)
    returning chat_id, user_id
  ), due as (
    select distinct chat_id, user_id from taken
  ), changes as (
    select 'updated' as kind, i.user_id, i.chat_id
      from due join app_public.inbox_entries i on i.chat_id = due.chat_id and i.user_id = coalesce(due.user_id, i.user_id)
    union
    select 'deleted', due.user_id, due.chat_id
      from due left join app_public.inbox_entries i using (chat_id, user_id) where due.user_id is not null and i.user_id is null
  )
  select array_agg(kind), array_agg(user_id::text), array_agg(chat_id::text), (select count(*) = 100 from taken)
    into v_kinds, v_user_ids, v_chat_ids, are_more_due
    from changes;
  perform change_feed.record_events('app_public.inbox_entries', 'user_id', v_kinds, v_user_ids, v_chat_ids);
end $$;
comment on function app_hidden.record_inbox_changes() is $$Records changes of inboxes that are due in the change feed, each entry once. Returns whether there may be more.$$;
grant execute on function app_hidden.record_inbox_changes() to :API_LOGIN;
--! EndIncluded functions/chat/record_inbox_changes.sql
-- Queues: each read starts among the rows that former ones have deleted. A session that stays connected does not remove these while a
-- transaction is open, even in another database of the server, because its idea of which rows everybody has ceased to see does not move.
-- Vacuum computes that anew, and takes milliseconds.
alter table app_private.inbox_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table change_feed.pending_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

--! Included functions/users/erase_user.sql
create or replace function app_private.erase_user(user_id bigint) returns boolean
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_email text := (select email from app_private.accounts where accounts.user_id = erase_user.user_id);
  v_existed boolean := exists (select from app_public.users where id = erase_user.user_id);
  v_tags bigint[] := array(
    select tag_id from app_public.post_tags join app_public.posts on posts.id = post_id where author_id = erase_user.user_id);
  v_relations regclass[] := '{}';
  v_columns name[] := '{}';
  v_streams int[] := '{}';
  v_reference record;
begin
  -- Entries of the audit trail about a row of the user: the user's own, and those of each table that references users. A
  -- table that a DBA adds is found as well. Entries that the rest of this function adds are about the same rows.
  create temporary table erased_rows (table_name text, row_key text, primary key (table_name, row_key)) on commit drop;
  insert into pg_temp.erased_rows values ('users', erase_user.user_id::text);
  for v_reference in
    select conrelid::regclass as relation, attname as referrer,
           case nspname when 'app_public' then '' else nspname || '.' end || relname as audit_name,
           (select array_agg(key.attname::text order by array_position(k.conkey, key.attnum))
              from pg_catalog.pg_constraint k
              join pg_catalog.pg_attribute key on key.attrelid = k.conrelid and key.attnum = any (k.conkey)
             where k.conrelid = c.conrelid and k.contype = 'p') as key_columns
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_class r on r.oid = conrelid
      join pg_catalog.pg_namespace n on n.oid = relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = conrelid and a.attnum = c.conkey[1]
     where contype = 'f' and confrelid = 'app_public.users'::regclass and conparentid = 0
  loop
    v_relations := v_relations || v_reference.relation;
    v_columns := v_columns || v_reference.referrer;
    v_streams := v_streams || array(
      select id from change_feed.streams where relation = v_reference.relation and key_column = v_reference.referrer);
    execute format(
      'insert into pg_temp.erased_rows
       select $1, conventions.row_key(to_jsonb(t), $2) from %s as t where t.%I = $3 and $2 is not null
       union
       select table_name, row_key from app_public.audit_trail
        where table_name = $1 and $3::text in (changes #>> array[$4, ''old''], changes #>> array[$4, ''new''])
       on conflict do nothing', v_reference.relation, v_reference.referrer)
      using v_reference.audit_name, v_reference.key_columns, erase_user.user_id, v_reference.referrer;
  end loop;

  delete from app_private.failed_sign_ins where account = app_private.account_key(v_email);
  delete from app_private.account_tokens where account = app_private.account_key(v_email);
  -- Counts of the current minute stay: others share the network, and a deletion must not renew its limit. A job deletes them.
  delete from app_private.rate_limited_calls
   where expires_at <= now()
     and key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', deleted_at = coalesce(deleted_at, now()), sender_id = null where sender_id = erase_user.user_id;
  update app_public.chats set title = null where creator_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
  -- Events are numbered at the commit, else. Those of the user's own keys must be there to be deleted.
  set constraints change_feed._500_number immediate;
  delete from change_feed.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from change_feed.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from conventions.counter_shards s
   using conventions.counters c
    join unnest(v_relations, v_columns) as r (relation, referrer) on c.relation = r.relation and c.columns[1] = r.referrer
   where s.counter = c.name and split_part(s.key, ',', 1) = erase_user.user_id::text;
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);

  update app_public.audit_trail
     set changes = (select coalesce(jsonb_object_agg(name, '{}'::jsonb), '{}') from jsonb_object_keys(changes) as name)
   where (table_name, row_key) in (select table_name, row_key from pg_temp.erased_rows);
  update app_public.audit_trail set actor_id = null where actor_id = erase_user.user_id;
  drop table pg_temp.erased_rows;
  return v_existed;
end $$;
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, notifications, the text of messages, and titles of chats that the user created. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/users/erase_user.sql
