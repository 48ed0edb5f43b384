-- Content from long before test/support/people.sql, with times in several time zones.
insert into app_public.users (name, created_at) values ('Eve', '2020-01-01 00:30+02');
insert into app_public.posts (author_id, title, content, status, created_at, published_at) values
  (1, 'First', 'Twelve chars', 'PUBLISHED', '2020-01-01 10:00Z', '2020-01-01 20:00Z'),
  (1, 'Second', 'Text.', 'PUBLISHED', '2020-01-03 08:00Z', '2020-01-03 08:00Z'),
  -- In UTC, created on 3 January and published on 31 January.
  (2, 'Late', 'Text.', 'PUBLISHED', '2020-01-04 00:30+02', '2020-02-01 01:00+02'),
  (2, 'Kept', 'Text.', 'DRAFT', '2020-02-10 12:00Z', null);
-- One becomes a draft again, and is no longer counted. The other is published again, and keeps its first day.
update app_public.posts set status = 'DRAFT' where title in ('Second', 'Late');
update app_public.posts set status = 'PUBLISHED' where title = 'Late';
insert into app_public.tags (id, name) values (1, 'go'), (2, 'sql'), (3, 'secret');
insert into app_public.post_tags (post_id, tag_id, position) values (1, 1, 2), (1, 2, 1), (3, 1, 1), (4, 3, 1);
insert into app_public.comments (post_id, author_id, text, created_at) values
  (1, 2, 'Well.', '2020-01-02 00:30Z'),
  (1, 1, 'Thanks.', '2020-01-02 09:00Z'),
  (1, 3, 'Late.', '2020-02-20 09:00Z');
insert into app_public.follows (follower_id, followed_id, created_at) values
  (2, 1, '2020-01-02 00:00Z'), (3, 1, '2020-02-05 00:00Z'), (1, 2, '2020-02-06 00:00Z');
insert into app_public.chats (title) values ('One'), ('Two');
insert into app_public.messages (chat_id, sender_id, text, created_at) values
  (1, 1, 'a', '2020-01-02 10:00Z'), (1, 1, 'b', '2020-01-02 11:00Z'), (2, 2, 'c', '2020-01-02 12:00Z'),
  (1, 2, 'd', '2020-02-03 00:00+02');
-- Eve wrote in the fourth month after she signed up.
insert into app_public.posts (author_id, title, content, created_at) values (5, 'Notes', 'Text.', '2020-04-05 12:00Z');
insert into app_private.unfollows (author_id, day) values (1, '2020-02-07'), (1, '2020-02-08');
insert into app_private.post_reads (post_id, day, reads) values (1, '2020-01-05', 3), (3, '2020-01-05', 1), (4, '2020-01-06', 9);
-- One report is decided after a day and a half, and one is open.
insert into app_public.reports (comment_id, created_at) values (1, '2020-01-31 12:00Z'), (3, '2020-02-01 00:00Z');
insert into app_public.report_reasons (report_id, reporter_id, reason, created_at) values
  (1, 1, 'Rude.', '2020-01-31 12:00Z'), (2, 2, 'Rude.', '2020-02-01 00:00Z');
update app_public.reports set status = 'UPHELD', resolved_at = '2020-02-02 00:00Z' where comment_id = 1;
