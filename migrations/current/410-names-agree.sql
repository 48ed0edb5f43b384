-- Names that say the same thing are the same. Each former name stays for a time, deprecated.
comment on constraint chat_members_user_id_fkey on app_public.chat_members is E'@fieldName members\n@formerFieldName users';
comment on column app_public.audit_trail.actor_role is E'@name actor_login\n@formerly actor_role\nThe database login that made the change: the service’s or a person’s.';

-- PostgreSQL cannot rename an argument of a function.
drop function if exists app_public.follow_user(bigint);
--!include functions/follow_user.sql
drop function if exists app_public.unfollow_user(bigint);
--!include functions/unfollow_user.sql
drop function if exists app_public.messages(bigint, bigint);
--!include functions/messages.sql
