--! Previous: sha1:4bc73437b9b796289433c742843ec6f2c8b999b1
--! Hash: sha1:466ac449ecff177299e63a081bb2d4957a0555a6
--! Message: descriptions are in plain words

--! split: 020-plain-words.sql
-- Descriptions, messages and comments in plain technical English. No object changes its behaviour.
--! Included functions/account_key.sql
create or replace function app_private.account_key(email text) returns text
language sql immutable set search_path = ''
return encode(sha256(convert_to(lower(email), 'UTF8')), 'hex');
comment on function app_private.account_key(text) is $$The key for counting failed sign-ins of an account: the SHA-256 of the e-mail. A hash, because the text may be of any length and some people type their password into the e-mail field.$$;
--! EndIncluded functions/account_key.sql
--! Included functions/add_chat_member.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.add_chat_member(chat_id bigint, user_id bigint) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat app_public.chats;
begin
  -- This runs as the function's owner, who sees every chat, so it checks the viewer's access itself.
  select * into v_chat from app_public.chats
   where chats.id = add_chat_member.chat_id
     and (chats.id in (select app_hidden.viewer_chat_ids()) or app_hidden.viewer_is_admin());
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  if not exists (select from app_public.users where users.id = add_chat_member.user_id) then
    perform app_hidden.refuse_missing('user');
  end if;
  insert into app_public.chat_members (chat_id, user_id) values (v_chat.id, add_chat_member.user_id)
  on conflict do nothing;
  return v_chat;
end $$;
comment on function app_public.add_chat_member(bigint, bigint) is $$@describe chat_id One of your chats.
@describe user_id The user to add.
Adds a user to a chat of yours. The new member can read all its messages. Idempotent.$$;
grant execute on function app_public.add_chat_member(bigint, bigint) to :API_MEMBER;
--! EndIncluded functions/add_chat_member.sql
--! Included functions/admit_analyst.sql
-- Members do not inherit a role's settings, so each login gets its own, for this database. A session can change them: the
-- missing grants, not these settings, are what prevents writes.
create or replace function app_private.admit_analyst(login name, statement_timeout interval default '1 minute') returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_settings jsonb := jsonb_build_object(
    'default_transaction_read_only', 'on',
    'statement_timeout', (extract(epoch from admit_analyst.statement_timeout) * 1000)::bigint,
    'idle_in_transaction_session_timeout', '5min',
    'search_path', 'analytics',
    'timezone', 'UTC');
  v_name text;
  v_value text;
begin
  if extract(epoch from admit_analyst.statement_timeout) <= 0 then
    raise exception using errcode = '22023', message = 'The statement time-out must be above zero';
  end if;
  perform app_private.close_database();
  execute format('grant :ANALYST to %I', login);
  execute format('grant connect on database %I to :ANALYST', current_database());
  for v_name, v_value in select * from jsonb_each_text(v_settings) loop
    execute format('alter role %I in database %I set %I = %L', login, current_database(), v_name, v_value);
  end loop;
end $$;
comment on function app_private.admit_analyst(name, interval) is $$Gives a person’s login read access to schema analytics in this database. Grants the role, and sets read-only transactions, a statement time-out, search_path analytics and UTC. Run it again to change the time-out. For DBAs.$$;
--! EndIncluded functions/admit_analyst.sql
--! Included functions/analysts.sql
create or replace view app_private.analysts as
select roles.rolname as login,
       coalesce(bool_or(setting = 'default_transaction_read_only=on'), false) as is_read_only,
       max(substring(setting from '^statement_timeout=(.*)$'))::bigint * interval '1 millisecond' as statement_timeout
  from pg_catalog.pg_roles as roles
  left join pg_catalog.pg_db_role_setting as stored
    on stored.setrole = roles.oid
   and stored.setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
  left join lateral unnest(stored.setconfig) as setting on true
 where roles.rolcanlogin and not roles.rolsuper and pg_catalog.pg_has_role(roles.oid, ':ANALYST', 'member')
 group by roles.rolname;
comment on view app_private.analysts is $$The logins that may read schema analytics, with the settings made by admit_analyst(): false and null for a login that was only granted the role. For DBAs.$$;
--! EndIncluded functions/analysts.sql
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
  perform app_private.refuse_guessing(app_private.account_key(v_account.email));
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
comment on function app_public.change_password(text, text) is $$@unauthorizedWhenNull id The current password is wrong.
@describe current_password The current password. Ignored when the account has none yet.
@describe new_password The new password: 8 to 200 characters.
Changes the password of the signed-in user, and ends all of the user’s sessions.$$;
grant execute on function app_public.change_password(text, text) to :API_MEMBER;
--! EndIncluded functions/change_password.sql
--! Included functions/chat_reading.sql
-- The rule of the policies of chats and messages, for any viewer. Change both together: test/messages/rights.test.ts
-- compares them. Without security definer and search_path, so that PostgreSQL inlines it into a query over many viewers.
create or replace function app_private.chat_reading(chat_id bigint, viewer_id bigint, out last_number bigint, out may_read boolean)
returns setof record language sql stable rows 1 as $$
  select c.last_number, a.user_id is not null and (m.user_id is not null or u.role = 'ADMIN')
    from app_public.chats c
    left join app_private.accounts a on a.user_id = chat_reading.viewer_id and a.banned_at is null
    left join app_public.users u on u.id = a.user_id
    left join app_public.chat_members m on m.chat_id = c.id and m.user_id = a.user_id
   where c.id = chat_reading.chat_id
$$;
comment on function app_private.chat_reading(bigint, bigint) is $$Whether the viewer may read the chat, and the number of its newest message. Returns no row when the chat does not exist.$$;
--! EndIncluded functions/chat_reading.sql
--! Included functions/check_password.sql
create or replace function app_private.check_password(email text, password text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  v_key text := app_private.account_key(check_password.email);
  v_account app_private.accounts;
  -- A hash of an unknown password, compared when the account does not exist, so that both cases take the same time.
  v_dummy_hash text := '$2a$10$abcdefghijklmnopqrstuuWzJ0eJH5E0mJmN0sXJY5l8H9Qk2Y5S6';
  v_is_right boolean;
begin
  perform app_private.refuse_guessing(v_key);
  -- The lock lasts to the end of the transaction: no session starts while a password change or a ban commits.
  select * into v_account from app_private.accounts where lower(accounts.email) = lower(check_password.email) for share;
  v_is_right := app_private.password_hash(check_password.password, coalesce(v_account.password_hash, v_dummy_hash))
              = v_account.password_hash;
  if v_is_right and v_account.banned_at is null then
    return v_account.user_id;
  end if;
  perform app_private.count_failed_sign_in(v_key);
  return null;
end $$;
comment on function app_private.check_password(text, text) is $$The id of the user with this e-mail and password; null without a match, which takes the same time and is counted.$$;
--! EndIncluded functions/check_password.sql
--! Included functions/client_network.sql
create or replace function app_private.client_network() returns text
language plpgsql stable set search_path = '' as $$
declare
  v_address inet;
begin
  -- An IPv6 socket shows an IPv4 client as ::ffff:192.0.2.1. The /64 of that would put all IPv4 clients together.
  v_address := regexp_replace(nullif(current_setting('app.client_address', true), ''), '^::ffff:(?=\d+\.)', '', 'i');
  return coalesce(case when family(v_address) = 6 then network(set_masklen(v_address, 64))::text else host(v_address) end, '');
exception when invalid_text_representation then
  -- A trusted proxy sent something that is not an IP address.
  return '';
end $$;
comment on function app_private.client_network() is $$The network of the client, from its IP address in app.client_address: an IPv4 address, or the /64 of an IPv6 address, which belongs to one customer. Empty when unknown.$$;
--! EndIncluded functions/client_network.sql
--! Included functions/close_database.sql
-- A function of its own, because a restored or cloned database loses its database-level grants and needs it again. An
-- owner without superuser rights cannot revoke the large-object functions; PostgreSQL then only warns.
create or replace function app_private.close_database() returns void
language plpgsql volatile set search_path = '' as $$
begin
  execute format('revoke temporary on database %I from public', current_database());
  revoke execute on function pg_catalog.lo_creat(int) from public;
  revoke execute on function pg_catalog.lo_create(oid) from public;
  revoke execute on function pg_catalog.lo_from_bytea(oid, bytea) from public;
end $$;
comment on function app_private.close_database() is $$Revokes two of PostgreSQL’s default rights from public in this database: temporary tables and large objects.$$;
--! EndIncluded functions/close_database.sql
--! Included functions/count_failed_sign_in.sql
create or replace function app_private.count_failed_sign_in(account text) returns void
language sql volatile set search_path = '' as $$
  delete from app_private.failed_sign_ins where failed_at < now() - interval '1 day';
  insert into app_private.failed_sign_ins (account, address)
  values (count_failed_sign_in.account, app_private.client_network());
$$;
comment on function app_private.count_failed_sign_in(text) is $$Stores a failed sign-in for a day. The caller must not raise an error afterwards: that would roll it back.$$;
--! EndIncluded functions/count_failed_sign_in.sql
--! Included functions/create_chat.sql
-- Security definer: members may not write chats and memberships directly.
create or replace function app_public.create_chat(member_ids bigint[], title text default null) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_chat app_public.chats;
begin
  perform app_hidden.refuse_faults(
    app_hidden.faults('app_public.chats', jsonb_build_object('title', create_chat.title))
    || app_hidden.member_faults(create_chat.member_ids));
  insert into app_public.chats (title) values (create_chat.title) returning * into v_chat;
  insert into app_public.chat_members (chat_id, user_id)
  select v_chat.id, id from unnest(create_chat.member_ids || app_hidden.viewer_id()) as id group by id;
  return v_chat;
end $$;
comment on function app_public.create_chat(bigint[], text) is $$@describe member_ids The other members, at most 100.
@describe title The chat’s title: 1 to 100 characters, or null.
Creates a chat between you and other users.$$;
grant execute on function app_public.create_chat(bigint[], text) to :API_MEMBER;
--! EndIncluded functions/create_chat.sql
--! Included functions/create_comment.sql
create or replace function app_public.create_comment(post_id bigint, text text) returns app_public.comments
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
begin
  if not exists (select from app_public.posts where posts.id = create_comment.post_id) then
    perform app_hidden.refuse_missing('post');
  end if;
  insert into app_public.comments (post_id, author_id, text)
  values (create_comment.post_id, app_hidden.viewer_id(), create_comment.text)
  returning * into v_comment;
  return v_comment;
end $$;
comment on function app_public.create_comment(bigint, text) is $$@describe post_id The post to comment on.
@describe text The text: 1 to 5,000 characters.
Adds a comment to a post.$$;
grant execute on function app_public.create_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/create_comment.sql
--! Included functions/create_post.sql
create or replace function app_public.create_post(input app_public.create_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.tag_faults(input.tags);
  v_detail text;
  v_post app_public.posts;
begin
  begin
    insert into app_public.posts (author_id, title, content, excerpt, status)
    values (app_hidden.viewer_id(), input.title, input.content, input.excerpt, coalesce(input.status, 'DRAFT'))
    returning * into v_post;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  perform app_hidden.set_post_tags(v_post.id, input.tags);
  return v_post;
end $$;
comment on function app_public.create_post(app_public.create_post_input) is $$Creates a post with you as its author.$$;
grant execute on function app_public.create_post(app_public.create_post_input) to :API_MEMBER;
--! EndIncluded functions/create_post.sql
--! Included functions/create_user.sql
-- Security definer: the API's roles may not write users or accounts directly.
create or replace function app_public.create_user(name text, email text, password text default null) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.faults('app_public.users', jsonb_build_object('name', create_user.name))
                 || app_hidden.faults('app_private.accounts', jsonb_build_object('email', create_user.email))
                 || app_private.password_faults('password', create_user.password);
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.users (name) values (create_user.name) returning * into v_user;
  insert into app_private.accounts (user_id, email, password_hash, created_by)
  values (
    v_user.id,
    create_user.email,
    app_private.password_hash(create_user.password, app_hidden.gen_salt('bf', 10)),
    current_setting('app.request_id', true)
  );
  return v_user;
end $$;
comment on function app_public.create_user(text, text, text) is $$@rateLimited
@describe name The display name: 1 to 100 characters.
@describe email An e-mail that no other user has: 3 to 254 characters.
@describe password The password: 8 to 200 characters. Without it, the user needs a token from the operator to sign in.
Signs up a new user. The result may select the new user’s e-mail.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/create_user.sql
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
  -- PostgreSQL cannot hold NUL or a lone surrogate. The API replaces both with the noncharacter U+FDD0, and this refuses
  -- all noncharacters: Unicode reserves them for use inside a program.
  select coalesce(jsonb_agg(jsonb_build_object(
           'column', key, 'code', 'INVALID',
           'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.') order by key), '[]')
    into v_faults
    from jsonb_each_text(candidate)
   where value ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]';

  select string_agg(format('(%s)', expression), ', ' order by column_names, rule_name)
    into v_expressions
    from app_hidden.rules where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_faults;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;

  for v_rule in
    select column_names[1] as column_name, expression, message,
           row_number() over (order by column_names, rule_name) as place
      from app_hidden.rules where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_rule.place] is not false;
    v_value := candidate ->> v_rule.column_name;
    v_code := 'INVALID';
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
      v_code := 'OUT_OF_RANGE';
      v_params := jsonb_strip_nulls(jsonb_build_object('min', v_bounds[1], 'max', v_bounds[2]));
    end if;
    v_faults := v_faults || jsonb_strip_nulls(jsonb_build_object(
      'column', v_rule.column_name, 'code', v_code,
      'message', coalesce(v_rule.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_faults;
end $$;
comment on function app_hidden.faults(regclass, jsonb) is $$The faults of a row of the table: a JSON array of {column, code, message, params}, one for each violated check constraint. Codes: TOO_LONG, TOO_SHORT, OUT_OF_RANGE, INVALID.$$;
grant execute on function app_hidden.faults(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/faults.sql
--! Included functions/feed.sql
-- A single SQL statement, so that PostgreSQL inlines it and uses the index for order and limit.
create or replace function app_public.feed() returns setof app_public.posts
language sql stable
begin atomic
  select posts.*
    from app_public.posts
   where status = 'PUBLISHED'
     and (not (select exists (select from app_public.follows where follower_id = app_hidden.viewer_id()))
       or author_id = (select app_hidden.viewer_id())
       or author_id in (select followed_id from app_public.follows where follower_id = (select app_hidden.viewer_id())));
end;
comment on function app_public.feed() is $$@listLimit required
The newest published posts by you and the users you follow. By all users when you follow nobody or are not signed in.$$;
grant execute on function app_public.feed() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/feed.sql
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
  insert into app_public.follows (follower_id, followed_id)
  values (app_hidden.viewer_id(), follow_user.id)
  on conflict do nothing;
  return v_user;
end $$;
comment on function app_public.follow_user(bigint) is $$@describe id The user to follow.
Follows a user: the user’s posts appear in your feed. Idempotent.$$;
grant execute on function app_public.follow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/follow_user.sql
--! Included functions/free_slug.sql
-- Security definer: a slug must be unique among all posts, and the viewer cannot see the drafts of others.
create or replace function app_hidden.free_slug(wish text, post_id bigint) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  -- “Base” and “Base 2” can both become base-2, so titles that differ only in a final number share one lock.
  v_family text := regexp_replace(wish, '(-\d+)+$', '');
  v_slug text := wish;
  v_number int := 1;
begin
  perform pg_advisory_xact_lock(hashtext('app_public.posts.slug'), hashtext(v_family));
  while exists (select from app_public.posts where slug = v_slug and id is distinct from free_slug.post_id) loop
    v_number := v_number + 1;
    v_slug := wish || '-' || v_number;
  end loop;
  return v_slug;
end $$;
comment on function app_hidden.free_slug(text, bigint) is $$The given slug, or the first of slug-2, slug-3… that no other post has. Holds a lock to the end of the transaction, so that two writers never get the same one.$$;
grant execute on function app_hidden.free_slug(text, bigint) to :API_MEMBER;
--! EndIncluded functions/free_slug.sql
--! Included functions/identify.sql
-- Security definer: the login may look up a token's user, but may not read accounts itself.
create or replace function app_private.identify(user_id bigint, out role text, out viewer_id text)
language plpgsql stable security definer set search_path = '' as $$
begin
  if identify.user_id is null then
    role := ':API_ANONYMOUS';
    viewer_id := '';
  elsif exists (select from app_private.accounts where accounts.user_id = identify.user_id and banned_at is null) then
    role := ':API_MEMBER';
    viewer_id := identify.user_id;
  else
    raise exception using errcode = 'TOKEN', message = 'This user is deleted or banned';
  end if;
end $$;
comment on function app_private.identify(bigint) is $$The database role and viewer id for a request. Called for each request. Raises TOKEN when the user is deleted or banned.$$;
grant execute on function app_private.identify(bigint) to :API_LOGIN;
--! EndIncluded functions/identify.sql
--! Included functions/issue_refresh_token.sql
create or replace function app_private.issue_refresh_token(session_id bigint, user_id bigint) returns app_public.session
language plpgsql volatile set search_path = '' as $$
declare
  v_token text := encode(app_hidden.gen_random_bytes(32), 'hex');
  v_expires_at timestamptz := now() + interval '7 days';
begin
  insert into app_private.refresh_tokens (token_hash, session_id, expires_at, issued_to)
  values (sha256(convert_to(v_token, 'UTF8')), issue_refresh_token.session_id, v_expires_at,
          current_setting('app.request_id', true));
  return (issue_refresh_token.user_id, v_token, v_expires_at)::app_public.session;
end $$;
comment on function app_private.issue_refresh_token(bigint, bigint) is $$Issues the next refresh token of a session. Only its hash is stored.$$;
--! EndIncluded functions/issue_refresh_token.sql
--! Included functions/leave_chat.sql
-- Security definer: members may not write memberships directly.
create or replace function app_public.leave_chat(chat_id bigint) returns app_public.delete_result
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app_public.chat_members
   where chat_members.chat_id = leave_chat.chat_id and user_id = app_hidden.viewer_id();
  if not found then
    perform app_hidden.refuse_missing('chat');
  end if;
  return (true, format('You have left chat %s.', leave_chat.chat_id));
end $$;
comment on function app_public.leave_chat(bigint) is $$@describe chat_id The chat to leave.
Leaves a chat. Your messages stay, but you can no longer read them.$$;
grant execute on function app_public.leave_chat(bigint) to :API_MEMBER;
--! EndIncluded functions/leave_chat.sql
--! Included functions/me.sql
create or replace function app_public.me() returns app_public.users
language sql stable
return (select users from app_public.users where users.id = app_hidden.viewer_id());
comment on function app_public.me() is $$The signed-in user; null without one.$$;
grant execute on function app_public.me() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/me.sql
--! Included functions/member_faults.sql
create or replace function app_hidden.member_faults(member_ids bigint[]) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(jsonb_build_object('column', 'member_ids', 'index', place - 1,
           'code', 'INVALID_REFERENCE', 'message', 'This user does not exist.') order by place), '[]')
      || case when cardinality(member_ids) > 100
           then jsonb_build_array(jsonb_build_object('column', 'member_ids', 'code', 'TOO_LONG',
                  'message', 'A chat starts with at most 100 other members.', 'params', '{"max": 100}'::jsonb))
           else '[]' end
    from unnest(member_ids) with ordinality as given (id, place)
   where not exists (select from app_public.users where users.id = given.id)
$$;
comment on function app_hidden.member_faults(bigint[]) is $$The faults of the members of a new chat, in the form of app_hidden.faults().$$;
--! EndIncluded functions/member_faults.sql
--! Included functions/messages.sql
create or replace function app_public.messages(chat_id bigint, before bigint default null) returns setof app_public.messages
language sql stable
begin atomic
  select m.*
    from app_public.messages m
   -- A subquery, so that it runs once, before any row is read.
   where (select app_hidden.require_chat(messages.chat_id))
     and m.chat_id = messages.chat_id
     and (messages.before is null
       or m.number < (select b.number from app_public.messages b where b.id = messages.before and b.chat_id = messages.chat_id));
end;
comment on function app_public.messages(bigint, bigint) is $$@describe chat_id The chat.
@describe before Only messages older than this one, to page backwards.
The messages of a chat of yours, newest first.$$;
grant execute on function app_public.messages(bigint, bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/messages.sql
--! Included functions/open_message_streams.sql
-- Security definer: the login asks for many viewers at once, and may not read messages itself.
create or replace function app_private.open_message_streams(chat_ids bigint[], viewer_ids bigint[], after_ids bigint[], horizons xid8[])
returns table (place int, may_read boolean, start_number bigint)
language sql stable security definer set search_path = '' as $$
  select o.place::int,
         coalesce(r.may_read, false),
         case
           when o.after_id is not null then
             (select m.number from app_public.messages m where m.id = o.after_id and m.chat_id = o.chat_id)
           when o.horizon is null then r.last_number
           -- The newest message that was committed before the horizon. Numbers are committed in order, so all lower ones were
           -- committed as well. An xmin older than the horizon belongs to a transaction that had ended by then. The xmin of
           -- a subtransaction is younger than its parent's.
           else coalesce(
             (select m.number from app_public.messages m
               where m.chat_id = o.chat_id and age(m.xmin) > age(o.horizon::xid)
               order by m.number desc limit 1), 0)
         end
    from unnest(chat_ids, viewer_ids, after_ids, horizons)
         with ordinality as o (chat_id, viewer_id, after_id, horizon, place)
    left join lateral app_private.chat_reading(o.chat_id, o.viewer_id) as r on true
$$;
comment on function app_private.open_message_streams(bigint[], bigint[], bigint[], xid8[]) is $$The start of each new subscription to a chat. After the given message; else after the last message committed before the horizon (pg_snapshot_xmin of an earlier snapshot); else after the newest message. start_number is null when the given message is not in that chat.$$;
grant execute on function app_private.open_message_streams(bigint[], bigint[], bigint[], xid8[]) to :API_LOGIN;
--! EndIncluded functions/open_message_streams.sql
--! Included functions/password_faults.sql
create or replace function app_private.password_faults("column" text, password text) returns jsonb
language sql immutable set search_path = '' as $$
  select case
    when password ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'INVALID', 'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'))
    when char_length(password) < 8 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_SHORT', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"min": 8}'::jsonb))
    when char_length(password) > 200 then jsonb_build_array(jsonb_build_object('column', "column",
      'code', 'TOO_LONG', 'message', 'A password needs between 8 and 200 characters.', 'params', '{"max": 200}'::jsonb))
    else '[]'
  end
$$;
comment on function app_private.password_faults(text, text) is $$The faults of a new password, in the form of app_hidden.faults(). Null has no faults.$$;
--! EndIncluded functions/password_faults.sql
--! Included functions/password_hash.sql
create or replace function app_private.password_hash(password text, salt text) returns text
language sql immutable set search_path = '' as $$
  -- bcrypt ignores everything after 72 bytes, so hash a digest of the password, which is shorter.
  select app_hidden.crypt(encode(sha256(convert_to(normalize(password, NFC), 'UTF8')), 'base64'), salt)
$$;
comment on function app_private.password_hash(text, text) is $$The bcrypt hash of a password. The salt is gen_salt('bf', …) for a new hash, or the stored hash for a comparison.$$;
--! EndIncluded functions/password_hash.sql
--! Included functions/posts_count.sql
create or replace function app_public.posts_count(status app_public.post_status default null) returns int
language sql stable
return (select count(*)::int from app_public.posts
         where posts_count.status is null or posts.status = posts_count.status);
comment on function app_public.posts_count(app_public.post_status) is $$@describe status Count only posts with this status.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts_count.sql
--! Included functions/prepare_audit_partitions.sql
-- Security definer: any user's change may be the one that finds a partition missing.
create or replace function app_private.prepare_audit_partitions(months int default 3) returns int
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
declare
  v_from timestamptz;
  v_to timestamptz;
  v_name text;
  v_made int := 0;
begin
  -- Only one transaction does the work. The others skip it and do not wait.
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
    -- Move the month's rows out of the default partition. PostgreSQL refuses to attach a partition otherwise.
    execute format(
      'with moved as (delete from app_private.audit_trail_default where changed_at >= %L and changed_at < %L returning *)
       insert into %s select * from moved', v_from, v_to, v_name);
    -- `attach partition` takes a weaker lock than `create table … partition of`: others can write meanwhile.
    execute format('alter table app_public.audit_trail attach partition %s for values from (%L) to (%L)', v_name, v_from, v_to);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;
comment on function app_private.prepare_audit_partitions(int) is $$Creates the audit trail’s missing partitions for this month and the given number of months ahead, and returns how many it created. The first change of each month calls it.$$;
--! EndIncluded functions/prepare_audit_partitions.sql
--! Included functions/read_message_streams.sql
-- Security definer: the login asks for many viewers at once, and may not read messages itself.
create or replace function app_private.read_message_streams(chat_ids bigint[], after_numbers bigint[], viewer_places int[], viewer_ids bigint[], page_size int)
returns table (place int, message_ids bigint[], numbers bigint[], reached bigint, refused_ids bigint[])
language sql stable security definer set search_path = '' as $$
  with cursors as materialized (
    select c.place::int, c.chat_id, c.after_number
      from unnest(chat_ids, after_numbers) with ordinality as c (chat_id, after_number, place)
  ), refused as (
    select c.place, array_agg(v.viewer_id) as ids
      from unnest(viewer_places, viewer_ids) as v (place, viewer_id)
      join cursors c using (place)
      left join lateral app_private.chat_reading(c.chat_id, v.viewer_id) as r on true
     where r.may_read is not true
     group by c.place
  )
  select c.place,
         page.ids,
         page.numbers,
         case when cardinality(page.ids) = page_size then page.numbers[page_size] else chats.last_number end,
         refused.ids
    from cursors c
    left join app_public.chats on chats.id = c.chat_id
    left join lateral (
      select array_agg(m.id order by m.number) as ids, array_agg(m.number order by m.number) as numbers
        from (select id, number from app_public.messages
               where messages.chat_id = c.chat_id and messages.number > c.after_number
               order by number limit page_size) m
    ) as page on true
    left join refused on refused.place = c.place
$$;
comment on function app_private.read_message_streams(bigint[], bigint[], int[], bigint[], int) is $$Reads from many positions in chats in one snapshot. For each position: the next messages (none where after_numbers is null), the number up to which the result is complete, and the viewers who may not read the chat. viewer_places holds the 1-based position of each viewer.$$;
grant execute on function app_private.read_message_streams(bigint[], bigint[], int[], bigint[], int) to :API_LOGIN;
--! EndIncluded functions/read_message_streams.sql
--! Included functions/record_changes_of.sql
-- A trigger with transition tables can serve one kind of statement only, so there are four.
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
    raise exception using errcode = '42P16', message = format('%s has no primary key, which the audit trail needs to identify rows', relation);
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
comment on function app_private.record_changes_of(regclass) is $$Records changes of this table in the audit trail from now on. The table needs a primary key. For a table in app_private, the trail holds only the names of changed columns, not their values. For DBAs, in a migration.$$;
--! EndIncluded functions/record_changes_of.sql
--! Included functions/refresh_session.sql
-- Security definer: the API's roles may not read refresh tokens. The caller need not be signed in.
create or replace function app_public.refresh_session(refresh_token text) returns app_public.session
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_hash bytea := sha256(convert_to(refresh_session.refresh_token, 'UTF8'));
  v_token app_private.refresh_tokens;
  v_session app_private.sessions;
begin
  -- The lock makes concurrent calls wait: the second one finds the token used.
  select * into v_token from app_private.refresh_tokens where token_hash = v_hash for update;
  select * into v_session from app_private.sessions where id = v_token.session_id;
  if v_token.used_at is not null then
    update app_private.sessions set revoked_at = coalesce(revoked_at, now()) where id = v_session.id;
  end if;
  if v_session.id is null or v_session.revoked_at is not null or v_token.used_at is not null
     or v_token.expires_at <= now()
     or not exists (select from app_private.accounts where user_id = v_session.user_id and banned_at is null) then
    return null;
  end if;
  update app_private.refresh_tokens set used_at = now() where token_hash = v_hash;
  return app_private.issue_refresh_token(v_session.id, v_session.user_id);
end $$;
comment on function app_public.refresh_session(text) is $$@unauthorizedWhenNull user_id This refresh token is no longer valid. Sign in again.
@describe refresh_token The session’s newest refresh token.
Returns a new access token and refresh token. A refresh token works once: a second use ends its session.$$;
grant execute on function app_public.refresh_session(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refresh_session.sql
--! Included functions/refuse_faults.sql
create or replace function app_hidden.refuse_faults(faults jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_array_length(refuse_faults.faults) > 0 then
    raise exception using
      errcode = 'FAULT',
      message = 'Input failed validation',
      detail = refuse_faults.faults::text;
  end if;
end $$;
comment on function app_hidden.refuse_faults(jsonb) is $$Raises FAULT, with the faults as its detail, unless the array is empty. The API returns VALIDATION_ERROR with a path for each fault.$$;
grant execute on function app_hidden.refuse_faults(jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refuse_faults.sql
--! Included functions/refuse_guessing.sql
create or replace function app_private.refuse_guessing(account text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_since timestamptz := now() - interval '15 minutes';
  v_address text := app_private.client_network();
  v_until timestamptz;
begin
  -- One attempt at a time per account: concurrent attempts would all see a low count.
  perform pg_advisory_xact_lock(hashtext('app_private.failed_sign_ins'), hashtext(refuse_guessing.account));
  select max(wait_until) into v_until from (
    select min(failed_at) + interval '15 minutes' as wait_until, count(*) as failures, 10 as allowed
      from app_private.failed_sign_ins f where f.account = refuse_guessing.account and failed_at > v_since
    union all
    select min(failed_at) + interval '15 minutes', count(*), 50
      from app_private.failed_sign_ins f where f.address = v_address and v_address <> '' and failed_at > v_since
  ) as counted where failures >= allowed;
  if v_until is not null then
    raise exception using errcode = 'RATEL', message = 'Too many attempts',
      detail = greatest(1, ceil(extract(epoch from v_until - now())))::text;
  end if;
end $$;
comment on function app_private.refuse_guessing(text) is $$Raises RATEL, with the seconds to wait as its detail, after ten failed sign-ins for an account or fifty from a network within fifteen minutes.$$;
--! EndIncluded functions/refuse_guessing.sql
--! Included functions/refuse_missing.sql
create or replace function app_hidden.refuse_missing(thing text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'NTFND', message = format('No such %s', thing);
end $$;
comment on function app_hidden.refuse_missing(text) is $$Raises NTFND, which the API returns as NOT_FOUND. A missing row and an invisible row get the same message, so that clients cannot test which rows exist.$$;
grant execute on function app_hidden.refuse_missing(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refuse_missing.sql
--! Included functions/refuse_post.sql
create or replace function app_hidden.refuse_post(id bigint) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (select from app_public.posts where posts.id = refuse_post.id) then
    perform app_hidden.refuse_unauthorized();
  end if;
  perform app_hidden.refuse_missing('post');
end $$;
comment on function app_hidden.refuse_post(bigint) is $$Refuses a change of a post: UNAUTHORIZED when the viewer can see the post, else NOT_FOUND.$$;
grant execute on function app_hidden.refuse_post(bigint) to :API_MEMBER;
--! EndIncluded functions/refuse_post.sql
--! Included functions/refuse_unauthorized.sql
create or replace function app_hidden.refuse_unauthorized() returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'Permission denied';
end $$;
comment on function app_hidden.refuse_unauthorized() is $$Raises PostgreSQL’s insufficient_privilege, which the API returns as UNAUTHORIZED.$$;
grant execute on function app_hidden.refuse_unauthorized() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refuse_unauthorized.sql
--! Included functions/require_chat.sql
create or replace function app_hidden.require_chat(chat_id bigint) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if app_hidden.viewer_id() is null then
    perform app_hidden.refuse_unauthorized();
  end if;
  if not exists (select from app_public.chats where chats.id = require_chat.chat_id) then
    perform app_hidden.refuse_missing('chat');
  end if;
  return true;
end $$;
comment on function app_hidden.require_chat(bigint) is $$Returns true for a chat that the viewer may see. Raises NTFND for all others, and insufficient_privilege when nobody is signed in.$$;
grant execute on function app_hidden.require_chat(bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/require_chat.sql
--! Included functions/retire_audit_partitions.sql
create or replace function app_private.retire_audit_partitions(keep interval default '12 months') returns int
language plpgsql volatile set search_path = '' set timezone = 'UTC' set lock_timeout = '5s' as $$
declare
  v_limit timestamptz := date_trunc('month', now() - keep);
  v_partition regclass;
  v_retired int := 0;
begin
  if v_limit >= date_trunc('month', now()) then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least the current month';
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
comment on function app_private.retire_audit_partitions(interval) is $$Drops the audit trail’s monthly partitions older than the given interval, and returns how many. Run it once a month, from cron or by hand. Waits at most five seconds for the lock.$$;
--! EndIncluded functions/retire_audit_partitions.sql
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
comment on function app_hidden.row_changes(jsonb, jsonb, boolean) is $$The columns in which two versions of a row differ: {"column": {"old": …, "new": …}}, or {"column": {}} when the values are secret. When one version is null, all columns that are not null in the other.$$;
--! EndIncluded functions/row_changes.sql
--! Included functions/row_key.sql
create or replace function app_hidden.row_key(version jsonb, columns text[]) returns text
language sql immutable parallel safe set search_path = '' as $$
  select string_agg(version ->> name, ',' order by place) from unnest(columns) with ordinality as c (name, place)
$$;
comment on function app_hidden.row_key(jsonb, text[]) is $$The key of a row: its values in the given columns, separated by commas.$$;
--! EndIncluded functions/row_key.sql
--! Included functions/rules.sql
create or replace function app_hidden.words_of(comment text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(comment, '^(@[^\n]*(\n|$))+', ''), '');
comment on function app_hidden.words_of(text) is $$A comment without its leading smart tags, which are for the API's plugins.$$;
grant execute on function app_hidden.words_of(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

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
       app_hidden.words_of(pg_catalog.obj_description(c.oid, 'pg_constraint')) as message
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
       app_hidden.words_of(pg_catalog.obj_description(i.oid, 'pg_class'))
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where x.indisunique
   and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   and not exists (select from pg_catalog.pg_constraint c where c.conindid = x.indexrelid);
comment on view app_hidden.rules is $$Every constraint and unique index, with its columns and the error message for clients.$$;
grant select on app_hidden.rules to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;
--! EndIncluded functions/rules.sql
--! Included functions/send_message.sql
create or replace function app_public.send_message(chat_id bigint, text text) returns app_public.messages
language plpgsql volatile set search_path = '' as $$
declare
  v_message app_public.messages;
begin
  perform app_hidden.require_chat(send_message.chat_id);
  insert into app_public.messages (chat_id, sender_id, text)
  values (send_message.chat_id, app_hidden.viewer_id(), send_message.text)
  returning * into v_message;
  return v_message;
end $$;
comment on function app_public.send_message(bigint, text) is $$@describe chat_id One of your chats.
@describe text The text: 1 to 5,000 characters.
Sends a message to a chat. All subscribers of messageAdded receive it.$$;
grant execute on function app_public.send_message(bigint, text) to :API_MEMBER;
--! EndIncluded functions/send_message.sql
--! Included functions/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_names text[] := app_hidden.tag_names(tags);
begin
  if not exists (
    select from app_public.posts
     where posts.id = set_post_tags.post_id
       and (author_id = app_hidden.viewer_id() or app_hidden.viewer_is_admin()
         -- Logins other than the API's have the rights granted on the tables.
         or session_user <> ':API_LOGIN')
  ) then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- Insert in one order, so that two writers of the same new tags cannot deadlock.
  insert into app_public.tags (name)
  select name from unnest(v_names) as name
   where not exists (select from app_public.tags t where t.name = name.name)
   order by name
  on conflict do nothing;

  delete from app_public.post_tags
   where post_tags.post_id = set_post_tags.post_id
     and tag_id not in (select id from app_public.tags where name = any (v_names));

  set constraints app_public.post_tags_post_id_position_key deferred;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_names) with ordinality as wanted (name, place)
    join app_public.tags on tags.name = wanted.name
  on conflict on constraint post_tags_pkey do update set position = excluded.position
   where post_tags.position <> excluded.position;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[]) is $$Replaces the tags of a post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[]) to :API_MEMBER;
--! EndIncluded functions/set_post_tags.sql
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
  insert into app_private.sessions (user_id) values (v_user_id) returning id into v_session_id;
  return app_private.issue_refresh_token(v_session_id, v_user_id);
end $$;
comment on function app_public.sign_in(text, text) is $$@rateLimited
@unauthorizedWhenNull user_id The e-mail or the password is wrong.
@describe email The e-mail that the user signed up with.
@describe password The password.
Signs in with a password. Ten failed attempts for an account, or fifty from one network, give RATE_LIMITED for up to fifteen minutes.$$;
grant execute on function app_public.sign_in(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_in.sql
--! Included functions/sign_out.sql
-- Security definer: the API's roles may not write sessions.
create or replace function app_public.sign_out(refresh_token text default null) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  if sign_out.refresh_token is not null then
    update app_private.sessions set revoked_at = coalesce(revoked_at, now())
     where id = (select session_id from app_private.refresh_tokens
                  where token_hash = sha256(convert_to(sign_out.refresh_token, 'UTF8')));
  elsif app_hidden.viewer_id() is not null then
    update app_private.sessions set revoked_at = now() where user_id = app_hidden.viewer_id() and revoked_at is null;
  else
    perform app_hidden.refuse_unauthorized();
  end if;
  return true;
end $$;
comment on function app_public.sign_out(text) is $$@describe refresh_token Any refresh token of the session to end. Without it, all sessions of the signed-in user end.
Ends a session. Its refresh tokens become invalid at once; its last access token stays valid until it expires, within minutes. Returns true even if there was no session to end.$$;
grant execute on function app_public.sign_out(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/sign_out.sql
--! Included functions/slugify.sql
create or replace function app_hidden.slugify(title text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  v_words text := trim(both '-' from regexp_replace(
    lower(app_hidden.unaccent('app_hidden.unaccent', normalize(title, NFC))), '[^a-z0-9]+', '-', 'g'));
begin
  -- A title in a script without an ASCII transliteration needs a slug, too.
  return coalesce(nullif(rtrim(left(v_words, 80), '-'), ''), 'post');
end $$;
comment on function app_hidden.slugify(text) is $$The title as lower-case ASCII letters, digits and hyphens, at most 80 characters: “Crème brûlée!” becomes creme-brulee.$$;
grant execute on function app_hidden.slugify(text) to :API_MEMBER;
--! EndIncluded functions/slugify.sql
--! Included functions/start_of.sql
create or replace function app_hidden.start_of(content text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select case
    when char_length(storable) <= 200 then rtrim(storable, E' \t\r\n')
    -- Cut at the last white space within 201 characters. A single longer word is cut at 200.
    else rtrim(coalesce(substring(left(storable, 201) from '^(.*\S)\s'), left(storable, 200)), E' \t\r\n')
  end
  -- Drop characters that must not be stored: the content's own fault reports them, once.
  from regexp_replace(start_of.content, '[\uFDD0-\uFDEF\uFFFE\uFFFF]', '', 'g') as storable
$$;
comment on function app_hidden.start_of(text) is $$The beginning of a text in whole words, at most 200 characters.$$;
grant execute on function app_hidden.start_of(text) to :API_MEMBER;
--! EndIncluded functions/start_of.sql
--! Included functions/tag_faults.sql
create or replace function app_hidden.tag_faults(tags text[]) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  v_names text[] := app_hidden.tag_names(tags);
  v_faults jsonb := '[]';
begin
  if cardinality(v_names) > 0 then
    select coalesce(jsonb_agg(fault || jsonb_build_object('column', 'tags', 'code', 'TOO_LONG', 'params', jsonb_build_object('max', fault #> '{params,max}'))), '[]')
      into v_faults
      from jsonb_array_elements(
        app_hidden.faults('app_public.post_tags', jsonb_build_object('position', cardinality(v_names)))) as fault;
  end if;
  return v_faults || (
    select coalesce(jsonb_agg(fault || jsonb_build_object('column', 'tags', 'index', place - 1) order by place), '[]')
      from unnest(tags) with ordinality as given (name, place),
           jsonb_array_elements(app_hidden.faults('app_public.tags',
             jsonb_build_object('name', app_hidden.tag_name(given.name)))) as fault
  );
end $$;
comment on function app_hidden.tag_faults(text[]) is $$The faults of a post’s tags, in the form of app_hidden.faults(), with the tag’s 0-based position in the list as index.$$;
grant execute on function app_hidden.tag_faults(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_faults.sql
--! Included functions/tag_names.sql
create or replace function app_hidden.tag_name(given text) returns text
language sql immutable parallel safe
return normalize(lower(regexp_replace(given, '^\s+|\s+$', '', 'g')), NFC);
comment on function app_hidden.tag_name(text) is $$The stored form of a tag: trimmed, lower case, Unicode normal form C.$$;
grant execute on function app_hidden.tag_name(text) to :API_MEMBER;

create or replace function app_hidden.tag_names(given text[]) returns text[]
language sql immutable parallel safe
return coalesce((
  select array_agg(name order by place)
    from (select app_hidden.tag_name(g.tag) as name, min(g.place) as place
            from unnest(given) with ordinality as g (tag, place)
           group by 1) as named
), '{}');
comment on function app_hidden.tag_names(text[]) is $$The stored form of the tags, without duplicates, in the given order.$$;
grant execute on function app_hidden.tag_names(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_names.sql
--! Included functions/tg__record_changes.sql
-- Security definer: no role may write the audit trail directly.
--
-- One insert records all rows of a statement. The trigger's arguments are the key columns, which match the old version of a
-- row with the new one. Generated columns are left out.
create or replace function app_hidden.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
declare
  v_table text := case tg_table_schema when 'app_public' then '' else tg_table_schema || '.' end || tg_table_name;
  v_key text[] := tg_argv;
  v_computed text[] := array(
    select attname::text from pg_catalog.pg_attribute where attrelid = tg_relid and attgenerated <> '');
  -- For secret tables, record the names of the changed columns only.
  v_is_secret boolean := tg_table_schema = 'app_private';
begin
  -- The first change of a month creates the next month's partition. If that fails, the next change tries again, and the
  -- default partition takes the entry: a change never fails because of the audit trail.
  if to_regclass(to_char(now() + interval '1 month', '"app_private.audit_trail_"YYYY_MM')) is null then
    begin
      perform app_private.prepare_audit_partitions();
    exception when others then
      raise warning 'Cannot create the audit trail''s partition for next month yet: %', sqlerrm;
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
      -- A before trigger: a truncate has no transition table of old rows.
      execute format(
        'insert into app_public.audit_trail (action, table_name, row_key, changes)
         select ''DELETE'', $1, app_hidden.row_key(before, $2), app_hidden.row_changes(before, null, $3)
           from (select to_jsonb(truncated) - $4 as before from %s as truncated) as removed', tg_relid::regclass)
        using v_table, v_key, v_is_secret, v_computed;
    when 'UPDATE' then
      -- A row whose key changed counts as two rows: one deleted, one inserted.
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
comment on function app_hidden.tg__record_changes() is $$After a statement: records its changes in the audit trail. record_changes_of() attaches it to a table.$$;
--! EndIncluded functions/tg__record_changes.sql
--! Included functions/tg__refuse_faults.sql
create or replace function app_hidden.tg__refuse_faults() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform app_hidden.refuse_faults(app_hidden.faults(tg_relid, to_jsonb(new)));
  return new;
end $$;
comment on function app_hidden.tg__refuse_faults() is $$Before a row is written: raises FAULT with all its faults, where PostgreSQL would report only the first.$$;
--! EndIncluded functions/tg__refuse_faults.sql
--! Included functions/tg_accounts__end_sessions.sql
-- Security definer: a role that may change accounts need not have rights on sessions.
create or replace function app_hidden.tg_accounts__end_sessions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  update app_private.sessions set revoked_at = now() where user_id = new.user_id and revoked_at is null;
  return null;
end $$;
comment on function app_hidden.tg_accounts__end_sessions() is $$After a password change or a ban, through the API or by SQL: ends all of the user’s sessions for good.$$;
--! EndIncluded functions/tg_accounts__end_sessions.sql
--! Included functions/tg_accounts__notify_barred.sql
create or replace function app_hidden.tg_accounts__notify_barred() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('content_service_messages', format('user:%s', old.user_id));
  return null;
end $$;
comment on function app_hidden.tg_accounts__notify_barred() is $$After a user is banned or deleted: notifies the services to check again which chats the user may read.$$;
--! EndIncluded functions/tg_accounts__notify_barred.sql
--! Included functions/tg_chat_members__notify_removed.sql
create or replace function app_hidden.tg_chat_members__notify_removed() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('content_service_messages', format('%s:', chat_id)) from removed group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_chat_members__notify_removed() is $$After members leave or are removed: notifies the services to check again who may read the chat.$$;
--! EndIncluded functions/tg_chat_members__notify_removed.sql
--! Included functions/tg_comments__prepare.sql
create or replace function app_hidden.tg_comments__prepare() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.text := normalize(new.text, NFC);
  return new;
end $$;
comment on function app_hidden.tg_comments__prepare() is $$Before a comment is written: converts its text to Unicode normal form C.$$;
--! EndIncluded functions/tg_comments__prepare.sql
--! Included functions/tg_messages__notify_added.sql
create or replace function app_hidden.tg_messages__notify_added() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- The lowest number is enough: the statement's other messages are committed with it. Only ids, because every role that can
  -- connect can listen.
  perform pg_notify('content_service_messages', format('%s:%s', chat_id, min(number))) from added group by chat_id;
  return null;
end $$;
comment on function app_hidden.tg_messages__notify_added() is $$After messages are added: notifies the services of the chat and the first new number. PostgreSQL delivers it at commit, in the order of the numbers.$$;
--! EndIncluded functions/tg_messages__notify_added.sql
--! Included functions/tg_messages__prepare.sql
-- Security definer: members may not write a chat's last number.
create or replace function app_hidden.tg_messages__prepare() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.text := normalize(new.text, NFC);
  -- The lock on the chat's row lasts to the end of the transaction: the next message waits until this one commits or rolls
  -- back. So numbers have no gaps and are committed in order.
  update app_public.chats set last_number = last_number + 1 where id = new.chat_id returning last_number into new.number;
  if not found then
    -- Let the foreign key report the missing chat.
    new.number := 1;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_messages__prepare() is $$Before a message is written: converts its text to Unicode normal form C, and sets its number in the chat.$$;
--! EndIncluded functions/tg_messages__prepare.sql
--! Included functions/tg_post_tags__touch_post.sql
-- Security definer: members may not set updated_at.
create or replace function app_hidden.tg_post_tags__touch_post() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- Leave out a post that this transaction creates: its created_at is the transaction's start.
  update app_public.posts set updated_at = clock_timestamp()
   where id in (select post_id from changed) and created_at < transaction_timestamp();
  return null;
end $$;
comment on function app_hidden.tg_post_tags__touch_post() is $$After a post’s tags change: sets its updated_at, because readers see the tags.$$;
--! EndIncluded functions/tg_post_tags__touch_post.sql
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
begin
  new.title := normalize(new.title, NFC);
  new.content := normalize(new.content, NFC);
  new.excerpt := normalize(new.excerpt, NFC);

  -- A generated excerpt follows the content. An excerpt that the author wrote stays.
  if new.excerpt is null
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  -- The slug stays after the first publication, because readers may have a link.
  if v_is_new then
    if new.slug is null then
      new.slug := app_hidden.free_slug(app_hidden.slugify(new.title), new.id);
    end if;
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  elsif new.title <> old.title and new.slug = old.slug
        and app_hidden.slugify(new.title) <> app_hidden.slugify(old.title) then
    new.slug := app_hidden.free_slug(app_hidden.slugify(new.title), new.id);
  end if;

  if new.status = 'DRAFT' then
    new.published_at := null;
  elsif v_is_new or old.status = 'DRAFT' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then new.published_at
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug) then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: converts its texts to Unicode normal form C, and sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
--! Included functions/tg_users__notify_demoted.sql
create or replace function app_hidden.tg_users__notify_demoted() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('content_service_messages', format('user:%s', old.id));
  return null;
end $$;
comment on function app_hidden.tg_users__notify_demoted() is $$After a user loses the role ADMIN: notifies the services to check again which chats the user may read.$$;
--! EndIncluded functions/tg_users__notify_demoted.sql
--! Included functions/tg_users__prepare.sql
create or replace function app_hidden.tg_users__prepare() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.name := normalize(new.name, NFC);
  new.bio := normalize(new.bio, NFC);
  return new;
end $$;
comment on function app_hidden.tg_users__prepare() is $$Before a user is written: converts its texts to Unicode normal form C, so that equal texts have equal bytes.$$;
--! EndIncluded functions/tg_users__prepare.sql
--! Included functions/unfollow_user.sql
create or replace function app_public.unfollow_user(id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  select * into v_user from app_public.users where users.id = unfollow_user.id;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  delete from app_public.follows
   where follower_id = app_hidden.viewer_id() and followed_id = unfollow_user.id;
  return v_user;
end $$;
comment on function app_public.unfollow_user(bigint) is $$@describe id The user to unfollow.
Unfollows a user. Idempotent.$$;
grant execute on function app_public.unfollow_user(bigint) to :API_MEMBER;
--! EndIncluded functions/unfollow_user.sql
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.tag_faults(input.tags);
  v_detail text;
  v_post app_public.posts;
begin
  begin
    update app_public.posts
       set title = coalesce(input.title, title),
           content = coalesce(input.content, content),
           excerpt = coalesce(input.excerpt, excerpt),
           status = coalesce(input.status, status)
     where posts.id = update_post.id
    returning * into v_post;
    -- Before the faults of the input: check that the viewer may change this post.
    if not found then
      perform app_hidden.refuse_post(update_post.id);
    end if;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input) is $$@describe id The post to change.
Changes a post of yours. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input) to :API_MEMBER;
--! EndIncluded functions/update_post.sql
--! Included functions/users_email.sql
-- Security definer: the only way to read an e-mail. Allowed for its owner, for admins, and within the request that has just
-- signed its owner up or in.
create or replace function app_public.users_email(users app_public.users) returns text
language sql stable security definer set search_path = '' as $$
  select accounts.email
    from app_private.accounts
   where accounts.user_id = users.id
     and (accounts.user_id = app_hidden.viewer_id()
       or accounts.created_by = nullif(current_setting('app.request_id', true), '')
       or accounts.user_id in (select sessions.user_id
                                 from app_private.refresh_tokens join app_private.sessions on sessions.id = session_id
                                where issued_to = nullif(current_setting('app.request_id', true), ''))
       or app_hidden.viewer_is_admin())
$$;
comment on function app_public.users_email(app_public.users) is E'@unauthorizedWhenNull\nThe user’s e-mail. Only the user and admins may see it. For others it is null, with an UNAUTHORIZED error.';
grant execute on function app_public.users_email(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_email.sql
--! Included functions/users_followers.sql
create or replace function app_public.users_followers(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(count(*))::app_public.follow_summary from app_public.follows where followed_id = users.id);
comment on function app_public.users_followers(app_public.users) is $$The number of users who follow this user.$$;
grant execute on function app_public.users_followers(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_followers.sql
--! Included functions/users_following.sql
create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(count(*))::app_public.follow_summary from app_public.follows where follower_id = users.id);
comment on function app_public.users_following(app_public.users) is $$The number of users whom this user follows.$$;
grant execute on function app_public.users_following(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_following.sql
--! Included functions/viewer_chat_ids.sql
-- Security definer: the policy of chat_members calls this. Without it, the policy would call itself without end.
create or replace function app_hidden.viewer_chat_ids() returns setof bigint
language sql stable security definer rows 20 set search_path = '' as $$
  select chat_id from app_public.chat_members where user_id = app_hidden.viewer_id()
$$;
comment on function app_hidden.viewer_chat_ids() is $$The ids of the chats that the viewer is a member of.$$;
grant execute on function app_hidden.viewer_chat_ids() to :API_MEMBER;
--! EndIncluded functions/viewer_chat_ids.sql
--! Included functions/viewer_id.sql
create or replace function app_hidden.viewer_id() returns bigint
language sql stable parallel safe
return nullif(pg_catalog.current_setting('app.viewer_id', true), '')::bigint;
comment on function app_hidden.viewer_id() is $$The id of the signed-in user, called the viewer; null without one. Policies write (select app_hidden.viewer_id()), which runs once per query.$$;
grant execute on function app_hidden.viewer_id() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/viewer_id.sql
--! Included functions/viewer_is_admin.sql
create or replace function app_hidden.viewer_is_admin() returns boolean
language sql stable
return exists (select from app_public.users where id = (select app_hidden.viewer_id()) and role = 'ADMIN');
comment on function app_hidden.viewer_is_admin() is $$Whether the viewer is an admin. Policies write (select app_hidden.viewer_is_admin()), which runs once per query.$$;
grant execute on function app_hidden.viewer_is_admin() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/viewer_is_admin.sql
--! Included analytics/authors.sql
-- Authors have ids and no names here. The API gives the name of an id.
create or replace view analytics.authors with (security_barrier) as
select users.id as author_id,
       (users.created_at at time zone 'UTC')::date as joined_on,
       wrote.posts_published,
       wrote.drafts,
       (select count(*) from app_public.comments where comments.author_id = users.id) as comments_written,
       (select count(*)
          from app_public.posts
          join app_public.comments on comments.post_id = posts.id
         where posts.author_id = users.id and posts.status = 'PUBLISHED'
           and comments.author_id <> users.id) as comments_received,
       (select count(*) from app_public.follows where follows.followed_id = users.id) as followers,
       (select count(*) from app_public.follows where follows.follower_id = users.id) as following,
       wrote.first_published_on,
       wrote.last_published_on
  from app_public.users
 cross join lateral (
       select count(*) filter (where status = 'PUBLISHED') as posts_published,
              count(*) filter (where status = 'DRAFT') as drafts,
              (min(first_published_at) filter (where status = 'PUBLISHED') at time zone 'UTC')::date as first_published_on,
              (max(first_published_at) filter (where status = 'PUBLISHED') at time zone 'UTC')::date as last_published_on
         from app_public.posts
        where posts.author_id = users.id) as wrote
 where wrote.posts_published > 0;
comment on view analytics.authors is $$Totals for each author: one row for each user with a published post.$$;
comment on column analytics.authors.author_id is $$The author’s user id, as in the API.$$;
comment on column analytics.authors.joined_on is $$The day on which the author signed up, UTC.$$;
comment on column analytics.authors.posts_published is $$The author’s posts that are published now.$$;
comment on column analytics.authors.drafts is $$The author’s posts that are drafts now.$$;
comment on column analytics.authors.comments_written is $$Comments that the author has written on any post.$$;
comment on column analytics.authors.comments_received is $$Comments by other users on the author’s published posts.$$;
comment on column analytics.authors.followers is $$The number of users who follow the author.$$;
comment on column analytics.authors.following is $$The number of users whom the author follows.$$;
comment on column analytics.authors.first_published_on is $$The day of the author’s first publication, UTC.$$;
comment on column analytics.authors.last_published_on is $$The day of the author’s latest first publication of a post, UTC.$$;

create or replace view analytics.authors_by_day with (security_barrier) as
select days.day, published.authors, published.new_authors
  from analytics.days
 cross join lateral (
       select count(distinct author_id) as authors,
              count(distinct author_id) filter (where not exists (
                select from app_public.posts as earlier
                 where earlier.author_id = posts.author_id and earlier.status = 'PUBLISHED'
                   and (earlier.first_published_at at time zone 'UTC')::date < days.day)) as new_authors
         from app_public.posts
        where status = 'PUBLISHED' and (first_published_at at time zone 'UTC')::date = days.day) as published;
comment on view analytics.authors_by_day is $$The number of publishing authors by day.$$;
comment on column analytics.authors_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.authors_by_day.authors is $$Users who published at least one post on that day.$$;
comment on column analytics.authors_by_day.new_authors is $$Those authors who had published no post before.$$;

create or replace view analytics.authors_by_month with (security_barrier) as
select months.month, published.authors, published.new_authors
  from analytics.months
 cross join lateral (
       select count(distinct author_id) as authors,
              count(distinct author_id) filter (where not exists (
                select from app_public.posts as earlier
                 where earlier.author_id = posts.author_id and earlier.status = 'PUBLISHED'
                   and (earlier.first_published_at at time zone 'UTC')::date < months.month)) as new_authors
         from app_public.posts
        where status = 'PUBLISHED'
          and (first_published_at at time zone 'UTC')::date >= months.month
          and (first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as published;
comment on view analytics.authors_by_month is $$The number of publishing authors by month.$$;
comment on column analytics.authors_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.authors_by_month.authors is $$Users who published at least one post in that month.$$;
comment on column analytics.authors_by_month.new_authors is $$Those authors who had published no post before.$$;
--! EndIncluded analytics/authors.sql
--! Included analytics/calendar.sql
-- Every series joins one of these two views, so that a day or month without events is a row of zeros.
create or replace view analytics.days with (security_barrier) as
select series.moment::date as day
  from (select least((select min((created_at at time zone 'UTC')::date) from app_public.users),
                     (select min((created_at at time zone 'UTC')::date) from app_public.posts),
                     (select min((created_at at time zone 'UTC')::date) from app_public.comments),
                     (select min((created_at at time zone 'UTC')::date) from app_public.follows),
                     (select min((created_at at time zone 'UTC')::date) from app_public.messages)) as day) as first,
       generate_series(first.day::timestamp, (now() at time zone 'UTC')::date::timestamp, interval '1 day') as series (moment);
comment on view analytics.days is $$Every day from the first recorded event to today, UTC. One row per day.$$;
comment on column analytics.days.day is $$The day, UTC.$$;

create or replace view analytics.months with (security_barrier) as
select series.moment::date as month
  from (select min(day) as day from analytics.days) as first,
       generate_series(date_trunc('month', first.day::timestamp), now() at time zone 'UTC', interval '1 month') as series (moment);
comment on view analytics.months is $$Every month from the first recorded event to this month, UTC. One row per month.$$;
comment on column analytics.months.month is $$The month’s first day, UTC.$$;
--! EndIncluded analytics/calendar.sql
--! Included analytics/changes.sql
-- Counts only: analysts may not see which rows were changed, or by which user.
create or replace view analytics.changes_by_day with (security_barrier) as
select (changed_at at time zone 'UTC')::date as day,
       table_name,
       action::text as action,
       case when actor_id is not null then 'USER' when actor_role = ':API_LOGIN' then 'ANONYMOUS' else 'DATABASE' end as actor_kind,
       count(*) as changes
  from app_public.audit_trail
 group by 1, 2, 3, 4;
comment on view analytics.changes_by_day is $$The number of changed rows by day, table, action and kind of actor. Combinations without changes have no row. Covers the time for which the audit trail is kept.$$;
comment on column analytics.changes_by_day.day is $$The day, UTC.$$;
comment on column analytics.changes_by_day.table_name is $$The table whose rows were changed.$$;
comment on column analytics.changes_by_day.action is $$INSERT, UPDATE or DELETE.$$;
comment on column analytics.changes_by_day.actor_kind is $$USER for a signed-in user of the API, ANONYMOUS for API requests without a user, DATABASE for direct SQL.$$;
comment on column analytics.changes_by_day.changes is $$The number of changed rows.$$;
--! EndIncluded analytics/changes.sql
--! Included analytics/chat.sql
-- Counts only: chats are private, so these views hold no ids, texts or titles.
create or replace view analytics.chat_by_day with (security_barrier) as
select days.day, said.messages, said.senders, said.active_chats
  from analytics.days
 cross join lateral (
       select count(*) as messages,
              count(distinct sender_id) as senders,
              count(distinct chat_id) as active_chats
         from app_public.messages
        where (created_at at time zone 'UTC')::date = days.day) as said;
comment on view analytics.chat_by_day is $$Chat activity by day.$$;
comment on column analytics.chat_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.chat_by_day.messages is $$Messages sent on that day.$$;
comment on column analytics.chat_by_day.senders is $$The number of distinct users who sent them. Users deleted since are not counted.$$;
comment on column analytics.chat_by_day.active_chats is $$The number of distinct chats with these messages.$$;

create or replace view analytics.chat_by_month with (security_barrier) as
select months.month, said.messages, said.senders, said.active_chats
  from analytics.months
 cross join lateral (
       select count(*) as messages,
              count(distinct sender_id) as senders,
              count(distinct chat_id) as active_chats
         from app_public.messages
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as said;
comment on view analytics.chat_by_month is $$Chat activity by month.$$;
comment on column analytics.chat_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.chat_by_month.messages is $$Messages sent in that month.$$;
comment on column analytics.chat_by_month.senders is $$The number of distinct users who sent them. Users deleted since are not counted.$$;
comment on column analytics.chat_by_month.active_chats is $$The number of distinct chats with these messages.$$;
--! EndIncluded analytics/chat.sql
--! Included analytics/comments.sql
create or replace view analytics.comments_by_day with (security_barrier) as
select days.day, said.comments, said.commenters, said.posts_commented
  from analytics.days
 cross join lateral (
       select count(*) as comments,
              count(distinct author_id) as commenters,
              count(distinct post_id) as posts_commented
         from app_public.comments
        where (created_at at time zone 'UTC')::date = days.day) as said;
comment on view analytics.comments_by_day is $$Comments by day. Deleted comments are not counted on any day.$$;
comment on column analytics.comments_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.comments_by_day.comments is $$Comments written on that day.$$;
comment on column analytics.comments_by_day.commenters is $$The number of distinct users who wrote them.$$;
comment on column analytics.comments_by_day.posts_commented is $$The number of distinct posts with these comments.$$;

create or replace view analytics.comments_by_month with (security_barrier) as
select months.month, said.comments, said.commenters, said.posts_commented
  from analytics.months
 cross join lateral (
       select count(*) as comments,
              count(distinct author_id) as commenters,
              count(distinct post_id) as posts_commented
         from app_public.comments
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as said;
comment on view analytics.comments_by_month is $$Comments by month. Deleted comments are not counted in any month.$$;
comment on column analytics.comments_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.comments_by_month.comments is $$Comments written in that month.$$;
comment on column analytics.comments_by_month.commenters is $$The number of distinct users who wrote them.$$;
comment on column analytics.comments_by_month.posts_commented is $$The number of distinct posts with these comments.$$;
--! EndIncluded analytics/comments.sql
--! Included analytics/followers.sql
-- Unfollowing deletes the row, so growth counts only the follows that still exist.
create or replace view analytics.followers_by_day with (security_barrier) as
select days.day,
       began.new_follows,
       (sum(began.new_follows) over (order by days.day))::bigint as follows_total
  from analytics.days
 cross join lateral (
       select count(*) as new_follows
         from app_public.follows
        where (created_at at time zone 'UTC')::date = days.day) as began;
comment on view analytics.followers_by_day is $$Growth of follows by day. A follow that was undone is not counted on any day.$$;
comment on column analytics.followers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.followers_by_day.new_follows is $$Follows created on that day.$$;
comment on column analytics.followers_by_day.follows_total is $$Follows created by the end of that day.$$;

create or replace view analytics.followers_by_month with (security_barrier) as
select months.month,
       began.new_follows,
       (sum(began.new_follows) over (order by months.month))::bigint as follows_total
  from analytics.months
 cross join lateral (
       select count(*) as new_follows
         from app_public.follows
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as began;
comment on view analytics.followers_by_month is $$Growth of follows by month. A follow that was undone is not counted in any month.$$;
comment on column analytics.followers_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.followers_by_month.new_follows is $$Follows created in that month.$$;
comment on column analytics.followers_by_month.follows_total is $$Follows created by the end of that month.$$;

create or replace view analytics.followers_by_author_and_month with (security_barrier) as
select months.month,
       followed.author_id,
       began.new_followers,
       (sum(began.new_followers) over (partition by followed.author_id order by months.month))::bigint as followers_total
  from (select followed_id as author_id, min((created_at at time zone 'UTC')::date) as first_day
          from app_public.follows
         group by followed_id) as followed
  join analytics.months on months.month >= date_trunc('month', followed.first_day::timestamp)
 cross join lateral (
       select count(*) as new_followers
         from app_public.follows
        where followed_id = followed.author_id
          and (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as began;
comment on view analytics.followers_by_author_and_month is $$Growth of each user’s followers by month. One row for each user with followers and each month since the first follower. A follow that was undone is not counted in any month.$$;
comment on column analytics.followers_by_author_and_month.month is $$The month’s first day, UTC. No month since the first follower is left out.$$;
comment on column analytics.followers_by_author_and_month.author_id is $$The id of the user who is followed, as in the API.$$;
comment on column analytics.followers_by_author_and_month.new_followers is $$New followers in that month.$$;
comment on column analytics.followers_by_author_and_month.followers_total is $$Followers by the end of that month.$$;
--! EndIncluded analytics/followers.sql
--! Included analytics/posts.sql
-- A post counts as published while its status is PUBLISHED, on the day of its first publication. Drafts are only counted,
-- because their contents are private.
create or replace view analytics.posts_by_day with (security_barrier) as
select days.day, created.posts_created, published.posts_published
  from analytics.days
 cross join lateral (
       select count(*) as posts_created
         from app_public.posts
        where (created_at at time zone 'UTC')::date = days.day) as created
 cross join lateral (
       select count(*) as posts_published
         from app_public.posts
        where status = 'PUBLISHED' and (first_published_at at time zone 'UTC')::date = days.day) as published;
comment on view analytics.posts_by_day is $$Created and published posts by day. Deleted posts are not counted on any day.$$;
comment on column analytics.posts_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.posts_by_day.posts_created is $$Posts created on that day, including drafts.$$;
comment on column analytics.posts_by_day.posts_published is $$Posts first published on that day and still published now.$$;

create or replace view analytics.posts_by_month with (security_barrier) as
select months.month, created.posts_created, published.posts_published
  from analytics.months
 cross join lateral (
       select count(*) as posts_created
         from app_public.posts
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as created
 cross join lateral (
       select count(*) as posts_published
         from app_public.posts
        where status = 'PUBLISHED'
          and (first_published_at at time zone 'UTC')::date >= months.month
          and (first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as published;
comment on view analytics.posts_by_month is $$Created and published posts by month. Deleted posts are not counted in any month.$$;
comment on column analytics.posts_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.posts_by_month.posts_created is $$Posts created in that month, including drafts.$$;
comment on column analytics.posts_by_month.posts_published is $$Posts first published in that month and still published now.$$;

create or replace view analytics.time_to_publish with (security_barrier) as
select id as post_id,
       author_id,
       (created_at at time zone 'UTC')::date as created_on,
       (first_published_at at time zone 'UTC')::date as published_on,
       round(extract(epoch from first_published_at - created_at)::numeric / 3600, 1) as hours_to_publish
  from app_public.posts
 where status = 'PUBLISHED';
comment on view analytics.time_to_publish is $$The time from creation to first publication. One row per published post.$$;
comment on column analytics.time_to_publish.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.time_to_publish.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.time_to_publish.created_on is $$The day on which it was created, UTC.$$;
comment on column analytics.time_to_publish.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.time_to_publish.hours_to_publish is $$Hours from creation to the first publication, rounded to a tenth; 0.0 for a post that never was a draft.$$;

create or replace view analytics.time_to_publish_by_month with (security_barrier) as
select months.month,
       times.posts_published,
       times.median_hours,
       times.slowest_tenth_hours
  from analytics.months
 cross join lateral (
       select count(*) as posts_published,
              round((percentile_cont(0.5) within group (order by hours))::numeric, 1) as median_hours,
              round((percentile_cont(0.9) within group (order by hours))::numeric, 1) as slowest_tenth_hours
         from (select extract(epoch from first_published_at - created_at)::float8 / 3600 as hours
                 from app_public.posts
                where status = 'PUBLISHED'
                  and (first_published_at at time zone 'UTC')::date >= months.month
                  and (first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as published
       ) as times;
comment on view analytics.time_to_publish_by_month is $$The time from creation to first publication, by month of first publication.$$;
comment on column analytics.time_to_publish_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.time_to_publish_by_month.posts_published is $$Posts first published in that month and still published now.$$;
comment on column analytics.time_to_publish_by_month.median_hours is $$The median of those posts’ hours from creation to publication; null without posts.$$;
comment on column analytics.time_to_publish_by_month.slowest_tenth_hours is $$The 90th percentile of those posts’ hours from creation to publication; null without posts.$$;

create or replace view analytics.engagement_by_post with (security_barrier) as
select posts.id as post_id,
       posts.title,
       posts.slug,
       posts.author_id,
       (posts.first_published_at at time zone 'UTC')::date as published_on,
       array(select tags.name
               from app_public.post_tags
               join app_public.tags on tags.id = post_tags.tag_id
              where post_tags.post_id = posts.id
              order by tags.name) as tags,
       char_length(posts.content) as characters,
       said.comments,
       said.comments_first_week,
       said.comments_by_author,
       said.commenters,
       said.hours_to_first_comment,
       said.last_comment_on
  from app_public.posts
 cross join lateral (
       select count(*) as comments,
              count(*) filter (where comments.created_at < posts.first_published_at + interval '7 days') as comments_first_week,
              count(*) filter (where comments.author_id = posts.author_id) as comments_by_author,
              count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id) as commenters,
              round(extract(epoch from min(comments.created_at) - posts.first_published_at)::numeric / 3600, 1) as hours_to_first_comment,
              (max(comments.created_at) at time zone 'UTC')::date as last_comment_on
         from app_public.comments
        where comments.post_id = posts.id) as said
 where posts.status = 'PUBLISHED';
comment on view analytics.engagement_by_post is $$Reader activity for each published post. One row per published post; drafts are left out.$$;
comment on column analytics.engagement_by_post.post_id is $$The post’s id, as in the API.$$;
comment on column analytics.engagement_by_post.title is $$Its current title.$$;
comment on column analytics.engagement_by_post.slug is $$Its name in a URL.$$;
comment on column analytics.engagement_by_post.author_id is $$Its author’s user id, as in the API.$$;
comment on column analytics.engagement_by_post.published_on is $$The day on which it was first published, UTC.$$;
comment on column analytics.engagement_by_post.tags is $$Its tags in alphabetical order; empty without tags.$$;
comment on column analytics.engagement_by_post.characters is $$The length of its content in characters.$$;
comment on column analytics.engagement_by_post.comments is $$Comments on it, including its author’s.$$;
comment on column analytics.engagement_by_post.comments_first_week is $$Comments written within seven days of its first publication.$$;
comment on column analytics.engagement_by_post.comments_by_author is $$Comments that its author wrote.$$;
comment on column analytics.engagement_by_post.commenters is $$The number of distinct users who commented, without its author.$$;
comment on column analytics.engagement_by_post.hours_to_first_comment is $$Hours from its first publication to the first comment, rounded to a tenth; null without comments.$$;
comment on column analytics.engagement_by_post.last_comment_on is $$The day of the newest comment, UTC; null without comments.$$;
--! EndIncluded analytics/posts.sql
--! Included analytics/tags.sql
-- Tags that only drafts have are left out: they are as private as the draft.
create or replace view analytics.tags with (security_barrier) as
select tags.name as tag,
       count(*) as posts_published,
       count(distinct posts.author_id) as authors,
       (sum(said.comments))::bigint as comments,
       (min(posts.first_published_at) at time zone 'UTC')::date as first_published_on,
       (max(posts.first_published_at) at time zone 'UTC')::date as last_published_on
  from app_public.tags
  join app_public.post_tags on post_tags.tag_id = tags.id
  join app_public.posts on posts.id = post_tags.post_id and posts.status = 'PUBLISHED'
 cross join lateral (
       select count(*) as comments from app_public.comments where comments.post_id = posts.id) as said
 group by tags.id, tags.name;
comment on view analytics.tags is $$Totals for each tag: one row for each tag of a published post.$$;
comment on column analytics.tags.tag is $$The tag.$$;
comment on column analytics.tags.posts_published is $$Published posts that have the tag now.$$;
comment on column analytics.tags.authors is $$The number of distinct users who wrote them.$$;
comment on column analytics.tags.comments is $$Comments on those posts.$$;
comment on column analytics.tags.first_published_on is $$The earliest first publication of these posts, UTC.$$;
comment on column analytics.tags.last_published_on is $$The latest first publication of these posts, UTC.$$;

create or replace view analytics.tags_by_day with (security_barrier) as
select days.day, tags.tag, worn.posts_published
  from analytics.tags
  join analytics.days on days.day >= tags.first_published_on
 cross join lateral (
       select count(*) as posts_published
         from app_public.tags as tag_rows
         join app_public.post_tags on post_tags.tag_id = tag_rows.id
         join app_public.posts on posts.id = post_tags.post_id
        where tag_rows.name = tags.tag
          and posts.status = 'PUBLISHED'
          and (posts.first_published_at at time zone 'UTC')::date = days.day) as worn;
comment on view analytics.tags_by_day is $$Published posts by tag and day. One row for each tag and day since the tag’s first post. Filter by tag or by day, because the view is large.$$;
comment on column analytics.tags_by_day.day is $$The day, UTC. No day since the tag’s first post is left out.$$;
comment on column analytics.tags_by_day.tag is $$The tag.$$;
comment on column analytics.tags_by_day.posts_published is $$Posts with the tag, first published on that day and still published now.$$;

create or replace view analytics.tags_by_month with (security_barrier) as
select months.month, tags.tag, worn.posts_published
  from analytics.tags
  join analytics.months on months.month >= date_trunc('month', tags.first_published_on::timestamp)
 cross join lateral (
       select count(*) as posts_published
         from app_public.tags as tag_rows
         join app_public.post_tags on post_tags.tag_id = tag_rows.id
         join app_public.posts on posts.id = post_tags.post_id
        where tag_rows.name = tags.tag
          and posts.status = 'PUBLISHED'
          and (posts.first_published_at at time zone 'UTC')::date >= months.month
          and (posts.first_published_at at time zone 'UTC')::date < months.month + interval '1 month') as worn;
comment on view analytics.tags_by_month is $$Published posts by tag and month. One row for each tag and month since the tag’s first post.$$;
comment on column analytics.tags_by_month.month is $$The month’s first day, UTC. No month since the tag’s first post is left out.$$;
comment on column analytics.tags_by_month.tag is $$The tag.$$;
comment on column analytics.tags_by_month.posts_published is $$Posts with the tag, first published in that month and still published now.$$;
--! EndIncluded analytics/tags.sql
--! Included analytics/users.sql
create or replace view analytics.users_by_day with (security_barrier) as
select days.day,
       joined.new_users,
       (sum(joined.new_users) over (order by days.day))::bigint as users_total
  from analytics.days
 cross join lateral (
       select count(*) as new_users
         from app_public.users
        where (created_at at time zone 'UTC')::date = days.day) as joined;
comment on view analytics.users_by_day is $$Sign-ups by day. Users deleted since are not counted on any day.$$;
comment on column analytics.users_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.users_by_day.new_users is $$Users who signed up on that day.$$;
comment on column analytics.users_by_day.users_total is $$Users who had signed up by the end of that day.$$;

create or replace view analytics.users_by_month with (security_barrier) as
select months.month,
       joined.new_users,
       (sum(joined.new_users) over (order by months.month))::bigint as users_total
  from analytics.months
 cross join lateral (
       select count(*) as new_users
         from app_public.users
        where (created_at at time zone 'UTC')::date >= months.month
          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as joined;
comment on view analytics.users_by_month is $$Sign-ups by month. Users deleted since are not counted in any month.$$;
comment on column analytics.users_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.users_by_month.new_users is $$Users who signed up in that month.$$;
comment on column analytics.users_by_month.users_total is $$Users who had signed up by the end of that month.$$;
--! EndIncluded analytics/users.sql
--! Included analytics/writers.sql
-- Writers create posts, including drafts, or comments. Chat messages do not count, because chats are private.
create or replace view analytics.active_writers_by_day with (security_barrier) as
select days.day, wrote.writers, wrote.post_writers, wrote.comment_writers, wrote.writers_7_days, wrote.writers_28_days
  from analytics.days
 cross join lateral (
       select count(distinct author_id) filter (where day = days.day) as writers,
              count(distinct author_id) filter (where day = days.day and is_post) as post_writers,
              count(distinct author_id) filter (where day = days.day and not is_post) as comment_writers,
              count(distinct author_id) filter (where day > days.day - 7) as writers_7_days,
              count(distinct author_id) as writers_28_days
         from (select author_id, (created_at at time zone 'UTC')::date as day, true as is_post
                 from app_public.posts
                where (created_at at time zone 'UTC')::date between days.day - 27 and days.day
                union all
               select author_id, (created_at at time zone 'UTC')::date, false
                 from app_public.comments
                where (created_at at time zone 'UTC')::date between days.day - 27 and days.day) as texts
       ) as wrote;
comment on view analytics.active_writers_by_day is $$The number of users who created a post, including drafts, or a comment, by day. Filter by day, because each day looks back over 28.$$;
comment on column analytics.active_writers_by_day.day is $$The day, UTC. No day is left out.$$;
comment on column analytics.active_writers_by_day.writers is $$Users who created a post or a comment on that day.$$;
comment on column analytics.active_writers_by_day.post_writers is $$Those writers who created a post.$$;
comment on column analytics.active_writers_by_day.comment_writers is $$Those writers who created a comment.$$;
comment on column analytics.active_writers_by_day.writers_7_days is $$Writers on that day or the six days before.$$;
comment on column analytics.active_writers_by_day.writers_28_days is $$Writers on that day or the 27 days before.$$;

create or replace view analytics.active_writers_by_month with (security_barrier) as
select months.month, wrote.writers, wrote.post_writers, wrote.comment_writers, wrote.returning_writers
  from analytics.months
 cross join lateral (
       select count(*) filter (where posts_now or comments_now) as writers,
              count(*) filter (where posts_now) as post_writers,
              count(*) filter (where comments_now) as comment_writers,
              count(*) filter (where (posts_now or comments_now) and wrote_before) as returning_writers
         from (select bool_or(is_post and day >= months.month) as posts_now,
                      bool_or(not is_post and day >= months.month) as comments_now,
                      bool_or(day < months.month) as wrote_before
                 from (select author_id, (created_at at time zone 'UTC')::date as day, true as is_post
                         from app_public.posts
                        where (created_at at time zone 'UTC')::date >= months.month - interval '1 month'
                          and (created_at at time zone 'UTC')::date < months.month + interval '1 month'
                        union all
                       select author_id, (created_at at time zone 'UTC')::date, false
                         from app_public.comments
                        where (created_at at time zone 'UTC')::date >= months.month - interval '1 month'
                          and (created_at at time zone 'UTC')::date < months.month + interval '1 month') as texts
                group by author_id) as people
       ) as wrote;
comment on view analytics.active_writers_by_month is $$The number of users who created a post, including drafts, or a comment, by month.$$;
comment on column analytics.active_writers_by_month.month is $$The month’s first day, UTC. No month is left out.$$;
comment on column analytics.active_writers_by_month.writers is $$Users who created a post or a comment in that month.$$;
comment on column analytics.active_writers_by_month.post_writers is $$Those writers who created a post.$$;
comment on column analytics.active_writers_by_month.comment_writers is $$Those writers who created a comment.$$;
comment on column analytics.active_writers_by_month.returning_writers is $$Those writers who had also been writers in the month before.$$;
--! EndIncluded analytics/writers.sql

comment on schema app_public is $$The API: every table, function and type here becomes part of the GraphQL schema.$$;
comment on schema app_hidden is $$Helpers for policies, triggers and functions. The API’s roles may use them; they are not part of the GraphQL schema.$$;
comment on schema app_private is $$Secrets: e-mails, passwords, sessions. The API’s roles have no access.$$;
comment on schema analytics is $$The contract with analysts: read-only views without secrets, personal data or unpublished text. All days are UTC.$$;

comment on type app_public.user_role is $$@describe USER Reads published content, and writes content of their own.
@describe ADMIN Reads, changes and deletes everything.
The rights of a user.$$;
comment on column app_public.users.id is $$The user’s id. Never changes.$$;
comment on column app_public.users.name is $$The display name. Not unique.$$;
comment on column app_public.users.avatar is $$The URL of the user’s picture.$$;
comment on column app_public.users.bio is $$The user’s description of themselves.$$;
comment on column app_public.users.role is $$The user’s rights.$$;
comment on column app_public.users.created_at is $$The time when the user signed up.$$;
comment on constraint users_name_blank_check on app_public.users is $$A name needs a character other than white space.$$;

comment on table app_private.accounts is $$The sign-in data of each user. One row per user.$$;
comment on column app_private.accounts.user_id is $$The user of this account.$$;
comment on column app_private.accounts.email is $$The e-mail as entered. Unique regardless of letter case.$$;
comment on column app_private.accounts.password_hash is $$The bcrypt hash; null without a password, which makes a sign-in with a password impossible.$$;
comment on column app_private.accounts.banned_at is $$The time since which the user’s tokens are invalid; null for a user who is not banned.$$;
comment on column app_private.accounts.created_by is $$The request that created the account (app.request_id). Its result may show the e-mail. Each request has its own id.$$;
comment on constraint accounts_email_length_check on app_private.accounts is $$An e-mail needs between 3 and 254 characters.$$;
comment on constraint accounts_email_shape_check on app_private.accounts is $$This does not look like an e-mail.$$;
comment on index app_private.accounts_email_key is $$This e-mail is already in use.$$;

comment on table app_public.follows is E'@behavior -*\nWhich user follows which.';
comment on column app_public.follows.created_at is $$The time when the follow began.$$;
comment on type app_public.follow_summary is $$A summary of the followers of a user, or of the users that a user follows.$$;
comment on column app_public.follow_summary.count is $$The number of users.$$;

comment on type app_public.post_status is $$@describe DRAFT Visible to its author only.
@describe PUBLISHED Visible to everyone.
The visibility of a post.$$;
comment on table app_public.posts is E'@listOrder listed_at desc, id desc\n@listLimit required\nA text by a user. Its author sees the draft, everyone sees the published post.';
comment on column app_public.posts.id is $$The post’s id. Never changes.$$;
comment on column app_public.posts.author_id is $$The user who wrote the post.$$;
comment on column app_public.posts.slug is $$The post’s name in a URL: ASCII, unique, made from the title. Does not change after the first publication.$$;
comment on column app_public.posts.excerpt is $$A short preview, at most 200 characters: written by the author, or else the beginning of the content.$$;
comment on column app_public.posts.content is $$The full text.$$;
comment on column app_public.posts.status is E'@listFilter\nThe visibility of the post.';
comment on column app_public.posts.published_at is $$The time when the post last became public; null for a draft.$$;
comment on column app_public.posts.first_published_at is E'@behavior -*\nThe time when the post first became public. After that, its slug does not change.';
comment on column app_public.posts.created_at is $$The time when the post was created.$$;
comment on column app_public.posts.updated_at is $$The time of the last change that readers can see: title, content, excerpt, status or tags.$$;
comment on column app_public.posts.listed_at is E'@behavior -*\nThe sort key of lists, newest first: published_at, or created_at for a draft.';
comment on constraint posts_slug_key on app_public.posts is E'@behavior -single\nThis slug is already in use.';
comment on constraint posts_title_blank_check on app_public.posts is $$A title needs a character other than white space.$$;
comment on constraint posts_slug_check on app_public.posts is $$A slug consists of lower-case letters and digits, with single hyphens between them.$$;
comment on constraint posts_published_at_check on app_public.posts is $$A published post needs a publication time, and a draft has none.$$;

comment on table app_public.tags is E'@listOrder name\nA keyword for posts.';
comment on column app_public.tags.id is $$The tag’s id. Never changes.$$;
comment on column app_public.tags.name is $$The keyword: lower case, without surrounding white space, unique.$$;
comment on constraint tags_name_key on app_public.tags is $$This tag already exists.$$;
comment on constraint tags_name_check on app_public.tags is $$A tag is in lower case, without surrounding white space.$$;
comment on table app_public.post_tags is E'@manyToMany\nThe tags of each post.';
comment on column app_public.post_tags.post_id is $$The post.$$;
comment on column app_public.post_tags.tag_id is $$The tag.$$;
comment on column app_public.post_tags.position is $$The position among the post’s tags, from 1, in the author’s order.$$;
comment on constraint post_tags_post_id_position_key on app_public.post_tags is $$A post has one tag at each position.$$;

comment on column app_public.create_post_input.content is E'@notNull\nThe full text: 1 to 100,000 characters.';
comment on column app_public.create_post_input.tags is $$At most 15 tags of 1 to 50 characters. They are trimmed and converted to lower case; duplicates count once.$$;
comment on column app_public.create_post_input.excerpt is $$A short preview, at most 200 characters. The default is the beginning of the content.$$;
comment on column app_public.create_post_input.status is $$The default is DRAFT.$$;
comment on type app_public.update_post_input is $$The changes to a post. Fields that are missing or null stay unchanged.$$;
comment on column app_public.update_post_input.content is $$The full text: 1 to 100,000 characters.$$;
comment on column app_public.update_post_input.tags is $$The complete new list of tags, at most 15. An empty list removes all tags.$$;
comment on column app_public.update_post_input.excerpt is $$A short preview, at most 200 characters.$$;
comment on column app_public.update_post_input.status is $$PUBLISHED makes the post visible to everyone, DRAFT makes it private again.$$;
comment on type app_public.delete_result is $$The result of a deletion.$$;
comment on column app_public.delete_result.success is $$Always true. A deletion that fails is an error instead.$$;
comment on column app_public.delete_result.message is $$A sentence for the user that says what was deleted.$$;

comment on table app_public.comments is E'@listOrder created_at, id\n@behavior -query:resource:list -query:resource:connection -query:resource:single\nA text by a user about a post. Visible to all who can see the post.';
comment on column app_public.comments.id is $$The comment’s id. Never changes.$$;
comment on column app_public.comments.post_id is $$The post that the comment is about.$$;
comment on column app_public.comments.author_id is $$The user who wrote the comment.$$;
comment on column app_public.comments.text is $$The text.$$;
comment on column app_public.comments.created_at is $$The time when the comment was written.$$;
comment on constraint comments_text_blank_check on app_public.comments is $$A comment needs a character other than white space.$$;

comment on table app_public.chats is E'@listOrder id\nA private room whose members read and write messages.';
comment on column app_public.chats.id is $$The chat’s id. Never changes.$$;
comment on column app_public.chats.title is $$The chat’s title; null for an untitled chat.$$;
comment on column app_public.chats.created_at is $$The time when the chat was created.$$;
comment on table app_public.chat_members is E'@manyToMany\nThe members of each chat.';
comment on column app_public.chat_members.user_id is $$The member.$$;
comment on column app_public.chat_members.joined_at is $$The time when the user became a member.$$;
comment on table app_public.messages is E'@subscription messageAdded chat_id\n@listOrder number desc, id desc\n@behavior -query:resource:list -query:resource:connection\nA text by a member of a chat.';
comment on column app_public.messages.id is $$The message’s id. Never changes.$$;
comment on column app_public.messages.chat_id is $$The chat of the message.$$;
comment on column app_public.messages.number is E'@behavior -*\nThe position in its chat, from 1 and without gaps. Assigned under a lock on the chat’s row, so messages become visible in the order of their numbers.';
comment on column app_public.messages.sender_id is $$The user who sent the message; null when that user is deleted.$$;
comment on column app_public.messages.text is $$The text.$$;
comment on column app_public.messages.created_at is $$The time when the message was sent.$$;
comment on constraint messages_chat_id_number_key on app_public.messages is E'@behavior -single\nThis number is already in use in the chat.';
comment on constraint messages_text_blank_check on app_public.messages is $$A message needs a character other than white space.$$;

comment on table app_private.sessions is $$A session: the chain of refresh tokens that started with one sign-in.$$;
comment on column app_private.sessions.id is $$The session’s id. Never changes.$$;
comment on column app_private.sessions.user_id is $$The user who signed in.$$;
comment on column app_private.sessions.created_at is $$The time of the sign-in.$$;
comment on column app_private.sessions.revoked_at is $$The time since which its refresh tokens are invalid: by a sign-out, a password change, a ban, or a token that was used twice.$$;
comment on table app_private.refresh_tokens is $$The refresh tokens of a session. Each works once. A second use ends the session, because one of the two users of the token must have stolen it.$$;
comment on column app_private.refresh_tokens.token_hash is $$The SHA-256 of the token. The token itself is not stored.$$;
comment on column app_private.refresh_tokens.session_id is $$The session of the token.$$;
comment on column app_private.refresh_tokens.expires_at is $$The time when the token expires.$$;
comment on column app_private.refresh_tokens.used_at is $$The time when the token was used; null for the session’s newest token.$$;
comment on column app_private.refresh_tokens.issued_to is $$The request that the token was issued to (app.request_id). Its result may show the user’s e-mail.$$;
comment on table app_private.failed_sign_ins is $$The failed sign-ins of the last day, counted by account and by network to stop password guessing.$$;
comment on column app_private.failed_sign_ins.id is $$The attempt’s id.$$;
comment on column app_private.failed_sign_ins.account is $$The SHA-256 of the e-mail that was tried, whether it has an account or not: see account_key().$$;
comment on column app_private.failed_sign_ins.address is $$The client’s network: an IPv4 address, or the /64 of an IPv6 address.$$;
comment on column app_private.failed_sign_ins.failed_at is $$The time of the attempt.$$;
comment on type app_public.session is E'@accessToken user_id\n@foreignKey (user_id) references app_public.users (id)|@fieldName user\nThe tokens of a session: an access token for the next minutes, and a refresh token to get the next two.';
comment on column app_public.session.user_id is $$The user who signed in.$$;
comment on column app_public.session.refresh_token is $$Exchanges once for new tokens: refreshSession(refreshToken). Keep it secret.$$;
comment on column app_public.session.refresh_token_expires_at is $$The time when the refresh token expires.$$;

comment on type app_public.audit_action is $$@describe INSERT The row was created.
@describe UPDATE The row was changed.
@describe DELETE The row was deleted.
The kind of change to a row.$$;
comment on table app_public.audit_trail is E'@name audit_entry\n@listName auditTrail\n@listOrder changed_at desc, id desc\n@behavior -query:resource:single\n@foreignKey (actor_id) references app_public.users (id)|@backwardBehavior -*\nThe changes of rows: user, time, and old and new values. Admins see all entries, newest first; other users see none.';
comment on column app_public.audit_trail.id is $$The entry’s id.$$;
comment on column app_public.audit_trail.changed_at is $$The time of the change.$$;
comment on column app_public.audit_trail.actor_id is E'@listFilter\nThe user who made the change through the API; null without a signed-in user, and for direct SQL. The user may be deleted by now.';
comment on column app_public.audit_trail.actor_role is $$The database login that made the change: the service’s or a person’s.$$;
comment on column app_public.audit_trail.action is E'@listFilter\nThe kind of change.';
comment on column app_public.audit_trail.table_name is E'@listFilter\nThe table. Without its schema if that is app_public.';
comment on column app_public.audit_trail.row_key is E'@listFilter\nThe row’s primary key, usually its id. The values of a composite key are separated by commas.';
comment on column app_public.audit_trail.changes is $$The changed columns, each with its previous value as `old` and its new value as `new`.$$;
