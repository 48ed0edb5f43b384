-- Something of everything: nulls, all scripts, drafts, empty lists, texts that JSON must escape. Ada is 1, Bob 2, the admin 3.
update app_public.users set avatar = 'https://example.com/a?b=''c''&d=/', bio = E'"c" \\ Line\nline\ttab \u0001 \u007f \u2028 😀' where id = 1;
insert into app_public.users (name, bio, created_at) values
  ('שלום "world" \', '', '2026-02-03 04:05:06.000001Z'), ('漢字 🏳️‍🌈', null, '2027-12-31 23:59:59.999999Z');
insert into app_private.accounts (user_id, email) values (5, 'shalom@example.com'), (6, 'kanji@example.com');
insert into app_public.posts (author_id, title, content, status, published_at, created_at, updated_at) values
  (1, 'Hello, "world" \n', E'Text\nwith\r\nlines\t and \u0001\u001f, \u2028.', 'PUBLISHED', '2026-03-01 10:00Z', '2026-02-28 09:00Z', '2026-03-01 10:00Z'),
  (1, 'Brot 🍞 \ /', repeat('ẞ∀𝄞 ', 500), 'PUBLISHED', '2026-03-02 10:00:00.5Z', '2026-03-01 09:00Z', '2026-03-02 10:00Z'),
  (2, 'مرحبا', 'A map is an opinion.', 'PUBLISHED', '2026-03-03 23:59:59.999999Z', '2026-03-02 09:00Z', '2026-03-03 10:00Z'),
  (1, 'Not yet', 'Still thinking.', 'DRAFT', null, '2026-03-04 09:00Z', '2026-03-04 09:00Z'),
  (2, 'Nor this', 'Hm.', 'DRAFT', null, '2026-03-04 09:00Z', '2026-03-05 09:00Z'),
  (5, 'Same moment', 'As the next.', 'PUBLISHED', '2026-03-06Z', '2026-03-06Z', '2026-03-06Z'),
  (5, 'Same moment', 'As the one before.', 'PUBLISHED', '2026-03-06Z', '2026-03-06Z', '2026-03-06Z');
-- In turn, so that two databases with the same content have the same ids.
create sequence app_private.tag_ids;
alter table app_public.tags alter id set default nextval('app_private.tag_ids');
select app_hidden.set_post_tags(1, array['food', '"q"', 'été']), app_hidden.set_post_tags(2, array['food', '漢字', 'a\b']),
       app_hidden.set_post_tags(3, array['food']), app_hidden.set_post_tags(4, array['secret', 'food']);
insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at, replaced_at) values
  (1, 'Before "it" \n', '', 'Text', '{food,"\"q\"",été}', '2026-02-28 09:00Z', '2026-03-01 10:00Z'), (1, 'Then', 'Short', 'Text', '{}', '2026-03-01 09:00Z', '2026-03-01 10:00Z'),
  (4, 'Draft', '', 'Text', '{secret}', '2026-03-01 09:00Z', '2026-03-01 10:00Z'), (5, 'Bob’s', '', 'Text', '{}', '2026-03-01 09:00Z', '2026-03-01 10:00Z');
insert into app_public.comments (post_id, author_id, text, created_at)
select 1 + i % 7, 1 + i % 3, 'Comment ' || i || ' "\', '2026-03-07'::timestamptz + (i / 3) * interval '1 second' from generate_series(1, 30) i;
insert into app_public.follows (follower_id, followed_id) values (2, 1), (2, 5), (3, 1), (1, 2);
insert into app_public.chats (title) values ('Chat "one"'), (null), ('Empty');
insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2), (2, 2), (2, 5), (3, 1);
insert into app_public.messages (chat_id, sender_id, text)
select 1 + i % 2, case when i % 5 > 0 then 2 end, 'Message ' || i from generate_series(1, 12) i;
insert into app_public.audit_trail (actor_id, action, table_name, row_key, changes) values
  (999, 'UPDATE', 'things', '1,2', '{"z": {"old": 12345678901234567890, "new": 1.50}, "a": {"old": null, "new": "\"\\ \u2028"}, "1": {}, "e": 1e-7}'),
  (null, 'DELETE', 'things', '', '[]');
