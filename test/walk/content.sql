-- Some hundred rows for each connection, with many equal sort keys. The objects of id 1 have the connections below the root.
select setseed(0.15);
create function pg_temp.moment() returns timestamptz language sql volatile as
  $$ select '2020-01-01Z'::timestamptz + floor(random() * 60) * interval '1 hour' $$;
create function pg_temp.one_of(variadic choices text[]) returns text language sql volatile as
  $$ select choices[1 + floor(random() * cardinality(choices))] $$;

insert into app_public.users (name, created_at) select 'User ' || i, pg_temp.moment() from generate_series(5, 200) i;
insert into app_public.follows (follower_id, followed_id, created_at) select id, 1, pg_temp.moment() from app_public.users where id > 1;
insert into app_public.follows (follower_id, followed_id, created_at) select 1, id, pg_temp.moment() from app_public.users where id > 1;
insert into app_public.follows (follower_id, followed_id) values (3, 6);
insert into app_public.blocks (blocker_id, blocked_id, created_at) select 1, id, pg_temp.moment() from app_public.users where id > 1;
insert into app_public.bans (user_id, reason, created_at) select i + 9, 'Spam', pg_temp.moment() from generate_series(1, 150) i;

insert into app_public.tags (id, name) select i, 'tag ' || i from generate_series(1, 150) i;
insert into app_public.posts (author_id, title, content, status, published_at, created_at)
select pg_temp.one_of('1', '1', '6', '9')::bigint, 'Title ' || pg_temp.one_of('A', 'b', 'C', 'd', 'É', '漢'), 'Text', kind.status,
       case kind.status when 'PUBLISHED' then pg_temp.moment() end, pg_temp.moment()
  from generate_series(1, 400) i, lateral (select pg_temp.one_of('PUBLISHED', 'PUBLISHED', 'DRAFT', 'SUBMITTED')::app_public.post_status as status where i > 0) kind;
insert into app_public.post_tags (post_id, tag_id, position) select 1, i, i from generate_series(1, 15) i;
insert into app_public.post_tags (post_id, tag_id, position) select id, 1, 1 from app_public.posts where id > 1 and random() < 0.7;
update app_public.posts set updated_at = pg_temp.moment();
insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at, replaced_at)
select 1, 'Title', 'Text', 'Text', '{}', pg_temp.moment(), pg_temp.moment() from generate_series(1, 100);

insert into app_public.comments (post_id, author_id, text, created_at) values (1, 1, 'First', '2020-01-01Z');
insert into app_public.comments (post_id, author_id, text, reply_to_id, created_at)
select 1, 1, 'Comment ' || i, pg_temp.one_of('1', '1', null)::bigint, pg_temp.moment() from generate_series(2, 240) i;

insert into app_public.chats (title, created_at) select 'Chat ' || i, pg_temp.moment() from generate_series(1, 150) i;
insert into app_public.chat_members (chat_id, user_id) select id, 1 from app_public.chats;
insert into app_public.chat_members (chat_id, user_id) select 1, id from app_public.users where id > 1;
insert into app_public.messages (chat_id, sender_id, text, created_at) select 1, 6, 'Message ' || i, pg_temp.moment() from generate_series(1, 240) i;
insert into app_public.messages (chat_id, sender_id, text, created_at) select id, 1, 'Message', pg_temp.moment() from app_public.chats where id > 9;

insert into app_public.notifications (user_id, kind, actor_id, read_at, created_at)
select 3, 'FOLLOWED', 6, case when random() < 0.5 then pg_temp.moment() end, pg_temp.moment() from generate_series(1, 200);
insert into app_public.reports (post_id, status, resolved_at, created_at)
select i, kind.status, case when kind.status <> 'OPEN' then pg_temp.moment() end, pg_temp.moment()
  from generate_series(1, 200) i, lateral (select pg_temp.one_of('OPEN', 'DISMISSED', 'UPHELD')::app_public.report_status as status where i > 0) kind;
analyze;
