--! Previous: sha1:e6f8640feaf36c1161ba72e1a56ec21cea2bd5e2
--! Hash: sha1:8997b2013c99c64c9ac348a25cace351d50ff318
--! Message: rights as data

--! split: 100-rights.sql

-- allow: rows-shown:analytics.changes_by_day because the first rights are in the audit trail
-- allow: change-behaviour:app_public.users_is_email_confirmed because it asks for a right, which admins have
-- allow: change-behaviour:app_public.users_email because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.set_post_tags because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.listed_own_posts because it asks for a right, which admins have
-- allow: change-behaviour:app_public.delete_user because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.listed_private_posts because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.first_post_ids_of_tag because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.require_group_chat because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.first_chats because it asks for a right, which admins have
-- allow: change-behaviour:app_public.unban_user because it asks for a right, which admins have
-- allow: change-behaviour:app_private.report_reading because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.count_reports because it asks for a right, which admins have
-- allow: change-behaviour:app_public.ban_user because it asks for a right, which admins have
-- allow: change-behaviour:app_public.set_user_role because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.find_posts because it asks for a right, which admins have
-- allow: change-behaviour:app_hidden.posts_count_of_tag because it asks for a right, which admins have
-- allow: change-behaviour:app_public.posts_count because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on conventions.counter_shards because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.posts because it asks for a right, which admins have
-- allow: alter-policy:update_as_admin on app_public.posts because it asks for a right, which admins have
-- allow: alter-policy:delete_as_admin on app_public.posts because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.post_revisions because it asks for a right, which admins have
-- allow: alter-policy:delete_as_admin on app_public.comments because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.chats because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.chat_members because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.bans because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.reports because it asks for a right, which admins have
-- allow: alter-policy:update_as_admin on app_public.reports because it asks for a right, which admins have
-- allow: alter-policy:select_as_admin on app_public.report_reasons because it asks for a right, which admins have
-- allow: alter-policy:select_reported on app_public.messages because it asks for a right, which admins have
-- allow: alter-policy:delete_reported on app_public.messages because it asks for a right, which admins have
-- allow: change-behaviour:app_public.bans because it asks for a right, which admins have
-- allow: change-behaviour:app_public.reports because it asks for a right, which admins have
-- allow: exposed:app_hidden.role_rights because it says what everybody sees of a role
-- allow: definer-function:app_hidden.find_posts because it asks for the rights of the viewer’s role
-- allow: definer-function:app_hidden.set_post_tags because it asks for the rights of the viewer’s role
-- allow: definer-function:app_public.ban_user because it asks for the rights of the viewer’s role
-- allow: definer-function:app_public.delete_user because it asks for the rights of the viewer’s role
-- allow: definer-function:app_public.set_user_role because it asks for the rights of the viewer’s role
-- allow: definer-function:app_public.unban_user because it asks for the rights of the viewer’s role
-- allow: definer-function:app_public.users_email because it asks for the rights of the viewer’s role
-- allow: definer-function:app_public.users_is_email_confirmed because it asks for the rights of the viewer’s role
-- Rights as data: what a role may do stands in app_hidden.role_rights. Policies and functions ask app_hidden.viewer_may().
do $$ begin
  if to_regtype('app_public.user_right') is null then
    create type app_public.user_right as enum ('EDIT_ANY_POST', 'MODERATE', 'READ_REPORTS', 'BAN', 'READ_ACCOUNTS', 'GRANT_ROLES');
  end if;
end $$;
comment on type app_public.user_right is $$@describe EDIT_ANY_POST Sees drafts, and edits and deletes the posts of others.
@describe MODERATE Deletes comments and reported messages, decides reports, and looks after chats.
@describe READ_REPORTS Reads reports, and the messages that they are about.
@describe BAN Bans users, and lifts bans.
@describe READ_ACCOUNTS Reads emails.
@describe GRANT_ROLES Changes the roles of others.
What a role allows.$$;

create table if not exists app_hidden.role_rights (
  id   bigint generated always as identity primary key,
  role text not null,
  may  app_public.user_right not null,
  constraint role_rights_role_may_key unique (role, may)
);
comment on table app_hidden.role_rights is $$What each role may do. Yours to change: a row more gives a right, at once; an imported or new role has none.$$;
comment on column app_hidden.role_rights.id is $$Identifies the row, in the audit trail.$$;
comment on column app_hidden.role_rights.role is $$A value of app_public.user_role. As text, so that the migration which adds a role can give it rights.$$;
comment on column app_hidden.role_rights.may is $$The right.$$;
comment on constraint role_rights_role_may_key on app_hidden.role_rights is $$The role has this right already.$$;
select conventions.apply_to('app_hidden.role_rights', '{role}');
drop policy if exists select_all on app_hidden.role_rights;
create policy select_all on app_hidden.role_rights for select to :API_ANONYMOUS, :API_MEMBER using (true);
grant select on app_hidden.role_rights to :API_ANONYMOUS, :API_MEMBER;
insert into app_hidden.role_rights (role, may)
select 'ADMIN', may from unnest(enum_range(null::app_public.user_right)) as may
on conflict do nothing;

--! Included functions/users/viewer_may.sql
create or replace function app_hidden.user_may(user_id bigint, may app_public.user_right) returns boolean
language sql stable
return exists (select from app_public.users join app_hidden.role_rights r on r.role = users.role::text
                where users.id = user_may.user_id and r.may = user_may.may);
comment on function app_hidden.user_may(bigint, app_public.user_right) is $$Whether the role of a user has a right.$$;
grant execute on function app_hidden.user_may(bigint, app_public.user_right) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.viewer_may(may app_public.user_right) returns boolean
language sql stable
return exists (select from app_public.users join app_hidden.role_rights r on r.role = users.role::text
                where users.id = (select app_hidden.viewer_id()) and r.may = viewer_may.may);
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
--! Included functions/users/users_rights.sql
create or replace function app_public.users_rights(users app_public.users) returns app_public.user_right[]
language sql stable as $$
  select array(select may from app_hidden.role_rights where role = users.role::text order by may)
$$;
comment on function app_public.users_rights(app_public.users) is E'@notNull\nThe rights of the user’s role, in the order of UserRight: which buttons to show.';
grant execute on function app_public.users_rights(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_rights.sql
--! Included functions/users/tg_role_rights__check.sql
create or replace function app_hidden.tg_role_rights__check() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- In the catalogue, where a value is as soon as a migration has added it.
  if not exists (select from pg_enum where enumtypid = 'app_public.user_role'::regtype and enumlabel = new.role) then
    raise exception using errcode = '23514', message = format('There is no role %s', new.role),
      hint = format('select app_hidden.add_value(%L, %L, %L)', 'app_public.user_role', new.role, 'What the role is for.');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_role_rights__check() is $$Before a right is given: refuses a role that is no value of user_role.$$;

create or replace function app_hidden.tg_role_rights__keep_granter() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from old_rows join app_public.users on users.role::text = old_rows.role where may = 'GRANT_ROLES')
     and not exists (select from app_public.users join app_private.accounts on user_id = users.id
                      where banned_at is null and app_hidden.user_may(users.id, 'GRANT_ROLES')) then
    raise exception using errcode = '23514', message = 'Nobody could grant roles any more',
      hint = 'Give GRANT_ROLES to the role of a user first.';
  end if;
  return null;
end $$;
comment on function app_hidden.tg_role_rights__keep_granter() is $$After rights are taken: refuses it if nobody could grant roles any more.$$;
--! EndIncluded functions/users/tg_role_rights__check.sql
drop trigger if exists _100_check on app_hidden.role_rights;
create trigger _100_check before insert or update on app_hidden.role_rights for each row execute function app_hidden.tg_role_rights__check();
comment on trigger _100_check on app_hidden.role_rights is $$Before a right is given: refuses a role that is no value of user_role.$$;
drop trigger if exists _500_keep_granter_update on app_hidden.role_rights;
create trigger _500_keep_granter_update after update on app_hidden.role_rights referencing old table as old_rows
  for each statement execute function app_hidden.tg_role_rights__keep_granter();
comment on trigger _500_keep_granter_update on app_hidden.role_rights is $$After rights are taken: refuses it if nobody could grant roles any more.$$;
drop trigger if exists _500_keep_granter_delete on app_hidden.role_rights;
create trigger _500_keep_granter_delete after delete on app_hidden.role_rights referencing old table as old_rows
  for each statement execute function app_hidden.tg_role_rights__keep_granter();
comment on trigger _500_keep_granter_delete on app_hidden.role_rights is $$After rights are taken: refuses it if nobody could grant roles any more.$$;

--! Included functions/users/users_email.sql
-- Security definer: the only way to read an email. Allowed for its owner, with the right READ_ACCOUNTS, and within the request that has just
-- signed its owner up or in.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select accounts.email
    from app_private.accounts
   where accounts.user_id = users.id
     and (accounts.user_id = app_hidden.viewer_id()
       or accounts.created_by = nullif(current_setting('app.request_id', true), '')
       or accounts.user_id in (select sessions.user_id
                                 from app_private.session_requests join app_private.sessions on sessions.id = session_id
                                where request_id = nullif(current_setting('app.request_id', true), ''))
       or app_hidden.viewer_may('READ_ACCOUNTS'))
$$;
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nFor the user and admins. For others it is null, with an UNAUTHORIZED error.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_email.sql
--! Included functions/users/users_is_email_confirmed.sql
-- Security definer: nobody reads accounts.
create or replace function app_public.users_is_email_confirmed(users app_public.users) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select verified_at is not null from app_private.accounts
   where user_id = users.id and (user_id = app_hidden.viewer_id() or app_hidden.viewer_may('READ_ACCOUNTS'))
$$;
comment on function app_public.users_is_email_confirmed(app_public.users) is 'Whether the e-mail is confirmed. Null for others than the user and admins.';
grant execute on function app_public.users_is_email_confirmed(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users/users_is_email_confirmed.sql
--! Included functions/moderation/set_user_role.sql
create or replace function app_hidden.lock_granters() returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select from app_public.users where role::text in (select r.role from app_hidden.role_rights r where may = 'GRANT_ROLES') order by id for no key update
$$;
comment on function app_hidden.lock_granters() is $$Makes changes of those who may grant roles take turns.$$;

-- Security definer: the API's roles may not write roles.
create or replace function app_public.set_user_role(user_id bigint, role app_public.user_role) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user app_public.users;
begin
  perform app_hidden.require_right('GRANT_ROLES');
  -- Of two who demote each other, the second one may not any more.
  perform app_hidden.lock_granters();
  perform app_hidden.require_right('GRANT_ROLES');
  select * into v_user from app_public.users where id = set_user_role.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  elsif v_user.id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "You cannot change your own role."}]');
  elsif not (app_hidden.viewer_has_rights_of(v_user.role) and app_hidden.viewer_has_rights_of(set_user_role.role)) then
    perform app_hidden.refuse_unauthorized();
  elsif exists (select from app_hidden.role_rights r where r.role = set_user_role.role::text)
        and exists (select from app_private.accounts where accounts.user_id = v_user.id and banned_at is not null) then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "BANNED", "message": "A banned user cannot get rights."}]');
  end if;
  update app_public.users set role = set_user_role.role where id = v_user.id and users.role <> set_user_role.role;
  select * into v_user from app_public.users where id = v_user.id;
  return v_user;
end $$;
comment on function app_public.set_user_role(bigint, app_public.user_role) is $$@errorCode BANNED It is a banned user.
@errorCode ONESELF It is the user’s own id.
@describe user_id The user whose role changes.
@describe role The new role.
Changes the role of another user, with the right GRANT_ROLES and each right of the former and the new role. Nobody changes their own role, so somebody who may always remains.$$;
grant execute on function app_public.set_user_role(bigint, app_public.user_role) to :API_MEMBER;
--! EndIncluded functions/moderation/set_user_role.sql
--! Included functions/users/delete_user.sql
-- Security definer: the API's roles may not delete users. A wrong password returns null and does not raise: an error would roll
-- back the count of the attempt.
create or replace function app_public.delete_user(password text) returns app_public.delete_result
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  -- Lock in the order of check_password(), first the attempts, then the row. Another order could deadlock.
  perform app_private.refuse_guessing(app_private.account_key(v_account.email), v_account.user_id);
  perform from app_private.accounts where user_id = v_account.user_id for update;
  if app_private.check_password(v_account.email, delete_user.password) is null then
    return null;
  end if;
  if app_hidden.viewer_may('GRANT_ROLES') then
    -- They take turns: two at once would each see the other one.
    perform app_hidden.lock_granters();
    if not exists (select from app_public.users join app_private.accounts a on a.user_id = users.id
                    where banned_at is null and users.id <> v_account.user_id and app_hidden.user_may(users.id, 'GRANT_ROLES')) then
      perform app_hidden.refuse_unauthorized('LAST_ADMIN', 'You are the last admin. Make another user an admin first.');
    end if;
  end if;
  perform app_private.erase_user(v_account.user_id);
  return (true, format('User %s is deleted.', v_account.user_id), v_account.user_id, 'app_public.users', null)::app_public.delete_result;
end $$;
comment on function app_public.delete_user(text) is $$@unauthorizedWhenNull success WRONG_PASSWORD: The password is wrong.
@describe password The password. An account without one sets it first, with changePassword.
Deletes the signed-in user at once and for good, with posts, comments, follows and reports. Messages in chats stay as [erased], chats that the user created without a title. The last admin is refused.$$;
grant execute on function app_public.delete_user(text) to :API_MEMBER;
--! EndIncluded functions/users/delete_user.sql
--! Included functions/moderation/ban_user.sql
-- Security definer: the API's roles may not write bans or accounts.
create or replace function app_public.ban_user(user_id bigint, reason text) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user app_public.users;
begin
  perform app_hidden.require_right('BAN');
  -- Locked, so that the user does not get rights meanwhile.
  select * into v_user from app_public.users where id = ban_user.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  elsif v_user.id = app_hidden.viewer_id() then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ONESELF", "message": "You cannot ban yourself."}]');
  elsif app_hidden.user_may(v_user.id, 'BAN') or not app_hidden.viewer_has_rights_of(v_user.role) then
    perform conventions.raise_validation_errors('[{"column": "user_id", "code": "ADMIN", "message": "The user may ban, or has rights that you lack. Change the role first."}]');
  end if;
  insert into app_public.bans (user_id, reason, banned_by_id)
  values (v_user.id, ban_user.reason, app_hidden.viewer_id())
  on conflict on constraint bans_user_id_key do update set reason = excluded.reason, banned_by_id = excluded.banned_by_id
   where bans.reason <> excluded.reason;
  return v_user;
end $$;
comment on function app_public.ban_user(bigint, text) is $$@errorCode ADMIN The user may ban, as admins may, or has rights that you lack.
@describe user_id The user to ban.
@describe reason The reason, which the user is told at a sign-in: 1 to 1,000 characters.
Bans a user, with the right BAN: all sessions and subscriptions end at once, and the user can neither sign in nor reset the password. What the user has written stays. A second ban changes the reason.$$;
grant execute on function app_public.ban_user(bigint, text) to :API_MEMBER;
--! EndIncluded functions/moderation/ban_user.sql
--! Included functions/moderation/unban_user.sql
-- Security definer: the API's roles may not write bans or accounts.
create or replace function app_public.unban_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_user app_public.users;
begin
  perform app_hidden.require_right('BAN');
  select * into v_user from app_public.users where id = unban_user.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  delete from app_public.bans where bans.user_id = v_user.id;
  -- A ban that an operator has set in SQL has no row.
  update app_private.accounts set banned_at = null where accounts.user_id = v_user.id and banned_at is not null;
  return v_user;
end $$;
comment on function app_public.unban_user(bigint) is $$@describe user_id The user who may sign in again.
Lifts the ban of a user, with the right BAN. Former sessions stay ended. Idempotent.$$;
grant execute on function app_public.unban_user(bigint) to :API_MEMBER;
--! EndIncluded functions/moderation/unban_user.sql
--! Included functions/moderation/count_reports.sql
create or replace function app_hidden.count_reports(status app_public.report_status default null) returns bigint
language sql stable
-- The policies of counts show these with the right READ_REPORTS only.
return (select coalesce(sum(value), 0)::bigint from conventions.counter_shards
         where (select app_hidden.require_right('READ_REPORTS')) and counter = 'reports.status' and (count_reports.status is null or key = count_reports.status::text));
comment on function app_hidden.count_reports(app_public.report_status) is $$The number of reports, or of those with a status, with the right READ_REPORTS; refused to others.$$;
grant execute on function app_hidden.count_reports(app_public.report_status) to :API_MEMBER;
--! EndIncluded functions/moderation/count_reports.sql
--! Included functions/moderation/report_reading.sql
-- The rule of the policy of reports, for any viewer.
create or replace function app_private.report_reading(queue bigint, viewer_id bigint) returns table (may_read boolean)
language sql stable rows 1 as $$
  select app_hidden.user_may(report_reading.viewer_id, 'READ_REPORTS')
$$;
comment on function app_private.report_reading(bigint, bigint) is $$Whether the viewer may follow the reports: with the right READ_REPORTS.$$;
--! EndIncluded functions/moderation/report_reading.sql
--! Included functions/moderation/resolve_report.sql
create or replace function app_public.resolve_report(id bigint, status app_public.report_status, note text default null) returns app_public.reports
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_report app_public.reports;
begin
  update app_public.reports
     set status = resolve_report.status,
         note = resolve_report.note,
         resolved_by_id = case when resolve_report.status <> 'OPEN' then app_hidden.viewer_id() end,
         resolved_at = case when resolve_report.status <> 'OPEN' then now() end
   where reports.id = resolve_report.id
  returning * into v_report;
  if not found then
    perform app_hidden.refuse_missing('report');
  end if;
  return v_report;
end $$;
comment on function app_public.resolve_report(bigint, app_public.report_status, text) is $$@describe id The report to decide.
@describe status The decision; OPEN reopens the report.
@describe note A note for other admins: at most 1,000 characters.
Decides a report, with the rights READ_REPORTS and MODERATE. It changes neither the post, the comment nor the message, and bans nobody.$$;
grant execute on function app_public.resolve_report(bigint, app_public.report_status, text) to :API_MEMBER;
--! EndIncluded functions/moderation/resolve_report.sql
--! Included functions/posts/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies. Planning for the number of tags would take longer than looking them up by index.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[], keeps_revision boolean default false) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_names text[];
  v_forms text[];
  v_former text[];
  v_count int;
  v_post app_public.posts;
  -- The role of the caller: this function itself runs as its owner.
  v_caller name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
  -- The lock makes writers of the same post's tags take turns.
  select * into v_post from app_public.posts where posts.id = set_post_tags.post_id for no key update;
  if v_post.id is null or v_post.author_id is distinct from app_hidden.viewer_id() and not app_hidden.viewer_may('EDIT_ANY_POST')
     -- Roles that may write the table need no viewer.
     and not has_table_privilege(v_caller, 'app_public.post_tags', 'insert') then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- The rule for their number counts all that were given. Most posts have so few that looking it up would only take time.
  if cardinality(tags) > 10 then
    perform conventions.raise_validation_errors(app_hidden.tag_errors(tags));
  end if;
  v_names := app_hidden.tag_names(tags);
  v_forms := array(select app_hidden.tag_form(name) from unnest(v_names) with ordinality as given (name, place) order by place);
  v_former := array(select t.form from app_public.post_tags join app_public.tags t on t.id = tag_id
                     where post_tags.post_id = set_post_tags.post_id order by position);
  if v_forms = v_former then
    return;
  end if;
  if keeps_revision then
    perform app_hidden.keep_revision(v_post);
  end if;

  -- Keeps the job that deletes unused tags from a tag that no post has had until now.
  perform from app_public.tags where form = any (v_forms) order by id for key share;
  get diagnostics v_count = row_count;
  if v_count < cardinality(v_forms) then
    -- Insert in one order, so that two writers of the same new tags cannot deadlock.
    insert into app_public.tags (name)
    select name from unnest(v_names, v_forms) as new (name, form)
     where not exists (select from app_public.tags t where t.form = new.form)
     order by form
    on conflict do nothing;
  end if;

  if v_former <> '{}' then
    delete from app_public.post_tags
     where post_tags.post_id = set_post_tags.post_id
       and tag_id not in (select id from app_public.tags where form = any (v_forms));
    set constraints app_public.post_tags_post_id_position_key deferred;
    update app_public.post_tags set position = wanted.place
      from unnest(v_forms) with ordinality as wanted (form, place)
      join app_public.tags on tags.form = wanted.form
     where post_tags.post_id = set_post_tags.post_id and tag_id = tags.id and position <> wanted.place;
  end if;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_forms) with ordinality as wanted (form, place)
    join app_public.tags on tags.form = wanted.form
  on conflict on constraint post_tags_pkey do nothing;
  -- Readers see the tags. A post of this transaction is new anyway, and an imported one keeps its time.
  if v_post.created_at < transaction_timestamp() and not app_hidden.is_import() then
    update app_public.posts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond') where id = v_post.id;
  end if;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[], boolean) is $$Replaces the tags of a post. keeps_revision keeps the former ones as a revision, if they differ; it is not for a new post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[], boolean) to :API_MEMBER;
--! EndIncluded functions/posts/set_post_tags.sql
--! Included functions/posts/posts_count.sql
-- The functions below are plpgsql with generic plans, so that a connection plans their statements once. PostgreSQL planned the same queries,
-- as bodies of SQL functions, for each call: custom plans look cheaper when they leave out an argument that is null.
--
-- Of the kept counts, the policies show those of published posts and, with the right EDIT_ANY_POST, the others.
create or replace function app_hidden.posts_count_of_tag(tag_id bigint, status app_public.post_status default null) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
declare
  v_sees_all boolean := app_hidden.viewer_id() is not null and app_hidden.viewer_may('EDIT_ANY_POST');
  v_count int;
begin
  -- Which private status a post has stands in no count.
  if v_sees_all and posts_count_of_tag.status <> 'PUBLISHED' then
    return (select count(*) from app_public.post_tags
              join app_public.posts on posts.id = post_id
             where post_tags.tag_id = posts_count_of_tag.tag_id
               and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status));
  end if;
  v_count := (select coalesce(sum(value), 0) from conventions.counter_shards
               where counter = 'post_tags.tag_id,is_public'
                 and (key = posts_count_of_tag.tag_id || ',true' and coalesce(posts_count_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
                   or key = posts_count_of_tag.tag_id || ',false' and posts_count_of_tag.status is null));
  if app_hidden.viewer_id() is null or v_sees_all then
    return v_count;
  end if;
  return v_count + (
    select count(*) from app_public.posts
     where not posts.is_public and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status)
       and author_id = (select app_hidden.viewer_id())
       and exists (select from app_public.post_tags where post_tags.post_id = posts.id and post_tags.tag_id = posts_count_of_tag.tag_id));
end $$;
comment on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) is $$The number of posts of a tag that the viewer may see.$$;
grant execute on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_count(
  status app_public.post_status default null, author_id bigint default null, tag text default null
) returns int
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
begin
  if tag is not null and posts_count.author_id is not null then
    return (select count(*) from app_public.posts
             where posts.author_id = posts_count.author_id and (posts_count.status is null or posts.status = posts_count.status)
               and id in (select * from app_hidden.post_ids_of_tag(posts_count.tag)));
  elsif tag is not null then
    return coalesce((select app_hidden.posts_count_of_tag(tags.id, posts_count.status) from app_public.tags
                      where form = app_hidden.tag_form(posts_count.tag)), 0);
  elsif posts_count.author_id is not null then
    -- The policies of counts show those of published posts, and of all posts to their author and with the right EDIT_ANY_POST. After a comma comes a hyphen.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.author_id,status' and key > posts_count.author_id || ',' and key < posts_count.author_id || '-'
               and (posts_count.status is null or key = posts_count.author_id || ',' || posts_count.status));
  elsif app_hidden.viewer_id() is null then
    -- A plan is made for one role. With statements of their own, visitors and members keep their plans on a connection that serves both.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  elsif posts_count.status = 'PUBLISHED' then
    -- Members see the published posts that everybody sees.
    return (select coalesce(sum(value), 0) from conventions.counter_shards where counter = 'posts.status' and key = 'PUBLISHED'::app_public.post_status::text);
  elsif app_hidden.viewer_may('EDIT_ANY_POST') then
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where counter = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  else
    -- The published posts of everybody, and the others of the viewer. The policies show no other of these rows.
    return (select coalesce(sum(value), 0) from conventions.counter_shards
             where (counter = 'posts.status'
                    or counter = 'posts.author_id,status' and key > app_hidden.viewer_id() || ',' and key < app_hidden.viewer_id() || '-'
                       and key <> app_hidden.viewer_id() || ',' || 'PUBLISHED'::app_public.post_status)
               and (posts_count.status is null or key in (posts_count.status::text, app_hidden.viewer_id() || ',' || posts_count.status)));
  end if;
end $$;
comment on function app_public.posts_count(app_public.post_status, bigint, text) is $$@describe status Count only posts with this status.
@describe author_id Count only posts of this user.
@describe tag Count only posts with this tag, in any case.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status, bigint, text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.tags_posts_count(tags app_public.tags, status app_public.post_status default null) returns int
language sql stable as $$
  select app_hidden.posts_count_of_tag(tags.id, tags_posts_count.status)
$$;
comment on function app_public.tags_posts_count(app_public.tags, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this tag that you may see.$$;
grant execute on function app_public.tags_posts_count(app_public.tags, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.users_posts_count(users app_public.users, status app_public.post_status default null) returns int
language sql stable as $$
  select app_public.posts_count(users_posts_count.status, users.id)
$$;
comment on function app_public.users_posts_count(app_public.users, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this user that you may see.$$;
grant execute on function app_public.users_posts_count(app_public.users, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/posts_count.sql
--! Included functions/posts/first_posts_of_tag.sql
-- One index for each kind of posts that a viewer may see: published posts, the viewer's own others, and with the right EDIT_ANY_POST all others. So
-- no draft of another user is read and left out by a policy.
create or replace function app_hidden.first_post_ids_of_tag(
  tag_id bigint, page int, status app_public.post_status, after_listed_at timestamptz, after_id bigint
) returns setof bigint
language sql stable as $$
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and is_public and coalesce(first_post_ids_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
    order by listed_at desc, post_id desc limit page)
   union all
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and not is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
      and (select app_hidden.viewer_may('EDIT_ANY_POST'))
    order by listed_at desc, post_id desc limit page)
   union all
  (select private.id from app_public.posts as private
    where not private.is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and private.author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_may('EDIT_ANY_POST'))
      and (private.listed_at, private.id) < (after_listed_at, after_id)
      and exists (select from app_public.post_tags where post_tags.post_id = private.id and post_tags.tag_id = first_post_ids_of_tag.tag_id)
    order by listed_at desc, id desc limit page)
$$;
comment on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The ids of the first posts of a tag, or more.$$;
grant execute on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_of_tag(
  tag_id bigint, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select * from app_hidden.first_post_ids_of_tag(first_posts_of_tag.tag_id, first_posts_of_tag.page, first_posts_of_tag.status, after_listed_at, after_id)))
     and (first_posts_of_tag.status is null or posts.status = first_posts_of_tag.status)
$$;
comment on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Tag.posts, or those of a status, or those after a place.$$;
grant execute on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_tagged(
  tag text, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select ids.* from app_public.tags,
              lateral app_hidden.first_post_ids_of_tag(tags.id, first_posts_tagged.page, first_posts_tagged.status, after_listed_at, after_id) as ids
        where tags.form = app_hidden.tag_form(first_posts_tagged.tag)))
     and (first_posts_tagged.status is null or posts.status = first_posts_tagged.status)
$$;
comment on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Query.posts with a tag.$$;
grant execute on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.post_ids_of_tag(tag text) returns setof bigint
language sql stable as $$
  select post_id from app_public.post_tags
   where tag_id = (select tags.id from app_public.tags where tags.form = app_hidden.tag_form(post_ids_of_tag.tag))
$$;
comment on function app_hidden.post_ids_of_tag(text) is $$The ids of the posts with a tag. For the filter by tag.$$;
grant execute on function app_hidden.post_ids_of_tag(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/first_posts_of_tag.sql
--! Included functions/posts/listed_posts.sql
-- The parts of the lists of posts: published posts, the viewer's own others, and with the right EDIT_ANY_POST all others. Each has partial indexes for each
-- order, so that no draft of another user is read and left out by a policy. The parts apply the filter by status, which is not in their indexes:
-- a part that has no such posts says so at once, and of the published posts a page far behind is found without reading those before it.
create or replace function app_hidden.listed_published_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where posts.is_public and coalesce(listed_published_posts.status, 'PUBLISHED') = 'PUBLISHED'
$$;
comment on function app_hidden.listed_published_posts(app_public.post_status) is $$A part of the lists of posts: the published ones.$$;
grant execute on function app_hidden.listed_published_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.listed_own_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where not posts.is_public and listed_own_posts.status is distinct from 'PUBLISHED'
     and (listed_own_posts.status is null or posts.status = listed_own_posts.status)
     and author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_may('EDIT_ANY_POST'))
$$;
comment on function app_hidden.listed_own_posts(app_public.post_status) is $$A part of the lists of posts: those of the viewer that are not published. None with the right EDIT_ANY_POST, which shows all.$$;
grant execute on function app_hidden.listed_own_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.listed_private_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where not posts.is_public and listed_private_posts.status is distinct from 'PUBLISHED'
     and (listed_private_posts.status is null or posts.status = listed_private_posts.status)
     and (select app_hidden.viewer_may('EDIT_ANY_POST'))
$$;
comment on function app_hidden.listed_private_posts(app_public.post_status) is $$A part of the lists of posts: with the right EDIT_ANY_POST, those that are not published.$$;
grant execute on function app_hidden.listed_private_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/listed_posts.sql
--! Included functions/search/search.sql
-- An "and" or a phrase compares each place of a word with each place of every other, also when a headline looks for it: a text written for it
-- takes a second. Of single words, each place is looked at once.
create or replace function app_hidden.any_word(query tsquery) returns tsquery
language sql immutable parallel safe
return (select string_agg(distinct word[1], ' | ')::tsquery from regexp_matches(querytree(query), $re$'(?:[^']|'')*'(?::\*)?$re$, 'g') as word);
comment on function app_hidden.any_word(tsquery) is $$Finds what has any of the words, each of which is named once.$$;
grant execute on function app_hidden.any_word(tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- The index knows no order of words. Without phrases, and what is to be left out beside them, PostgreSQL checks no row again.
create or replace function app_hidden.indexed_query(query tsquery) returns tsquery
language sql immutable parallel safe
return case when query::text ~ '<(?:-|\d+)>' then regexp_replace(querytree(query), '<(?:-|\d+)>', '&', 'g')::tsquery else query end;
comment on function app_hidden.indexed_query(tsquery) is $$What the index of words finds: all that the query finds, and maybe more.$$;

-- In plpgsql, which keeps what it has parsed. Rows are read until enough have the words.
create or replace function app_hidden.newest_with(query tsquery, is_public boolean, author_id bigint, tag_id bigint, examined int, wanted int) returns bigint[]
language plpgsql stable as $$
#variable_conflict use_column
begin
  if newest_with.tag_id is null then
    return array(
      select newest.post_id
        from (select w.post_id, w.words, w.listed_at from app_private.post_words w
               where w.is_public = newest_with.is_public and (newest_with.author_id is null or w.author_id = newest_with.author_id)
               order by w.listed_at desc, w.post_id desc limit examined) as newest
       where newest.words @@ query order by newest.listed_at desc, newest.post_id desc limit wanted);
  end if;
  return array(
    select newest.post_id
      from (select t.post_id, t.listed_at from app_public.post_tags t
             where t.tag_id = newest_with.tag_id and t.is_public = newest_with.is_public
             order by t.listed_at desc, t.post_id desc limit examined) as newest
      join app_private.post_words w on w.post_id = newest.post_id and w.is_public = newest_with.is_public
     where w.words @@ query and (newest_with.author_id is null or w.author_id = newest_with.author_id)
     order by newest.listed_at desc, newest.post_id desc limit wanted);
end $$;
comment on function app_hidden.newest_with(tsquery, boolean, bigint, bigint, int, int) is $$The newest posts of a kind, of an author and with a tag, if they are given, that have the words: up to a number of them, of a number of posts that are examined.$$;

create or replace function app_hidden.has_more(is_public boolean, author_id bigint, tag_id bigint, examined int) returns boolean
language plpgsql stable as $$
#variable_conflict use_column
begin
  if has_more.tag_id is null then
    return exists (select from app_private.post_words w
      where w.is_public = has_more.is_public and (has_more.author_id is null or w.author_id = has_more.author_id) offset examined);
  end if;
  return exists (select from app_public.post_tags t where t.tag_id = has_more.tag_id and t.is_public = has_more.is_public offset examined);
end $$;
comment on function app_hidden.has_more(boolean, bigint, bigint, int) is $$Whether there are more posts of a kind, of an author or with a tag, than newest_with() examines.$$;

-- Security definer: under policies PostgreSQL may not use an index of words, because their operators are not leakproof. So this function
-- names the rows that the viewer may see, and searches each kind of them by its own index: published posts, and the viewer's own others, and
-- with the right EDIT_ANY_POST all others. No other row is looked at, and search() reads the posts that are found under the policies.
--
-- Rows are examined in bounded numbers. Words that five of the newest 100 posts have are looked for in the newest 5,000, and all words in the
-- viewer's own. All others are found by the index of words, 10,000 at most; where there are more, in the newest 5,000 as well. The newest 200
-- that have the words are ranked. Similar titles are found by an index that needs no second look at the title, 5,000 at most.
create or replace function app_hidden.find_posts(text text, tag text default null, author_id bigint default null)
returns table (post_id bigint, rank float8, is_complete boolean)
language plpgsql stable security definer rows 200
set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_custom_plan' set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  v_text text := conventions.normal_text(find_posts.text, 200, true);
  v_form text;
  v_exact tsquery;
  v_is_plain boolean;
  v_is_frequent boolean;
  v_query tsquery;
  v_indexed tsquery;
  v_any tsquery;
  v_written tsquery;
  v_tag bigint;
  v_viewer bigint := app_hidden.viewer_id();
  v_sees_all boolean := app_hidden.viewer_may('EDIT_ANY_POST');
  v_kinds boolean[];
  v_is_public boolean;
  v_whose bigint;
  v_ids bigint[];
  v_found bigint[];
  v_ranks float8[];
  v_similar bigint[] := '{}';
  v_titles text[] := '{}';
  v_is_complete boolean;
begin
  perform conventions.raise_validation_errors(case
    when char_length(v_text) > 200 then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'TOO_LONG', 'message', 'A text to search for has at most 200 characters.', 'params', '{"max": 200}'::jsonb))
    when conventions.text_error(v_text, false) is not null
      then jsonb_build_array(conventions.text_error(v_text, false) || '{"column": "text"}')
    when v_text !~ '\S' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'BLANK', 'message', 'A text to search for needs a character other than white space.'))
    else '[]' end);
  if find_posts.tag is not null then
    v_tag := (select tags.id from app_public.tags where tags.form = app_hidden.tag_form(find_posts.tag));
    if v_tag is null then
      return;
    end if;
  end if;
  v_exact := app_hidden.read_query(v_text);
  v_is_plain := app_hidden.is_plain_search(v_text);
  -- There is nothing to look up: no words, stop words only, or only words to leave out.
  if querytree(v_exact) in ('', 'T') then
    return;
  end if;
  v_kinds := case when v_sees_all or v_viewer is not null and (find_posts.author_id is null or find_posts.author_id = v_viewer)
                  then '{t,f}' else '{t}' end;

  -- An unfinished word only where few posts have it as it is.
  for v_round in 1..2 loop
    v_query := case when v_round = 1 then v_exact else app_hidden.read_query(v_text, is_unfinished => true) end;
    v_found := '{}';
    v_ranks := '{}';
    v_is_complete := true;
    v_indexed := app_hidden.indexed_query(v_query);
    v_any := app_hidden.any_word(v_exact || v_query);
    -- The text has no accents where it is ASCII.
    v_written := regexp_replace(case when octet_length(v_text) = char_length(v_text) then v_query
                                     else app_hidden.read_query(v_text, v_round = 2, keeps_accents => true) end::text,
      '(''(?:[^'']|'''')*'')(?::(\*))?', '\1:\2AC', 'g');
    foreach v_is_public in array v_kinds loop
      v_whose := case when v_is_public or v_sees_all then find_posts.author_id else v_viewer end;
      v_is_frequent := not v_is_public and v_whose is not null or 5 <= cardinality(app_hidden.newest_with(v_query, v_is_public, v_whose, v_tag, 100, 5));
      if not v_is_frequent then
        with indexed as materialized (
          select w.post_id, w.author_id, w.listed_at from app_private.post_words w where w.is_public = v_is_public and w.words @@ v_indexed limit 10001)
        select (select count(*) > 10000 from indexed), array(
            select i.post_id from indexed i
             where (v_whose is null or i.author_id = v_whose)
               and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = i.post_id and t.tag_id = v_tag))
             order by i.listed_at desc, i.post_id desc limit case when v_query::text = v_indexed::text then 200 end)
          into v_is_frequent, v_ids;
      end if;
      if v_is_frequent then
        v_ids := app_hidden.newest_with(v_query, v_is_public, v_whose, v_tag, 5000, 200);
        v_is_complete := v_is_complete and (cardinality(v_ids) = 200 or not app_hidden.has_more(v_is_public, v_whose, v_tag, 5000));
      end if;
      select v_found || coalesce(array_agg(c.post_id), '{}'),
             v_ranks || coalesce(array_agg(round((1 + case when c.words @@ v_written then 0.5 else 0 end
               + ts_rank('{0.1, 0.1, 1, 1}', c.words, v_any, 1 | 32) / 2)::numeric, 4)::float8), '{}')
        into v_found, v_ranks
        from (select w.post_id, w.words from app_private.post_words w
               where w.post_id = any (v_ids) and w.is_public = v_is_public and (v_query::text = v_indexed::text or w.words @@ v_query)
               order by w.listed_at desc, w.post_id desc limit 200) as c;
    end loop;
    exit when cardinality(v_found) >= 10 or not v_is_plain;
  end loop;

  -- Too little: titles with spelling mistakes, or with another form of the words. Not with operators: a title would be similar to a word that
  -- is to be left out.
  if cardinality(v_found) < 10 and v_is_plain then
    v_form := conventions.search_form(v_text);
    -- Each word once, since a repeated one takes as long again.
    v_form := (select string_agg(distinct word, ' ') from string_to_table(v_form, ' ') as word);
    v_query := app_hidden.similar_query(v_form);
    v_kinds := case when v_query is not null then v_kinds else '{}' end;
    foreach v_is_public in array v_kinds loop
      v_whose := case when v_is_public or v_sees_all then find_posts.author_id else v_viewer end;
      with indexed as materialized (
        select w.post_id, w.author_id, w.listed_at, w.title from app_private.post_words w
         where w.is_public = v_is_public and (v_is_public or v_whose is null or w.author_id = v_whose) and w.title_words @@ v_query limit 5001)
      select v_is_complete and (select count(*) <= 5000 from indexed),
             v_similar || coalesce(array_agg(c.post_id), '{}'), v_titles || coalesce(array_agg(c.title), '{}') into v_is_complete, v_similar, v_titles
        from (select i.post_id, i.title from indexed i
               where (v_whose is null or i.author_id = v_whose) and i.post_id <> all (v_found)
                 and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = i.post_id and t.tag_id = v_tag))
               order by i.listed_at desc, i.post_id desc limit 500) as c;
    end loop;
  end if;
  return query select found.*, v_is_complete from unnest(v_found, v_ranks) as found;
  -- A word similarity is from 0 to 1. pg_trgm knows the letters of the database's locale only: titles in others are all as similar.
  return query
  select alike.post_id, round((0.5 + app_hidden.word_similarity(v_form, alike.title) * 0.499)::numeric, 4)::float8 as rank, v_is_complete
    from unnest(v_similar, v_titles) as alike (post_id, title) order by rank desc, alike.post_id desc limit 200;
end $$;
comment on function app_hidden.find_posts(text, text, bigint) is $$The posts that the viewer may see and that have the words, with their ranks, from 1 to 2: from 1.5 on, the words are written as they are asked for. If there are fewer than 10, also those with a word that begins with the last one, and those with a similar title, with ranks below 1. is_complete is false where more posts would have to be examined.$$;
grant execute on function app_hidden.find_posts(text, text, bigint) to :API_ANONYMOUS, :API_MEMBER;

-- The policies are asked for the rows of a page only, in their order.
create or replace function app_public.search(
  text text, tag text default null, author_id bigint default null, page int default null
) returns setof app_public.search_result
language sql stable as $$
  select found.post_id, found.rank, search.text, found.is_complete
    from (select * from app_hidden.find_posts(search.text, search.tag, search.author_id) order by rank desc, post_id desc limit search.page) as found
   where exists (select from app_public.posts where posts.id = found.post_id offset 0)
   order by found.rank desc, found.post_id desc
$$;
comment on function app_public.search(text, text, bigint, int) is $$@behavior -queryField:resource:list
@pageArgument page
@costlyText text
@listOrder rank desc, post_id desc
@describe text At most 200 characters. All words have to be found, in any order; "in quotes" one after the other; with or between them either; with - before it, a word is excluded.
@describe tag Search only posts with this tag, in any case, with or without accents.
@describe author_id Search only posts of this user.
The posts that you may see and that have the words, best first, in any case, with or without accents. Words that are written as in the text come first. Of a frequent word, the newest 200 posts are ranked. If fewer than 10 are found, the last word may be unfinished, and posts with a similar title follow.$$;
grant execute on function app_public.search(text, text, bigint, int) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.asked_words(text text) returns tsquery
language sql stable parallel safe
return app_hidden.any_word(app_hidden.read_query(conventions.normal_text(text, 200, true), is_unfinished => true));
comment on function app_hidden.asked_words(text) is $$Finds what has any word of a search.$$;
grant execute on function app_hidden.asked_words(text) to :API_ANONYMOUS, :API_MEMBER;

-- A word with joints is marked as a whole if it was asked for in one, else its parts are. A character of a script without spaces is a piece.
create or replace function app_hidden.marked_pieces(text text, query tsquery)
returns table (place bigint, piece text, is_marked boolean, html text)
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp set client_min_messages = 'error' as $$
#variable_conflict use_column
declare
  v_language regconfig := app_hidden.search_language();
  v_script text := conventions.unspaced_scripts();
  v_others text := '\s!-#$-/:-@[-^`{-~\u00A0-\u00A9\u00AB-\u00B1\u00B4\u00B6\u00B8\u00BB\u00BF\u2010-\u2027\u2030-\u205E\u3001-\u3004\u3008-\u3020'
    '\uFF01-\uFF0F\uFF1A-\uFF20\u060C\u061B\u061F';
  v_joints text := '[-_.&,''’‐‑]';
  v_word text := '[^' || v_others || v_script || ']+';
  v_terms text[] := array(select term[1] from regexp_matches(query::text, '''([^'']+)''', 'g') as term);
begin
  return query
  with pieces as materialized (
    select pieces.place, pieces.piece[1] as piece, piece[1] ~ ('^[' || v_script || ']$') as is_character, piece[1] !~ ('^[' || v_others || ']+$') as is_word
      from regexp_matches(marked_pieces.text, '[' || v_script || ']|' || v_word || '(?:' || v_joints || v_word || ')*(?:\+\+|#)?|[' || v_others || ']+|.', 'g')
           with ordinality as pieces (piece, place)
  ), compared as (
    select p.*,
           case when is_character then
             conventions.search_letters(p.piece) = any (v_terms)
             or conventions.search_letters(p.piece || coalesce(lead(p.piece) over places, '')) = any (v_terms)
             or conventions.search_letters(coalesce(lag(p.piece) over places, '') || p.piece) = any (v_terms)
           when is_word then
             to_tsvector(v_language, case when p.piece ~ v_joints
               then (regexp_match(conventions.search_compounds(conventions.search_letters(p.piece)), '^\S+'))[1]
               else conventions.search_form(p.piece) end) @@ query
           end is true as is_whole
      from pieces p window places as (order by p.place)
  )
  select c.place, c.piece, c.is_whole or part.is_marked is true,
         case when c.is_whole then '<mark>' || app_hidden.html_text(c.piece) || '</mark>' else coalesce(part.html, app_hidden.html_text(c.piece)) end
    from compared c
    left join lateral (
      select bool_or(words @@ query) as is_marked,
             string_agg(case when words @@ query then '<mark>' || app_hidden.html_text(m[1]) || '</mark>' else app_hidden.html_text(m[1]) end, '' order by n) as html
        from regexp_matches(c.piece, '[-_.&,''’‐‑]|[^-_.&,''’‐‑]+', 'g') with ordinality as parts (m, n),
             lateral to_tsvector(v_language, conventions.search_form(m[1])) as words
       where c.is_word and not c.is_whole and c.piece ~ v_joints) as part on true
   order by c.place;
end $$;
comment on function app_hidden.marked_pieces(text, tsquery) is $$The words of a text, and what is between them, as HTML that is safe to show: those that the query finds are in <mark>.$$;
grant execute on function app_hidden.marked_pieces(text, tsquery) to :API_ANONYMOUS, :API_MEMBER;

-- The cost is such that PostgreSQL marks the words of the rows of a page only.
create or replace function app_public.search_result_title_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select replace(string_agg(html, '' order by place), '</mark><mark>', '')
    from app_public.posts, lateral app_hidden.marked_pieces(title, app_hidden.asked_words(search_result.text))
   where id = search_result.post_id);
comment on function app_public.search_result_title_html(app_public.search_result) is $$@notNull
@behavior -queryField
The title, as HTML that is safe to show: matches in <mark>, the rest escaped.$$;
grant execute on function app_public.search_result_title_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;

-- Of the first 20,000 characters, the 1,200 with most of the words asked for. A fragment has some words before a match and more behind it. It
-- begins and ends where a word does, or between two characters of a script without spaces.
create or replace function app_hidden.fragments_html(content text, query tsquery) returns text
language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_text text := app_hidden.plain_text(left(content, 20000));
  v_start int;
  v_pieces text[];
  v_marked boolean[];
  v_begins int[];
  -- Whether a fragment may begin with this piece, or end before it.
  v_breaks boolean[];
  v_count int;
  v_match int;
  v_from int;
  v_until int := 0;
  v_html text := '';
begin
  v_start := (
    select start
      from generate_series(1, greatest(char_length(v_text), 1), 1000) as start,
           lateral app_hidden.weighed_words(substr(v_text, start, 1200), 'D', 'D') as words
     order by (select count(*) from regexp_matches(query::text, '''(?:[^'']|'''')*''(?::\*)?', 'g') as term where words @@ term[1]::tsquery) desc, start
     limit 1);
  select array_agg(pieces.html order by place), array_agg(is_marked order by place), array_agg(pieces.begins order by place),
         array_agg(coalesce(pieces.is_break, v_start = 1) order by place) || (v_start + 1200 > char_length(v_text)), count(*)
    into v_pieces, v_marked, v_begins, v_breaks, v_count
    from (select p.*, sum(char_length(piece)) over places - char_length(piece) as begins,
                 lag(piece) over places ~ '\s$'
                 or place > 1 and piece ~ ('^[' || conventions.unspaced_scripts() || ']')
                    and piece !~ '^[\u0E31-\u0E3A\u0E47-\u0E4E\u0EB1-\u0EBC\u0EC8-\u0ECE\u102B-\u103E\u17B4-\u17D3\u3099\u309A\u30FC]' as is_break
            from app_hidden.marked_pieces(substr(v_text, v_start, 1200), query) p window places as (order by place)) as pieces;
  for v_round in 1..2 loop
    v_match := (select min(n) from generate_series(v_until + 1, v_count) as n where v_marked[n]);
    exit when v_match is null;
    v_from := v_match;
    while v_from > v_until + 1 and (v_begins[v_from - 1] >= v_begins[v_match] - 50 or not v_breaks[v_from]) loop
      v_from := v_from - 1;
    end loop;
    while v_from < v_match and not v_breaks[v_from] and v_from > v_until + 1 loop
      v_from := v_from + 1;
    end loop;
    v_html := v_html || case when v_from > v_until + 1 or v_round = 1 and v_start > 1 then ' … ' else '' end;
    v_until := v_match;
    while v_until < v_count and (v_begins[v_until + 1] < v_begins[v_match] + 140 or not v_breaks[v_until + 1]) loop
      v_until := v_until + 1;
    end loop;
    while v_until > v_match and not v_breaks[v_until + 1] loop
      v_until := v_until - 1;
    end loop;
    v_html := v_html || array_to_string(v_pieces[v_from:v_until], '');
  end loop;
  if v_html = '' then
    return app_hidden.html_text(app_hidden.start_of(v_text));
  end if;
  return replace(btrim(v_html), '</mark><mark>', '')
    || case when v_until < v_count or v_start + 1200 <= char_length(v_text) or char_length(content) > 20000 then ' …' else '' end;
end $$;
comment on function app_hidden.fragments_html(text, tsquery) is $$The parts of a text around what the query finds, as HTML that is safe to show.$$;
grant execute on function app_hidden.fragments_html(text, tsquery) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.search_result_fragments_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (select app_hidden.fragments_html(content, app_hidden.asked_words(search_result.text)) from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_fragments_html(app_public.search_result) is $$@notNull
@behavior -queryField
The content around matches, as HTML that is safe to show: matches in <mark>, the rest escaped. Without marks of Markdown, and with … where text is left out. Without a match, the beginning.$$;
grant execute on function app_public.search_result_fragments_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search/search.sql
--! Included functions/chat/require_group_chat.sql
-- The functions that call this run as the owner, who sees every chat, so it checks the viewer's access itself.
create or replace function app_hidden.require_group_chat(chat_id bigint, column_name text, of_creator boolean) returns app_public.chats
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_moderates boolean := app_hidden.viewer_may('MODERATE');
  v_chat app_public.chats;
begin
  select * into v_chat from app_public.chats
   where chats.id = require_group_chat.chat_id and (chats.id in (select app_hidden.viewer_chat_ids()) or v_moderates);
  if not found then
    perform app_hidden.refuse_missing('chat');
  elsif v_chat.is_direct then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', column_name,
      'code', 'DIRECT_CHAT', 'message', 'A direct chat keeps its two members, and has no title.')));
  elsif of_creator and not v_moderates and v_chat.creator_id is distinct from app_hidden.viewer_id() then
    perform app_hidden.refuse_unauthorized();
  end if;
  return v_chat;
end $$;
comment on function app_hidden.require_group_chat(bigint, text, boolean) is $$A chat of the viewer’s, or any chat with the right MODERATE. Refuses direct chats and, where asked, chats that another user has created.$$;
--! EndIncluded functions/chat/require_group_chat.sql
--! Included functions/chat/first_chats.sql
-- For a member, the memberships are in the list's order. The policy alone would make PostgreSQL look at all chats.
create or replace function app_hidden.first_chats(page int) returns setof app_public.chats
language sql stable as $$
  (select chats.* from app_public.chats
    where id = any (array(
      select chat_id from app_public.chat_members
       where user_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_may('MODERATE'))
       order by chat_id limit page)))
   union all
  (select chats.* from app_public.chats where (select app_hidden.viewer_may('MODERATE')) order by id limit page)
$$;
comment on function app_hidden.first_chats(int) is $$The first chats of Query.chatsConnection.$$;
grant execute on function app_hidden.first_chats(int) to :API_MEMBER;
--! EndIncluded functions/chat/first_chats.sql

select conventions.add_tag('app_public.bans', '@requires app_hidden.require_right_to_ban');
select conventions.add_tag('app_public.reports', '@requires app_hidden.require_right_to_read_reports');

do $$
declare
  v_policy record;
begin
  for v_policy in
    select schemaname, tablename, policyname from pg_policies
     where policyname ~ '_as_admin$' and schemaname in ('app_public', 'conventions')
       and tablename in ('posts', 'post_revisions', 'comments', 'chats', 'chat_members', 'bans', 'reports', 'report_reasons', 'counter_shards')
  loop
    execute format('alter policy %I on %I.%I rename to %I', v_policy.policyname, v_policy.schemaname, v_policy.tablename,
      replace(v_policy.policyname, '_as_admin', '_by_right'));
  end loop;
end $$;
alter policy select_by_right on app_public.posts using ((select app_hidden.viewer_may('EDIT_ANY_POST')));
alter policy update_by_right on app_public.posts using ((select app_hidden.viewer_may('EDIT_ANY_POST')));
alter policy delete_by_right on app_public.posts using ((select app_hidden.viewer_may('EDIT_ANY_POST')));
alter policy select_by_right on app_public.post_revisions using ((select app_hidden.viewer_may('EDIT_ANY_POST')));
alter policy delete_by_right on app_public.comments using ((select app_hidden.viewer_may('MODERATE')));
alter policy select_by_right on app_public.chats using ((select app_hidden.viewer_may('MODERATE')));
alter policy select_by_right on app_public.chat_members using ((select app_hidden.viewer_may('MODERATE')));
alter policy select_by_right on app_public.bans using ((select app_hidden.viewer_may('BAN')));
alter policy select_by_right on app_public.reports using ((select app_hidden.viewer_may('READ_REPORTS')));
alter policy update_by_right on app_public.reports using ((select app_hidden.viewer_may('MODERATE')));
alter policy select_by_right on app_public.report_reasons using ((select app_hidden.viewer_may('READ_REPORTS')));
alter policy select_by_right on conventions.counter_shards
  using (case when counter = 'reports.status' then (select app_hidden.viewer_may('READ_REPORTS')) else (select app_hidden.viewer_may('EDIT_ANY_POST')) end);
alter policy select_reported on app_public.messages
  using ((select app_hidden.viewer_may('READ_REPORTS')) and exists (select from app_public.reports where reports.message_id = messages.id offset 0));
alter policy delete_reported on app_public.messages
  using ((select app_hidden.viewer_may('MODERATE')) and exists (select from app_public.reports where reports.message_id = messages.id offset 0))
  with check ((select app_hidden.viewer_may('MODERATE')) and deleted_at is not null);
