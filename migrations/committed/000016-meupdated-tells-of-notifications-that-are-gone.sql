--! Previous: sha1:197c8ef4b6803c1d38454e057ea5dc4530ff0b01
--! Hash: sha1:f7176fc43c18830c40aea37b6c3cde08f8822ead
--! Message: meUpdated tells of notifications that are gone

--! split: 300-told.sql

-- allow: change-behaviour:app_hidden.tg_notifications__tell_user because users also hear when unread notifications are gone
-- allow: change-behaviour:app_hidden.record_inbox_changes because several changes of one inbox entry are recorded once
-- allow: create-trigger:_900_tell_notified_update on app_public.posts because users hear when unread notifications are hidden or deleted: test/comments/live
-- allow: create-trigger:_900_tell_user_delete on app_public.notifications because users hear when unread notifications are hidden or deleted: test/comments/live
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
create or replace function app_hidden.tg_posts__tell_notified() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app_hidden.tell_users(array(
    select distinct user_id
      from old_rows join new_rows on new_rows.id = old_rows.id join app_public.notifications on post_id = new_rows.id
     where old_rows.is_public <> new_rows.is_public and read_at is null));
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
