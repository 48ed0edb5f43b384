-- Chat 1 is Ada's and Bob's, with one message; chat 2 is Bob's alone.
insert into app_public.chats (title) values ('Ada and Bob'), ('Bob alone');
insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2), (2, 2);
insert into app_public.messages (chat_id, sender_id, text, created_at) values (1, 2, 'Before', '2026-04-01 10:00Z');
