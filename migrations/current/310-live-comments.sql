-- Readers see comments as they come, and posts when they are published.
alter table app_private.streams add column if not exists since_column name;
comment on column app_private.streams.since_column is $$The column of the table that is null until a row belongs to the stream; null where each row does.$$;
--!include functions/stream_sources.sql
--!include functions/stream_row_version.sql
drop function if exists app_hidden.stream(regclass, name, text[], regproc, name, name, interval);
--!include functions/stream.sql
--!include functions/tg__stream.sql

select app_hidden.stream('app_public.comments', 'post_id', kinds => '{added}');
comment on table app_public.comments is $$@describe listOrder Oldest first.
@listOrder created_at, id
@behavior -query:resource:list -query:resource:connection
@subscription commentAdded post_id
A text by a user about a post, or a reply to one. Visible to all who can see the post.$$;

-- Drafts are in no stream: a post is added when it is published for the first time.
select app_hidden.stream('app_public.posts', 'author_id', kinds => '{added}', since_column => 'first_published_at');
do $$
begin
  execute format('comment on table app_public.posts is %L', E'@subscription postPublished author_id\n'
    || E'@describe postPublished Each post of this user when it is published for the first time, over WebSocket, in order, once.\n'
    || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'), '@(subscription|describe) postPublished[^\n]*\n', '', 'g'));
end $$;
