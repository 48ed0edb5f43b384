-- Something of everything, hidden and not. Ada (1) owns what is hidden; Bob (2) is the stranger.
insert into app_public.posts (author_id, title, content, status) values
  (1, 'Open to all', 'Everyone may read this.', 'PUBLISHED'),
  (1, 'Hidden title', 'Nobody but Ada may read this.', 'DRAFT'),
  (2, 'Bob writes', 'Everyone may read this, too.', 'PUBLISHED'),
  (2, 'Bob hides', 'Nobody but Bob may read this.', 'DRAFT');
insert into app_public.tags (id, name) values (1, 'open'), (2, 'shared'), (3, 'hidden');
select app_hidden.set_post_tags(1, array['open', 'shared']), app_hidden.set_post_tags(2, array['hidden', 'shared']);
insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at) values
  (1, 'Former title', 'Former words.', 'Former words of Ada.', '{former}', now()),
  (2, 'Former draft', 'Former notes.', 'Former notes of Ada.', '{}', now());
insert into app_public.working_copies (post_id, fields) values
  (1, '{"title": "Next title of Ada", "content": "Next words of Ada."}'), (2, '{"title": "Next title of the draft"}');
insert into app_public.previews (post_id, token_hash, expires_at) values (1, sha256('one'), now() + interval '1 day'), (2, sha256('two'), now() + interval '1 day');
insert into app_public.posts (author_id, title, content, status) values
  (1, 'Deleted title', 'Nobody but Ada may restore this.', 'PUBLISHED'), (1, 'Submitted title', 'Nobody but editors may publish this.', 'SUBMITTED');
insert into app_public.review_notes (post_id, note) values (2, 'Noted of the draft.');
update app_public.posts set publish_at = '2999-01-01' where id = 2;
insert into app_public.comments (post_id, author_id, text) values
  (1, 1, 'Said in the open.'), (1, 2, 'Answered in the open.'), (2, 1, 'Said to herself.'), (3, 1, 'Said to Bob.');
insert into app_public.comments (post_id, author_id, text, reply_to_id) values (2, 1, 'Answered by herself.', 3);
insert into app_public.follows (follower_id, followed_id) values (1, 2), (2, 1), (3, 1);
insert into app_public.users (name) values ('Carol');
insert into app_private.accounts (user_id, email) values (5, 'carol@example.com');
insert into app_public.chats (title) values ('Hidden chat'), ('Bob’s chat');
insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 5), (2, 2), (2, 5);
insert into app_public.messages (chat_id, sender_id, text) values
  (1, 1, 'Whispered by Ada.'), (1, 5, 'Whispered by Carol.'), (2, 2, 'Whispered by Bob.');
insert into app_public.reports (post_id, comment_id, note) values (1, null, 'Noted of Bob’s.'), (null, 2, 'Noted of Ada’s.');
insert into app_public.report_reasons (report_id, reporter_id, reason) values (1, 2, 'Reported by Bob.'), (2, 1, 'Reported by Ada.');
insert into app_public.bans (user_id, reason, banned_by_id) values (4, 'Known to admins.', 3);
-- A direct chat, of which the stranger must not learn.
insert into app_public.chats (is_direct) values (true);
insert into app_private.direct_chats (low_user_id, high_user_id, chat_id) values (1, 5, 3);
insert into app_public.chat_members (chat_id, user_id) values (3, 1), (3, 5);
insert into app_public.messages (chat_id, sender_id, text) values (3, 5, 'Whispered to Ada alone.');
-- A post in Ada's trash, with all that posts have.
insert into app_public.tags (id, name) values (4, 'deleted');
select app_hidden.set_post_tags(5, array['deleted', 'open']);
insert into app_public.comments (post_id, author_id, text) values (5, 2, 'Said to the deleted.');
insert into app_public.reports (post_id, note) values (5, 'Noted of the deleted.');
insert into app_public.report_reasons (report_id, reporter_id, reason) values (3, 5, 'Reported while it was there.');
insert into app_public.working_copies (post_id, fields) values (5, '{"title": "Next title of the deleted"}');
insert into app_public.previews (post_id, token_hash, expires_at) values (5, sha256('five'), now() + interval '1 day');
insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at) values (5, 'Former deleted', 'Gone.', 'Gone words of Ada.', '{}', now());
select set_config('app.viewer_id', '1', false), app_hidden.trash_post(5), set_config('app.viewer_id', '', false);
