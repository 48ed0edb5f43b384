--! Previous: sha1:e3cecae1c3272d3c10be2890ad007f4888f3ede7
--! Hash: sha1:0f8d9c25e66aea162a29189d5ce289f9ae606657
--! Message: audit-trail

--! split: 800-audit.sql
-- The audit trail: who changed which row, when and to what. Triggers write it, so that what psql does is there too. Only
-- the owner could change what it says, and only admins read it.
drop table if exists app_public.audit_trail cascade;
drop type if exists app_public.audit_action;

create type app_public.audit_action as enum ('INSERT', 'UPDATE', 'DELETE');
comment on type app_public.audit_action is $$@describe INSERT The row came to be.
@describe UPDATE The row changed.
@describe DELETE The row is gone.
What was done to a row.$$;

create table app_public.audit_trail (
  id         bigint generated always as identity,
  changed_at timestamptz not null default statement_timestamp(),
  -- No foreign key: what somebody did outlives them.
  actor_id   bigint default app_hidden.viewer_id(),
  actor_role text not null default session_user,
  action     app_public.audit_action not null,
  table_name text not null,
  row_key     text not null,
  changes    jsonb not null,
  primary key (changed_at, id)
) partition by range (changed_at);
comment on table app_public.audit_trail is E'@name audit_entry\n@listName auditTrail\n@listOrder changed_at desc, id desc\n@behavior -query:resource:single\n@foreignKey (actor_id) references app_public.users (id)|@backwardBehavior -*\nWho changed which row, when and to what. Admins see it, newest first; for others it is empty.';
comment on column app_public.audit_trail.id is $$Identifies the entry.$$;
comment on column app_public.audit_trail.changed_at is $$When it was done.$$;
comment on column app_public.audit_trail.actor_id is E'@listFilter\nThe user who did it through the API; null for one who was not signed in, and for work on the database itself. The user may be gone since.';
comment on column app_public.audit_trail.actor_role is $$The database login that did it: the service’s own, or a person’s.$$;
comment on column app_public.audit_trail.action is E'@listFilter\nWhat was done to the row.';
comment on column app_public.audit_trail.table_name is E'@listFilter\nThe table, without its schema where that is app_public.';
comment on column app_public.audit_trail.row_key is E'@listFilter\nThe row’s primary key, its id as a rule; where several columns identify it, their values with commas between.';
comment on column app_public.audit_trail.changes is $$Each column that changed, with its value before as `old` and after as `new`.$$;
-- Carries a row's own history.
create index audit_trail_table_name_row_key_idx on app_public.audit_trail (table_name, row_key, changed_at desc, id desc);
-- Carries what one person did.
create index audit_trail_actor_id_idx on app_public.audit_trail (actor_id, changed_at desc, id desc);

alter table app_public.audit_trail enable row level security;
create policy select_as_admin on app_public.audit_trail for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.audit_trail to :API_MEMBER;
-- No writes: an entry comes to be through tg__record_changes().

-- A month has a partition of its own, out of the API's reach: rows are read through the table above. What falls outside of
-- all months still has a place.
create table app_private.audit_trail_default partition of app_public.audit_trail default;
alter table app_private.audit_trail_default enable row level security;

--! Included functions/prepare_audit_partitions.sql
-- Security definer: the change that finds the next month missing is anybody's.
create or replace function app_private.prepare_audit_partitions(months int default 3) returns int
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
declare
  v_from timestamptz;
  v_to timestamptz;
  v_name text;
  v_made int := 0;
begin
  -- One at a time, and nobody waits: whoever comes second leaves the work to the first.
  if not pg_try_advisory_xact_lock(hashtext('app_public.audit_trail'), 0) then
    return 0;
  end if;
  for v_from in
    select generate_series(date_trunc('month', now()), date_trunc('month', now()) + months * interval '1 month', interval '1 month')
  loop
    v_to := v_from + interval '1 month';
    v_name := format('app_private.audit_trail_%s', to_char(v_from, 'YYYY_MM'));
    continue when to_regclass(v_name) is not null;
    execute format('create table %s (like app_public.audit_trail including defaults including constraints)', v_name);
    execute format('alter table %s enable row level security', v_name);
    -- What came before its month was prepared moves in, else the default partition would refuse the new neighbour.
    execute format(
      'with moved as (delete from app_private.audit_trail_default where changed_at >= %L and changed_at < %L returning *)
       insert into %s select * from moved', v_from, v_to, v_name);
    -- Attached and not created in place: this lets others write the trail meanwhile.
    execute format('alter table app_public.audit_trail attach partition %s for values from (%L) to (%L)', v_name, v_from, v_to);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;
comment on function app_private.prepare_audit_partitions(int) is $$Makes the audit trail’s partitions for this month and so many to come; answers with how many were missing. Nobody has to call it: the first change of each month does.$$;
--! EndIncluded functions/prepare_audit_partitions.sql
--! Included functions/retire_audit_partitions.sql
create or replace function app_private.retire_audit_partitions(keep interval default '12 months') returns int
language plpgsql volatile set search_path = '' set timezone = 'UTC' set lock_timeout = '5s' as $$
declare
  v_limit timestamptz := date_trunc('month', now() - keep);
  v_partition regclass;
  v_retired int := 0;
begin
  if v_limit >= date_trunc('month', now()) then
    raise exception using errcode = '22023', message = 'The audit trail keeps at least the current month';
  end if;
  for v_partition in
    select inhrelid::regclass
      from pg_catalog.pg_inherits
      join pg_catalog.pg_class on pg_class.oid = inhrelid
     where inhparent = 'app_public.audit_trail'::regclass
       and relname ~ '^audit_trail_\d{4}_\d{2}$'
       and relname < 'audit_trail_' || to_char(v_limit, 'YYYY_MM')
     order by relname
  loop
    execute format('drop table %s', v_partition);
    v_retired := v_retired + 1;
  end loop;
  delete from app_private.audit_trail_default where changed_at < v_limit;
  return v_retired;
end $$;
comment on function app_private.retire_audit_partitions(interval) is $$Drops the audit trail’s months that are older than that; answers with how many. Run it once a month, from cron or by hand. Waits at most five seconds for the lock.$$;
--! EndIncluded functions/retire_audit_partitions.sql
--! Included functions/row_key.sql
create or replace function app_hidden.row_key(version jsonb, columns text[]) returns text
language sql immutable parallel safe set search_path = '' as $$
  select string_agg(version ->> name, ',' order by place) from unnest(columns) with ordinality as c (name, place)
$$;
comment on function app_hidden.row_key(jsonb, text[]) is $$What identifies a row: its values in those columns, with commas between.$$;
--! EndIncluded functions/row_key.sql
--! Included functions/row_changes.sql
create or replace function app_hidden.row_changes(before jsonb, after jsonb, is_secret boolean) returns jsonb
language sql immutable parallel safe set search_path = '' as $$
  select coalesce(jsonb_object_agg(key, case
           when is_secret then '{}'
           when before is null then jsonb_build_object('new', after -> key)
           when after is null then jsonb_build_object('old', before -> key)
           else jsonb_build_object('old', before -> key, 'new', after -> key)
         end), '{}')
    from jsonb_object_keys(coalesce(after, before)) as key
   where nullif(before -> key, 'null') is distinct from nullif(after -> key, 'null')
$$;
comment on function app_hidden.row_changes(jsonb, jsonb, boolean) is $$The columns in which two versions of a row differ: {"column": {"old": …, "new": …}}, or {"column": {}} where the values are secret. Without a version before, what is not null in the one after; and the other way round.$$;
--! EndIncluded functions/row_changes.sql
--! Included functions/tg__record_changes.sql
-- Security definer: nobody may write the audit trail but through here.
--
-- A statement is recorded by one insert, however many rows it changed. The trigger's arguments are the columns that
-- identify a row, and pair its versions. A column that is computed from others is left out.
create or replace function app_hidden.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
declare
  v_table text := case tg_table_schema when 'app_public' then '' else tg_table_schema || '.' end || tg_table_name;
  v_key text[] := tg_argv;
  v_computed text[] := array(
    select attname::text from pg_catalog.pg_attribute where attrelid = tg_relid and attgenerated <> '');
  -- Of what is secret, the trail says only that it changed.
  v_is_secret boolean := tg_table_schema = 'app_private';
begin
  -- Next month's partition is made by this month's first change. If that fails, the next change tries again: no change
  -- ever fails because of its record, for there is the default partition.
  if to_regclass(to_char(now() + interval '1 month', '"app_private.audit_trail_"YYYY_MM')) is null then
    begin
      perform app_private.prepare_audit_partitions();
    exception when others then
      raise warning 'The audit trail has no partition for next month yet: %', sqlerrm;
    end;
  end if;

  case tg_op
    when 'INSERT' then
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select 'INSERT', v_table, app_hidden.row_key(after, v_key), app_hidden.row_changes(null, after, v_is_secret)
        from (select to_jsonb(new_rows) - v_computed as after from new_rows) as added;
    when 'DELETE' then
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select 'DELETE', v_table, app_hidden.row_key(before, v_key), app_hidden.row_changes(before, null, v_is_secret)
        from (select to_jsonb(old_rows) - v_computed as before from old_rows) as removed;
    when 'TRUNCATE' then
      -- Before it happens: truncation keeps no old rows to be seen after.
      execute format(
        'insert into app_public.audit_trail (action, table_name, row_key, changes)
         select ''DELETE'', $1, app_hidden.row_key(before, $2), app_hidden.row_changes(before, null, $3)
           from (select to_jsonb(truncated) - $4 as before from %s as truncated) as removed', tg_relid::regclass)
        using v_table, v_key, v_is_secret, v_computed;
    when 'UPDATE' then
      -- A row whose key has changed is another row: the old one is gone, a new one has come.
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select (case when after is null then 'DELETE' when before is null then 'INSERT' else 'UPDATE' end)::app_public.audit_action,
             v_table, row_key, changes
        from (select app_hidden.row_key(to_jsonb(old_rows), v_key) as row_key, to_jsonb(old_rows) - v_computed as before
                from old_rows) as old_versions
        full join (select app_hidden.row_key(to_jsonb(new_rows), v_key) as row_key, to_jsonb(new_rows) - v_computed as after
                     from new_rows) as new_versions using (row_key)
       cross join lateral app_hidden.row_changes(before, after, v_is_secret) as changes
       where changes <> '{}';
  end case;
  return null;
end $$;
comment on function app_hidden.tg__record_changes() is $$After a statement: writes what it changed into the audit trail. For any table, through record_changes_of().$$;
--! EndIncluded functions/tg__record_changes.sql
--! Included functions/record_changes_of.sql
-- A trigger that sees all rows of a statement is for one kind of statement only, so there are four.
create or replace function app_private.record_changes_of(relation regclass) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_key text := (
    select string_agg(quote_literal(attname), ', ' order by array_position(conkey, attnum))
      from pg_catalog.pg_constraint
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = any (conkey)
     where conrelid = relation and contype = 'p');
begin
  if v_key is null then
    raise exception using errcode = '42P16', message = format('%s has no primary key, so its rows cannot be told apart', relation);
  end if;
  execute format('create or replace trigger _900_record_inserts after insert on %s
    referencing new table as new_rows for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
  execute format('create or replace trigger _900_record_updates after update on %s
    referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
  execute format('create or replace trigger _900_record_deletes after delete on %s
    referencing old table as old_rows for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
  execute format('create or replace trigger _900_record_truncates before truncate on %s
    for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
end $$;
comment on function app_private.record_changes_of(regclass) is $$From now on, changes of this table are written into the audit trail. Needs a primary key. Of a table in app_private, only the names of changed columns are written, never what is in them. For DBAs, in a migration.$$;
--! EndIncluded functions/record_changes_of.sql
select app_private.prepare_audit_partitions();

select app_private.record_changes_of('app_public.users');
select app_private.record_changes_of('app_public.posts');
select app_private.record_changes_of('app_public.comments');
select app_private.record_changes_of('app_public.chat_members');

--! Included analytics/changes.sql
-- Analysts learn how much was changed, not what, and not by whom.
create or replace view analytics.changes_by_day with (security_barrier) as
select (changed_at at time zone 'UTC')::date as day,
       table_name,
       action::text as action,
       case when actor_id is not null then 'USER' when actor_role = ':API_LOGIN' then 'ANONYMOUS' else 'DATABASE' end as actor_kind,
       count(*) as changes
  from app_public.audit_trail
 group by 1, 2, 3, 4;
comment on view analytics.changes_by_day is $$How many rows were changed, by day. One row for each day, table, action and kind of actor that there was; other days are left out. Reaches back as far as the audit trail is kept.$$;
comment on column analytics.changes_by_day.day is $$The day, UTC.$$;
comment on column analytics.changes_by_day.table_name is $$The table whose rows were changed.$$;
comment on column analytics.changes_by_day.action is $$INSERT, UPDATE or DELETE.$$;
comment on column analytics.changes_by_day.actor_kind is $$USER for a signed-in user of the API, ANONYMOUS for one who was not signed in, DATABASE for work on the database itself.$$;
comment on column analytics.changes_by_day.changes is $$How many rows.$$;
--! EndIncluded analytics/changes.sql
