--! Previous: sha1:3235ba91da69d07cf69eb8de68c03858730c7d95
--! Hash: sha1:4d30e6638d6fd33ea95cbae1756faaf01e816700
--! Message: writes plan their statements once

--! split: 300-writes.sql
-- A post with tags is written in a third of the time: triggers end early where nothing is to be done, look for the faults of
-- tags only after the first one, and run statements that are planned once in a session.
--! Included functions/normalize_text.sql
create or replace function app_hidden.tg__normalize_text() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_row jsonb := to_jsonb(new);
  v_changes jsonb;
begin
  -- Most rows cannot change: their texts are normal, and a line has no white space at its ends.
  if not exists (
    select from jsonb_each_text(v_row)
     where case
       when octet_length(value) = char_length(value) then key = any (tg_argv) and value ~ '^\s|\s$'
       when not app_hidden.bounded_text(value, null) or value is not nfc normalized then true
       else key = any (tg_argv) and app_hidden.normal_text(value, null, true) <> value
     end
  ) then
    return new;
  end if;

  select jsonb_object_agg(key, normal) into v_changes
    from jsonb_each(v_row) as field
   cross join lateral (values (field.value #>> '{}')) as given (text)
   cross join lateral app_hidden.normal_text(
     given.text,
     -- The column's length limit, from its check constraint.
     (select min(substring(expression from '<= (\d+)')::int) from app_hidden.rules
       where table_id = tg_relid and kind = 'c' and expression like '%char_length(' || key || ')%'),
     coalesce(key = any (tg_argv), false)) as normal
   where jsonb_typeof(field.value) = 'string'
     -- Skip what cannot change: ASCII without white space at its ends.
     and (octet_length(given.text) > char_length(given.text) or given.text ~ '^\s|\s$')
     and normal <> given.text;
  return case when v_changes is null then new else jsonb_populate_record(new, v_changes) end;
end $$;
comment on function app_hidden.tg__normalize_text() is $$Before a row is written: brings its texts into the form of app_hidden.normal_text(). The arguments are the columns of a single line. normalize_text() attaches it to a table.$$;

create or replace function app_hidden.normalize_text(relation regclass, lines text[] default '{}') returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_unknown text := (select min(line) from unnest(lines) as line where not exists (
    select from pg_catalog.pg_attribute where attrelid = relation and attname = line and attnum > 0));
begin
  if v_unknown is not null then
    raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_unknown);
  end if;
  execute format('create or replace trigger _050_normalize_text before insert or update on %s
    for each row execute function app_hidden.tg__normalize_text(%s)',
    relation, (select string_agg(quote_literal(line), ', ') from unnest(lines) as line));
  execute format('create or replace trigger _200_refuse_faults before insert or update on %s
    for each row execute function app_hidden.tg__refuse_faults()', relation);
end $$;
comment on function app_hidden.normalize_text(regclass, text[]) is $$Makes a table store all its texts in Unicode normal form C, trim the given columns, which hold a single line, and report all faults of a row at once.$$;
--! EndIncluded functions/normalize_text.sql
--! Included functions/counts.sql
-- Security definer: nobody writes counts but the triggers.
--
-- Static statements, which are planned once in a session. Rows as JSON, because the trigger's argument names the column.
create or replace function app_hidden.tg__count_rows() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_name text := format('%s.%s', tg_table_name, tg_argv[0]);
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
        select key, count(*) from (select to_jsonb(new_rows) ->> tg_argv[0] as key from new_rows) as added
         where key is not null group by key;
    when 'DELETE' then
      open v_changes for
        select key, - count(*) from (select to_jsonb(old_rows) ->> tg_argv[0] as key from old_rows) as removed
         where key is not null group by key;
    else
      open v_changes for
        select key, sum(change) from (
          select to_jsonb(new_rows) ->> tg_argv[0] as key, 1 as change from new_rows
           union all select to_jsonb(old_rows) ->> tg_argv[0], -1 from old_rows) as changes
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
  return null;
end $$;
comment on function app_hidden.tg__count_rows() is $$After rows change: keeps the counts of a column’s values.$$;

create or replace function app_private.count_rows(relation regclass, counted name) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_table name := (select relname from pg_catalog.pg_class where oid = relation);
  v_run text := format('for each statement execute function app_hidden.tg__count_rows(%L)', counted);
begin
  execute format('create or replace trigger _600_count_%s_added after insert on %s referencing new table as new_rows %s', counted, relation, v_run);
  execute format('create or replace trigger _600_count_%s_updated after update on %s referencing old table as old_rows new table as new_rows %s', counted, relation, v_run);
  execute format('create or replace trigger _600_count_%s_removed after delete on %s referencing old table as old_rows %s', counted, relation, v_run);
  execute format('create or replace trigger _600_count_%s_truncated after truncate on %s %s', counted, relation, v_run);
  delete from app_hidden.counts where name = format('%s.%s', v_table, counted);
  execute format('insert into app_hidden.counts (name, key, rows) select %L, to_jsonb(%I) #>> ''{}'', count(*) from %s where %2$I is not null group by %2$I',
    format('%s.%s', v_table, counted), counted, relation);
end $$;
comment on function app_private.count_rows(regclass, name) is $$Keeps the number of rows of each value of a column in app_hidden.counts, from now on. Call it again after rows were written without triggers. For DBAs.$$;

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
--! Included functions/mark_stale_facts.sql
-- Triggers that mark stale facts (analytics/facts.sql). Security definer: members may not write the marks. A change of a row of
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
      select id from old_rows join new_rows using (id)
       where (old_rows.title, old_rows.slug) is distinct from (new_rows.title, new_rows.slug));
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
  if cardinality(v_ids) = 0 then
    return null;
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
    select id from old_rows join new_rows using (id) where old_rows.created_at is distinct from new_rows.created_at);
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

do $do$
declare
  v_table regclass;
  v_function text;
  v_arguments text;
begin
  for v_table, v_function, v_arguments in values
    ('app_public.posts'::regclass, 'tg_posts__mark_stale_facts', ''),
    ('app_public.post_tags', 'tg_post_tags__mark_stale_facts', ''),
    ('app_public.comments', 'tg_comments__mark_stale_facts', ''),
    ('app_public.users', 'tg__mark_stale_facts', $$'created_at'$$),
    ('app_public.follows', 'tg__mark_stale_facts', $$'created_at'$$),
    ('app_public.messages', 'tg__mark_stale_facts', $$'created_at', 'sender_id', 'chat_id'$$),
    ('app_private.unfollows', 'tg__mark_stale_facts', $$'day'$$),
    ('app_public.audit_trail', 'tg__mark_stale_facts', $$'changed_at', 'actor_id', 'actor_role', 'action', 'table_name'$$)
  loop
    execute format('create or replace trigger _700_mark_stale_facts_added after insert on %s referencing new table as new_rows for each statement execute function app_hidden.%s(%s)', v_table, v_function, v_arguments);
    execute format('create or replace trigger _700_mark_stale_facts_updated after update on %s referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.%s(%s)', v_table, v_function, v_arguments);
    execute format('create or replace trigger _700_mark_stale_facts_removed after delete on %s referencing old table as old_rows for each statement execute function app_hidden.%s(%s)', v_table, v_function, v_arguments);
    execute format('create or replace trigger _700_forget_facts after truncate on %s for each statement execute function app_hidden.tg__forget_facts()', v_table);
  end loop;
  -- New rows of these are always of today.
  drop trigger _700_mark_stale_facts_added on app_public.audit_trail;
  drop trigger _700_mark_stale_facts_added on app_private.unfollows;
end $do$;
create or replace trigger _700_mark_stale_cohorts after update on app_public.users
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_users__mark_stale_cohorts();
create or replace trigger _700_record_unfollows after delete on app_public.follows
  referencing old table as old_rows for each statement execute function app_hidden.tg_follows__record_unfollows();
--! EndIncluded functions/mark_stale_facts.sql
--! Included functions/tg_post_tags__touch_post.sql
-- Security definer: members may not set updated_at.
create or replace function app_hidden.tg_post_tags__touch_post() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  -- Without a post that this transaction creates: its created_at is the transaction's start.
  v_ids bigint[] := array(
    select posts.id from changed join app_public.posts on posts.id = changed.post_id where created_at < transaction_timestamp());
begin
  -- An update of no rows would run the triggers of the statement all the same.
  if v_ids <> '{}' then
    update app_public.posts set updated_at = clock_timestamp() where id = any (v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_post_tags__touch_post() is $$After a post’s tags change: sets its updated_at, because readers see the tags.$$;
--! EndIncluded functions/tg_post_tags__touch_post.sql
--! Included functions/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies. Planning for the number of tags would take longer than looking them up by index.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[]) returns void
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_names text[];
  v_is_tagged boolean := exists (select from app_public.post_tags where post_tags.post_id = set_post_tags.post_id);
  v_count int;
begin
  if not exists (
    select from app_public.posts
     where posts.id = set_post_tags.post_id
       and (author_id = app_hidden.viewer_id() or app_hidden.viewer_is_admin()
         -- Logins other than the API's have the rights granted on the tables.
         or session_user <> ':API_LOGIN')
  ) then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- The rule for their number counts all that were given. Most posts have so few that looking it up would only take time.
  if cardinality(tags) > 10 then
    perform app_hidden.refuse_faults(app_hidden.tag_faults(tags));
  end if;
  v_names := app_hidden.tag_names(tags);
  if v_names = '{}' and not v_is_tagged then
    return;
  end if;

  -- Keeps maintain() from deleting a tag that no post has had until now.
  perform from app_public.tags where name = any (v_names) for key share;
  get diagnostics v_count = row_count;
  if v_count < cardinality(v_names) then
    -- Insert in one order, so that two writers of the same new tags cannot deadlock.
    insert into app_public.tags (name)
    select name from unnest(v_names) as name
     where not exists (select from app_public.tags t where t.name = name.name)
     order by name
    on conflict do nothing;
  end if;

  if v_is_tagged then
    delete from app_public.post_tags
     where post_tags.post_id = set_post_tags.post_id
       and tag_id not in (select id from app_public.tags where name = any (v_names));
    set constraints app_public.post_tags_post_id_position_key deferred;
  end if;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_names) with ordinality as wanted (name, place)
    join app_public.tags on tags.name = wanted.name
  on conflict on constraint post_tags_pkey do update set position = excluded.position
   where post_tags.position <> excluded.position;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[]) is $$Replaces the tags of a post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[]) to :API_MEMBER;
--! EndIncluded functions/set_post_tags.sql
--! Included functions/create_post.sql
create or replace function app_public.create_post(input app_public.create_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb;
  v_post app_public.posts;
begin
  -- Fields of the input are columns of posts, except the tags.
  v_post := app_hidden.insert_row(v_post, to_jsonb(input) - 'tags' || jsonb_build_object('author_id', app_hidden.viewer_id()));
  perform app_hidden.set_post_tags(v_post.id, input.tags);
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_faults = pg_exception_detail;
  -- The post is null if the faults are its own. Those of a tag do not say which one it is.
  perform app_hidden.refuse_faults(case when v_post.id is null then v_faults else '[]' end || app_hidden.tag_faults(input.tags));
  raise;
end $$;
comment on function app_public.create_post(app_public.create_post_input) is $$Creates a post with you as its author.$$;
grant execute on function app_public.create_post(app_public.create_post_input) to :API_MEMBER;
--! EndIncluded functions/create_post.sql
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb;
  v_post app_public.posts;
begin
  -- Fields of the input are columns of posts, except the tags.
  v_post := app_hidden.update_row(v_post, update_post.id, to_jsonb(input) - 'tags', 'post');
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_faults = pg_exception_detail;
  -- The post is null if the faults are its own. Those of a tag do not say which one it is.
  perform app_hidden.refuse_faults(case when v_post.id is null then v_faults else '[]' end || app_hidden.tag_faults(input.tags));
  raise;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input) is $$@describe id The post to change.
Changes a post of yours. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input) to :API_MEMBER;
--! EndIncluded functions/update_post.sql
