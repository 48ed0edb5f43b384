--! Previous: sha1:2b77ca4f22ebe3b068fc770cf5acf26c18b19f35
--! Hash: sha1:9d33282d7f90b7e15bcee54a1be3291a9701a4d2
--! Message: audit trail counts and change feed

-- Traces of a change: an entry in the audit trail, a count, the visibility of other rows, an event for subscribers.

-- The audit trail: which user changed which row, when and to what. Triggers write it, so that it has what psql does, too. Only
-- the owner can change it, and only admins read it.
create type app_public.audit_action as enum ('INSERT', 'UPDATE', 'DELETE');
comment on type app_public.audit_action is $$@describe INSERT The row was created.
@describe UPDATE The row was changed.
@describe DELETE The row was deleted.
The kind of change to a row.$$;

create table app_public.audit_trail (
  id         bigint generated always as identity,
  changed_at timestamptz not null default statement_timestamp(),
  -- No foreign key: an entry outlives the user.
  actor_id   bigint default app_hidden.viewer_id(),
  actor_role text not null default session_user,
  action     app_public.audit_action not null,
  table_name text not null,
  row_key    text not null,
  changes    jsonb not null,
  primary key (changed_at, id)
) partition by range (changed_at);
comment on table app_public.audit_trail is $$@name audit_entry
@listName auditTrail
@listOrder changed_at desc, id desc
@behavior -query:resource:single
@foreignKey (actor_id) references app_public.users (id)|@backwardBehavior -*
The changes of rows: user, time, and old and new values. Admins see all entries, newest first; other users see none.$$;
comment on column app_public.audit_trail.id is $$The entry’s id.$$;
comment on column app_public.audit_trail.changed_at is $$The time of the change.$$;
comment on column app_public.audit_trail.actor_id is $$@listFilter
The user who made the change through the API; null without a signed-in user, and for direct SQL. The user may be deleted by now.$$;
comment on column app_public.audit_trail.actor_role is $$@name actor_login
@formerly actor_role
The database login that made the change: the service’s or a person’s.$$;
comment on column app_public.audit_trail.action is $$@listFilter
The kind of change.$$;
comment on column app_public.audit_trail.table_name is $$@listFilter
The table. Without its schema if that is app_public.$$;
comment on column app_public.audit_trail.row_key is $$@listFilter
The row’s primary key, usually its id. The values of a composite key are separated by commas.$$;
comment on column app_public.audit_trail.changes is $$The changed columns, each with its previous value as `old` and its new value as `new`.$$;
-- Carries a row's own history.
create index audit_trail_table_name_row_key_idx on app_public.audit_trail (table_name, row_key, changed_at desc, id desc);
-- Carries what one person did.
create index audit_trail_actor_id_idx on app_public.audit_trail (actor_id, changed_at desc, id desc);
-- auditTrail(action:) reads the newest entries of that action from the index.
create index audit_trail_action_changed_at_id_idx on app_public.audit_trail (action, changed_at desc, id desc);

alter table app_public.audit_trail enable row level security;
create policy select_as_admin on app_public.audit_trail for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.audit_trail to :API_MEMBER;
-- No writes: tg__record_changes() adds entries.

-- Each month has a partition, out of the API's reach: rows are read through the table above. This one has the rest.
create table app_private.audit_trail_default partition of app_public.audit_trail default;

alter table app_private.audit_trail_default enable row level security;

--! Included functions/audit/prepare_audit_partitions.sql
-- Every lock is taken at once or not at all: a change that waits behind this function would wait for the readers of the audit
-- trail, too. And none is held for long: PostgreSQL reads the whole default partition before it attaches another one, so a
-- large one first gets a constraint that is validated without blocking writes. Each call takes one step.
create or replace function app_private.prepare_audit_partitions(months int default 3, out is_complete boolean, out rows int)
language plpgsql volatile set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_from timestamptz;
  v_to timestamptz;
  v_name text;
  v_constraint name;
  v_is_validated boolean;
  v_is_small boolean := pg_relation_size('app_private.audit_trail_default') < 16 * 1024 * 1024;
begin
  is_complete := true;
  rows := 0;
  for v_from in
    select generate_series(date_trunc('month', now()), date_trunc('month', now()) + months * interval '1 month', interval '1 month')
  loop
    v_to := v_from + interval '1 month';
    v_name := format('app_private.audit_trail_%s', to_char(v_from, 'YYYY_MM'));
    continue when to_regclass(v_name) is not null;
    -- A month with many rows in the default partition stays there: moving them would stop all changes for too long.
    continue when exists (
      select from app_private.audit_trail_default where changed_at >= v_from and changed_at < v_to
       offset case when v_is_small then 10000 else 0 end);
    v_constraint := format('audit_trail_default_%s_check', to_char(v_from, 'YYYY_MM'));
    v_is_validated := (select convalidated from pg_catalog.pg_constraint
                        where conrelid = 'app_private.audit_trail_default'::regclass and conname = v_constraint);
    if not v_is_small and v_is_validated is not true then
      -- Until the partition is there, the constraint refuses entries of its month.
      continue when v_from < now() + interval '1 day';
      if v_is_validated is null then
        lock table app_private.audit_trail_default in access exclusive mode nowait;
        execute format('alter table app_private.audit_trail_default add constraint %I check (changed_at < %L or changed_at >= %L) not valid',
          v_constraint, v_from, v_to);
      else
        lock table app_private.audit_trail_default in share update exclusive mode nowait;
        execute format('alter table app_private.audit_trail_default validate constraint %I', v_constraint);
      end if;
      is_complete := false;
      return;
    end if;
    lock table only app_public.audit_trail in share update exclusive mode nowait;
    lock table app_private.audit_trail_default in access exclusive mode nowait;
    execute format('create table %s (like app_public.audit_trail including defaults including constraints)', v_name);
    execute format('alter table %s enable row level security', v_name);
    -- Move the month's rows out of the default partition. PostgreSQL refuses to attach a partition otherwise.
    execute format(
      'with moved as (delete from app_private.audit_trail_default where changed_at >= %L and changed_at < %L returning *)
       insert into %s select * from moved', v_from, v_to, v_name);
    -- `attach partition` takes a weaker lock than `create table … partition of`: others can write meanwhile.
    execute format('alter table app_public.audit_trail attach partition %s for values from (%L) to (%L)', v_name, v_from, v_to);
    execute format('alter table app_private.audit_trail_default drop constraint if exists %I', v_constraint);
    rows := 1;
    is_complete := false;
    return;
  end loop;
exception when lock_not_available then
  -- Another transaction uses the audit trail. The next run tries again.
end $$;
comment on function app_private.prepare_audit_partitions(int) is $$A job: creates the audit trail’s next missing partition, of this month and the given number of months ahead. One step each time, so that no lock is held for long. Leaves it to the next run while another transaction uses the audit trail.$$;
--! EndIncluded functions/audit/prepare_audit_partitions.sql
--! Included functions/audit/retire_audit_partitions.sql
-- Every lock is taken at once or not at all, as in prepare_audit_partitions().
create or replace function app_private.retire_audit_partitions(
  keep interval default '12 months', batch int default 10000, out is_complete boolean, out rows int
)
language plpgsql volatile set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_limit timestamptz := date_trunc('month', now() - keep);
  v_partition regclass;
begin
  if v_limit >= date_trunc('month', now()) then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least the current month';
  end if;
  delete from app_private.audit_trail_default where ctid = any (array(
    select ctid from app_private.audit_trail_default where changed_at < v_limit order by changed_at limit batch));
  get diagnostics rows = row_count;
  is_complete := rows < batch;
  v_partition := (
    select inhrelid::regclass
      from pg_catalog.pg_inherits
      join pg_catalog.pg_class on pg_class.oid = inhrelid
     where inhparent = 'app_public.audit_trail'::regclass
       and relname ~ '^audit_trail_\d{4}_\d{2}$'
       and relname < 'audit_trail_' || to_char(v_limit, 'YYYY_MM')
     order by relname limit 1);
  if v_partition is null then
    return;
  end if;
  begin
    lock table app_public.audit_trail in access exclusive mode nowait;
    execute format('drop table %s', v_partition);
    rows := rows + 1;
    is_complete := false;
  exception when lock_not_available then
    -- Another transaction uses the audit trail. The next run tries again.
  end;
end $$;
comment on function app_private.retire_audit_partitions(interval, int) is $$A job: drops the audit trail’s oldest monthly partition that is older than the given interval, and deletes up to batch such rows of the default partition. Leaves it to the next run while another transaction uses the audit trail.$$;
--! EndIncluded functions/audit/retire_audit_partitions.sql
select app_private.prepare_audit_partitions() from generate_series(1, 4);

-- Counts of rows are kept while rows are written, so that reading one does not depend on how many rows there are. A transaction adds to
-- a row that no other transaction is writing, and inserts one if all are taken. So nobody waits.
create table app_hidden.counts (
  name text collate "C" not null,
  key  text collate "C" not null,
  slot bigint generated always as identity,
  rows bigint not null,
  primary key (name, key, slot)
) with (fillfactor = 50);
comment on table app_hidden.counts is $$How many rows of a table have a value in a column: the sum over the slots.$$;

alter table app_hidden.counts enable row level security;
create policy select_own on app_hidden.counts for select to :API_MEMBER
  using (name = 'posts.author_id,status' and split_part(key, ',', 1) = (select app_hidden.viewer_id())::text);
-- A count tells no more than the policies of its table.
create policy select_public on app_hidden.counts for select to :API_ANONYMOUS, :API_MEMBER
  using (name in ('follows.followed_id', 'follows.follower_id') or (name, key) = ('posts.status', 'PUBLISHED')
      or name = 'posts.author_id,status' and key like '%,PUBLISHED' or name = 'post_tags.tag_id,is_public' and key like '%,true');
create policy select_as_admin on app_hidden.counts for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_hidden.counts to :API_ANONYMOUS, :API_MEMBER;
-- The policy for counts of comments is in 000006.

--! Included functions/rows/counts.sql
create or replace function app_hidden.count_key(row_values jsonb, counted text, counted_with text) returns text
language sql immutable parallel safe
return case when counted_with is null then row_values ->> counted else (row_values ->> counted) || ',' || (row_values ->> counted_with) end;
comment on function app_hidden.count_key(jsonb, text, text) is $$The key in app_hidden.counts of a row.$$;

-- Security definer: nobody writes counts but the triggers.
--
-- Static statements, which are planned once in a session. Rows as JSON, because the trigger's arguments name the columns: one, or two.
-- `offset 0` makes the JSON of a row once.
create or replace function app_hidden.tg__count_rows() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
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
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
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
language sql volatile set search_path = pg_catalog, pg_temp as $$
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
--! EndIncluded functions/rows/counts.sql

--! Included functions/rows/computed_columns.sql
-- Security definer: the roles of the API may read the result, whatever the catalogue shows them. plpgsql keeps the plan in a session: triggers
-- call this for each row that is updated.
create or replace function app_hidden.computed_columns(relation oid) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select attname from pg_catalog.pg_attribute where attrelid = relation and attnum > 0 and attgenerated <> ''
     union all
    select attname
      from pg_catalog.pg_constraint
     cross join lateral unnest(conkey[2:]) as copy (number)
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = copy.number
     where conrelid = relation and contype = 'f' and conname like '%\_inherited\_fkey');
end $$;
comment on function app_hidden.computed_columns(oid) is $$The columns that nobody writes: generated ones, and copies of another row’s columns. Copies are the columns after the first of a foreign key whose name ends in _inherited_fkey.$$;
grant execute on function app_hidden.computed_columns(oid) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/computed_columns.sql

-- A client that does not know whether its call has arrived repeats it with the same idempotency key. The second call returns
-- the row of the first one and writes nothing.
create table app_private.idempotency_keys (
  user_id        bigint not null references app_public.users on delete cascade,
  key            text not null,
  arguments_hash bytea not null,
  result_id      bigint,
  created_at     timestamptz not null default now(),
  primary key (user_id, key)
);
comment on table app_private.idempotency_keys is $$The idempotency keys of the last day, with which users repeat a call without creating twice. A job deletes older ones.$$;
comment on column app_private.idempotency_keys.user_id is $$The user who sent the key.$$;
comment on column app_private.idempotency_keys.key is $$The key, which the client has chosen.$$;
comment on column app_private.idempotency_keys.arguments_hash is $$The SHA-256 of what is created, and of the arguments.$$;
comment on column app_private.idempotency_keys.result_id is $$The id of the row that the call has made. Null within the transaction that makes it.$$;
comment on column app_private.idempotency_keys.created_at is $$When the key was sent first.$$;
-- For the job that deletes old rows.
create index idempotency_keys_created_at_idx on app_private.idempotency_keys (created_at);

alter table app_private.idempotency_keys enable row level security;
-- Without protect(): a key is compared as it was sent.

--! Included functions/rows/idempotency.sql
-- Security definer: nobody reads or writes the keys but by these functions, and each user only their own.
--
-- A key is claimed before the row is made, in the same transaction. So another call with the key waits for the first one to end,
-- and then finds its row, or claims the key itself if the first one has failed.
create or replace function app_hidden.claim_key(idempotency_key text, arguments jsonb) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hash bytea := sha256(convert_to(arguments::text, 'UTF8'));
  v_entry app_private.idempotency_keys;
begin
  if char_length(idempotency_key) not between 1 and 255 then
    perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'idempotency_key',
      'message', 'An idempotency key needs between 1 and 255 characters.')
      || case idempotency_key when '' then '{"code": "TOO_SHORT", "params": {"min": 1}}'::jsonb
                                      else '{"code": "TOO_LONG", "params": {"max": 255}}' end));
  end if;
  loop
    insert into app_private.idempotency_keys as former (user_id, key, arguments_hash)
    values (app_hidden.viewer_id(), idempotency_key, v_hash)
    on conflict on constraint idempotency_keys_pkey do update
      set arguments_hash = excluded.arguments_hash, result_id = null, created_at = excluded.created_at
      where former.created_at < now() - interval '1 day';
    if found then
      return null;
    end if;
    select * into v_entry from app_private.idempotency_keys
     where user_id = app_hidden.viewer_id() and key = idempotency_key;
    -- maintain() may have just deleted it.
    exit when found;
  end loop;
  if v_entry.arguments_hash <> v_hash then
    perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'idempotency_key', 'code', 'REUSED',
      'message', 'This key was sent with other arguments. A key belongs to one call and its repetitions.')));
  end if;
  return v_entry.result_id;
end $$;
comment on function app_hidden.claim_key(text, jsonb) is $$The id of the row that the viewer's first call with this key has made within the last day; null for the first call. Waits for a first call that is under way. Refuses a key that was sent with other arguments.$$;
grant execute on function app_hidden.claim_key(text, jsonb) to :API_MEMBER;

-- Security invoker: a result that the viewer may not see any more is as missing as a deleted one.
create or replace function app_hidden.earlier_result(target anyelement, idempotency_key text, arguments jsonb) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_id bigint := app_hidden.claim_key(idempotency_key, jsonb_build_array(pg_typeof(target)::text, jsonb_strip_nulls(arguments)));
begin
  if v_id is null then
    return null;
  end if;
  execute format('select * from %s where id = $1', pg_typeof(target)) into target using v_id;
  if target is null then
    perform app_hidden.refuse_missing('result');
  end if;
  return target;
end $$;
comment on function app_hidden.earlier_result(anyelement, text, jsonb) is $$The row that the viewer's first call with this idempotency key has made in the table of whose type the target is; null for the first call, which gives its own row to keep_result(). Refuses with NOT_FOUND when the row is deleted, and with VALIDATION_ERROR when the arguments are others.$$;
grant execute on function app_hidden.earlier_result(anyelement, text, jsonb) to :API_MEMBER;

create or replace function app_hidden.keep_result(idempotency_key text, id bigint) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update app_private.idempotency_keys set result_id = keep_result.id
   where user_id = app_hidden.viewer_id() and key = keep_result.idempotency_key
$$;
comment on function app_hidden.keep_result(text, bigint) is $$Keeps the id of the row that the first call with an idempotency key has made, for calls that repeat it.$$;
grant execute on function app_hidden.keep_result(text, bigint) to :API_MEMBER;
--! EndIncluded functions/rows/idempotency.sql

-- The change feed: app_hidden.stream() records each added, updated and deleted row of a table under a key, and numbers them in the
-- order of commits. The API's subscriptions read from there (src/streams). Messages have numbers of their own, so their stream reads
-- the table itself.
create table app_private.streams (
  id                 int generated always as identity primary key,
  relation           regclass not null,
  key_column         name not null,
  kind               text not null,
  -- The name, because pg_upgrade does not accept columns of type regproc.
  may_read           text,
  number_column      name,
  last_number_column name,
  keep               interval not null,
  since_column       name,
  constraint streams_relation_key_column_kind_key unique (relation, key_column, kind),
  constraint streams_kind_check check (kind in ('added', 'updated', 'deleted')),
  constraint streams_number_column_check check (number_column is null and last_number_column is null or last_number_column is not null and kind = 'added')
);
comment on table app_private.streams is $$What subscriptions can follow: the rows of a table that are added, updated or deleted, by a key. Written by app_hidden.stream().$$;
comment on column app_private.streams.id is $$Identifies the stream, in notifications too.$$;
comment on column app_private.streams.relation is $$The table.$$;
comment on column app_private.streams.key_column is $$The column whose value a subscription names.$$;
comment on column app_private.streams.kind is $$Which changes: added, updated or deleted.$$;
comment on column app_private.streams.may_read is $$The function that decides who may follow a key; null where the policies decide.$$;
comment on column app_private.streams.number_column is $$The column of the table that numbers the rows of a key in the order of commits; null where stream_events does.$$;
comment on column app_private.streams.last_number_column is $$The column of the key’s table that holds the highest number; null where stream_heads does.$$;
comment on column app_private.streams.keep is $$How long stream_events keeps an event.$$;
comment on column app_private.streams.since_column is $$The column of the table that is null until a row belongs to the stream; null where each row does.$$;
comment on constraint streams_relation_key_column_kind_key on app_private.streams is $$Each table, key and kind has one stream.$$;
comment on constraint streams_kind_check on app_private.streams is $$A kind is added, updated or deleted.$$;
comment on constraint streams_number_column_check on app_private.streams is $$Only added rows can have numbers of their own, and the highest number must be stored.$$;

alter table app_private.streams enable row level security;

-- A hot row for each key: the free space keeps its updates on the page.
create table app_private.stream_heads (
  stream_id   int not null,
  key         text not null,
  last_number bigint not null,
  primary key (stream_id, key)
) with (fillfactor = 50);
comment on table app_private.stream_heads is $$The newest event of each key. Its row is locked until the writer commits, so the numbers of a key have no gaps and are committed in order.$$;
comment on column app_private.stream_heads.stream_id is $$The stream.$$;
comment on column app_private.stream_heads.key is $$The value of the key column.$$;
comment on column app_private.stream_heads.last_number is $$The number of the newest event.$$;

alter table app_private.stream_heads enable row level security;

create table app_private.stream_events (
  stream_id  int not null,
  key        text not null,
  number     bigint not null,
  row_id     text not null,
  -- Not now(): a transaction that began earlier can commit later, and the job must delete in the order of the numbers.
  created_at timestamptz not null default clock_timestamp(),
  primary key (stream_id, key, number)
);
comment on table app_private.stream_events is $$The recent changes of tables that have a stream. A job deletes what a stream does not keep any more.$$;
comment on column app_private.stream_events.stream_id is $$The stream.$$;
comment on column app_private.stream_events.key is $$The value of the key column.$$;
comment on column app_private.stream_events.number is $$The place among the events of this stream and key, from 1 and without gaps.$$;
comment on column app_private.stream_events.row_id is $$The primary key of the row.$$;
comment on column app_private.stream_events.created_at is $$When the row changed; infinity for the newest event that is too old, which is kept so that a client can continue from it.$$;
-- Finds the event that a client continues from.
create index stream_events_stream_id_row_id_idx on app_private.stream_events (stream_id, row_id);
-- Finds what is no longer kept.
create index stream_events_stream_id_created_at_number_idx on app_private.stream_events (stream_id, created_at, number);

alter table app_private.stream_events enable row level security;

-- PostgreSQL cannot revoke LISTEN and NOTIFY: a login that knows a channel's name learns when something happens in which
-- chat, and can make the service read again and again. So the name is random, and only the service may read it.
create table app_private.notification_channels (
  purpose text primary key,
  name    text not null default 'messages_' || replace(gen_random_uuid()::text, '-', '')
);
comment on table app_private.notification_channels is $$The channels that triggers notify and the service listens to. Their names are random, so that other logins can neither listen nor notify.$$;
comment on column app_private.notification_channels.purpose is $$What the notifications are about.$$;
comment on column app_private.notification_channels.name is $$The name of the channel in LISTEN and NOTIFY. A running service reads it when it connects.$$;

alter table app_private.notification_channels enable row level security;
create policy select_by_login on app_private.notification_channels for select to :API_LOGIN using (true);
grant select on app_private.notification_channels to :API_LOGIN;
insert into app_private.notification_channels (purpose) values ('messages'), ('streams');

-- After a promotion or a crash, PostgreSQL gives transaction ids again that the former primary gave to transactions which were lost.
-- So the horizon of a subscription holds for one run of the server only. Recovery empties an unlogged table: the rows tell runs apart.
create unlogged table app_private.server_runs (
  run_id    uuid primary key default gen_random_uuid(),
  first_xid xid8 not null default pg_snapshot_xmin(pg_current_snapshot())
);
comment on table app_private.server_runs is $$Identifies what the server has run since its last recovery. PostgreSQL empties it in each recovery: after a crash, and when a standby is promoted. Whoever writes the first event of a stream adds a row; at the same time, several do.$$;
comment on column app_private.server_runs.run_id is $$Random. As long as this row exists, the server has not recovered.$$;
comment on column app_private.server_runs.first_xid is $$The oldest transaction that was under way when the row was added. Every event of this run has a transaction id that is not below the lowest first_xid, and every event of an earlier run one that is.$$;

alter table app_private.server_runs enable row level security;
create policy select_by_login on app_private.server_runs for select to :API_LOGIN using (true);
grant select on app_private.server_runs to :API_LOGIN;

--! Included functions/streams/stream_sources.sql
create or replace view app_private.stream_sources as
with types (type, name) as (
  values ('smallint'::regtype, 'bigint'), ('int', 'bigint'), ('bigint', 'bigint'), ('uuid', 'uuid')
)
select s.id, s.relation, s.key_column, s.kind, s.may_read, s.number_column, s.last_number_column,
       id_column.attname as id_column,
       -- The types in which ids and keys are compared; null for a type that cannot be one.
       (select types.name from types where type = id_column.atttypid) as id_type,
       (select types.name from types where type = key_column.atttypid) as key_type,
       parent.confrelid::regclass as parent,
       parent_column.attname as parent_column,
       has_any_column_privilege(':API_ANONYMOUS', s.relation, 'select') as is_for_anonymous,
       s.since_column
  from app_private.streams s
  join pg_catalog.pg_attribute key_column on key_column.attrelid = s.relation and key_column.attname = s.key_column
  join pg_catalog.pg_constraint row_key on row_key.conrelid = s.relation and row_key.contype = 'p'
  join pg_catalog.pg_attribute id_column on id_column.attrelid = s.relation and row_key.conkey = array[id_column.attnum]
  left join lateral (
       select confrelid, confkey[1] as attnum from pg_catalog.pg_constraint
        where conrelid = s.relation and contype = 'f' and conkey = array[key_column.attnum]
        order by oid limit 1) as parent on true
  left join pg_catalog.pg_attribute parent_column
         on parent_column.attrelid = parent.confrelid and parent_column.attnum = parent.attnum;
comment on view app_private.stream_sources is $$The streams with what the catalogue says of their tables now: the primary key, the table that the key refers to, and whether requests without a token may read the table.$$;
grant select on app_private.stream_sources to :API_LOGIN;
--! EndIncluded functions/streams/stream_sources.sql
--! Included functions/streams/notify_streams.sql
create or replace function app_private.notify_streams(payload text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select pg_notify(name, payload) from app_private.notification_channels where purpose = 'streams'
$$;
comment on function app_private.notify_streams(text) is $$Notifies the services: “stream:key:number” for new events from that number on, “stream:key:” when the right to read a key has changed, “user:id” when a user’s rights have.$$;

create or replace function app_private.notify_stream_rights(relation regclass, key_column name, key text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select app_private.notify_streams(format('%s:%s:', id, notify_stream_rights.key))
    from app_private.streams s
   where s.relation = notify_stream_rights.relation and s.key_column = notify_stream_rights.key_column
$$;
comment on function app_private.notify_stream_rights(regclass, name, text) is $$Notifies the services to check at once who may read a key of a table’s streams. Without it, they find out with the next event, or within seconds.$$;
--! EndIncluded functions/streams/notify_streams.sql
--! Included functions/streams/begin_run.sql
-- No unique row: the second writer would wait until the first one commits, and might hold what the first one waits for.
create or replace function app_private.begin_run() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from app_private.server_runs) then
    insert into app_private.server_runs default values;
  end if;
end $$;
comment on function app_private.begin_run() is $$Adds a row to server_runs, if the caller sees none. Called in the transaction of each event, so whoever sees an event sees a row.$$;
--! EndIncluded functions/streams/begin_run.sql
--! Included functions/streams/record_stream_events.sql
-- One statement locks the heads of all keys, in their order, so that two writers of the same keys do not wait for each other.
-- The locks last to the end of the transaction: the next writer of a key waits until this one commits or rolls back.
--
-- Without enable_nestloop, a connection that planned this for one row would compare each of many rows with each key.
create or replace function app_private.record_stream_events(relation regclass, key_column name, kinds text[], keys text[], row_ids text[])
returns void language sql volatile set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
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
--! EndIncluded functions/streams/record_stream_events.sql
--! Included functions/streams/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
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
--! EndIncluded functions/streams/tg__stream.sql
--! Included functions/streams/stream.sql
create or replace function app_hidden.stream(
  relation regclass, key_column name, kinds text[] default '{added,updated,deleted}', may_read regproc default null,
  number_column name default null, last_number_column name default null, keep interval default '7 days', since_column name default null
) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_source app_private.stream_sources;
  v_prefix text := '_900_stream_' || left(key_column, 40);
  v_arguments text;
begin
  with gone as (
    delete from app_private.streams s
     where s.relation = stream.relation and s.key_column = stream.key_column and s.kind <> all (kinds) returning id
  ), gone_heads as (
    delete from app_private.stream_heads where stream_id in (select id from gone)
  )
  delete from app_private.stream_events where stream_id in (select id from gone);
  insert into app_private.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep, since_column)
  select stream.relation, stream.key_column, kind, stream.may_read::text, stream.number_column, stream.last_number_column, stream.keep, stream.since_column
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep, since_column = excluded.since_column;

  execute format('drop trigger if exists %I on %s', v_prefix || '_inserts', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_updates', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_deletes', relation);
  if cardinality(kinds) = 0 then
    return;
  end if;

  select * into v_source from app_private.stream_sources s
   where s.relation = stream.relation and s.key_column = stream.key_column limit 1;
  case
    when v_source.id is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a column %s and a primary key of one column', relation, key_column);
    when v_source.id_type is null or v_source.key_type is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a primary key and a column %s that are integers or uuids', relation, key_column);
    when may_read is not null then
      -- Fails unless the function takes a key and a viewer’s id, and returns a column may_read.
      execute format('select r.may_read from %s(null::%s, null::bigint) as r', may_read, v_source.key_type);
    when 'deleted' = any (kinds) and v_source.parent is null then
      raise exception using errcode = '42P16',
        message = format('Nothing says who may learn of deleted rows of %s: %s refers to no table', relation, key_column),
        hint = format('Give a function as may_read, or call: select app_hidden.stream(%L, %L, kinds => %L)',
          relation, key_column, array_remove(kinds, 'deleted'));
    else
  end case;

  v_arguments := format('%L, %L, %L, %L', key_column, v_source.id_column, coalesce(number_column, ''), coalesce(since_column, ''));
  execute format('create trigger %I after insert on %s referencing new table as new_rows
    for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_inserts', relation, v_arguments);
  if number_column is null then
    execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
      for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_updates', relation, v_arguments);
    execute format('create trigger %I after delete on %s referencing old table as old_rows
      for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_deletes', relation, v_arguments);
  end if;
end $$;
comment on function app_hidden.stream(regclass, name, text[], regproc, name, name, interval, name) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;
--! EndIncluded functions/streams/stream.sql
--! Included functions/streams/stream_row_version.sql
-- Security definer: the login may not read the tables itself.
create or replace function app_private.stream_row_version(stream_id int, key text, row_id text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source app_private.stream_sources;
  v_version text;
begin
  select * into v_source from app_private.stream_sources where id = stream_id;
  execute format('select xmin::text from %s where %I = $1::%s and %I = $2::%s and %I is not null', v_source.relation,
      v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type, coalesce(v_source.since_column, v_source.id_column))
    into v_version using row_id, key;
  return v_version;
end $$;
comment on function app_private.stream_row_version(int, text, text) is $$Changes with each update of the row; null when the stream has no row with that id and that key.$$;
grant execute on function app_private.stream_row_version(int, text, text) to :API_LOGIN;
--! EndIncluded functions/streams/stream_row_version.sql
--! Included functions/streams/open_streams.sql
-- Security definer: the login asks for many viewers at once, and may read neither the events nor the tables itself.
create or replace function app_private.open_streams(stream_ids int[], keys text[], after_ids text[], horizons xid8[])
returns table (place int, start_number bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source app_private.stream_sources;
begin
  return query
  select o.place::int,
         case
           when o.after_id is null and o.horizon is null then coalesce(h.last_number, 0)
           -- The newest event that was committed before the horizon. Numbers are committed in order, so all lower ones were
           -- committed as well. An xmin older than the horizon belongs to a transaction that had ended by then. The xmin of
           -- a subtransaction is younger than its parent's.
           when o.after_id is null then coalesce(
             (select e.number from app_private.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key
                 -- maintain() has given those at infinity a new xmin.
                 and (age(e.xmin) > age(o.horizon::xid) or e.created_at = 'infinity')
               order by e.number desc limit 1),
             kept.first_number - 1, 0)
           -- A row can be updated often, so a client names the event.
           when s.kind = 'updated' then
             (select o.after_id::bigint where o.after_id::bigint between kept.first_number - 1 and h.last_number)
           else coalesce(
             -- A row that left the key and came back has several. The first leaves nothing out.
             (select min(e.number) from app_private.stream_events e
               where e.stream_id = o.stream_id and e.key = o.key and e.row_id = o.after_id),
             -- The row is older than the stream, and all events since are there.
             case when s.kind = 'added' and coalesce(kept.first_number, 1) = 1
                   and app_private.stream_row_version(o.stream_id, o.key, o.after_id) is not null then 0 end)
         end
    from unnest(stream_ids, keys, after_ids, horizons) with ordinality as o (stream_id, key, after_id, horizon, place)
    join app_private.streams s on s.id = o.stream_id and s.number_column is null
    left join app_private.stream_heads h on h.stream_id = o.stream_id and h.key = o.key
    left join lateral (
      select min(e.number) as first_number from app_private.stream_events e
       where e.stream_id = o.stream_id and e.key = o.key) as kept on true;

  for v_source in select * from app_private.stream_sources where id = any (stream_ids) and number_column is not null loop
    return query execute format($query$
      select o.place::int,
             case
               when o.after_id is not null then
                 (select e.%1$I::bigint from %2$s e where e.%3$I = o.after_id::%4$s and e.%5$I = o.key::%6$s)
               when o.horizon is null then h.%7$I::bigint
               else coalesce(
                 (select e.%1$I::bigint from %2$s e
                   where e.%5$I = o.key::%6$s
                     -- A negative age is one beyond the two billion that age() can count.
                     and (age(e.xmin) > age(o.horizon::xid) or age(e.xmin) < 0)
                   order by e.%1$I desc limit 1), 0)
             end
        from unnest($1, $2, $3, $4) with ordinality as o (stream_id, key, after_id, horizon, place)
        left join %8$s h on h.%9$I = o.key::%6$s
       where o.stream_id = $5 $query$,
        v_source.number_column, v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type,
        v_source.last_number_column, v_source.parent, v_source.parent_column)
      using stream_ids, keys, after_ids, horizons, v_source.id;
  end loop;
end $$;
comment on function app_private.open_streams(int[], text[], text[], xid8[]) is $$The start of each new subscription to a key of a stream. After the given row (of updated rows: after the event of the given number); else after the last event committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest event. start_number is null when there is no such row, or its event is no longer kept.$$;
grant execute on function app_private.open_streams(int[], text[], text[], xid8[]) to :API_LOGIN;
--! EndIncluded functions/streams/open_streams.sql
--! Included functions/streams/read_streams.sql
-- Security definer: the login may read neither the events nor the tables itself.
create or replace function app_private.read_streams(stream_ids int[], keys text[], after_numbers bigint[], page_size int)
returns table (place int, stream_id int, key text, row_ids text[], numbers bigint[], versions text[], reached bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source app_private.stream_sources;
  v_events text;
begin
  for v_source in select * from app_private.stream_sources where id = any (stream_ids) loop
    v_events := case
      when v_source.number_column is not null then format(
        $events$ select %1$I::text as row_id, %2$I::bigint as number, '' as version
                   from %3$s where %4$I = c.key::%5$s and %2$I > c.after_number order by %2$I limit $4 $events$,
        v_source.id_column, v_source.number_column, v_source.relation, v_source.key_column, v_source.key_type)
      when v_source.kind = 'deleted' then
        $events$ select row_id, number, '' as version from app_private.stream_events e
                  where e.stream_id = $5 and e.key = c.key and number > c.after_number order by number limit $4 $events$
      -- A row that has been deleted or has another key now has no version here.
      else format(
        $events$ select e.row_id, e.number, t.xmin::text as version
                   from (select row_id, number from app_private.stream_events e
                          where e.stream_id = $5 and e.key = c.key and number > c.after_number order by number limit $4) as e
                   left join %1$s t on t.%2$I = e.row_id::%3$s and t.%4$I = c.key::%5$s $events$,
        v_source.relation, v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type)
    end;
    return query execute format($query$
      select c.place::int, $5, c.key, page.row_ids, page.numbers, page.versions,
             case when cardinality(page.row_ids) = $4 then page.numbers[$4] else %s end
        from unnest($1, $2, $3) with ordinality as c (stream_id, key, after_number, place)
        left join lateral (
          select array_agg(row_id order by number) as row_ids, array_agg(number order by number) as numbers,
                 array_agg(version order by number) as versions
            from (%s) as events) as page on true
       where c.stream_id = $5 $query$,
        case when v_source.number_column is null
          then 'coalesce((select last_number from app_private.stream_heads h where h.stream_id = $5 and h.key = c.key), 0)'
          else format('(select %I::bigint from %s where %I = c.key::%s)',
            v_source.last_number_column, v_source.parent, v_source.parent_column, v_source.key_type)
        end, v_events)
      using stream_ids, keys, after_numbers, page_size, v_source.id;
  end loop;
end $$;
comment on function app_private.read_streams(int[], text[], bigint[], int) is $$Reads from many positions in streams in one snapshot. For each position: the next events (none where after_numbers is null), the versions of their rows, and the number up to which the result is complete. A version is null when there is no such row with that key any more, and empty where nobody needs it.$$;
grant execute on function app_private.read_streams(int[], text[], bigint[], int) to :API_LOGIN;
--! EndIncluded functions/streams/read_streams.sql
--! Included functions/streams/refused_viewers.sql
-- Security definer: the login may read neither accounts nor the tables that the functions read.
create or replace function app_private.refused_by_rule(stream_ids int[], keys text[], viewer_ids bigint[]) returns setof int
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_source app_private.stream_sources;
begin
  return query
  select asked.place::int
    from unnest(stream_ids, viewer_ids) with ordinality as asked (stream_id, viewer_id, place)
    left join app_private.stream_sources s on s.id = asked.stream_id
    left join app_private.accounts a on a.user_id = asked.viewer_id and a.banned_at is null
   where s.id is null or a.user_id is null and not (asked.viewer_id is null and s.is_for_anonymous);

  for v_source in select * from app_private.stream_sources where id = any (stream_ids) and may_read is not null loop
    return query execute format($query$
      select asked.place::int
        from unnest($1, $2, $3) with ordinality as asked (stream_id, key, viewer_id, place)
        left join lateral %s(asked.key::%s, asked.viewer_id) as r on true
       where asked.stream_id = $4 and r.may_read is not true $query$, v_source.may_read, v_source.key_type)
      using stream_ids, keys, viewer_ids, v_source.id;
  end loop;
end $$;
comment on function app_private.refused_by_rule(int[], text[], bigint[]) is $$The 1-based positions of those who may not read a key: unknown streams, deleted and banned users, and those that the stream’s own function refuses.$$;
grant execute on function app_private.refused_by_rule(int[], text[], bigint[]) to :API_LOGIN;

-- Not security definer: such a function cannot become another role, and policies apply to roles.
create or replace function app_private.refused_viewers(
  stream_ids int[], keys text[], viewer_ids bigint[], row_streams int[], row_keys text[], row_ids text[]
) returns table (place int, row_id text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_asked record;
begin
  return query select refused, null::text from app_private.refused_by_rule(stream_ids, keys, viewer_ids) as refused;
  -- Each viewer once for each stream.
  for v_asked in
    select s.*, asked.*, case when asked.viewer_id is null then ':API_ANONYMOUS' else ':API_MEMBER' end as role
      from (select one.stream_id, one.viewer_id, array_agg(one.key) as keys, array_agg(one.place::int) as places
              from unnest(stream_ids, keys, viewer_ids) with ordinality as one (stream_id, key, viewer_id, place)
             group by one.stream_id, one.viewer_id) as asked
      join app_private.stream_sources s on s.id = asked.stream_id and s.may_read is null
  loop
    begin
      perform set_config('role', v_asked.role, true), set_config('app.viewer_id', coalesce(v_asked.viewer_id::text, ''), true);
      return query execute format($query$
        select asked.place, null::text from unnest($1, $2) as asked (key, place) where not %1$s
        union all
        select asked.place, page.row_id
          from unnest($1, $2) as asked (key, place)
          join unnest($3, $4, $5) as page (stream_id, key, row_id) on page.stream_id = $6 and page.key = asked.key
         where not exists (select from %2$s where %3$I = page.row_id::%4$s) $query$,
          case when v_asked.parent is null then 'true' else format('exists (select from %s where %I = asked.key::%s)',
            v_asked.parent, v_asked.parent_column, v_asked.key_type) end,
          v_asked.relation, v_asked.id_column, v_asked.id_type)
        using v_asked.keys, v_asked.places, row_streams, row_keys, row_ids, v_asked.id;
      perform set_config('role', 'none', true), set_config('app.viewer_id', '', true);
    exception when others then
      -- No right to read a table, or a policy that fails. The others must not wait for this one.
      return query select unnest(v_asked.places), null::text;
    end;
  end loop;
end $$;
comment on function app_private.refused_viewers(int[], text[], bigint[], int[], text[], text[]) is $$The 1-based positions of those who may not read a key of a stream, without a row_id; of those who may read it and not the row, with the row_id. A stream without a function of its own asks the policies, as each viewer: those of the table that the key refers to, and those of the given rows.$$;
grant execute on function app_private.refused_viewers(int[], text[], bigint[], int[], text[], text[]) to :API_LOGIN;
--! EndIncluded functions/streams/refused_viewers.sql
