-- Results say which record was deleted, and which values are always there.
do $$ begin
  alter type app_public.delete_result add attribute id bigint, add attribute relation text;
exception when duplicate_column then null;
end $$;
comment on column app_public.delete_result.success is E'@notNull\nAlways true. A deletion that fails is an error instead.';
comment on column app_public.delete_result.message is E'@notNull\nA sentence for the user that says what was deleted.';
comment on column app_public.delete_result.id is E'@notNull\nThe id of the deleted record. Of leaveChat, the chat’s: you can no longer see it.';
comment on column app_public.delete_result.relation is E'@name deletedNodeId\n@nodeIdOf id\nThe nodeId of the same record, which caches remove.';
--!include functions/delete_row.sql
--!include functions/leave_chat.sql

comment on column app_public.follow_summary.count is E'@notNull\nThe number of users.';
--!include functions/users_followers.sql
--!include functions/users_following.sql

comment on constraint posts_author_id_fkey on app_public.posts is '@notNull';
comment on constraint comments_author_id_fkey on app_public.comments is '@notNull';

comment on type app_public.session is E'@accessToken user_id\n@foreignKey (user_id) references app_public.users (id)|@fieldName user|@notNull\nThe tokens of a session: an access token for the next minutes, and a refresh token to get the next two.';
comment on column app_public.session.user_id is E'@notNull\nThe user who signed in.';
comment on column app_public.session.refresh_token is E'@notNull\nExchanges once for new tokens: refreshSession(refreshToken). Keep it secret.';
comment on column app_public.session.refresh_token_expires_at is E'@notNull\n@timestampFormat DATE_TIME\nThe time when the refresh token expires.';
