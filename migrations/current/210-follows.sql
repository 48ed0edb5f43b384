-- Lists of followers and of followed users, newest follow first, and whether the viewer follows a user.
create index if not exists follows_followed_id_created_at_follower_id_idx on app_public.follows (followed_id, created_at desc, follower_id desc);
create index if not exists follows_follower_id_created_at_followed_id_idx on app_public.follows (follower_id, created_at desc, followed_id desc);
-- The first of these indexes serves the foreign key.
drop index if exists app_public.follows_followed_id_idx;

--!include functions/count_follows.sql
comment on table app_public.follows is E'@manyToMany\nWhich user follows which.';
comment on constraint follows_followed_id_fkey on app_public.follows is E'@fieldName following\n@connectionOnly\n@listOrder created_at desc, follower_id desc\n@totalCount app_hidden.count_followers\n@describe list The users who follow this user. Newest follow first.';
comment on constraint follows_follower_id_fkey on app_public.follows is E'@fieldName followers\n@connectionOnly\n@listOrder created_at desc, followed_id desc\n@totalCount app_hidden.count_following\n@describe list The users whom this user follows. Newest follow first.';
--!include functions/users_is_followed_by_me.sql
