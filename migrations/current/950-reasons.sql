-- An expired token keeps nobody from signing in or refreshing a session. A refusal names its reason, and each fault has a
-- code of its own, so that clients can translate messages.
--!include functions/sign_in.sql
--!include functions/refresh_session.sql
--!include functions/change_password.sql
--!include functions/rules.sql
--!include functions/faults.sql
--!include functions/password_faults.sql
--!include functions/follow_user.sql

comment on constraint follows_not_oneself_check on app_public.follows is E'@code ONESELF\nYou cannot follow yourself.';
comment on constraint posts_slug_check on app_public.posts is E'@code FORMAT\nA slug consists of lower-case letters and digits, with single hyphens between them.';
comment on constraint tags_name_check on app_public.tags is E'@code FORMAT\nA tag is in lower case, without surrounding white space.';
