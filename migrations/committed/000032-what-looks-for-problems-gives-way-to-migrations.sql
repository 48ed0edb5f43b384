--! Previous: sha1:9f26c3c63cf96862912b8e17e09f0d355fbd1a82
--! Hash: sha1:eebddc5706683efe11eb2294c7e8aa6b40918dce
--! Message: What looks for problems gives way to migrations

--! split: 100-problems.sql

-- allow: change-behaviour because it gives way to a migration: test/maintenance/selfCheck
--! Included functions/upkeep/problems.sql
-- The rights on the schemas say which roles the database was made for. A role that is renamed keeps them, and a new one of its name has none.
create or replace function app_private.role_problems() returns table (subject text, problem text, repair text, is_renamed boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with expected (role, schema) as (
    values (':API_LOGIN', 'app_private'), (':API_ANONYMOUS', 'app_public'), (':API_MEMBER', 'app_public'), (':ANALYST', 'analytics')
  ), holders (schema, role) as (
    select nspname, rolname
      from pg_namespace, aclexplode(nspacl) as acl
      join pg_roles on pg_roles.oid = acl.grantee
     where acl.privilege_type = 'USAGE' and acl.grantee <> nspowner
  ), lost as (
    select role, schema, exists (select from pg_roles where rolname = role) as is_there,
           (select array_agg(h.role::text order by h.role) from holders h
             where h.schema = expected.schema and h.role not in (select e.role from expected e)) as others
      from expected
     where not exists (select from holders h where (h.schema, h.role) = (expected.schema, expected.role))
  )
  select format('The role %s', role),
         case when others is null then format('it may not use the schema %s of this database', schema)
              else format('its rights in this database belong to %s, which has another name since', array_to_string(others, ' or ')) end,
         case when others is null then 'npm run db:restore -- with a dump that has the rights'
              else concat(case when is_there then format('drop role %I; ', role) end, format('alter role %I rename to %I', others[1], role)) end,
         others is not null
    from lost
$$;
comment on function app_private.role_problems() is $$The roles of the service that lack their rights in this database: another role has them, or nobody.$$;
grant execute on function app_private.role_problems() to :API_LOGIN;

-- Security definer: the login may not read tables and sequences itself. A key without an index is not searched for its highest value.
create or replace function app_private.sequence_problems() returns table (subject text, problem text, repair text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_key record;
  v_is_behind boolean;
begin
  for v_key in
    select seqrelid::regclass as sequence, attrelid::regclass as relation, attname as name, seqincrement
      from pg_sequence
      join pg_depend on classid = 'pg_class'::regclass and objid = seqrelid and refclassid = 'pg_class'::regclass and deptype in ('a', 'i')
      join pg_class on pg_class.oid = refobjid and pg_has_role(relowner, 'usage')
      join pg_attribute on attrelid = refobjid and attnum = refobjsubid
     where seqincrement > 0
       and exists (select from pg_index where indrelid = attrelid and indkey[0] = attnum and indisvalid and indpred is null)
     order by 1
  loop
    begin
      execute format('select (select max(%I) from %s) >= (select last_value + is_called::int * $1 from %s)',
        v_key.name, v_key.relation, v_key.sequence) into v_is_behind using v_key.seqincrement;
      -- Undone, which releases the lock: a migration that locks two of these tables would otherwise meet a deadlock.
      raise exception using errcode = 'UNDO0';
    exception when sqlstate 'UNDO0' then
      null;
    end;
    if v_is_behind then
      subject := v_key.sequence::text;
      problem := format('the sequence is behind %s.%I, so new rows are refused', v_key.relation, v_key.name);
      repair := format('select setval(%L, (select max(%I) from %s))', v_key.sequence, v_key.name, v_key.relation);
      return next;
    end if;
  end loop;
end $$;
comment on function app_private.sequence_problems() is $$The sequences whose next value a row of their table has already, or a later one.$$;
grant execute on function app_private.sequence_problems() to :API_LOGIN;

-- A build that is under way holds a lock on its table. So does autovacuum, a process without a user; and a table of another database may have the
-- same oid. What `reindex … concurrently` leaves has a name that ends so.
create or replace function app_private.index_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select indexrelid::regclass::text, 'the index is invalid: its build was not finished, and no query uses it',
         format('npm run db:index -- "%s index concurrently %s"',
           case when relname ~ '_cc(new|old)\d*$' then 'drop' else 'reindex' end, indexrelid::regclass)
    from pg_index
    join pg_class on pg_class.oid = indexrelid and relkind = 'i'
   where not indisvalid and relnamespace <> 'pg_toast'::regnamespace
     and not exists (select from pg_locks join pg_stat_activity using (pid)
                      where relation = indrelid and mode = 'ShareUpdateExclusiveLock' and granted
                        and datname = current_database() and usesysid is not null and pid <> pg_backend_pid())
   order by 1
$$;
comment on function app_private.index_problems() is $$The indexes that are invalid and that nobody builds at the moment.$$;
grant execute on function app_private.index_problems() to :API_LOGIN;

-- The service gives its connections PostgreSQL's defaults of all settings that it may set and that change results. These are the rest.
create or replace function app_private.setting_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with relied as (
    select name, boot_val, setting, source from pg_settings
     where name = 'default_transaction_read_only'
        or context = 'superuser' and vartype in ('bool', 'enum') and name !~ '^(allow_in_place|jit|trace)_'
           and category ~ '^(Client Connection Defaults / Statement Behavior|Developer Options|Version and Platform Compatibility)'
  ), stored as (
    select split_part(entry, '=', 1) as name, substr(entry, strpos(entry, '=') + 1) as value, setdatabase, setrole
      from pg_db_role_setting, unnest(setconfig) as entry
     where setdatabase in (0, (select oid from pg_database where datname = current_database()))
       and (setrole = 0 or pg_get_userbyid(setrole) = ':API_LOGIN')
  ), differing as (
    select stored.*
      from stored
      left join relied using (name)
     where name ~ '^(app|plpgsql)\.'
        or boot_val <> case lower(value) when 'true' then 'on' when 'yes' then 'on' when '1' then 'on' else lower(value) end
           and lower(value) not in ('false', 'no', '0')
        or boot_val = 'on' and lower(value) in ('false', 'no', '0')
  )
  select name, format('the setting is %s, on which the service does not work', value),
         concat(case when name = 'default_transaction_read_only' then 'set default_transaction_read_only = off; ' end,
           'alter ', case when setrole = 0 then format('database %I', current_database()) else format('role %I', pg_get_userbyid(setrole)) end,
           case when setrole <> 0 and setdatabase <> 0 then format(' in database %I', current_database()) end, format(' reset %s', name))
    from differing
   union all
  select name, format('the setting is %s, on which the service does not work', setting),
         format('alter system reset %s; select pg_reload_conf()', name)
    from relied
   where setting <> boot_val and source in ('configuration file', 'command line', 'environment variable')
$$;
comment on function app_private.setting_problems() is $$The settings of the server, the database and the service’s login that change what statements do, and that the service cannot set for its connections.$$;
grant execute on function app_private.setting_problems() to :API_LOGIN;

create or replace function app_private.collation_problems() returns table (subject text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  -- PostgreSQL 14 notes no version of a database.
  if current_setting('server_version_num')::int >= 150000 then
    return query
    select format('The database %s', datname),
           format('its collation version was %s and is %s, so indexes on text may be wrong', datcollversion, pg_database_collation_actual_version(oid)),
           format('reindex database %I; alter database %I refresh collation version', datname, datname)
      from pg_database
     where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid);
  end if;
  return query
  select format('The collation %s', pg_collation.oid::regcollation),
         format('its version was %s and is %s, so indexes on text may be wrong', collversion, pg_collation_actual_version(pg_collation.oid)),
         format('reindex database %I; alter collation %s refresh version', current_database(), pg_collation.oid::regcollation)
    from pg_collation
   where collversion <> pg_collation_actual_version(pg_collation.oid)
     and exists (select from pg_attribute join pg_class on pg_class.oid = attrelid and relkind = 'i' where attcollation = pg_collation.oid);
end $$;
comment on function app_private.collation_problems() is $$The collations whose order has changed since indexes were built by it: that of the database, and those of columns.$$;
grant execute on function app_private.collation_problems() to :API_LOGIN;

create or replace function app_private.right_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('The database %s', datname), 'every login of the server may connect, so analysts of other databases read this one too',
         'select app_private.revoke_default_rights()'
    from pg_database
   where datname = current_database()
     and exists (select from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0 and privilege_type = 'CONNECT')
$$;
comment on function app_private.right_problems() is $$PostgreSQL’s default right to connect, where the database has it again, as after a restore.$$;
grant execute on function app_private.right_problems() to :API_LOGIN;

create or replace function app_private.derived_problems() returns table (subject text, problem text, repair text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select derived, format('%s rows differ from what they are derived from, such as %s', count(*), min(row_key)),
         'select app_private.repair_derived_data()'
    from app_private.check_derived_data() group by derived order by derived
$$;
comment on function app_private.derived_problems() is $$What check_derived_data() finds, by what is derived. Reads all rows.$$;

-- Security definer: the login may not read the outbox itself.
create or replace function app_private.mail_problems() returns table (subject text, problem text, repair text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'Mails', format('the mail server has refused %s for good, the newest with: %s', count(*), (array_agg(refusal order by id desc))[1]),
         'update app_private.mail_outbox set due_at = now() where due_at is null'
    from app_private.mail_outbox where due_at is null having count(*) > 0
   union all
  select 'Mails', format('%s could not be sent for a quarter of an hour, the newest with: %s', count(*), (array_agg(refusal order by id desc))[1]),
         null
    from app_private.mail_outbox where refusal is not null and due_at is not null and created_at < now() - interval '15 minutes' having count(*) > 0
$$;
comment on function app_private.mail_problems() is $$What the mail server has refused, and what it does not take at the moment.$$;
grant execute on function app_private.mail_problems() to :API_LOGIN;

-- Security definer: the login may not read accounts itself.
create or replace function app_private.sample_user_id() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select user_id from app_private.accounts where banned_at is null limit 1
$$;
comment on function app_private.sample_user_id() is $$The id of some user who is not banned, to try a request with; null without one.$$;
grant execute on function app_private.sample_user_id() to :API_LOGIN;

-- Not security definer: such a function cannot become another role. A table that is locked or broken concerns those who read it alone.
create or replace function app_private.request_problem() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_role text := current_setting('role');
  v_viewer_id text := coalesce(current_setting('app.viewer_id', true), '');
  v_caller record;
  v_identity record;
  v_table regclass;
begin
  if current_setting('default_transaction_read_only')::boolean or pg_is_in_recovery() then
    return 'the database is read-only';
  elsif current_setting('session_replication_role') <> 'origin' then
    return 'triggers do not run: session_replication_role is ' || current_setting('session_replication_role');
  end if;
  for v_caller in
    select * from (values ('visitors', ':API_ANONYMOUS', null), ('members', ':API_MEMBER', app_private.sample_user_id())) as callers (name, role, user_id)
  loop
    begin
      select * into v_identity from app_hidden.identify(v_caller.user_id);
      perform set_config('role', case when v_caller.user_id is null then v_caller.role else v_identity.role end, true),
              set_config('app.viewer_id', v_identity.viewer_id, true);
      -- Text, because PostgreSQL looks up a name once, as the first role.
      execute 'select app_hidden.viewer_id()';
      select oid into v_table from pg_class
       where relnamespace = 'app_public'::regnamespace and relkind in ('r', 'p') and has_any_column_privilege(oid, 'select')
       order by relrowsecurity desc, oid limit 1;
      if found then
        execute format('select from %s limit 1', v_table);
      end if;
      perform set_config('role', v_role, true), set_config('app.viewer_id', v_viewer_id, true);
    exception
      when insufficient_privilege or invalid_parameter_value or undefined_object then
        -- An owner may be no member of the roles.
        if not pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'app_private'), 'member') then
          return format('requests of %s fail: %s', v_caller.name, sqlerrm);
        end if;
      when others then
        null;
    end;
  end loop;
  return null;
end $$;
comment on function app_private.request_problem() is $$Tries a request as a visitor and as a member, for the login of the service: its identity, and a read under policies. The reason why such requests cannot work, or null.$$;
grant execute on function app_private.request_problem() to :API_LOGIN;

-- Gives way to a migration: waits for a lock for less time than PostgreSQL waits before it looks for a deadlock. What is locked is no problem.
create or replace function app_private.problems(reads_rows boolean default false) returns table (subject text, problem text, repair text)
language plpgsql stable set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$
declare
  v_part text;
begin
  foreach v_part in array array_remove(array[
    '(select subject, problem, repair from app_private.role_problems()) as roles', 'app_private.setting_problems()', 'app_private.sequence_problems()', 'app_private.index_problems()',
    'app_private.collation_problems()', 'app_private.right_problems()', 'app_private.mail_problems()', 'change_feed.problems()',
    case when reads_rows then 'app_private.derived_problems()' end], null)
  loop
    begin
      return query execute 'select * from ' || v_part;
    exception
      when lock_not_available or deadlock_detected then
        null;
      when others then
        subject := v_part;
        problem := sqlerrm;
        repair := null;
        return next;
    end;
  end loop;
end $$;
comment on function app_private.problems(boolean) is $$What does not work in this database, and what repairs it: SQL, or a command. With reads_rows also derived data, for which it reads all rows. Without a row, all is well.$$;
grant execute on function app_private.problems(boolean) to :API_LOGIN;
--! EndIncluded functions/upkeep/problems.sql
