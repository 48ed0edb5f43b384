-- The ground: who may reach which schema, who is asking, and how a refusal is raised.
--
-- Roles are made before the migrations (src/database/roles.ts), because they belong to the server, not to this database.
-- The service logs in as :API_LOGIN, which owns nothing, and becomes :API_ANONYMOUS or :API_MEMBER for each request.

-- Nothing is reachable unless it is granted: a function forgotten here is a function nobody can call.
alter default privileges revoke all on functions from public;
revoke all on schema public from public;

create schema app_public;
comment on schema app_public is $$What the API reflects. Every table, function and type here becomes part of the GraphQL schema.$$;
create schema app_hidden;
comment on schema app_hidden is $$Helpers that policies, triggers and functions need. Reachable by the API's roles, never reflected.$$;
create schema app_private;
comment on schema app_private is $$Secrets: addresses, passwords, sessions. No API role can enter.$$;

grant usage on schema app_public, app_hidden to :API_ANONYMOUS, :API_MEMBER;
grant usage on schema app_hidden, app_private to :API_LOGIN;

-- Slugs are ASCII. In a schema of ours, so that a bare search_path cannot swap it for another.
create extension unaccent with schema app_hidden;
grant execute on function app_hidden.unaccent(regdictionary, text) to :API_MEMBER;

--!include functions/viewer_id.sql
--!include functions/rules.sql
--!include functions/faults.sql
--!include functions/refuse_faults.sql
--!include functions/tg__refuse_faults.sql
--!include functions/refuse_missing.sql
--!include functions/refuse_unauthorized.sql
