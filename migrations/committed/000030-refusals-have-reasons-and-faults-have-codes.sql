--! Previous: sha1:af9486d116d2f1c275633e45770dd4ee48821837
--! Hash: sha1:de59341dd583448f3acfc82249f0d678a2d67129
--! Message: refusals have reasons and faults have codes

--! split: 950-reasons.sql
-- An expired token keeps nobody from signing in or refreshing a session. A refusal names its reason, and each fault has a
-- code of its own, so that clients can translate messages.
--! Included functions/sign_in.sql
-- Security definer: the API's roles may not read passwords and sessions. A wrong password returns null and does not raise:
-- an error would roll back the count of the attempt. The API turns the null into UNAUTHORIZED.
create or replace function app_public.sign_in(email text, password text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user_id bigint := app_private.check_password(sign_in.email, sign_in.password);
  v_session_id bigint;
begin
  if v_user_id is null then
    return null;
  end if;
  insert into app_private.sign_in_networks (user_id, network)
  select v_user_id, network from app_private.client_network() as network where network <> ''
  on conflict on constraint sign_in_networks_pkey do update set signed_in_at = now()
   where sign_in_networks.signed_in_at < now() - interval '1 day';
  insert into app_private.sessions (user_id) values (v_user_id) returning id into v_session_id;
  perform app_private.note_session_request(v_session_id);
  return app_private.issue_refresh_token(v_session_id, v_user_id);
end $$;
comment on function app_public.sign_in(text, text) is $$@rateLimited
@withoutToken
@unauthorizedWhenNull user_id WRONG_PASSWORD: The e-mail or the password is wrong.
@describe email The e-mail that the user signed up with.
@describe password The password.
Signs in with a password. Ten failed attempts for an account from one network, fifty from one network, or a hundred for an account give RATE_LIMITED for up to fifteen minutes. The last limit does not apply in networks from which the user has signed in within 90 days.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_in.sql
--! Included functions/refresh_session.sql
-- Security definer: the API's roles may not read refresh tokens. The caller need not be signed in.
create or replace function app_public.refresh_session(refresh_token text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_text text := refresh_session.refresh_token;
  v_token app_private.refresh_tokens;
  v_session app_private.sessions;
  v_salt bytea := app_hidden.gen_random_bytes(32);
begin
  -- A token that was used within the grace leads to its successor, and so to the newest token of the session. All calls lock
  -- the tokens in this order, so concurrent calls wait, and cannot deadlock. The number of steps is bounded.
  for v_step in 0..10 loop
    select * into v_token from app_private.refresh_tokens
     where token_hash = sha256(convert_to(v_text, 'UTF8')) for update;
    exit when v_token.used_at is null or v_token.successor_salt is null
           or v_token.used_at <= now() - interval '30 seconds';
    v_text := app_private.successor_token(v_text, v_token.successor_salt);
  end loop;

  select * into v_session from app_private.sessions where id = v_token.session_id;
  if v_token.used_at is not null then
    update app_private.sessions set revoked_at = coalesce(revoked_at, now()) where id = v_session.id;
  end if;
  if v_session.id is null or v_session.revoked_at is not null or v_token.used_at is not null
     or v_token.expires_at <= now()
     or not exists (select from app_private.accounts where user_id = v_session.user_id and banned_at is null) then
    return null;
  end if;
  perform app_private.note_session_request(v_session.id);
  if v_text <> refresh_session.refresh_token then
    return (v_session.user_id, v_text, v_token.expires_at)::app_public.session;
  end if;
  update app_private.refresh_tokens set used_at = now(), successor_salt = v_salt where token_hash = v_token.token_hash;
  return app_private.issue_refresh_token(v_session.id, v_session.user_id, app_private.successor_token(v_text, v_salt));
end $$;
comment on function app_public.refresh_session(text) is $$@withoutToken
@unauthorizedWhenNull user_id SESSION_OVER: This refresh token is no longer valid. Sign in again.
@describe refresh_token The session’s newest refresh token.
Returns a new access token and refresh token. A refresh token works once. For 30 seconds after that, it returns the session’s newest refresh token again; a later use ends its session.$$;
grant execute on function app_public.refresh_session(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refresh_session.sql
--! Included functions/change_password.sql
-- Security definer: the API's roles may not write passwords. A wrong password returns null and does not raise: an error
-- would roll back the count of the attempt.
create or replace function app_public.change_password(current_password text, new_password text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(app_private.password_faults('new_password', change_password.new_password));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  -- Lock in the order of check_password(), first the attempts, then the row. Another order could deadlock.
  perform app_private.refuse_guessing(app_private.account_key(v_account.email), v_account.user_id);
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id() for update;
  -- An account without a password sets its first one. Its user has signed in with an operator's token.
  if v_account.password_hash is not null
     and app_private.check_password(v_account.email, change_password.current_password) is null then
    return null;
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(change_password.new_password, app_hidden.gen_salt('bf', 10))
   where user_id = v_account.user_id;
  select * into v_user from app_public.users where id = v_account.user_id;
  return v_user;
end $$;
comment on function app_public.change_password(text, text) is $$@unauthorizedWhenNull id WRONG_PASSWORD: The current password is wrong.
@describe current_password The current password. Ignored when the account has none yet.
@describe new_password The new password: 8 to 200 characters.
Changes the password of the signed-in user, and ends all of the user’s sessions.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/change_password.sql
--! Included functions/rules.sql
create or replace function app_hidden.words_of(comment text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(comment, '^(@[^\n]*(\n|$))+', ''), '');
comment on function app_hidden.words_of(text) is $$A comment without its leading smart tags, which are for the API's plugins.$$;
grant execute on function app_hidden.words_of(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function app_hidden.code_in(comment text) returns text
language sql immutable parallel safe
return substring(comment from '^(?:@[^\n]*\n)*?@code +([A-Z][A-Z0-9_]*) *(?:\n|$)');
comment on function app_hidden.code_in(text) is $$The fault code in a constraint’s comment, from a line @code BLANK among its leading smart tags; null without one.$$;
grant execute on function app_hidden.code_in(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function app_hidden.usual_code(expression text) returns text
language sql immutable parallel safe
return case
  when strpos(expression, ' ~ ''\S''') > 0 then 'BLANK'
  when expression ~ ' ~{1,2}\*? ''' then 'FORMAT'
  when expression not like '%char_length(%' and expression ~ '[<>]= -?\d' then 'OUT_OF_RANGE'
end;
comment on function app_hidden.usual_code(text) is $$The fault code of a check constraint whose comment names none: BLANK for a search for a character that is not white space, FORMAT for any other pattern, OUT_OF_RANGE for bounds; null for all others.$$;
grant execute on function app_hidden.usual_code(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

-- Error messages for violated constraints come from the catalogue: the constraint's columns name the field, and its comment
-- is the message. So a DBA who adds a constraint with a comment has also defined its error.
create or replace view app_hidden.rules as
select n.nspname as schema_name,
       t.relname as table_name,
       c.conname as rule_name,
       t.oid as table_id,
       c.contype::text as kind,
       (select array_agg(a.attname::text order by k.place)
          from unnest(c.conkey) with ordinality as k (attnum, place)
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as column_names,
       pg_catalog.pg_get_expr(c.conbin, c.conrelid) as expression,
       app_hidden.words_of(pg_catalog.obj_description(c.oid, 'pg_constraint')) as message,
       app_hidden.code_in(pg_catalog.obj_description(c.oid, 'pg_constraint')) as code
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class t on t.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where n.nspname not in ('pg_catalog', 'information_schema')
union all
-- A unique index over an expression is not a constraint. Its columns are the ones that it depends on.
select n.nspname, t.relname, i.relname, t.oid, 'u',
       (select array_agg(distinct a.attname::text)
          from pg_catalog.pg_depend d
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
         where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.oid
           and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = t.oid),
       null,
       app_hidden.words_of(pg_catalog.obj_description(i.oid, 'pg_class')),
       app_hidden.code_in(pg_catalog.obj_description(i.oid, 'pg_class'))
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where x.indisunique
   and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   and not exists (select from pg_catalog.pg_constraint c where c.conindid = x.indexrelid);
comment on view app_hidden.rules is $$Every constraint and unique index, with its columns, and the error message and the fault code for clients. The code is null where the comment names none.$$;
grant select on app_hidden.rules to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;
--! EndIncluded functions/rules.sql
--! Included functions/faults.sql
-- PostgreSQL reports only the first violated constraint, but a form shows all errors at once. This evaluates every check
-- constraint of a table for a row that need not exist, and returns all violations.
create or replace function app_hidden.faults(relation regclass, candidate jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_rule record;
  v_expressions text;
  v_holds boolean[];
  v_value text;
  v_bounds int[];
  v_code text;
  v_params jsonb;
  v_faults jsonb;
begin
  -- PostgreSQL cannot hold NUL or a lone surrogate. The API replaces both with the noncharacter U+FDD0, and a long run of
  -- combining marks with U+FDD1. This refuses all noncharacters: Unicode reserves them for use inside a program.
  select coalesce(jsonb_agg(jsonb_build_object(
           'column', key, 'code', case when has_noncharacter then 'CHARACTERS' else 'MARKS' end,
           'message', case when has_noncharacter
             then 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'
             else 'Text cannot contain more than 30 combining marks in a row.' end) order by key), '[]')
    into v_faults
    from jsonb_each_text(candidate)
   cross join lateral (values (value ~ '[\uFDD0\uFDD2-\uFDEF\uFFFE\uFFFF]')) as found (has_noncharacter)
   where value ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' or not app_hidden.bounded_text(value, null);

  select string_agg(format('(%s)', expression), ', ' order by column_names, rule_name)
    into v_expressions
    from app_hidden.rules where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_faults;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;
  if (false = any (v_holds)) is not true then
    return v_faults;
  end if;

  for v_rule in
    select column_names[1] as column_name, expression, message, code,
           row_number() over (order by column_names, rule_name) as place
      from app_hidden.rules where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_rule.place] is not false;
    v_value := candidate ->> v_rule.column_name;
    v_code := null;
    v_params := null;
    v_bounds := array[substring(v_rule.expression from '>= (-?\d+)'), substring(v_rule.expression from '<= (-?\d+)')];
    if v_rule.expression like '%char_length(' || v_rule.column_name || ')%' then
      if char_length(v_value) > v_bounds[2] then
        v_code := 'TOO_LONG';
        v_params := jsonb_build_object('max', v_bounds[2]);
      elsif char_length(v_value) < v_bounds[1] then
        v_code := 'TOO_SHORT';
        v_params := jsonb_build_object('min', v_bounds[1]);
      end if;
    elsif v_bounds <> array[null, null]::int[] then
      v_params := jsonb_strip_nulls(jsonb_build_object('min', v_bounds[1], 'max', v_bounds[2]));
    end if;
    v_faults := v_faults || jsonb_strip_nulls(jsonb_build_object(
      'column', v_rule.column_name,
      'code', coalesce(v_rule.code, v_code, app_hidden.usual_code(v_rule.expression), 'INVALID'),
      'message', coalesce(v_rule.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_faults;
end $$;
comment on function app_hidden.faults(regclass, jsonb) is $$The faults of a row of the table: a JSON array of {column, code, message, params}, one for each violated check constraint. The code is the one in the constraint’s comment (@code BLANK), else TOO_LONG or TOO_SHORT, else that of app_hidden.usual_code(), else INVALID. CHARACTERS and MARKS are for texts that no column takes.$$;
grant execute on function app_hidden.faults(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/faults.sql
--! Included functions/password_faults.sql
create or replace function app_private.password_faults("column" text, password text) returns jsonb
language sql immutable set search_path = '' as $$
  -- The length is checked first, because the other checks read all of the text.
  select case
    when char_length(password) < 8 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_SHORT', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"min": 8}'::jsonb))
    when char_length(password) > 200 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_LONG', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"max": 200}'::jsonb))
    when password ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'CHARACTERS', 'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'))
    when not app_hidden.bounded_text(password, 200) then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'MARKS', 'message', 'A password cannot contain more than 30 combining marks in a row.'))
    else '[]'
  end
$$;
comment on function app_private.password_faults(text, text) is $$The faults of a new password, in the form of app_hidden.faults(). Null has no faults.$$;
--! EndIncluded functions/password_faults.sql
--! Included functions/follow_user.sql
create or replace function app_public.follow_user(id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  select * into v_user from app_public.users where users.id = follow_user.id;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  -- The violated constraint would name its two columns, which are no arguments of this function.
  if follow_user.id = app_hidden.viewer_id() then
    perform app_hidden.refuse_faults(jsonb_agg(
      jsonb_build_object('column', 'id', 'code', rules.code, 'message', rules.message)))
       from app_hidden.rules
      where (rules.table_name, rules.rule_name) = ('follows', 'follows_not_oneself_check');
  end if;
  insert into app_public.follows (follower_id, followed_id)
  values (app_hidden.viewer_id(), follow_user.id)
  on conflict do nothing;
  return v_user;
end $$;
comment on function app_public.follow_user(bigint) is $$@describe id The user to follow.
Follows a user: the user’s posts appear in your feed. Idempotent.$$;
grant execute on function app_public.follow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/follow_user.sql

comment on constraint follows_not_oneself_check on app_public.follows is E'@code ONESELF\nYou cannot follow yourself.';
comment on constraint posts_slug_check on app_public.posts is E'@code FORMAT\nA slug consists of lower-case letters and digits, with single hyphens between them.';
comment on constraint tags_name_check on app_public.tags is E'@code FORMAT\nA tag is in lower case, without surrounding white space.';
