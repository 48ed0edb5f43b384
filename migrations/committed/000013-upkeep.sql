--! Previous: sha1:ee0a4b7cf7d4d848b9c99b27863bd0c1c3c1d775
--! Hash: sha1:736c721e12c8518dbb67ff1b89385e1f5b28894b
--! Message: upkeep

-- Upkeep: jobs delete what has expired and do what statements leave for later. The service runs them, each batch in a transaction
-- of its own: src/maintenance.
create table app_private.jobs (
  name        text primary key,
  statement   text not null,
  priority    int not null default 100,
  every       interval not null default '0',
  state       text,
  ran_at      timestamptz,
  is_complete boolean,
  error       text
);
comment on table app_private.jobs is $$The maintenance jobs. Insert a row to add one. The lock on a row lets one instance of the service run its job at a time.$$;
comment on column app_private.jobs.name is $$The job’s name, in logs too.$$;
comment on column app_private.jobs.statement is $$The query that does a batch. $1 is the number of rows of a batch. It returns whether nothing is left to do now, and the number of rows.$$;
comment on column app_private.jobs.priority is $$Lower numbers run first. Jobs that lock tables come last.$$;
comment on column app_private.jobs.every is $$The least time between two runs.$$;
comment on column app_private.jobs.state is $$A position that the job keeps from one batch to the next.$$;
comment on column app_private.jobs.ran_at is $$The time of the last batch.$$;
comment on column app_private.jobs.is_complete is $$Whether the last batch left nothing to do.$$;
comment on column app_private.jobs.error is $$The error of the last batch; null if it was done.$$;

alter table app_private.jobs enable row level security;

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
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- The newest expired event of a key stays, out of reach of the next call: a client that has it can continue from it.
  with expired as (
    select event.*
      from change_feed.streams s
     cross join lateral (
           select stream_id, key, number from change_feed.stream_events
            where stream_id = s.id and created_at < now() - s.keep
            order by created_at, number limit batch for update skip locked) as event
  ), newest as (
    select stream_id, key, max(number) as number from expired group by stream_id, key
  ), kept as (
    update change_feed.stream_events e set created_at = 'infinity'
      from newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number = newest.number
  ), deleted as (
    delete from change_feed.stream_events e
     using newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number < newest.number
  )
  select count(*) into rows from expired;
  is_complete := rows < batch;
end $$;
comment on function app_private.delete_stream_events(int) is $$A job: deletes the events that their streams do not keep any more.$$;

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

--! Included functions/upkeep/update_in_batches.sql
create or replace function app_private.update_in_batches(
  job text, relation regclass, changes text, batch int, condition text default 'true', out is_complete boolean, out rows int
)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_column name;
  v_type text;
  v_last text := (select state from app_private.jobs where name = job);
begin
  select attname, format_type(atttypid, atttypmod) into v_column, v_type
    from pg_catalog.pg_constraint
    join pg_catalog.pg_attribute on attrelid = conrelid and attnum = conkey[1]
   where conrelid = relation and contype = 'p' and cardinality(conkey) = 1;
  if not found then
    raise exception using errcode = '42P16', message = format('%s has no primary key of one column, in whose order its rows could be updated', relation);
  end if;
  execute format('
    with page as materialized (
      select %2$I as key from %1$s where $1 is null or %2$I > $1::%3$s order by %2$I limit $2
    ), changed as (
      update %1$s set %4$s where %2$I in (select key from page) and (%5$s)
    )
    select coalesce((select key::text from page order by key desc limit 1), $1), (select count(*) from page)',
    relation, v_column, v_type, changes, condition)
    into v_last, rows using v_last, batch;
  update app_private.jobs set state = v_last where name = job;
  is_complete := rows < batch;
end $$;
comment on function app_private.update_in_batches(text, regclass, text, int, text) is $$A job: updates the rows of a table for which the condition holds, in the order of the primary key; job is its own name, whose state is the last key. So a new column of a large table is filled while others write.$$;
--! EndIncluded functions/upkeep/update_in_batches.sql
--! Included functions/upkeep/jobs.sql
-- Security definer: the service's login may have jobs run, and can choose nothing that they delete. The least retention is set here.
create or replace function app_private.run_job(
  name text, batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out rows int
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_statement text;
begin
  if audit_retention_days < 90 then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least 90 days';
  end if;
  -- The lock on the row lets one instance run a job at a time. The others have nothing to do.
  select statement into v_statement from app_private.jobs where jobs.name = run_job.name for update skip locked;
  if not found then
    is_complete := true;
    rows := 0;
    return;
  end if;
  perform set_config('app.audit_retention_days', audit_retention_days::text, true);
  execute v_statement into is_complete, rows using least(greatest(batch, 1), 10000);
  update app_private.jobs set ran_at = clock_timestamp(), is_complete = run_job.is_complete, error = null where jobs.name = run_job.name;
end $$;
comment on function app_private.run_job(text, int, int) is $$Runs one batch of a maintenance job, in the caller’s transaction. Returns whether nothing is left to do now, and the number of rows. Does nothing while another transaction runs the job.$$;
grant execute on function app_private.run_job(text, int, int) to :API_LOGIN;

-- Security definer: the service's login cannot write jobs.
create or replace function app_private.note_failed_job(name text, error text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update app_private.jobs set ran_at = clock_timestamp(), is_complete = false, error = left(note_failed_job.error, 1000) where jobs.name = note_failed_job.name;
$$;
comment on function app_private.note_failed_job(text, text) is $$Stores the error of a job whose transaction has failed.$$;
grant execute on function app_private.note_failed_job(text, text) to :API_LOGIN;

-- Security definer: the service's login cannot read jobs.
create or replace function app_private.due_jobs() returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select name from app_private.jobs
   where is_complete is not true or ran_at <= now() - every
   order by priority, name
$$;
comment on function app_private.due_jobs() is $$The names of the maintenance jobs to run now, in their order.$$;
grant execute on function app_private.due_jobs() to :API_LOGIN;

-- A procedure that sets a path cannot commit, so each name below has its schema.
create or replace procedure app_private.maintain(batch int default 1000, audit_retention_days int default 365)
language plpgsql as $$
declare
  v_names text[] := array(select * from app_private.due_jobs());
  v_name text;
  v_is_complete boolean;
  v_error text;
begin
  while v_names <> '{}' loop
    foreach v_name in array v_names loop
      v_error := null;
      begin
        select run.is_complete into v_is_complete from app_private.run_job(v_name, batch, audit_retention_days) as run;
      exception when others then
        v_error := sqlerrm;
      end;
      if v_error is not null then
        perform app_private.note_failed_job(v_name, v_error);
        raise warning 'The job % has failed: %', v_name, v_error;
      end if;
      commit;
      if v_is_complete or v_error is not null then
        v_names := pg_catalog.array_remove(v_names, v_name);
      end if;
    end loop;
  end loop;
end $$;
comment on procedure app_private.maintain(int, int) is $$Runs the due maintenance jobs until nothing is left to do, as the service does, each batch in a transaction of its own. For DBAs, where no service runs them.$$;
--! EndIncluded functions/upkeep/jobs.sql
--! Included functions/upkeep/check_derived_data.sql
create or replace function app_private.inherited_columns()
returns table (name name, relation regclass, parent regclass, key_is_equal text, copies_differ text, assignments text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select conname, conrelid::regclass, confrelid::regclass,
         string_agg(format('child.%I = parent.%I', ours.attname, theirs.attname), ' and ') filter (where ordinality = 1),
         string_agg(format('child.%I is distinct from parent.%I', ours.attname, theirs.attname), ' or ' order by ordinality) filter (where ordinality > 1),
         string_agg(format('%I = parent.%I', ours.attname, theirs.attname), ', ' order by ordinality) filter (where ordinality > 1)
    from pg_catalog.pg_constraint
   cross join lateral unnest(conkey, confkey) with ordinality as columns (our_number, their_number, ordinality)
    join pg_catalog.pg_attribute ours on ours.attrelid = conrelid and ours.attnum = our_number
    join pg_catalog.pg_attribute theirs on theirs.attrelid = confrelid and theirs.attnum = their_number
   where contype = 'f' and conname like '%\_inherited\_fkey' and conparentid = 0
   group by conname, conrelid, confrelid
$$;
comment on function app_private.inherited_columns() is $$The copies of another row’s columns, by foreign key, with the parts of the statements that check and repair them.$$;

create or replace function app_private.check_derived_data() returns table (derived text, row_key text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
begin
  for v_copy in select * from app_private.inherited_columns() order by 1 loop
    return query execute format('select $1, to_jsonb(child)::text from %s as child join %s as parent on %s where %s',
      v_copy.relation, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) using v_copy.name::text;
  end loop;
  return query
  select 'tags_public_post_fkey', to_jsonb(tags)::text from app_public.tags
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  return query
  select 'conventions.counter_shards', c.counter || ' ' || c.key from conventions.check_counters() c;
  return query
  select 'app_private.post_words', coalesce(posts.id, w.post_id)::text
    from app_public.posts
    full join app_private.post_words w on w.post_id = posts.id
   where (w.author_id, w.is_public, w.listed_at, w.title) is distinct from
         (posts.author_id, posts.is_public, posts.listed_at, app_hidden.similar_text(posts.title))
      -- Words of another language are found anew by a job.
      or w.language = app_hidden.search_language()::text and w.words <> app_hidden.words_in(posts.title, posts.content);
end $$;
comment on function app_private.check_derived_data() is $$Derived data that differs from the rows that it is derived from: none. Inherited visibility, counts and search terms. Reads all rows. For DBAs and tests.$$;

create or replace function app_private.repair_derived_data() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_copy record;
  v_count bigint;
begin
  -- A repaired row is the parent of others, until nothing is left.
  loop
    v_count := 0;
    for v_copy in select * from app_private.inherited_columns() loop
      execute format('with repaired as (update %s as child set %s from %s as parent where %s and (%s) returning 1) select $1 + count(*) from repaired',
        v_copy.relation, v_copy.assignments, v_copy.parent, v_copy.key_is_equal, v_copy.copies_differ) into v_count using v_count;
    end loop;
    exit when v_count = 0;
  end loop;
  update app_public.tags set public_post_id = null, public_tag_id = null, is_public = null
   where is_public and not exists (
     select from app_public.post_tags where post_id = public_post_id and tag_id = public_tag_id and post_tags.is_public);
  perform conventions.repair_counters();
  delete from app_private.post_words where post_id in (
    select row_key::bigint from app_private.check_derived_data() where derived = 'app_private.post_words');
  insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, words, language)
  select id, author_id, is_public, listed_at, app_hidden.similar_text(title), app_hidden.words_in(title, content), app_hidden.search_language()
    from app_public.posts where not exists (select from app_private.post_words where post_id = posts.id);
end $$;
comment on function app_private.repair_derived_data() is $$Makes all that check_derived_data() checks agree with the rows that it is derived from, in one transaction. After rows were written without triggers, as by a restore of data alone. For DBAs.$$;
--! EndIncluded functions/upkeep/check_derived_data.sql

--! Included functions/analytics/end_analysts.sql
-- PostgreSQL keeps notifications until each listener has ended its transaction, in one queue for the whole
-- server, and analysts can change their time-outs.
create or replace function app_private.end_analysts(idle interval default '5 minutes', out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  select count(pg_terminate_backend(pid)) into rows
    from pg_stat_activity
    join pg_roles on pg_roles.oid = usesysid and not rolsuper and pg_has_role(usesysid, ':ANALYST', 'member')
   where datname = current_database()
     and (state like 'idle in transaction%' and state_change < clock_timestamp() - idle
          or pg_notification_queue_usage() > 0.5 and xact_start < clock_timestamp() - interval '1 minute');
  is_complete := true;
end $$;
comment on function app_private.end_analysts(interval) is $$A job: ends sessions of analysts whose transaction has been idle for five minutes, and, while the server’s queue of notifications is half full, those in a transaction of a minute.$$;
--! EndIncluded functions/analytics/end_analysts.sql

insert into app_private.jobs (name, priority, statement) values
  ('sessions', 100, 'select * from app_private.delete_expired_sessions($1)'),
  ('session_requests', 100, $$select * from app_private.delete_expired('app_private.session_requests', 'created_at', '1 hour', $1)$$),
  ('failed_sign_ins', 100, $$select * from app_private.delete_expired('app_private.failed_sign_ins', 'failed_at', '1 day', $1)$$),
  ('account_tokens', 100, $$select * from app_private.delete_expired('app_private.account_tokens', 'expires_at', '0', $1)$$),
  ('mail_outbox', 100, $$select * from app_private.delete_expired('app_private.mail_outbox', 'expires_at', '0', $1)$$),
  ('sign_in_networks', 100, $$select * from app_private.delete_expired('app_private.sign_in_networks', 'signed_in_at', '90 days', $1)$$),
  ('rate_limited_calls', 100, $$select * from app_private.delete_expired('app_private.rate_limited_calls', 'expires_at', '0', $1)$$),
  ('idempotency_keys', 100, $$select * from app_private.delete_expired('app_private.idempotency_keys', 'created_at', '1 day', $1)$$),
  ('notifications', 100, 'select * from app_private.delete_old_notifications($1)'),
  ('stream_events', 100, 'select * from app_private.delete_stream_events($1)'),
  ('tags', 100, 'select * from app_private.tend_tags($1)'),
  ('search_terms', 200, 'select * from app_private.index_posts($1)'),
  ('analysts', 50, 'select * from app_private.end_analysts()'),
  ('counts', 300, 'select true, 0 from conventions.merge_shards()'),
  ('audit_trail', 400, $$select * from app_private.delete_expired('app_public.audit_trail', 'changed_at',
    make_interval(days => current_setting('app.audit_retention_days')::int), $1)$$);

-- The validators of tables (migrations/fixtures/functions/conventions/validators.sql).
select conventions.renew_validators();
