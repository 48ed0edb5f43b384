-- The content for the operations in this folder. Fixed times give fixed answers.
insert into app_public.posts (author_id, title, content, status, published_at, created_at, updated_at) values
  (1, 'Hello, world', 'The first post, and a short one.', 'PUBLISHED', '2026-03-01 10:00Z', '2026-02-28 09:00Z', '2026-03-01 10:00Z'),
  (1, 'On bread', 'Flour, water, salt and time.', 'PUBLISHED', '2026-03-02 10:00Z', '2026-03-01 09:00Z', '2026-03-02 10:00Z'),
  (2, 'Maps', 'A map is an opinion.', 'PUBLISHED', '2026-03-03 10:00Z', '2026-03-02 09:00Z', '2026-03-03 10:00Z'),
  (1, 'Not yet', 'Still thinking.', 'DRAFT', null, '2026-03-04 09:00Z', '2026-03-04 09:00Z');
select app_hidden.set_post_tags(1, array['hello']);
select app_hidden.set_post_tags(2, array['food', 'slow']);
select app_hidden.set_post_tags(3, array['maps', 'slow']);
update app_public.posts set updated_at = created_at;
insert into app_public.comments (post_id, author_id, text, created_at) values
  (1, 2, 'Hello yourself.', '2026-03-01 11:00Z'),
  (2, 2, 'How much salt?', '2026-03-02 11:00Z'),
  (2, 1, 'Two in a hundred.', '2026-03-02 12:00Z'),
  (3, 1, 'Whose opinion?', '2026-03-03 11:00Z');
-- Whether there are any depends on today's date.
delete from app_public.notifications;
insert into app_public.follows (follower_id, followed_id) values (2, 1), (3, 1), (1, 2);
insert into app_public.reports (post_id, comment_id, created_at) values (1, null, '2026-03-05 10:00Z'), (null, 1, '2026-03-06 10:00Z');
insert into app_public.report_reasons (report_id, reporter_id, reason) values (1, 2, 'This post was copied.'), (2, 1, 'Rude.');
insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at, replaced_at) values
  (1, 'Hello', 'The first.', 'The first.', '{}', '2026-02-28 09:00Z', '2026-02-28 10:00Z'),
  (1, 'Hello, wrld', 'The first post.', 'The first post.', '{hello}', '2026-02-28 10:00Z', '2026-02-28 11:00Z');
insert into app_public.chats (title, created_at, creator_id) values ('Bakers', '2026-03-01 08:00Z', 1), ('Map makers', '2026-03-01 09:00Z', 1);
insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2), (2, 1), (2, 2), (2, 3);
insert into app_public.messages (chat_id, sender_id, text, created_at) values
  (2, 1, 'North is up.', '2026-03-04 10:00Z'), (1, 2, 'Is the oven hot?', '2026-03-04 11:00Z'), (1, 2, 'Hello?', '2026-03-04 12:00Z');
insert into app_public.previews (post_id, token_hash, expires_at) values (4, sha256('a token'), now() + interval '1 day');
