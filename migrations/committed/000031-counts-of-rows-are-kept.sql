--! Previous: sha1:de59341dd583448f3acfc82249f0d678a2d67129
--! Hash: sha1:3807d487f686ee438e367da9c3e88e476c7a96d4
--! Message: counts of rows are kept

--! split: 900-counts.sql
-- Counts of rows are kept while rows are written, so that reading one does not depend on how many rows there are.

-- A transaction adds to a row that no other transaction is writing, and inserts one if all are taken. So nobody waits.
create table if not exists app_hidden.counts (
  name text collate "C" not null,
  key  text collate "C" not null,
  slot bigint not null generated always as identity,
  rows bigint not null,
  primary key (name, key, slot)
) with (fillfactor = 50);
comment on table app_hidden.counts is $$How many rows of a table have a value in a column: the sum over the slots.$$;
alter table app_hidden.counts enable row level security;

--! Included functions/counts.sql
-- Security definer: nobody writes counts but the triggers.
create or replace function app_hidden.tg__count_rows() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_name text := format('%s.%s', tg_table_name, tg_argv[0]);
  v_rows text := case tg_op
    when 'INSERT' then 'select %1$I as key, 1 as change from new_rows'
    when 'DELETE' then 'select %1$I, -1 from old_rows'
    else 'select %1$I, 1 from new_rows union all select %1$I, -1 from old_rows'
  end;
  v_key text;
  v_change bigint;
begin
  if tg_op = 'TRUNCATE' then
    delete from app_hidden.counts where name = v_name;
    return null;
  end if;
  for v_key, v_change in execute format(
    'select key::text, sum(change) from (' || v_rows || ') as changes (key, change) where key is not null group by key having sum(change) <> 0',
    tg_argv[0])
  loop
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
  execute format('insert into app_hidden.counts (name, key, rows) select %L, %I::text, count(*) from %s where %2$I is not null group by %2$I',
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
select app_private.count_rows('app_public.posts', 'status');
select app_private.count_rows('app_public.follows', 'followed_id');

-- A count tells no more than the policies of its table.
drop policy if exists select_public on app_hidden.counts;
create policy select_public on app_hidden.counts for select to :API_ANONYMOUS, :API_MEMBER
  using (name = 'follows.followed_id' or (name, key) = ('posts.status', 'PUBLISHED'));
drop policy if exists select_as_admin on app_hidden.counts;
create policy select_as_admin on app_hidden.counts for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_hidden.counts to :API_ANONYMOUS, :API_MEMBER;

-- Carries the viewer's own drafts: posts that are not published are few, and their author's.
create index if not exists posts_author_id_private_idx on app_public.posts (author_id, listed_at desc, id desc) where status <> 'PUBLISHED';

--! Included functions/posts_count.sql
create or replace function app_public.posts_count(status app_public.post_status default null) returns int
language sql stable
-- The policies of counts show published posts, and all posts to admins.
return (select coalesce(sum(rows), 0)::int from app_hidden.counts
         where name = 'posts.status' and (posts_count.status is null or key = posts_count.status::text))
     + case when (select app_hidden.viewer_is_admin()) then 0 else
       (select count(*)::int from app_public.posts
         where author_id = (select app_hidden.viewer_id()) and posts.status <> 'PUBLISHED'
           and (posts_count.status is null or posts.status = posts_count.status)) end;
comment on function app_public.posts_count(app_public.post_status) is $$@describe status Count only posts with this status.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts_count.sql
--! Included functions/users_followers.sql
create or replace function app_public.users_followers(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(rows), 0))::app_public.follow_summary from app_hidden.counts
         where name = 'follows.followed_id' and key = users.id::text);
comment on function app_public.users_followers(app_public.users) is $$The number of users who follow this user.$$;
grant execute on function app_public.users_followers(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_followers.sql
--! Included functions/maintain.sql
-- Security definer: the service's login may have all this done, and can choose nothing that is kept: what is deleted is over, or
-- older than a retention that has a minimum.
--
-- Each call is a batch. Rows that others have locked are left for the next call, so nothing here waits.
create or replace function app_private.maintain(
  batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out done jsonb
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_batch int := least(greatest(batch, 1), 10000);
  v_position bigint;
  v_tags bigint[];
  v_count int;
begin
  if audit_retention_days < 90 then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least 90 days';
  end if;
  -- The lock on the row lets one instance work at a time. The others have nothing to do.
  select last_tag_id into v_position from app_private.maintenance for update skip locked;
  is_complete := true;
  done := '{}';
  if not found then
    return;
  end if;

  -- The last token of a session ends it. The margin keeps clear of refreshes that are under way.
  with expired as (
    delete from app_private.refresh_tokens where token_hash in (
      select token_hash from app_private.refresh_tokens where expires_at < now() - interval '1 day'
       order by expires_at limit v_batch for update skip locked)
    returning session_id
  ), ended as (
    delete from app_private.sessions where id in (select session_id from expired)
       and not exists (select from app_private.refresh_tokens where session_id = sessions.id and expires_at >= now() - interval '1 day')
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('refresh_tokens', v_count);

  -- First the tokens, then the session: a cascade would have no bound.
  delete from app_private.refresh_tokens where token_hash in (
    select token_hash
      from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
      join app_private.refresh_tokens on session_id = id
     limit v_batch for update of refresh_tokens skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('revoked_tokens', v_count);
  delete from app_private.sessions where id in (
    select id from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
     where not exists (select from app_private.refresh_tokens where session_id = id));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sessions', v_count);

  delete from app_private.session_requests where ctid = any (array(
    select ctid from app_private.session_requests where created_at < now() - interval '1 hour'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('session_requests', v_count);

  delete from app_private.failed_sign_ins where id in (
    select id from app_private.failed_sign_ins where failed_at < now() - interval '1 day'
     order by failed_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('failed_sign_ins', v_count);

  delete from app_private.sign_in_networks where ctid = any (array(
    select ctid from app_private.sign_in_networks where signed_in_at < now() - interval '90 days'
     order by signed_in_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sign_in_networks', v_count);

  delete from app_private.rate_limited_calls where key in (
    select key from app_private.rate_limited_calls
     where expire < extract(epoch from now()) * 1000
     order by expire limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('rate_limited_calls', v_count);

  -- The newest expired event of a key stays, out of reach of the next call: a client that has it can continue from it.
  with expired as (
    select event.*
      from app_private.streams s
     cross join lateral (
           select stream_id, key, number from app_private.stream_events
            where stream_id = s.id and created_at < now() - s.keep
            order by created_at, number limit v_batch for update skip locked) as event
  ), newest as (
    select stream_id, key, max(number) as number from expired group by stream_id, key
  ), kept as (
    update app_private.stream_events e set created_at = 'infinity'
      from newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number = newest.number
  ), deleted as (
    delete from app_private.stream_events e
     using newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number < newest.number
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('stream_events', v_count);

  -- No index finds the tags without posts, so each call looks at the next tags by id. The delete asks again,
  -- because a post may have received a tag just before it was locked.
  select array_agg(id) into v_tags from (
    select id from app_public.tags where id > v_position order by id limit v_batch) as next;
  v_position := case when cardinality(v_tags) = v_batch then v_tags[v_batch] else 0 end;
  v_tags := array(
    select id from app_public.tags where id = any (v_tags)
       and not exists (select from app_public.post_tags where tag_id = tags.id) for update skip locked);
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);
  get diagnostics v_count = row_count;
  update app_private.maintenance set last_tag_id = v_position, ran_at = now();

  is_complete := v_position = 0
    and not exists (select from jsonb_each_text(done) where value::int >= v_batch);
  done := done || jsonb_build_object('tags', v_count);

  begin
    done := done || jsonb_build_object('created_partitions', app_private.prepare_audit_partitions(),
      'dropped_partitions', app_private.retire_audit_partitions(make_interval(days => audit_retention_days), v_batch));
  exception when lock_not_available then
    -- Somebody reads the audit trail.
    done := done || '{"postponed_partitions": 1}';
  end;
  if is_complete then
    perform app_private.merge_counts();
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, networks, rate-limited calls, events of streams and unused tags. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql
