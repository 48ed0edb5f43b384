--! Previous: sha1:704be19de268a98e675caea70f65c800be37ee2b
--! Hash: sha1:c1907d215de25b33de2be67730fc0b9a0435e4cc
--! Message: an analyst is admitted to one database

--! split: 210-analysts-of-one-database.sql
-- An analyst who is admitted to one database cannot connect to another one of the same server.
--! Included functions/close_database.sql
-- A function of its own, because a restored or cloned database loses its database-level grants and needs it again. An
-- owner without superuser rights cannot revoke PostgreSQL's own functions. PostgreSQL then only warns, and db:status tells.
--
-- Roles belong to the server: an analyst of another database is a member of :ANALYST here as well. So only logins that are
-- admitted here may connect, and those that see all databases anyway, for monitoring and backups.
create or replace function app_private.close_database() returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_function regprocedure;
  v_owners text := (select string_agg(distinct quote_ident(pg_catalog.pg_get_userbyid(owner)), ', ')
                      from (select datdba from pg_catalog.pg_database where datname = current_database()
                            union all
                            select proowner from pg_catalog.pg_proc where oid = 'app_private.close_database()'::regprocedure)
                        as owners (owner));
begin
  execute format('revoke connect, temporary on database %I from public, :ANALYST', current_database());
  execute format('grant connect on database %I to :API_LOGIN, pg_monitor, pg_read_all_data', current_database());
  revoke execute on function pg_catalog.lo_creat(int) from public;
  revoke execute on function pg_catalog.lo_create(oid) from public;
  revoke execute on function pg_catalog.lo_from_bytea(oid, bytea) from public;
  -- All sessions share one table of locks. A login that fills it with advisory locks stops everybody, and one that guesses
  -- a key stops what waits for that key: migrations, sign-in.
  for v_function in
    select oid from pg_catalog.pg_proc
     where pronamespace = 'pg_catalog'::regnamespace
       and proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
       and pg_catalog.pg_has_role(proowner, 'usage')
  loop
    execute format('revoke execute on function %s from public', v_function);
    execute format('grant execute on function %s to %s, :API_LOGIN, :API_ANONYMOUS, :API_MEMBER', v_function, v_owners);
  end loop;
end $$;
comment on function app_private.close_database() is $$Revokes some of PostgreSQL’s default rights from public in this database: connections, temporary tables, large objects and advisory locks. The owner and the API’s roles keep advisory locks. Other logins connect when admit_analyst() or a grant admits them.$$;
--! EndIncluded functions/close_database.sql
--! Included functions/admit_analyst.sql
-- Members do not inherit a role's settings, so each login gets its own, for this database. A session can change them: the
-- missing grants, not these settings, are what prevents writes. A session cannot change the connection limit and
-- temp_file_limit.
create or replace function app_private.admit_analyst(login name, statement_timeout interval default '1 minute') returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_settings jsonb := jsonb_build_object(
    'default_transaction_read_only', 'on',
    'statement_timeout', (extract(epoch from admit_analyst.statement_timeout) * 1000)::bigint,
    'lock_timeout', '5s',
    'idle_in_transaction_session_timeout', '5min',
    'search_path', 'analytics',
    'timezone', 'UTC');
  v_name text;
  v_value text;
  v_others text;
begin
  if extract(epoch from admit_analyst.statement_timeout) <= 0 then
    raise exception using errcode = '22023', message = 'The statement time-out must be above zero';
  end if;
  -- Only a superuser may set it. Without it, one large sort could fill the disk.
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    v_settings := v_settings || '{"temp_file_limit": "1GB"}';
  end if;
  perform app_private.close_database();
  execute format('grant :ANALYST to %I', login);
  execute format('alter role %I connection limit 5', login);
  execute format('grant connect on database %I to %I', current_database(), login);
  for v_name, v_value in select * from jsonb_each_text(v_settings) loop
    execute format('alter role %I in database %I set %I = %L', login, current_database(), v_name, v_value);
  end loop;
  -- Another database has its own rights, which cannot be changed from here.
  select string_agg(quote_ident(datname), ', ' order by datname) into v_others
    from pg_catalog.pg_database
   where datallowconn and not datistemplate and datname not in (current_database(), 'postgres')
     and pg_catalog.has_database_privilege(login, oid, 'connect');
  if v_others is not null then
    raise warning '% may also connect to: %', quote_ident(login), v_others
      using hint = 'If one of them has a schema analytics that is not for this login, run in it: select app_private.close_database()';
  end if;
end $$;
comment on function app_private.admit_analyst(name, interval) is $$Gives a person’s login read access to schema analytics in this database. Grants the role and the right to connect, limits the login to five connections, and sets read-only transactions, a statement time-out, search_path analytics and UTC. Run it again to change the time-out. For DBAs.$$;
--! EndIncluded functions/admit_analyst.sql
select app_private.close_database();

-- Those admitted before connected with the right of public or of :ANALYST.
do $$
declare
  v_login name;
begin
  for v_login in select login from app_private.analysts where is_read_only loop
    execute format('grant connect on database %I to %I', current_database(), v_login);
  end loop;
end $$;
