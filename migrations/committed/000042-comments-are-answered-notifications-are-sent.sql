--! Previous: sha1:742f57c6caf985a6830f77da19875642b1f2557a
--! Hash: sha1:8bcc78f5c5411e2d6ffd51e0d15c1355b34dc59e
--! Message: Comments are answered, notifications are sent

--! split: 300-comments.sql
-- Comments can be read one by one, changed, answered and counted. The author of a post may delete the comments on it.
alter table app_public.comments add column if not exists reply_to_id bigint;
comment on column app_public.comments.reply_to_id is E'@listFilter isNull:topLevel\nThe comment that this one replies to. Null for a comment on the post itself.';
-- No default: the comments that exist have never changed.
alter table app_public.comments add column if not exists updated_at timestamptz;
comment on column app_public.comments.updated_at is $$The time of the last change. Null when the comment has never changed.$$;

-- For Comment.replies, oldest first, and the foreign key.
create index if not exists comments_reply_to_id_created_at_id_idx on app_public.comments (reply_to_id, created_at, id);
-- For Post.comments(topLevel: true).
create index if not exists comments_post_id_created_at_id_top_level_idx on app_public.comments (post_id, created_at, id) where reply_to_id is null;
alter table app_public.comments drop constraint if exists comments_reply_to_id_fkey;
alter table app_public.comments add constraint comments_reply_to_id_fkey
  foreign key (reply_to_id) references app_public.comments on delete cascade;
comment on constraint comments_reply_to_id_fkey on app_public.comments is '@foreignFieldName replies';
comment on table app_public.comments is $$@describe listOrder Oldest first.
@listOrder created_at, id
@behavior -query:resource:list -query:resource:connection
A text by a user about a post, or a reply to one. Visible to all who can see the post.$$;

-- updated_at is new.
select app_hidden.protect('app_public.comments');

--! Included functions/tg_comments__place_reply.sql
-- With the rights of the writer: a comment that the writer may not see is as missing as any other.
create or replace function app_hidden.tg_comments__place_reply() returns trigger
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
  v_fault jsonb;
begin
  select * into v_comment from app_public.comments where id = new.reply_to_id;
  if tg_op = 'UPDATE' and new.reply_to_id is not distinct from old.reply_to_id then
    new.post_id := coalesce(v_comment.post_id, new.post_id);
    return new;
  end if;
  v_fault := case
    when v_comment.post_id is distinct from new.post_id
      then '{"code": "INVALID_REFERENCE", "message": "There is no such comment on this post."}'
    when v_comment.reply_to_id is not null
      then '{"code": "NESTED_REPLY", "message": "This comment is a reply. Reply to the comment that it replies to."}'
  end;
  if v_fault is not null then
    perform app_hidden.refuse_faults(app_hidden.faults(tg_relid, to_jsonb(new)) || (v_fault || '{"column": "reply_to_id"}'));
  end if;
  return new;
end $$;
comment on function app_hidden.tg_comments__place_reply() is $$Before a reply is written: refuses one to a comment on another post, or to a reply. A reply that is moved stays on the post of its comment.$$;

create or replace function app_hidden.tg_comments__move_along() returns trigger
language plpgsql volatile set search_path = '' as $$
begin
  update app_public.comments set post_id = new.post_id where reply_to_id = new.id and post_id <> new.post_id;
  update app_public.notifications set post_id = new.post_id where comment_id = new.id;
  return null;
end $$;
comment on function app_hidden.tg_comments__move_along() is $$After a comment is moved to another post: moves its replies, and the notifications of it.$$;
--! EndIncluded functions/tg_comments__place_reply.sql
-- Before _110_show_with_parent, which needs the post.
create or replace trigger _105_place_reply before insert or update of reply_to_id, post_id on app_public.comments
  for each row when (new.reply_to_id is not null) execute function app_hidden.tg_comments__place_reply();
create or replace trigger _500_move_along after update of post_id on app_public.comments
  for each row when (old.post_id <> new.post_id) execute function app_hidden.tg_comments__move_along();

drop policy if exists update_own on app_public.comments;
create policy update_own on app_public.comments for update to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
drop policy if exists delete_on_own_post on app_public.comments;
create policy delete_on_own_post on app_public.comments for delete to :API_MEMBER
  using (exists (select from app_public.posts where posts.id = comments.post_id and posts.author_id = (select app_hidden.viewer_id()) offset 0));
grant insert (reply_to_id), update (text) on app_public.comments to :API_MEMBER;

select app_private.count_rows('app_public.comments', 'post_id'), app_private.count_rows('app_public.comments', 'reply_to_id');
-- `case`, so that the keys of other counts are not read as ids.
drop policy if exists select_with_row on app_hidden.counts;
create policy select_with_row on app_hidden.counts for select to :API_ANONYMOUS, :API_MEMBER
  using (case name
    when 'comments.post_id' then exists (select from app_public.posts where posts.id = counts.key::bigint offset 0)
    when 'comments.reply_to_id' then exists (select from app_public.comments where comments.id = counts.key::bigint offset 0)
    else false end);

drop function if exists app_public.create_comment(bigint, text);
--! Included functions/create_comment.sql
create or replace function app_public.create_comment(post_id bigint, text text, reply_to_id bigint default null) returns app_public.comments
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
begin
  perform app_hidden.require_row('app_public.posts', create_comment.post_id, 'post');
  insert into app_public.comments (post_id, author_id, text, reply_to_id)
  values (create_comment.post_id, app_hidden.viewer_id(), create_comment.text, create_comment.reply_to_id)
  returning * into v_comment;
  return v_comment;
end $$;
comment on function app_public.create_comment(bigint, text, bigint) is $$@describe post_id The post to comment on.
@describe text The text: 1 to 5,000 characters.
@describe reply_to_id The comment to reply to, on the same post and no reply itself.
Adds a comment to a post, or a reply to a comment.$$;
grant execute on function app_public.create_comment(bigint, text, bigint) to :API_MEMBER;
--! EndIncluded functions/create_comment.sql
--! Included functions/update_comment.sql
create or replace function app_public.update_comment(id bigint, text text) returns app_public.comments
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
begin
  return app_hidden.update_row(v_comment, update_comment.id, jsonb_build_object('text', text), 'comment');
end $$;
comment on function app_public.update_comment(bigint, text) is $$@describe id The comment to change.
@describe text The new text: 1 to 5,000 characters.
Changes the text of a comment of yours.$$;
grant execute on function app_public.update_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/update_comment.sql
--! Included functions/delete_comment.sql
create or replace function app_public.delete_comment(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
begin
  return app_hidden.delete_row('app_public.comments', delete_comment.id, 'comment');
end $$;
comment on function app_public.delete_comment(bigint) is $$@describe id The comment to delete.
Deletes a comment of yours, with its replies. The post’s author and admins can delete the comments of others.$$;
grant execute on function app_public.delete_comment(bigint) to :API_MEMBER;
--! EndIncluded functions/delete_comment.sql
--! Included functions/posts_comments_count.sql
create or replace function app_public.posts_comments_count(posts app_public.posts) returns int
language sql stable
return (select coalesce(sum(rows), 0)::int from app_hidden.counts where name = 'comments.post_id' and key = posts.id::text);
comment on function app_public.posts_comments_count(app_public.posts) is E'@notNull\nThe number of comments on the post, replies included.';
grant execute on function app_public.posts_comments_count(app_public.posts) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts_comments_count.sql
--! Included functions/comments_replies_count.sql
create or replace function app_public.comments_replies_count(comments app_public.comments) returns int
language sql stable
return (select coalesce(sum(rows), 0)::int from app_hidden.counts where name = 'comments.reply_to_id' and key = comments.id::text);
comment on function app_public.comments_replies_count(app_public.comments) is E'@notNull\nThe number of replies to the comment.';
grant execute on function app_public.comments_replies_count(app_public.comments) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/comments_replies_count.sql

--! split: 310-live-comments.sql
-- Readers see comments as they come, and posts when they are published.
alter table app_private.streams add column if not exists since_column name;
comment on column app_private.streams.since_column is $$The column of the table that is null until a row belongs to the stream; null where each row does.$$;
--! Included functions/stream_sources.sql
create or replace view app_private.stream_sources as
with types (type, name) as (
  values ('smallint'::regtype, 'bigint'), ('int', 'bigint'), ('bigint', 'bigint'), ('uuid', 'uuid')
)
select s.id, s.relation, s.key_column, s.kind, s.may_read, s.number_column, s.last_number_column,
       id_column.attname as id_column,
       -- The types in which ids and keys are compared; null for a type that cannot be one.
       (select types.name from types where type = id_column.atttypid) as id_type,
       (select types.name from types where type = key_column.atttypid) as key_type,
       parent.confrelid::regclass as parent,
       parent_column.attname as parent_column,
       has_any_column_privilege(':API_ANONYMOUS', s.relation, 'select') as is_for_anonymous,
       s.since_column
  from app_private.streams s
  join pg_catalog.pg_attribute key_column on key_column.attrelid = s.relation and key_column.attname = s.key_column
  join pg_catalog.pg_constraint row_key on row_key.conrelid = s.relation and row_key.contype = 'p'
  join pg_catalog.pg_attribute id_column on id_column.attrelid = s.relation and row_key.conkey = array[id_column.attnum]
  left join lateral (
       select confrelid, confkey[1] as attnum from pg_catalog.pg_constraint
        where conrelid = s.relation and contype = 'f' and conkey = array[key_column.attnum]
        order by oid limit 1) as parent on true
  left join pg_catalog.pg_attribute parent_column
         on parent_column.attrelid = parent.confrelid and parent_column.attnum = parent.attnum;
comment on view app_private.stream_sources is $$The streams with what the catalogue says of their tables now: the primary key, the table that the key refers to, and whether requests without a token may read the table.$$;
grant select on app_private.stream_sources to :API_LOGIN;
--! EndIncluded functions/stream_sources.sql
--! Included functions/stream_row_version.sql
-- Security definer: the login may not read the tables itself.
create or replace function app_private.stream_row_version(stream_id int, key text, row_id text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  v_source app_private.stream_sources;
  v_version text;
begin
  select * into v_source from app_private.stream_sources where id = stream_id;
  execute format('select xmin::text from %s where %I = $1::%s and %I = $2::%s and %I is not null', v_source.relation,
      v_source.id_column, v_source.id_type, v_source.key_column, v_source.key_type, coalesce(v_source.since_column, v_source.id_column))
    into v_version using row_id, key;
  return v_version;
end $$;
comment on function app_private.stream_row_version(int, text, text) is $$Changes with each update of the row; null when the stream has no row with that id and that key.$$;
grant execute on function app_private.stream_row_version(int, text, text) to :API_LOGIN;
--! EndIncluded functions/stream_row_version.sql
drop function if exists app_hidden.stream(regclass, name, text[], regproc, name, name, interval);
--! Included functions/stream.sql
create or replace function app_hidden.stream(
  relation regclass, key_column name, kinds text[] default '{added,updated,deleted}', may_read regproc default null,
  number_column name default null, last_number_column name default null, keep interval default '7 days', since_column name default null
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_source app_private.stream_sources;
  v_prefix text := '_900_stream_' || left(key_column, 40);
  v_arguments text;
begin
  with gone as (
    delete from app_private.streams s
     where s.relation = stream.relation and s.key_column = stream.key_column and s.kind <> all (kinds) returning id
  ), gone_heads as (
    delete from app_private.stream_heads where stream_id in (select id from gone)
  )
  delete from app_private.stream_events where stream_id in (select id from gone);
  insert into app_private.streams (relation, key_column, kind, may_read, number_column, last_number_column, keep, since_column)
  select stream.relation, stream.key_column, kind, stream.may_read::text, stream.number_column, stream.last_number_column, stream.keep, stream.since_column
    from unnest(kinds) as kind
  on conflict on constraint streams_relation_key_column_kind_key do update
    set may_read = excluded.may_read, number_column = excluded.number_column,
        last_number_column = excluded.last_number_column, keep = excluded.keep, since_column = excluded.since_column;

  execute format('drop trigger if exists %I on %s', v_prefix || '_inserts', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_updates', relation);
  execute format('drop trigger if exists %I on %s', v_prefix || '_deletes', relation);
  if cardinality(kinds) = 0 then
    return;
  end if;

  select * into v_source from app_private.stream_sources s
   where s.relation = stream.relation and s.key_column = stream.key_column limit 1;
  case
    when v_source.id is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a column %s and a primary key of one column', relation, key_column);
    when v_source.id_type is null or v_source.key_type is null then
      raise exception using errcode = '42P16',
        message = format('A stream of %s needs a primary key and a column %s that are integers or uuids', relation, key_column);
    when may_read is not null then
      -- Fails unless the function takes a key and a viewer’s id, and returns a column may_read.
      execute format('select r.may_read from %s(null::%s, null::bigint) as r', may_read, v_source.key_type);
    when 'deleted' = any (kinds) and v_source.parent is null then
      raise exception using errcode = '42P16',
        message = format('Nothing says who may learn of deleted rows of %s: %s refers to no table', relation, key_column),
        hint = format('Give a function as may_read, or call: select app_hidden.stream(%L, %L, kinds => %L)',
          relation, key_column, array_remove(kinds, 'deleted'));
    else
  end case;

  v_arguments := format('%L, %L, %L, %L', key_column, v_source.id_column, coalesce(number_column, ''), coalesce(since_column, ''));
  execute format('create trigger %I after insert on %s referencing new table as new_rows
    for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_inserts', relation, v_arguments);
  if number_column is null then
    execute format('create trigger %I after update on %s referencing old table as old_rows new table as new_rows
      for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_updates', relation, v_arguments);
    execute format('create trigger %I after delete on %s referencing old table as old_rows
      for each statement execute function app_hidden.tg__stream(%s)', v_prefix || '_deletes', relation, v_arguments);
  end if;
end $$;
comment on function app_hidden.stream(regclass, name, text[], regproc, name, name, interval, name) is $$Lets subscriptions follow the rows of a table by the value of a column, together with the smart tag @subscription. Records the given kinds of changes (added, updated, deleted) and keeps them for that long. since_column names a column that is null until a row belongs to the stream: the row is added when it gets a value. may_read names a function of a key and a viewer’s id that returns a column may_read: who may follow the key and read each of its rows. Without it the policies decide. For DBAs, in a migration; a later call replaces the settings, and no kinds end the stream.$$;
--! EndIncluded functions/stream.sql
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_computed text[] := app_hidden.computed_columns(tg_relid);
  v_since text := nullif(tg_argv[3], '');
begin
  case
    when tg_argv[2] <> '' then
      perform app_private.notify_streams(format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join app_private.streams s on s.relation = tg_relid and s.key_column = tg_argv[0]
        group by s.id, added.row ->> tg_argv[0];
    when tg_op = 'INSERT' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('added'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(new_rows) as row from new_rows) as added
        where v_since is null or row ->> v_since is not null;
    when tg_op = 'DELETE' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('deleted'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(old_rows) as row from old_rows) as removed
        where v_since is null or row ->> v_since is not null;
    else
      -- A row that gets another key is deleted from the one and added to the other. Outside of the stream, a row has no key.
      perform app_private.record_stream_events(tg_relid, tg_argv[0], array_agg(kind), array_agg(key), array_agg(row_id))
         from (select before ->> tg_argv[1] as row_id, before,
                      case when v_since is null or before ->> v_since is not null then before ->> tg_argv[0] end as old_key
                 from (select to_jsonb(old_rows) as before from old_rows) as old_rows) as old_versions
         full join (select after ->> tg_argv[1] as row_id, after,
                           case when v_since is null or after ->> v_since is not null then after ->> tg_argv[0] end as new_key
                      from (select to_jsonb(new_rows) as after from new_rows) as new_rows) as new_versions using (row_id)
        cross join lateral (
              select 'updated' as kind, new_key as key where new_key = old_key
              union all select 'deleted', old_key where new_key is distinct from old_key
              union all select 'added', new_key where new_key is distinct from old_key) as change
        -- Nobody has written a row of which only such columns differ.
        where before = after or before - v_computed is distinct from after - v_computed;
  end case;
  return null;
end $$;
comment on function app_hidden.tg__stream() is $$After a statement: records its changes in the streams of the table, and notifies the services. stream() attaches it to a table.$$;
--! EndIncluded functions/tg__stream.sql

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

--! split: 320-notifications.sql
-- Notifications: what has happened that concerns a user. Triggers write them, in the transaction of the event.
do $$
begin
  create type app_public.notification_kind as enum ('FOLLOWED', 'COMMENTED', 'REPLIED');
exception when duplicate_object then
  null;
end $$;
comment on type app_public.notification_kind is $$@describe FOLLOWED The actor follows you.
@describe COMMENTED The actor has commented on a post of yours.
@describe REPLIED The actor has replied to a comment of yours.
What has happened.$$;

create table if not exists app_public.notifications (
  id         bigint generated always as identity primary key,
  user_id    bigint not null references app_public.users on delete cascade,
  kind       app_public.notification_kind not null,
  actor_id   bigint not null references app_public.users on delete cascade,
  post_id    bigint references app_public.posts on delete cascade,
  comment_id bigint references app_public.comments on delete cascade,
  read_at    timestamptz,
  created_at timestamptz not null default now()
);
comment on table app_public.notifications is $$@describe listOrder Newest first.
@listOrder id desc
@subscription notificationAdded user_id added viewer
@describe notificationAdded Each notification of the signed-in user as it is added, over WebSocket, in order, once.
A message to one user that something has happened: somebody follows the user, or has commented or replied. Only that user sees it, for 90 days, and while the post is visible to the user.$$;
comment on column app_public.notifications.id is $$The notification’s id. Never changes. Newer ones have higher ids.$$;
comment on column app_public.notifications.user_id is E'@behavior -*\nThe user who is notified.';
comment on column app_public.notifications.kind is $$What has happened.$$;
comment on column app_public.notifications.actor_id is $$The user who did it.$$;
comment on column app_public.notifications.post_id is $$The post that it is about. Null when somebody follows you.$$;
comment on column app_public.notifications.comment_id is $$The new comment or reply. Null when somebody follows you.$$;
comment on column app_public.notifications.read_at is E'@listFilter isNull:unread\nThe time when it was marked as read. Null while it is unread.';
comment on column app_public.notifications.created_at is $$The time of the event.$$;
comment on constraint notifications_user_id_fkey on app_public.notifications is E'@backwardBehavior -*\n@forwardBehavior -*';
comment on constraint notifications_actor_id_fkey on app_public.notifications is E'@backwardBehavior -*\n@notNull';
comment on constraint notifications_post_id_fkey on app_public.notifications is '@backwardBehavior -*';
comment on constraint notifications_comment_id_fkey on app_public.notifications is '@backwardBehavior -*';
-- For the list, for unread ones and for those that have been read. The last one costs nothing until then.
create index if not exists notifications_user_id_id_idx on app_public.notifications (user_id, id desc);
create index if not exists notifications_user_id_id_unread_idx on app_public.notifications (user_id, id desc) where read_at is null;
create index if not exists notifications_user_id_id_read_idx on app_public.notifications (user_id, id desc) where read_at is not null;
-- For deletes of users, posts and comments.
create index if not exists notifications_actor_id_user_id_idx on app_public.notifications (actor_id, user_id);
create index if not exists notifications_post_id_idx on app_public.notifications (post_id);
create index if not exists notifications_comment_id_idx on app_public.notifications (comment_id);

-- Not audited: each repeats an event that is.
select app_hidden.protect('app_public.notifications', is_audited => false);
--! Included functions/show_with_parent.sql
-- Rows that are visible when another row is, such as the comments of a post. Their column is_public says that everybody may see
-- the other row, their parent. So policies look the parent up for the other rows only.
--
-- A transaction that adds a row reads the parent, and one that changes the parent changes its rows. Neither may miss the other:
-- - A new row locks the parent and then reads it. So it waits while another transaction changes the parent's visibility.
-- - That transaction locks the parent against new rows, unless there are some that are not committed yet. Then it does not wait. It
--   puts the parent on the list app_hidden.unsettled, as it does with a parent that has many rows, and in an isolation level
--   that does not see the newest rows.
-- - Policies look up a parent that is on the list, whatever is_public says. settle_rows() corrects its rows in batches.
create or replace function app_hidden.show_with_parent(relation regclass, key_column name, copied name[] default '{}') returns void
language plpgsql volatile set search_path = '' as $call$
declare
  v_parent regclass;
  v_parent_key name;
  v_key_type text;
  v_name text := (select relname from pg_catalog.pg_class where oid = relation);
  v_function text := format('app_hidden.%I', left('tg_' || v_name, 40) || '__show_with_parent');
  v_parent_function text := format('app_hidden.%I', left('tg_' || v_name, 40) || '__follow_parent');
begin
  select k.confrelid, theirs.attname, format_type(theirs.atttypid, null) into v_parent, v_parent_key, v_key_type
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and array[ours.attnum] = k.conkey
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and array[theirs.attnum] = k.confkey
   where k.contype = 'f' and k.conrelid = relation and ours.attname = key_column;
  if not found then
    raise exception using errcode = '42P16', message = format('%s.%I is not a foreign key of one column', relation, key_column);
  end if;
  insert into app_private.shown_with_parent as s values (relation, key_column, v_parent, v_parent_key, copied)
  on conflict on constraint shown_with_parent_pkey do update
    set key_column = excluded.key_column, parent = excluded.parent, parent_key = excluded.parent_key, copied = excluded.copied;

  -- A constant default does not rewrite the table.
  execute format('alter table %s add column if not exists is_public boolean not null default false', relation);
  execute format('comment on column %s.is_public is %L', relation,
    E'@behavior -*\nWhether everybody may see the row that this one is shown with, and so this one.');

  execute format($sql$
    create or replace function %1$s() returns trigger
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%4$I for %5$s;
      -- A statement of its own sees what was committed before it got the lock.
      select app_hidden.is_public(parent) is true%6$s into new.is_public%7$s from %2$s as parent where parent.%3$I = new.%4$I;
      new.is_public := coalesce(new.is_public, false);
      if new.%4$I is not null and current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
        new.is_public := false;
        insert into app_hidden.unsettled (relation, key) values (tg_relid, new.%4$I) on conflict do nothing;
      end if;
      return new;
    end $$ $sql$,
    v_function, v_parent, v_parent_key, key_column,
    -- With copied columns, writers of a parent's rows take turns with writers of the parent.
    case when cardinality(copied) > 0 then 'no key update' else 'key share' end,
    (select string_agg(', parent.' || quote_ident(name), '') from unnest(copied) as name),
    (select string_agg(', new.' || quote_ident(name), '') from unnest(copied) as name));
  execute format('comment on function %s() is %L', v_function,
    format('Before a row of %s is written: sets is_public. Made by show_with_parent().', v_name));
  execute format('create or replace trigger _110_show_with_parent before insert or update of %I, is_public%s on %s
    for each row execute function %s()', key_column,
    (select string_agg(', ' || quote_ident(name), '') from unnest(copied) as name), relation, v_function);

  execute format($sql$
    create or replace function %1$s() returns trigger
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%3$I for %6$s;
      if found and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
         and (select count(*) from (select from %4$s as child where child.%5$I = new.%3$I limit 101) as first) <= 100 then
        update %4$s as child set is_public = child.is_public where child.%5$I = new.%3$I;
      else
        insert into app_hidden.unsettled (relation, key) values (%4$L, new.%3$I) on conflict do nothing;
      end if;
      return null;
    end $$ $sql$,
    v_parent_function, v_parent, v_parent_key, relation, key_column,
    case when cardinality(copied) > 0 then 'no key update' else 'update skip locked' end);
  execute format('comment on function %s() is %L', v_parent_function,
    format('After the visibility of a row changes: changes is_public of its rows in %s. Made by show_with_parent().', v_name));
  execute format('create or replace trigger %I after update on %s for each row
    when (app_hidden.is_public(old) is distinct from app_hidden.is_public(new)%s) execute function %s()',
    left('_650_show_' || v_name, 63), v_parent,
    (select string_agg(format(' or old.%1$I is distinct from new.%1$I', name), '') from unnest(copied) as name), v_parent_function);

  if not exists (select from pg_catalog.pg_policy where polrelid = relation and polname = 'select_visible') then
    execute format('create policy select_visible on %s for select to :API_ANONYMOUS, :API_MEMBER using (false)', relation);
  end if;
  execute format($sql$
    alter policy select_visible on %1$s using (
      is_public and %2$I <> all ((select array(select key::%3$s from app_hidden.unsettled where relation = %1$L::regclass and key <> ''))::%3$s[])
      or exists (select from %4$s as parent where parent.%5$I = %2$I offset 0)) $sql$,
    relation, key_column, v_key_type, v_parent, v_parent_key);

  -- A small table is done at once. Of a large one, maintenance does the rest; until then, policies look the parents up.
  insert into app_hidden.unsettled (relation, key) values (relation, '') on conflict do nothing;
  perform app_private.settle_rows(1000), app_private.settle_rows(1000);
end $call$;
comment on function app_hidden.show_with_parent(regclass, name, name[]) is $$Makes the rows of a table visible to those who may see the row that a foreign key refers to, by a column is_public and the policy select_visible. The function app_hidden.is_public() of the other table says which of its rows everybody may see. copied names columns that have the values of the same columns there; for tables with few rows for each key. Idempotent. Call it again after rows were written without triggers. For DBAs.$$;

-- Security definer: the roles of the API may not read which tables there are.
create or replace function app_hidden.computed_columns(relation oid) returns text[]
language sql stable security definer set search_path = '' as $$
  select array(select attname::text from pg_catalog.pg_attribute where attrelid = relation and attgenerated <> '')
      || coalesce((select 'is_public'::text || copied::text[] from app_private.shown_with_parent s where s.relation = computed_columns.relation), '{}')
$$;
comment on function app_hidden.computed_columns(oid) is $$The columns that nobody writes: generated ones, and those that show_with_parent() keeps.$$;
grant execute on function app_hidden.computed_columns(oid) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/show_with_parent.sql
-- Hidden with the post. The policy of show_with_parent() admits nobody else's notifications, because the next one restricts it.
select app_hidden.show_with_parent('app_public.notifications', 'post_id');
drop policy if exists select_without_post on app_public.notifications;
create policy select_without_post on app_public.notifications for select to :API_MEMBER
  using (post_id is null);
drop policy if exists select_only_own on app_public.notifications;
create policy select_only_own on app_public.notifications as restrictive for select to :API_ANONYMOUS, :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
drop policy if exists update_own on app_public.notifications;
create policy update_own on app_public.notifications for update to :API_MEMBER
  using (user_id = (select app_hidden.viewer_id()));
grant select, update (read_at) on app_public.notifications to :API_MEMBER;

--! Included functions/is_recent.sql
create or replace function app_hidden.is_recent(event timestamptz) returns boolean
language sql stable
return event > now() - interval '90 days';
comment on function app_hidden.is_recent(timestamptz) is $$Whether a notification of an event at that time is still kept. maintain() removes the others.$$;
--! EndIncluded functions/is_recent.sql
--! Included functions/notify_users.sql
-- Security definer: nobody else may write notifications. The events of users who are away wait here, so one row is written for each
-- user whom an event concerns, however many follow or have commented.
create or replace function app_hidden.tg_comments__notify_users() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app_public.notifications (user_id, kind, actor_id, post_id, comment_id, created_at)
  select told.user_id, told.kind::app_public.notification_kind, added.author_id, added.post_id, added.id, added.created_at
    from new_rows as added
    join app_public.posts on posts.id = added.post_id
    left join app_public.comments as answered on answered.id = added.reply_to_id
   cross join lateral (values
          (answered.author_id, 'REPLIED'),
          -- The author of both hears of it once.
          (nullif(posts.author_id, answered.author_id), 'COMMENTED')) as told (user_id, kind)
   where told.user_id <> added.author_id and app_hidden.is_recent(added.created_at)
   order by added.id;
  return null;
end $$;
comment on function app_hidden.tg_comments__notify_users() is $$After comments are added: notifies the authors of their posts, and of the comments that they reply to. Nobody hears of what they did themselves.$$;

-- Security definer: nobody else may write notifications.
create or replace function app_hidden.tg_follows__notify_users() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app_public.notifications (user_id, kind, actor_id, created_at)
    select followed_id, 'FOLLOWED', follower_id, created_at from new_rows where app_hidden.is_recent(created_at) order by created_at, follower_id;
  else
    delete from app_public.notifications using old_rows
     where notifications.user_id = followed_id and actor_id = follower_id and kind = 'FOLLOWED';
  end if;
  return null;
end $$;
comment on function app_hidden.tg_follows__notify_users() is $$After users follow others: notifies those. After they stop: removes that notification.$$;
--! EndIncluded functions/notify_users.sql
create or replace trigger _700_notify_users after insert on app_public.comments referencing new table as new_rows
  for each statement execute function app_hidden.tg_comments__notify_users();
create or replace trigger _700_notify_users after insert on app_public.follows referencing new table as new_rows
  for each statement execute function app_hidden.tg_follows__notify_users();
create or replace trigger _700_notify_users_less after delete on app_public.follows referencing old table as old_rows
  for each statement execute function app_hidden.tg_follows__notify_users();
select app_hidden.stream('app_public.notifications', 'user_id', kinds => '{added}');

--! Included functions/mark_notifications_read.sql
create or replace function app_public.mark_notifications_read(up_to_id bigint) returns app_public.users
language plpgsql volatile set search_path = '' as $$
begin
  update app_public.notifications set read_at = now()
   where user_id = app_hidden.viewer_id() and read_at is null and id <= mark_notifications_read.up_to_id;
  return app_public.me();
end $$;
comment on function app_public.mark_notifications_read(bigint) is $$@describe up_to_id The newest notification that has been read.
Marks notifications of yours as read: this one and all older ones. Idempotent. Returns you.$$;
grant execute on function app_public.mark_notifications_read(bigint) to :API_MEMBER;
--! EndIncluded functions/mark_notifications_read.sql
--! Included functions/users_unread_notifications_count.sql
-- plpgsql, so that PostgreSQL does not inline the query: requests without a token have no right to the table, and do not read it.
create or replace function app_public.users_unread_notifications_count(users app_public.users) returns int
language plpgsql stable set search_path = '' as $$
begin
  if users.id = app_hidden.viewer_id() then
    -- Enough for a badge that says 99+, and the same work for any number.
    return (select count(*) from (
      select from app_public.notifications where user_id = users.id and read_at is null limit 100) as unread);
  end if;
  return null;
end $$;
comment on function app_public.users_unread_notifications_count(app_public.users) is $$The number of unread notifications, at most 100: 100 stands for 100 or more. Null for other users than the signed-in one.$$;
grant execute on function app_public.users_unread_notifications_count(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_unread_notifications_count.sql
--! Included functions/maintain.sql
-- Security definer: the service's login may have all this done, and can choose nothing that is kept: what is deleted is over, or
-- older than a retention that has a minimum.
--
-- Each call is a batch. Rows that others have locked are left for the next call, so nothing here waits.
create or replace function app_private.maintain(
  batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out done jsonb
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_batch int := least(greatest(batch, 1), 10000);
  v_position bigint;
  v_tags bigint[];
  v_count int;
begin
  if audit_retention_days < 90 then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least 90 days';
  end if;
  -- The lock on the row lets one instance work at a time. The others have nothing to do.
  select last_tag_id into v_position from app_private.maintenance for update skip locked;
  is_complete := true;
  done := '{}';
  if not found then
    return;
  end if;

  -- The last token of a session ends it. The margin keeps clear of refreshes that are under way.
  with expired as (
    delete from app_private.refresh_tokens where token_hash in (
      select token_hash from app_private.refresh_tokens where expires_at < now() - interval '1 day'
       order by expires_at limit v_batch for update skip locked)
    returning session_id
  ), ended as (
    delete from app_private.sessions where id in (select session_id from expired)
       and not exists (select from app_private.refresh_tokens where session_id = sessions.id and expires_at >= now() - interval '1 day')
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('refresh_tokens', v_count);

  -- First the tokens, then the session: a cascade would have no bound.
  delete from app_private.refresh_tokens where token_hash in (
    select token_hash
      from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
      join app_private.refresh_tokens on session_id = id
     limit v_batch for update of refresh_tokens skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('revoked_tokens', v_count);
  delete from app_private.sessions where id in (
    select id from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
     where not exists (select from app_private.refresh_tokens where session_id = id));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sessions', v_count);

  delete from app_private.session_requests where ctid = any (array(
    select ctid from app_private.session_requests where created_at < now() - interval '1 hour'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('session_requests', v_count);

  delete from app_private.failed_sign_ins where id in (
    select id from app_private.failed_sign_ins where failed_at < now() - interval '1 day'
     order by failed_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('failed_sign_ins', v_count);

  delete from app_private.sign_in_networks where ctid = any (array(
    select ctid from app_private.sign_in_networks where signed_in_at < now() - interval '90 days'
     order by signed_in_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sign_in_networks', v_count);

  delete from app_private.rate_limited_calls where key in (
    select key from app_private.rate_limited_calls
     where expire < extract(epoch from now()) * 1000
     order by expire limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('rate_limited_calls', v_count);

  -- The oldest have the lowest ids.
  delete from app_public.notifications where id in (
    select id from (select id, created_at from app_public.notifications order by id limit v_batch for update skip locked) as oldest
     where not app_hidden.is_recent(created_at));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('notifications', v_count);

  -- The newest expired event of a key stays, out of reach of the next call: a client that has it can continue from it.
  with expired as (
    select event.*
      from app_private.streams s
     cross join lateral (
           select stream_id, key, number from app_private.stream_events
            where stream_id = s.id and created_at < now() - s.keep
            order by created_at, number limit v_batch for update skip locked) as event
  ), newest as (
    select stream_id, key, max(number) as number from expired group by stream_id, key
  ), kept as (
    update app_private.stream_events e set created_at = 'infinity'
      from newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number = newest.number
  ), deleted as (
    delete from app_private.stream_events e
     using newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number < newest.number
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('stream_events', v_count);

  -- No index finds the tags without posts, so each call looks at the next tags by id. The delete asks again,
  -- because a post may have received a tag just before it was locked.
  select array_agg(id) into v_tags from (
    select id from app_public.tags where id > v_position order by id limit v_batch) as next;
  v_position := case when cardinality(v_tags) = v_batch then v_tags[v_batch] else 0 end;
  update app_public.tags set is_public = true where id in (
    select id from app_public.tags where id = any (v_tags) and not is_public
       and exists (select from app_public.post_tags where tag_id = tags.id and post_tags.is_public) for no key update skip locked);
  v_tags := array(
    select id from app_public.tags where id = any (v_tags)
       and not exists (select from app_public.post_tags where tag_id = tags.id) for update skip locked);
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);
  get diagnostics v_count = row_count;
  update app_private.maintenance set last_tag_id = v_position, ran_at = now();

  is_complete := v_position = 0
    and not exists (select from jsonb_each_text(done) where value::int >= v_batch);
  done := done || jsonb_build_object('tags', v_count);

  begin
    done := done || jsonb_build_object('created_partitions', app_private.prepare_audit_partitions(),
      'dropped_partitions', app_private.retire_audit_partitions(make_interval(days => audit_retention_days), v_batch));
  exception when lock_not_available then
    -- Somebody reads the audit trail.
    done := done || '{"postponed_partitions": 1}';
  end;
  if is_complete then
    perform app_private.merge_counts();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, networks, rate-limited calls, notifications, events of streams and unused tags. Corrects rows whose visibility changed. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql
-- It deletes the events of the user's own streams as well.
--! Included functions/erase_user.sql
create or replace function app_private.erase_user(user_id bigint) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  v_email text := (select email from app_private.accounts where accounts.user_id = erase_user.user_id);
  v_existed boolean := exists (select from app_public.users where id = erase_user.user_id);
  v_tags bigint[] := array(
    select tag_id from app_public.post_tags join app_public.posts on posts.id = post_id where author_id = erase_user.user_id);
  v_counts text[] := '{}';
  v_streams int[] := '{}';
  v_reference record;
begin
  -- Entries of the audit trail about a row of the user: the user's own, and those of each table that references users. A
  -- table that a DBA adds is found as well. Entries that the rest of this function adds are about the same rows.
  create temporary table erased_rows (table_name text, row_key text, primary key (table_name, row_key)) on commit drop;
  insert into pg_temp.erased_rows values ('users', erase_user.user_id::text);
  for v_reference in
    select conrelid::regclass as relation, attname as referrer, format('%s.%s', relname, attname) as count_name,
           case nspname when 'app_public' then '' else nspname || '.' end || relname as audit_name,
           (select array_agg(key.attname::text order by array_position(k.conkey, key.attnum))
              from pg_catalog.pg_constraint k
              join pg_catalog.pg_attribute key on key.attrelid = k.conrelid and key.attnum = any (k.conkey)
             where k.conrelid = c.conrelid and k.contype = 'p') as key_columns
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_class r on r.oid = conrelid
      join pg_catalog.pg_namespace n on n.oid = relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = conrelid and a.attnum = c.conkey[1]
     where contype = 'f' and confrelid = 'app_public.users'::regclass and conparentid = 0
  loop
    v_counts := v_counts || v_reference.count_name;
    v_streams := v_streams || array(
      select id from app_private.streams where relation = v_reference.relation and key_column = v_reference.referrer);
    execute format(
      'insert into pg_temp.erased_rows
       select $1, app_hidden.row_key(to_jsonb(t), $2) from %s as t where t.%I = $3 and $2 is not null
       union
       select table_name, row_key from app_public.audit_trail
        where table_name = $1 and $3::text in (changes #>> array[$4, ''old''], changes #>> array[$4, ''new''])
       on conflict do nothing', v_reference.relation, v_reference.referrer)
      using v_reference.audit_name, v_reference.key_columns, erase_user.user_id, v_reference.referrer;
  end loop;

  delete from app_private.failed_sign_ins where account = app_private.account_key(v_email);
  delete from app_private.rate_limited_calls
   where key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', sender_id = null where sender_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
  delete from app_private.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_private.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_hidden.counts where name = any (v_counts) and key = erase_user.user_id::text;
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);

  update app_public.audit_trail
     set changes = (select coalesce(jsonb_object_agg(name, '{}'::jsonb), '{}') from jsonb_object_keys(changes) as name)
   where (table_name, row_key) in (select table_name, row_key from pg_temp.erased_rows);
  update app_public.audit_trail set actor_id = null where actor_id = erase_user.user_id;
  drop table pg_temp.erased_rows;
  return v_existed;
end $$;
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, notifications, and the text of messages. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/erase_user.sql
