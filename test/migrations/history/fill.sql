-- Rows of the tables that sample content leaves empty. With sample content, the dump beside this file has rows of every table. Run as the owner,
-- with the functions of commit 73b50875.
set session app.client_address = '192.0.2.1';
set session app.request_id = '00000000-0000-4000-8000-000000000001';

select set_config('app.viewer_id', '1', false);
select app_public.send_message((app_public.open_direct_chat(3)).id, 'Shall we take the ferry at nine?', 'message 1');
select app_public.block_user(11);
select app_public.report_post(id, 'This is an advertisement.') from app_public.posts where author_id = 5 and status = 'PUBLISHED' order by id limit 1;
update app_public.posts set title = title || '!' where id = (select min(id) from app_public.posts where author_id = 1);
update app_public.comments set text = text || '!' where id = (select min(id) from app_public.comments);
delete from app_public.comments where id = (select max(id) from app_public.comments);
update app_public.messages set text = 'Corrected.', edited_at = now() where id = (select min(id) from app_public.messages);
select app_public.mark_notifications_read((select max(id) from app_public.notifications where user_id = 1));
select app_public.mark_chat_read(chat_id, id) from app_public.messages where chat_id = 1 order by number desc limit 1;
select app_public.sign_in('ada@example.com', 'sample password');
select app_public.sign_in('ada@example.com', 'wrong password');
select app_private.send_token('RESET_PASSWORD', 'ada@example.com', 1, interval '1 hour');

-- As an admin.
select set_config('app.viewer_id', '2', false);
select app_public.ban_user(10, 'Advertisements.');
select app_public.resolve_report(id, 'DISMISSED', 'It is none.') from app_public.reports;
select set_config('app.viewer_id', '3', false);
select app_public.report_comment(min(id), 'Rude.') from app_public.comments;
select set_config('app.viewer_id', '', false);

select app_private.count_rate_limited_calls('192.0.2.1', 3);
select * from app_hidden.record_inbox_changes();
select app_public.send_message(1, 'Who is still awake?') from set_config('app.viewer_id', '2', false);
select name, app_private.run_job(name) from app_private.due_jobs() as name;
select rollups.refresh();
