--! Previous: sha1:908e7e5f18aabd5fe824da111114d0894144e9c9
--! Hash: sha1:b13e92d1a1fd0059a330471d2459ba7679005215
--! Message: old webhook events are found by their ids

--! split: 302-old-webhook-events.sql

-- allow: rows-changed:app_private.jobs because the job has another statement
-- What no endpoint has taken within a month is found by its id: no index has the times.
--! Included functions/upkeep/delete_expired.sql
create or replace function app_private.delete_expired(
  relation regclass, column_name name, kept interval, batch int, out is_complete boolean, out rows int
)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('delete from %1$s where ctid = any (array(
    select ctid from %1$s where %2$I < now() - $1 order by %2$I limit $2 for update skip locked))', relation, column_name)
    using kept, batch;
  get diagnostics rows = row_count;
  is_complete := rows < batch;
end $$;
comment on function app_private.delete_expired(regclass, name, interval, int) is $$A job: deletes up to batch rows whose time is longer ago than the interval, oldest first. Rows that others have locked wait for the next batch. An index on the column finds them.$$;

create or replace function app_private.delete_expired_sessions(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_sessions bigint[];
begin
  -- First the tokens, then the session: a cascade would have no bound. The margin keeps clear of refreshes that are under way.
  with expired as (
    delete from app_private.refresh_tokens where token_hash in (
      select token_hash from (
        select token_hash from app_private.refresh_tokens where expires_at < now() - interval '1 day'
         order by expires_at limit batch for update skip locked) as old
       union all
      select token_hash from (
        select token_hash from app_private.sessions join app_private.refresh_tokens on session_id = id
         where revoked_at < now() - interval '1 day' limit batch for update of refresh_tokens skip locked) as revoked)
    returning session_id
  )
  select count(*), array_agg(distinct session_id) into rows, v_sessions from expired;
  delete from app_private.sessions where id = any (v_sessions)
     and not exists (select from app_private.refresh_tokens where session_id = sessions.id);
  is_complete := rows < batch;
end $$;
comment on function app_private.delete_expired_sessions(int) is $$A job: deletes expired refresh tokens, the sessions of which they were the last, and sessions that ended more than a day ago.$$;

create or replace function app_private.delete_old_notifications(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- The oldest have the lowest ids.
  delete from app_public.notifications where id in (
    select id from (select id, created_at from app_public.notifications order by id limit batch for update skip locked) as oldest
     where not app_hidden.is_recent(created_at));
  get diagnostics rows = row_count;
  is_complete := rows < batch;
end $$;
comment on function app_private.delete_old_notifications(int) is $$A job: deletes the notifications that are not recent any more.$$;

create or replace function app_private.delete_stream_events(batch int, out is_complete boolean, out rows int)
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select * from change_feed.prune_events(batch)
$$;
comment on function app_private.delete_stream_events(int) is $$A job: deletes the events that their streams do not keep any more.$$;

create or replace function app_private.delete_webhook_events(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off set jit = off as $$
declare
  v_webhook text;
  v_count int;
begin
  rows := 0;
  for v_webhook in select name from change_feed.webhooks order by name loop
    -- The oldest have the lowest ids.
    delete from change_feed.webhook_events
     where webhook = v_webhook and id = any (array(
           select id from (select id, queued_at from change_feed.webhook_events where webhook = v_webhook order by id limit batch - rows) as oldest
            where queued_at < now() - interval '30 days'));
    get diagnostics v_count = row_count;
    rows := rows + v_count;
  end loop;
  is_complete := rows < batch;
end $$;
comment on function app_private.delete_webhook_events(int) is $$A job: deletes what no endpoint has taken within a month.$$;

-- No index finds the tags without posts, so each batch looks at the next tags by id. `state` has the last one; null before a new round.
create or replace function app_private.tend_tags(batch int, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_tags bigint[] := array(
    select id from app_public.tags
     where id > coalesce((select state::bigint from app_private.jobs where name = 'tags'), 0) order by id limit batch);
  v_unused bigint[];
begin
  v_unused := array(
    select id from app_public.tags where id = any (v_tags)
       and not exists (select from app_public.post_tags where tag_id = tags.id) for update skip locked);
  -- Asks again, because a post may have received a tag just before it was locked.
  delete from app_public.tags where id = any (v_unused)
     and not exists (select from app_public.post_tags where tag_id = tags.id);
  get diagnostics rows = row_count;
  -- The foreign key locks the row of post_tags: a post that is being hidden is waited for, or refused if it is hidden.
  update app_public.tags set public_post_id = found.post_id, public_tag_id = id, is_public = true
    from (select id as tag_id, (select post_id from app_public.post_tags
                                 where tag_id = tags.id and post_tags.is_public order by listed_at limit 1 for key share) as post_id
            from app_public.tags where id = any (v_tags) and is_public is not true for no key update skip locked) as found
   where id = found.tag_id and found.post_id is not null;
  is_complete := cardinality(v_tags) < batch;
  update app_private.jobs set state = case when cardinality(v_tags) = batch then v_tags[batch] end where name = 'tags';
end $$;
comment on function app_private.tend_tags(int) is $$A job: deletes the tags that no post has, and names a published post of each of the others.$$;
--! EndIncluded functions/upkeep/delete_expired.sql
update app_private.jobs set statement = $$select * from app_private.delete_webhook_events($1)$$ where name = 'webhook_events';
