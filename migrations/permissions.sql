-- The rows for permissions.md, restored after each act that changed one: Ada's published post 1 and draft 2, Bob's published
-- post 3; Bob's comment 1 on Ada's post, Ada's comment 2 on her draft, and a reply to each: 3 by Carol, 4 by Ada; Ada's chat 1,
-- which she has created, and whose only other member is Carol (user 5), with Ada's message 1, which Carol has
-- reported (report 2), and Carol's 2, which Ada has not read; Bob's report 1 of Ada's post, and Mallory's ban; revision 1 of Ada's
-- post, and 2 of her draft; a working copy of her
-- post; links to both, of which `a token` shows the draft. Ada's post 4 is in the trash, Bob's post 5
-- is submitted, and Ada's draft has been returned. Ada is notified of comments 1 and 3, Bob of 3 and of Ada's following. Rows that refer to these are deleted with them.
delete from app_public.users;
delete from app_public.tags;
delete from app_public.chats;
delete from app_public.reports;
delete from app_private.failed_sign_ins;
-- The same ids again, but of the audit trail, whose entries stay.
select setval(pg_get_serial_sequence(attrelid::regclass::text, attname), 1, false)
  from pg_attribute join pg_class on pg_class.oid = attrelid
 where attidentity <> '' and relkind = 'r' and relnamespace = 'app_public'::regnamespace
   and attrelid <> 'app_public.audit_trail'::regclass;
-- people.sql comes here: Ada is user 1, Bob 2, the admin 3, and Mallory, who is banned, 4.
insert into app_public.users (name) values ('Carol');
insert into app_private.accounts (user_id, email, password_hash)
values (5, 'carol@example.com', app_private.password_hash('carol’s password', '$2a$04$abcdefghijklmnopqrstuu'));
insert into app_public.users (name, role) values ('Edith', 'EDITOR'), ('Mona', 'MODERATOR');
insert into app_private.accounts (user_id, email) values (6, 'edith@example.com'), (7, 'mona@example.com');
insert into app_public.posts (author_id, title, content, status) values
  (1, 'Ada’s post', 'Text.', 'PUBLISHED'),
  (1, 'Ada’s draft', 'Text.', 'DRAFT'),
  (2, 'Bob’s post', 'Text.', 'PUBLISHED');
select app_hidden.set_post_tags(1, array['open']), app_hidden.set_post_tags(2, array['secret']);
insert into app_public.comments (post_id, author_id, text) values (1, 2, 'Said by Bob.'), (2, 1, 'A note to myself.');
insert into app_public.comments (post_id, author_id, text, reply_to_id) values (1, 5, 'Said to Bob.', 1), (2, 1, 'Another note.', 2);
insert into app_public.follows (follower_id, followed_id) values (1, 2);
insert into app_public.blocks (blocker_id, blocked_id) values (1, 4);
insert into app_public.chats (title, creator_id) values ('Ada and Carol', 1);
insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 5);
insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Said in private.'), (1, 5, 'Answered in private.');
insert into app_public.reports (post_id, message_id) values (1, null), (null, 1);
insert into app_public.report_reasons (report_id, reporter_id, reason) values (1, 2, 'Rude.'), (2, 5, 'Rude.');
insert into app_public.bans (user_id, reason, banned_by_id) values (4, 'Spam.', 3);
insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at)
values (1, 'Ada’s first title', 'Words.', 'Words.', '{}', now()), (2, 'Ada’s first draft', 'Words.', 'Words.', '{}', now());
insert into app_public.working_copies (post_id, fields) values (1, '{"title": "Ada’s next title"}');
insert into app_public.previews (post_id, token_hash, expires_at) values
  (1, sha256('of post 1'), now() + interval '1 day'), (2, sha256('a token'), now() + interval '1 day');
insert into app_public.posts (author_id, title, content, status) values (1, 'Ada’s deleted post', 'Text.', 'DRAFT'), (2, 'Bob’s submitted post', 'Text.', 'SUBMITTED');
insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, expires_at, deleted_by_id)
select id, author_id, title, content, status, '{}', slug, now() + interval '30 days', author_id from app_public.posts where id = 4;
update app_public.posts set status = 'TRASHED', slug = gen_random_uuid()::text where id = 4;
insert into app_public.review_notes (post_id, note) values (2, 'More, please.');
