-- Chat 1 is Ada's and Bob's, chat 2 is Bob's alone.
insert into app_public.chats (title) values ('Ada and Bob'), ('Bob alone');
insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2), (2, 2);
