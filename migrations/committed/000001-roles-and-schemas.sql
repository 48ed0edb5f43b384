--! Previous: -
--! Hash: sha1:c0a5561da3b01f59a86fb5d7a42b905c6c9c6ba0
--! Message: roles and schemas

-- Which role may reach which schema, and who is asking.
--
-- Roles are made before the migrations (src/migrations/roles.ts), because they belong to the server, not to this database.
-- The service logs in as :API_LOGIN, which owns nothing, and becomes :API_ANONYMOUS or :API_MEMBER for each request.

-- Functions are not reachable without a grant.
alter default privileges revoke all on functions from public;
revoke all on schema public from public;

create schema app_public;
comment on schema app_public is $$The API: every table, function and type here becomes part of the GraphQL schema.$$;
create schema app_hidden;
comment on schema app_hidden is $$Helpers for policies, triggers and functions. The API’s roles may use them; they are not part of the GraphQL schema.$$;
create schema app_private;
comment on schema app_private is $$Secrets: emails, passwords, sessions. The API’s roles have no access.$$;
create schema analytics;
comment on schema analytics is $$The contract with analysts: read-only views without secrets, personal data or unpublished text. All days are UTC.$$;

grant usage on schema app_public, app_hidden to :API_ANONYMOUS, :API_MEMBER;
grant usage on schema app_hidden, app_private to :API_LOGIN;
-- An analyst enters this schema and reads its views, those too that a later migration adds. Nothing else.
grant usage on schema analytics to :ANALYST;
alter default privileges in schema analytics grant select on tables to :ANALYST;
-- A start without the owner's login checks that every committed migration has run (src/migrations/migrate.ts).
grant usage on schema graphile_migrate to :API_LOGIN;
grant select on graphile_migrate.migrations to :API_LOGIN;

-- In a schema of ours, so that no search_path decides which function runs.
create extension unaccent with schema app_hidden;
grant execute on function app_hidden.unaccent(regdictionary, text) to :API_MEMBER;
create extension pgcrypto with schema app_hidden;
create extension pg_trgm with schema app_hidden;

-- PostgreSQL lets everybody connect, create temporary tables and large objects, and take advisory locks.
--! Included functions/roles/revoke_default_rights.sql
-- A function of its own, because a restored or cloned database loses its database-level grants and needs it again. An
-- owner without superuser rights cannot revoke PostgreSQL's own functions. PostgreSQL then only warns, and db:status tells.
--
-- Roles belong to the server: an analyst of another database is a member of :ANALYST here as well. So only logins that are
-- admitted here may connect, and those that see all databases anyway, for monitoring and backups.
create or replace function app_private.revoke_default_rights() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_function regprocedure;
  v_owners text := (select string_agg(distinct quote_ident(pg_catalog.pg_get_userbyid(owner)), ', ')
                      from (select datdba from pg_catalog.pg_database where datname = current_database()
                            union all
                            select proowner from pg_catalog.pg_proc where oid = 'app_private.revoke_default_rights()'::regprocedure)
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
comment on function app_private.revoke_default_rights() is $$Revokes some of PostgreSQL’s default rights from public in this database: connections, temporary tables, large objects and advisory locks. The owner and the API’s roles keep advisory locks. Other logins connect when admit_analyst() or a grant admits them.$$;
--! EndIncluded functions/roles/revoke_default_rights.sql
select app_private.revoke_default_rights();

--! Included functions/users/viewer_id.sql
create or replace function app_hidden.viewer_id() returns bigint
language sql stable parallel safe
return nullif(pg_catalog.current_setting('app.viewer_id', true), '')::bigint;
comment on function app_hidden.viewer_id() is $$The id of the signed-in user, called the viewer; null without one. Policies write (select app_hidden.viewer_id()), which runs once per query.$$;
grant execute on function app_hidden.viewer_id() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/viewer_id.sql
