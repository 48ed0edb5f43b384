--! Previous: sha1:a4f261d236380fd427324d54572306108307c059
--! Hash: sha1:ef9c575c12f4bf611ae2bc0da2864b43bd12d843
--! Message: following oneself names the argument

--! split: 080-follow-user.sql
-- Following oneself is refused with the argument's own name.
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
      jsonb_build_object('column', 'id', 'code', 'INVALID', 'message', rules.message)))
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
