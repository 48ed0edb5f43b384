--! Previous: sha1:86ee795ebddb0b308fb2ee93b7006f159b7703c1
--! Hash: sha1:029b691a12a6adf5c3263be0e1ba6dfb40235233
--! Message: Content can be imported

--! split: 600-content-can-be-imported.sql
-- Imported rows are old: they keep their times, and neither subscribers nor authors are told of them.
--! Included functions/is_import.sql
create or replace function app_hidden.is_import() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.is_import', true) = 'on', false);
comment on function app_hidden.is_import() is $$Whether npm run import writes the row. Triggers ask it that tell clients of new rows, or that set the times of a row: imported rows are old, and keep their times.$$;
--! EndIncluded functions/is_import.sql
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- A generated excerpt follows the content. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  -- An infinite time removes the schedule: with update_row(), null leaves it.
  if not isfinite(new.publish_at) then
    new.publish_at := null;
  end if;
  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED'));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED');
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then coalesce(new.first_published_at, new.published_at)
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
--! Included functions/tg_post_tags__touch_post.sql
-- Security definer: members may not set updated_at.
create or replace function app_hidden.tg_post_tags__touch_post() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  -- Without a post that this transaction creates: its created_at is the transaction's start.
  v_ids bigint[] := array(
    select posts.id from changed join app_public.posts on posts.id = changed.post_id where created_at < transaction_timestamp());
begin
  -- An update of no rows would run the triggers of the statement all the same. Imported posts keep their times.
  if v_ids <> '{}' and not app_hidden.is_import() then
    update app_public.posts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond') where id = any (v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_post_tags__touch_post() is $$After a post’s tags change: sets its updated_at, because readers see the tags.$$;
--! EndIncluded functions/tg_post_tags__touch_post.sql
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_computed text[] := app_hidden.computed_columns(tg_relid);
  v_since text := nullif(tg_argv[3], '');
begin
  case
    when app_hidden.is_import() then
      return null;
    when tg_argv[2] <> '' then
      perform app_private.notify_streams(format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join app_private.streams s on s.relation = tg_relid and s.key_column = tg_argv[0]
        group by s.id, added.row ->> tg_argv[0];
    when tg_op = 'INSERT' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('added'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(new_rows) as row from new_rows) as added
        where v_since is null or row ->> v_since is not null;
    when tg_op = 'DELETE' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('deleted'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(old_rows) as row from old_rows) as removed
        where v_since is null or row ->> v_since is not null;
    else
      -- A row that gets another key is deleted from the one and added to the other. Outside of the stream, a row has no key.
      perform app_private.record_stream_events(tg_relid, tg_argv[0], array_agg(kind), array_agg(key), array_agg(row_id))
         from (select before ->> tg_argv[1] as row_id, before,
                      case when v_since is null or before ->> v_since is not null then before ->> tg_argv[0] end as old_key
                 from (select to_jsonb(old_rows) as before from old_rows) as old_rows) as old_versions
         full join (select after ->> tg_argv[1] as row_id, after,
                           case when v_since is null or after ->> v_since is not null then after ->> tg_argv[0] end as new_key
                      from (select to_jsonb(new_rows) as after from new_rows) as new_rows) as new_versions using (row_id)
        cross join lateral (
              select 'updated' as kind, new_key as key where new_key = old_key
              union all select 'deleted', old_key where new_key is distinct from old_key
              union all select 'added', new_key where new_key is distinct from old_key) as change
        -- A row of which only such columns differ has followed another row's change.
        where before = after or before - v_computed is distinct from after - v_computed;
  end case;
  return null;
end $$;
comment on function app_hidden.tg__stream() is $$After a statement: records its changes in the streams of the table, and notifies the services. stream() attaches it to a table.$$;
--! EndIncluded functions/tg__stream.sql
--! Included functions/notify_users.sql
-- Security definer: nobody else may write notifications. The events of users who are away wait here, so one row is written for each
-- user whom an event concerns, however many follow or have commented.
create or replace function app_hidden.tg_comments__notify_users() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if app_hidden.is_import() then
    return null;
  end if;
  insert into app_public.notifications (user_id, kind, actor_id, post_id, comment_id, created_at)
  select told.user_id, told.kind::app_public.notification_kind, added.author_id, added.post_id, added.id, added.created_at
    from new_rows as added
    join app_public.posts on posts.id = added.post_id
    left join app_public.comments as answered on answered.id = added.reply_to_id
   cross join lateral (values
          (answered.author_id, 'REPLIED'),
          -- The author of both hears of it once.
          (nullif(posts.author_id, answered.author_id), 'COMMENTED')) as told (user_id, kind)
   where told.user_id <> added.author_id and app_hidden.is_recent(added.created_at)
   order by added.id;
  return null;
end $$;
comment on function app_hidden.tg_comments__notify_users() is $$After comments are added: notifies the authors of their posts, and of the comments that they reply to. Nobody hears of what they did themselves.$$;

-- Security definer: nobody else may write notifications.
create or replace function app_hidden.tg_follows__notify_users() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app_public.notifications (user_id, kind, actor_id, created_at)
    select followed_id, 'FOLLOWED', follower_id, created_at from new_rows where app_hidden.is_recent(created_at) order by created_at, follower_id;
  else
    delete from app_public.notifications using old_rows
     where notifications.user_id = followed_id and actor_id = follower_id and kind = 'FOLLOWED';
  end if;
  return null;
end $$;
comment on function app_hidden.tg_follows__notify_users() is $$After users follow others: notifies those. After they stop: removes that notification.$$;
--! EndIncluded functions/notify_users.sql
