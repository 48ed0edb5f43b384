-- Descriptions, messages and comments in plain technical English. No object changes its behaviour.
--!include functions/account_key.sql
--!include functions/add_chat_member.sql
--!include functions/admit_analyst.sql
--!include functions/analysts.sql
--!include functions/change_password.sql
--!include functions/chat_reading.sql
--!include functions/check_password.sql
--!include functions/client_network.sql
--!include functions/close_database.sql
--!include functions/count_failed_sign_in.sql
--!include functions/create_chat.sql
--!include functions/create_comment.sql
--!include functions/create_post.sql
--!include functions/create_user.sql
--!include functions/faults.sql
--!include functions/feed.sql
--!include functions/follow_user.sql
--!include functions/free_slug.sql
--!include functions/identify.sql
--!include functions/issue_refresh_token.sql
--!include functions/leave_chat.sql
--!include functions/me.sql
--!include functions/member_faults.sql
--!include functions/messages.sql
--!include functions/open_message_streams.sql
--!include functions/password_faults.sql
--!include functions/password_hash.sql
--!include functions/posts_count.sql
--!include functions/prepare_audit_partitions.sql
--!include functions/read_message_streams.sql
--!include functions/record_changes_of.sql
--!include functions/refresh_session.sql
--!include functions/refuse_faults.sql
--!include functions/refuse_guessing.sql
--!include functions/refuse_missing.sql
--!include functions/refuse_post.sql
--!include functions/refuse_unauthorized.sql
--!include functions/require_chat.sql
--!include functions/retire_audit_partitions.sql
--!include functions/row_changes.sql
--!include functions/row_key.sql
--!include functions/rules.sql
--!include functions/send_message.sql
--!include functions/set_post_tags.sql
--!include functions/sign_in.sql
--!include functions/sign_out.sql
--!include functions/slugify.sql
--!include functions/start_of.sql
--!include functions/tag_faults.sql
--!include functions/tag_names.sql
--!include functions/tg__record_changes.sql
--!include functions/tg__refuse_faults.sql
--!include functions/tg_accounts__end_sessions.sql
--!include functions/tg_accounts__notify_barred.sql
--!include functions/tg_chat_members__notify_removed.sql
--!include functions/tg_comments__prepare.sql
--!include functions/tg_messages__notify_added.sql
--!include functions/tg_messages__prepare.sql
--!include functions/tg_post_tags__touch_post.sql
--!include functions/tg_posts__prepare.sql
--!include functions/tg_users__notify_demoted.sql
--!include functions/tg_users__prepare.sql
--!include functions/unfollow_user.sql
--!include functions/update_post.sql
--!include functions/users_email.sql
--!include functions/users_followers.sql
--!include functions/users_following.sql
--!include functions/viewer_chat_ids.sql
--!include functions/viewer_id.sql
--!include functions/viewer_is_admin.sql
--!include analytics/authors.sql
--!include analytics/calendar.sql
--!include analytics/changes.sql
--!include analytics/chat.sql
--!include analytics/comments.sql
--!include analytics/followers.sql
--!include analytics/posts.sql
--!include analytics/tags.sql
--!include analytics/users.sql
--!include analytics/writers.sql

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
