--! Previous: sha1:b9b6d7660c97b6b4f1763ff18cd580f665ebae23
--! Hash: sha1:0af06b164a904dcf629c2d8eaac3239f9c17d5f9
--! Message: statements on many rows cost in proportion

--! split: 100-many-rows.sql
-- A statement on many rows took a time that grew with the square of their number, in a session that had written single rows before.
--! Included functions/record_stream_events.sql
-- One statement locks the heads of all keys, in their order, so that two writers of the same keys do not wait for each other.
-- The locks last to the end of the transaction: the next writer of a key waits until this one commits or rolls back.
--
-- Without enable_nestloop, a connection that planned this for one row would compare each of many rows with each key.
create or replace function app_private.record_stream_events(relation regclass, key_column name, kinds text[], keys text[], row_ids text[])
returns void language sql volatile set search_path = '' set enable_nestloop = off as $$
  with changes as (
    select s.id as stream_id, c.key, c.row_id,
           row_number() over (partition by s.id, c.key order by length(c.row_id), c.row_id) as place,
           count(*) over (partition by s.id, c.key) as total
      from unnest(kinds, keys, row_ids) as c (kind, key, row_id)
      join app_private.streams s
        on s.relation = record_stream_events.relation and s.key_column = record_stream_events.key_column and s.kind = c.kind
     -- Rows without a key are in no stream.
     where c.key is not null
  ), heads as (
    insert into app_private.stream_heads as h (stream_id, key, last_number)
    select stream_id, key, total from changes where place = 1 order by stream_id, key
    on conflict (stream_id, key) do update set last_number = h.last_number + excluded.last_number
    returning stream_id, key, last_number
  ), events as (
    insert into app_private.stream_events (stream_id, key, number, row_id)
    select stream_id, key, last_number - total + place, row_id from changes join heads using (stream_id, key)
     order by stream_id, key, place
    returning stream_id, key, number
  )
  -- The lowest number is enough: the others are committed with it.
  select app_private.notify_streams(format('%s:%s:%s', stream_id, key, min(number))) from events group by stream_id, key
$$;
comment on function app_private.record_stream_events(regclass, name, text[], text[], text[]) is $$Records changes of rows in the streams of a table: one head for each key, one event for each row. Kinds that the table does not stream are left out.$$;
--! EndIncluded functions/record_stream_events.sql
--! Included functions/mark_stale_facts.sql
-- The functions of the triggers that mark stale facts (analytics/facts.sql). Security definer: members may not write the marks. A change of a row of
-- today marks no day, because today is never kept. An update counts only if it changes a column that facts depend on.
create or replace function app_hidden.mark_stale_days(days date[], reach int default 0) returns void
language sql volatile set search_path = '' as $$
  insert into app_private.stale_days (day, until)
  select distinct day, day + reach from unnest(days) as day where day < (clock_timestamp() at time zone 'UTC')::date
$$;
comment on function app_hidden.mark_stale_days(date[], int) is $$Marks the facts of these days, and of so many days after each, as stale. Days that are not over are left out.$$;

create or replace function app_hidden.mark_stale_posts(ids bigint[]) returns void
language sql volatile set search_path = '' as $$
  insert into app_private.stale_posts (post_id) select distinct id from unnest(ids) as id
$$;
comment on function app_hidden.mark_stale_posts(bigint[]) is $$Marks the facts of these posts as stale.$$;

-- The author's next post after the day may become the first one, or no longer be it.
create or replace function app_hidden.mark_stale_publications(author_ids bigint[], days date[]) returns void
language sql volatile set search_path = '' as $$
  select app_hidden.mark_stale_days(days || array(
    select (select min((first_published_at at time zone 'UTC')::date) from app_public.posts
             where posts.author_id = gone.author_id and status = 'PUBLISHED'
               and (first_published_at at time zone 'UTC')::date > gone.day)
      from (select distinct author_id, day from unnest(author_ids, days) as published (author_id, day)) as gone
     where gone.day is not null))
$$;
comment on function app_hidden.mark_stale_publications(bigint[], date[]) is $$Marks the facts of the days on which these authors published, and of the days of their next publication.$$;

create or replace function app_hidden.tg_posts__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_created date[];
  v_authors bigint[];
  v_published date[];
  v_comments date[];
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    -- The usual insert is of today, which is never kept.
    select array_agg(created) filter (where created < v_today), array_agg(author_id) filter (where published < v_today),
           array_agg(published) filter (where published < v_today), array_agg(id) filter (where published < v_today)
      into v_created, v_authors, v_published, v_ids
      from (select id, author_id, (created_at at time zone 'UTC')::date as created,
                   case when status = 'PUBLISHED' then (first_published_at at time zone 'UTC')::date end as published
              from new_rows) as added;
  elsif tg_op = 'DELETE' then
    select array_agg((created_at at time zone 'UTC')::date), array_agg(author_id) filter (where status = 'PUBLISHED'),
           array_agg((first_published_at at time zone 'UTC')::date) filter (where status = 'PUBLISHED'), array_agg(id)
      into v_created, v_authors, v_published, v_ids from old_rows;
  else
    with differing as (
      (select id, author_id, status, created_at, first_published_at from old_rows
        except select id, author_id, status, created_at, first_published_at from new_rows)
       union all
      (select id, author_id, status, created_at, first_published_at from new_rows
        except select id, author_id, status, created_at, first_published_at from old_rows)
    )
    select array_agg((created_at at time zone 'UTC')::date) filter (where is_moved), array_agg(author_id) filter (where status = 'PUBLISHED'),
           array_agg((first_published_at at time zone 'UTC')::date) filter (where status = 'PUBLISHED'), array_agg(id)
      into v_created, v_authors, v_published, v_ids
      from (select *, min(created_at) over same <> max(created_at) over same or min(author_id) over same <> max(author_id) over same as is_moved
              from differing window same as (partition by id)) as rows;
    -- A tag counts the comments of published posts.
    v_comments := array(select distinct (created_at at time zone 'UTC')::date from app_public.comments where post_id = any (v_ids));
    v_ids := v_ids || array(
      select id from (select id, title, slug from old_rows except select id, title, slug from new_rows) as renamed);
  end if;
  if v_created is not null then
    perform app_hidden.mark_stale_days(v_created, 27);
  end if;
  if v_published is not null then
    perform app_hidden.mark_stale_publications(v_authors, v_published);
  end if;
  if v_ids <> '{}' then
    perform app_hidden.mark_stale_days(v_comments), app_hidden.mark_stale_posts(v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__mark_stale_facts() is $$After posts change: marks the facts that depend on them as stale.$$;

-- Planning for the number of posts would take longer than looking them up by index.
create or replace function app_hidden.tg_post_tags__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    v_ids := array(select distinct post_id from new_rows);
  elsif tg_op = 'DELETE' then
    v_ids := array(select distinct post_id from old_rows);
  else
    v_ids := array(
      (select post_id from (select post_id, tag_id from old_rows except select post_id, tag_id from new_rows) as removed)
       union
      (select post_id from (select post_id, tag_id from new_rows except select post_id, tag_id from old_rows) as added));
  end if;
  if v_ids = '{}' then
    return null;
  end if;
  perform app_hidden.mark_stale_days(array(
    select (first_published_at at time zone 'UTC')::date from app_public.posts where id = any (v_ids) and status = 'PUBLISHED'
     union
    select (comments.created_at at time zone 'UTC')::date
      from app_public.posts join app_public.comments on comments.post_id = posts.id
     where posts.id = any (v_ids) and status = 'PUBLISHED'));
  perform app_hidden.mark_stale_posts(array(
    select id from app_public.posts
     where id = any (v_ids) and (first_published_at at time zone 'UTC')::date < (clock_timestamp() at time zone 'UTC')::date));
  return null;
end $$;
comment on function app_hidden.tg_post_tags__mark_stale_facts() is $$After the tags of posts change: marks the facts that depend on them as stale.$$;

create or replace function app_hidden.tg_comments__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_days date[];
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    -- A new comment of today makes its post stale by itself: see stale_post_ids().
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids
      from new_rows where (created_at at time zone 'UTC')::date < v_today;
  elsif tg_op = 'DELETE' then
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids from old_rows;
  else
    with differing as (
      (select id, post_id, author_id, created_at from old_rows except select id, post_id, author_id, created_at from new_rows)
       union all
      (select id, post_id, author_id, created_at from new_rows except select id, post_id, author_id, created_at from old_rows)
    )
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids from differing;
  end if;
  if v_ids is not null then
    perform app_hidden.mark_stale_days(v_days, 27), app_hidden.mark_stale_posts(v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_comments__mark_stale_facts() is $$After comments change: marks the facts that depend on them as stale.$$;

-- The trigger's arguments are the columns that facts depend on; the first is the row's time, or its day.
create or replace function app_hidden.tg__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_today timestamptz := date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC';
  v_columns text := array_to_string(tg_argv, ', ');
  v_changed text;
begin
  -- The usual insert is of today, and ends here without a dynamic statement.
  if tg_op = 'INSERT' and tg_argv[0] = 'created_at' then
    if not exists (select from new_rows where created_at < v_today) then
      return null;
    end if;
  end if;
  v_changed := case tg_op
    when 'INSERT' then 'select * from new_rows'
    when 'DELETE' then 'select * from old_rows'
    else format('(select %1$s from old_rows except all select %1$s from new_rows) union all (select %1$s from new_rows except all select %1$s from old_rows)', v_columns)
  end;
  execute format('select app_hidden.mark_stale_days(array_agg(%s)) from (%s) as changed',
    case tg_argv[0] when 'day' then 'day' else format('(%I at time zone ''UTC'')::date', tg_argv[0]) end, v_changed);
  return null;
end $$;
comment on function app_hidden.tg__mark_stale_facts() is $$After rows change: marks the facts of their days as stale.$$;

-- An update of the time of sign-up moves a user to another cohort, in each month in which the user wrote.
create or replace function app_hidden.tg_users__mark_stale_cohorts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_ids bigint[] := array(
    select id from (select id, created_at from old_rows except select id, created_at from new_rows) as moved);
begin
  if v_ids = '{}' then
    return null;
  end if;
  perform app_hidden.mark_stale_days(array(
    select date_trunc('month', created_at at time zone 'UTC')::date from app_public.posts where author_id = any (v_ids)
     union
    select date_trunc('month', created_at at time zone 'UTC')::date from app_public.comments where author_id = any (v_ids)));
  return null;
end $$;
comment on function app_hidden.tg_users__mark_stale_cohorts() is $$After users change: marks the months in which they wrote as stale if their time of sign-up is another one.$$;

-- Only removals that somebody chose count: a user who is deleted takes the follows along.
create or replace function app_hidden.tg_follows__record_unfollows() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app_private.unfollows (author_id)
  select followed_id from old_rows
   where exists (select from app_public.users where id = follower_id) and exists (select from app_public.users where id = followed_id);
  return null;
end $$;
comment on function app_hidden.tg_follows__record_unfollows() is $$After follows are removed: records the day and the author, not the follower.$$;

create or replace function app_private.forget_facts() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app_private.day_facts;
  delete from app_private.day_tag_facts;
  delete from app_private.day_change_facts;
  delete from app_private.month_facts;
  delete from app_private.month_cohort_facts;
  delete from app_private.post_facts;
  delete from app_private.stale_days;
  delete from app_private.stale_months;
  delete from app_private.stale_posts;
  update app_private.facts_state set kept_through = null, horizon_day = null, horizon = null;
end $$;
comment on function app_private.forget_facts() is $$Forgets all kept facts of the analysts’ views; the service’s maintenance computes them again. For DBAs, and after a truncate.$$;

create or replace function app_hidden.tg__forget_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app_private.forget_facts();
  return null;
end $$;
comment on function app_hidden.tg__forget_facts() is $$After a table is truncated: forgets all kept facts.$$;
--! EndIncluded functions/mark_stale_facts.sql
--! Included functions/counts.sql
create or replace function app_hidden.count_key(row_values jsonb, counted text, counted_with text) returns text
language sql immutable parallel safe
return case when counted_with is null then row_values ->> counted else (row_values ->> counted) || ',' || (row_values ->> counted_with) end;
comment on function app_hidden.count_key(jsonb, text, text) is $$The key in app_hidden.counts of a row.$$;

-- Security definer: nobody writes counts but the triggers.
--
-- Static statements, which are planned once in a session. Rows as JSON, because the trigger's arguments name the columns: one, or two.
-- `offset 0` makes the JSON of a row once.
create or replace function app_hidden.tg__count_rows() returns trigger
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_name text := format('%s.%s', tg_table_name, concat_ws(',', tg_argv[0], tg_argv[1]));
  v_changes refcursor;
  v_key text;
  v_change bigint;
begin
  case tg_op
    when 'TRUNCATE' then
      delete from app_hidden.counts where name = v_name;
      return null;
    when 'INSERT' then
      open v_changes for
        select key, count(*) from (select app_hidden.count_key(row, tg_argv[0], tg_argv[1]) as key
                                     from (select to_jsonb(new_rows) as row from new_rows offset 0) as rows) as added
         where key is not null group by key;
    when 'DELETE' then
      open v_changes for
        select key, - count(*) from (select app_hidden.count_key(row, tg_argv[0], tg_argv[1]) as key
                                       from (select to_jsonb(old_rows) as row from old_rows offset 0) as rows) as removed
         where key is not null group by key;
    else
      open v_changes for
        select key, sum(change) from (
          select app_hidden.count_key(row, tg_argv[0], tg_argv[1]) as key, change
            from (select to_jsonb(new_rows) as row, 1 as change from new_rows
                   union all select to_jsonb(old_rows), -1 from old_rows offset 0) as rows) as changes
         where key is not null group by key having sum(change) <> 0;
  end case;
  loop
    fetch v_changes into v_key, v_change;
    exit when not found;
    -- With a stricter isolation level, a row that was changed since the transaction began cannot be changed.
    if current_setting('transaction_isolation') in ('read committed', 'read uncommitted') then
      update app_hidden.counts set rows = rows + v_change
       where name = v_name and key = v_key
         and slot = (select slot from app_hidden.counts
                      where name = v_name and key = v_key limit 1 for update skip locked);
      continue when found;
    end if;
    insert into app_hidden.counts (name, key, rows) values (v_name, v_key, v_change);
  end loop;
  -- A transaction keeps what it leaves open, and looks through it at each of its savepoints.
  close v_changes;
  return null;
end $$;
comment on function app_hidden.tg__count_rows() is $$After rows change: keeps the counts of a column’s values.$$;

create or replace function app_private.count_rows(relation regclass, counted name, counted_with name default null) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_table name := (select relname from pg_catalog.pg_class where oid = relation);
  v_columns text := concat_ws('_', counted, counted_with);
  v_name text := format('%s.%s', v_table, concat_ws(',', counted, counted_with));
  v_run text := format('for each statement execute function app_hidden.tg__count_rows(%s)', concat_ws(',', quote_literal(counted), quote_literal(counted_with)));
begin
  execute format('create or replace trigger %I after insert on %s referencing new table as new_rows %s', left('_600_count_' || v_columns, 55) || '_added', relation, v_run);
  execute format('create or replace trigger %I after update on %s referencing old table as old_rows new table as new_rows %s', left('_600_count_' || v_columns, 55) || '_updated', relation, v_run);
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows %s', left('_600_count_' || v_columns, 55) || '_removed', relation, v_run);
  execute format('create or replace trigger %I after truncate on %s %s', left('_600_count_' || v_columns, 53) || '_truncated', relation, v_run);
  delete from app_hidden.counts where name = v_name;
  execute format('insert into app_hidden.counts (name, key, rows)
    select $1, key, count(*) from (select app_hidden.count_key(to_jsonb(t), $2, $3) as key from (select %s from %s) as t) as counted_rows
     where key is not null group by key', concat_ws(', ', quote_ident(counted), quote_ident(counted_with)), relation)
    using v_name, counted::text, counted_with::text;
end $$;
comment on function app_private.count_rows(regclass, name, name) is $$Keeps the number of rows of each value of a column, or of each pair of values of two columns, in app_hidden.counts, from now on. Call it again after rows were written without triggers. For DBAs.$$;

create or replace function app_private.merge_counts() returns void
language sql volatile set search_path = '' as $$
  with taken as (
    delete from app_hidden.counts
     where slot in (
       select slot from app_hidden.counts
        where (name, key) in (select name, key from app_hidden.counts group by name, key having count(*) > 1 or sum(rows) = 0)
          for update skip locked)
    returning name, key, rows)
  insert into app_hidden.counts (name, key, rows)
  select name, key, sum(rows) from taken group by name, key having sum(rows) <> 0
$$;
comment on function app_private.merge_counts() is $$Merges the slots of each count that no transaction is writing.$$;
--! EndIncluded functions/counts.sql
--! Included functions/keep_revision.sql
-- Keeps a post as it was before a transaction that changes it. Further changes of the same transaction keep nothing more. A transaction id alone
-- could return after a restore from a dump.
--
-- Without enable_seqscan, a connection that planned this while there were few revisions would read all of them for each post.
create or replace function app_hidden.keep_revision(post app_public.posts) returns void
language plpgsql volatile set search_path = '' set enable_seqscan = off as $$
begin
  if exists (
    select from (select transaction_id, replaced_at from app_public.post_revisions where post_id = post.id order by id desc limit 1) as newest
     where transaction_id = pg_current_xact_id()::text::bigint and replaced_at = now()
  ) then
    return;
  end if;
  insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at)
  select post.id, post.title, post.excerpt, post.content,
         array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
                where post_id = post.id order by position),
         post.updated_at;
  delete from app_public.post_revisions where id = (
    select id from app_public.post_revisions where post_id = post.id order by id desc offset 100 limit 1);
end $$;
comment on function app_hidden.keep_revision(app_public.posts) is $$Keeps the title, excerpt, content and tags of a post as a revision, before they change. The newest 100 revisions of a post stay.$$;

-- Security definer: nobody writes revisions but by changing posts.
create or replace function app_hidden.tg_posts__keep_revision() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app_hidden.keep_revision(old);
  return null;
end $$;
comment on function app_hidden.tg_posts__keep_revision() is $$After the texts of a post change: keeps the former ones. Tags change later, by set_post_tags().$$;
--! EndIncluded functions/keep_revision.sql

-- Triggers of single rows were planned anew for each row, or for each of a few.
--! Included functions/notify_users.sql
-- Security definer: nobody else may write notifications. The events of users who are away wait here, so one row is written for each
-- user whom an event concerns, however many follow or have commented.
create or replace function app_hidden.tg_comments__notify_users() returns trigger
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
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
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
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
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_computed text[];
  v_since text := nullif(tg_argv[3], '');
begin
  perform app_private.begin_run();
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
      v_computed := app_hidden.computed_columns(tg_relid);
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
--! Included functions/show_with_parent.sql
-- Rows that are visible when another row is, such as the comments of a post. Their column is_public says that everybody may see
-- the other row, their parent. So policies look the parent up for the other rows only.
--
-- A transaction that adds a row reads the parent, and one that changes the parent changes its rows. Neither may miss the other:
-- - A new row locks the parent and then reads it. So it waits while another transaction changes the parent's visibility.
-- - That transaction locks the parent against new rows, unless there are some that are not committed yet. Then it does not wait. It
--   puts the parent on the list app_hidden.unsettled, as it does with a parent that has many rows, and in an isolation level
--   that does not see the newest rows.
-- - Policies look up a parent that is on the list, whatever is_public says. settle_rows() corrects its rows in batches.
--
-- The trigger of the rows has generic plans: for a row without a parent, PostgreSQL would plan its statements each time.
create or replace function app_hidden.show_with_parent(relation regclass, key_column name, copied name[] default '{}') returns void
language plpgsql volatile set search_path = '' as $call$
declare
  v_parent regclass;
  v_parent_key name;
  v_key_type text;
  v_name text := (select relname from pg_catalog.pg_class where oid = relation);
  v_function text := format('app_hidden.%I', left('tg_' || v_name, 40) || '__show_with_parent');
  v_parent_function text := format('app_hidden.%I', left('tg_' || v_name, 40) || '__follow_parent');
begin
  select k.confrelid, theirs.attname, format_type(theirs.atttypid, null) into v_parent, v_parent_key, v_key_type
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and array[ours.attnum] = k.conkey
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and array[theirs.attnum] = k.confkey
   where k.contype = 'f' and k.conrelid = relation and ours.attname = key_column;
  if not found then
    raise exception using errcode = '42P16', message = format('%s.%I is not a foreign key of one column', relation, key_column);
  end if;
  insert into app_private.shown_with_parent as s values (relation, key_column, v_parent, v_parent_key, copied)
  on conflict on constraint shown_with_parent_pkey do update
    set key_column = excluded.key_column, parent = excluded.parent, parent_key = excluded.parent_key, copied = excluded.copied;

  -- A constant default does not rewrite the table.
  execute format('alter table %s add column if not exists is_public boolean not null default false', relation);
  execute format('comment on column %s.is_public is %L', relation,
    E'@behavior -*\nWhether everybody may see the row that this one is shown with, and so this one.');

  execute format($sql$
    create or replace function %1$s() returns trigger
    language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%4$I for %5$s;
      -- A statement of its own sees what was committed before it got the lock.
      select app_hidden.is_public(parent) is true%6$s into new.is_public%7$s from %2$s as parent where parent.%3$I = new.%4$I;
      new.is_public := coalesce(new.is_public, false);
      if new.%4$I is not null and current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
        new.is_public := false;
        insert into app_hidden.unsettled (relation, key) values (tg_relid, new.%4$I) on conflict do nothing;
      end if;
      return new;
    end $$ $sql$,
    v_function, v_parent, v_parent_key, key_column,
    -- With copied columns, writers of a parent's rows take turns with writers of the parent.
    case when cardinality(copied) > 0 then 'no key update' else 'key share' end,
    (select string_agg(', parent.' || quote_ident(name), '') from unnest(copied) as name),
    (select string_agg(', new.' || quote_ident(name), '') from unnest(copied) as name));
  execute format('comment on function %s() is %L', v_function,
    format('Before a row of %s is written: sets is_public. Made by show_with_parent().', v_name));
  execute format('create or replace trigger _110_show_with_parent before insert or update of %I, is_public%s on %s
    for each row execute function %s()', key_column,
    (select string_agg(', ' || quote_ident(name), '') from unnest(copied) as name), relation, v_function);

  execute format($sql$
    create or replace function %1$s() returns trigger
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%3$I for %6$s;
      if found and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
         and (select count(*) from (select from %4$s as child where child.%5$I = new.%3$I limit 101) as first) <= 100 then
        update %4$s as child set is_public = child.is_public where child.%5$I = new.%3$I;
      else
        insert into app_hidden.unsettled (relation, key) values (%4$L, new.%3$I) on conflict do nothing;
      end if;
      return null;
    end $$ $sql$,
    v_parent_function, v_parent, v_parent_key, relation, key_column,
    case when cardinality(copied) > 0 then 'no key update' else 'update skip locked' end);
  execute format('comment on function %s() is %L', v_parent_function,
    format('After the visibility of a row changes: changes is_public of its rows in %s. Made by show_with_parent().', v_name));
  execute format('create or replace trigger %I after update on %s for each row
    when (app_hidden.is_public(old) is distinct from app_hidden.is_public(new)%s) execute function %s()',
    left('_650_show_' || v_name, 63), v_parent,
    (select string_agg(format(' or old.%1$I is distinct from new.%1$I', name), '') from unnest(copied) as name), v_parent_function);

  if not exists (select from pg_catalog.pg_policy where polrelid = relation and polname = 'select_visible') then
    execute format('create policy select_visible on %s for select to :API_ANONYMOUS, :API_MEMBER using (false)', relation);
  end if;
  execute format($sql$
    alter policy select_visible on %1$s using (
      is_public and %2$I <> all ((select array(select key::%3$s from app_hidden.unsettled where relation = %1$L::regclass and key <> ''))::%3$s[])
      or exists (select from %4$s as parent where parent.%5$I = %2$I offset 0)) $sql$,
    relation, key_column, v_key_type, v_parent, v_parent_key);

  -- A small table is done at once. Of a large one, maintenance does the rest; until then, policies look the parents up.
  insert into app_hidden.unsettled (relation, key) values (relation, '') on conflict do nothing;
  perform app_private.settle_rows(1000), app_private.settle_rows(1000);
end $call$;
comment on function app_hidden.show_with_parent(regclass, name, name[]) is $$Makes the rows of a table visible to those who may see the row that a foreign key refers to, by a column is_public and the policy select_visible. The function app_hidden.is_public() of the other table says which of its rows everybody may see. copied names columns that have the values of the same columns there; for tables with few rows for each key. Idempotent. Call it again after rows were written without triggers. For DBAs.$$;

-- Security definer: the roles of the API may not read which tables there are.
create or replace function app_hidden.computed_columns(relation oid) returns text[]
language sql stable security definer set search_path = '' as $$
  select array(select attname::text from pg_catalog.pg_attribute where attrelid = relation and attgenerated <> '')
      || coalesce((select 'is_public'::text || copied::text[] from app_private.shown_with_parent s where s.relation = computed_columns.relation), '{}')
$$;
comment on function app_hidden.computed_columns(oid) is $$The columns that nobody writes: generated ones, and those that show_with_parent() keeps.$$;
grant execute on function app_hidden.computed_columns(oid) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/show_with_parent.sql
alter function app_hidden.tg_comments__show_with_parent() set plan_cache_mode = 'force_generic_plan';
alter function app_hidden.tg_notifications__show_with_parent() set plan_cache_mode = 'force_generic_plan';
alter function app_hidden.tg_post_tags__show_with_parent() set plan_cache_mode = 'force_generic_plan';
