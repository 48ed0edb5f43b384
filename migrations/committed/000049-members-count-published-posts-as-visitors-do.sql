--! Previous: sha1:267fa77aef34824980c3d7ad94ead10344141716
--! Hash: sha1:b9b6d7660c97b6b4f1763ff18cd580f665ebae23
--! Message: members count published posts as visitors do

--! split: 100-counts-and-streams.sql
-- A member's count of published posts is the visitors' count, so it asks neither for an admin nor for own drafts.
--! Included functions/posts_count.sql
-- The functions below are plpgsql with generic plans, so that a connection plans their statements once. PostgreSQL planned the same queries,
-- as bodies of SQL functions, for each call: custom plans look cheaper when they leave out an argument that is null.
--
-- Rows of post_tags whose is_public may be wrong are not counted by it: while there are any, the posts of the tag are counted. Of the kept
-- counts, the policies show those of published posts and, to admins, the others.
create or replace function app_hidden.posts_count_of_tag(tag_id bigint, status app_public.post_status default null) returns int
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
declare
  v_is_admin boolean := app_hidden.viewer_id() is not null and app_hidden.viewer_is_admin();
  v_count int;
begin
  if exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass)
    -- Which private status a post has stands in no count.
    or v_is_admin and posts_count_of_tag.status <> 'PUBLISHED' then
    return (select count(*) from app_public.post_tags
              join app_public.posts on posts.id = post_id
             where post_tags.tag_id = posts_count_of_tag.tag_id
               and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status));
  end if;
  v_count := (select coalesce(sum(rows), 0) from app_hidden.counts
               where name = 'post_tags.tag_id,is_public'
                 and (key = posts_count_of_tag.tag_id || ',true' and coalesce(posts_count_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
                   or key = posts_count_of_tag.tag_id || ',false' and posts_count_of_tag.status is null));
  if app_hidden.viewer_id() is null or v_is_admin then
    return v_count;
  end if;
  return v_count + (
    select count(*) from app_public.posts
     where posts.status <> 'PUBLISHED' and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status)
       and author_id = (select app_hidden.viewer_id())
       and exists (select from app_public.post_tags where post_tags.post_id = posts.id and post_tags.tag_id = posts_count_of_tag.tag_id));
end $$;
comment on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) is $$The number of posts of a tag that the viewer may see.$$;
grant execute on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_count(
  status app_public.post_status default null, author_id bigint default null, tag text default null
) returns int
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
begin
  if tag is not null and posts_count.author_id is not null then
    return (select count(*) from app_public.posts
             where posts.author_id = posts_count.author_id and (posts_count.status is null or posts.status = posts_count.status)
               and id in (select * from app_hidden.post_ids_of_tag(posts_count.tag)));
  elsif tag is not null then
    return coalesce((select app_hidden.posts_count_of_tag(tags.id, posts_count.status) from app_public.tags
                      where name = app_hidden.tag_name(posts_count.tag)), 0);
  elsif posts_count.author_id is not null then
    -- The policies of counts show those of published posts, and of all posts to their author and to admins. After a comma comes a hyphen.
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where name = 'posts.author_id,status' and key > posts_count.author_id || ',' and key < posts_count.author_id || '-'
               and (posts_count.status is null or key = posts_count.author_id || ',' || posts_count.status));
  elsif app_hidden.viewer_id() is null then
    -- A plan is made for one role. With statements of their own, visitors and members keep their plans on a connection that serves both.
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where name = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  elsif posts_count.status = 'PUBLISHED' then
    -- Members see the published posts that everybody sees.
    return (select coalesce(sum(rows), 0) from app_hidden.counts where name = 'posts.status' and key = 'PUBLISHED');
  elsif app_hidden.viewer_is_admin() then
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where name = 'posts.status' and (posts_count.status is null or key = posts_count.status::text));
  else
    -- The published posts of everybody, and the others of the viewer. The policies show no other of these rows.
    return (select coalesce(sum(rows), 0) from app_hidden.counts
             where (name = 'posts.status'
                    or name = 'posts.author_id,status' and key > app_hidden.viewer_id() || ',' and key < app_hidden.viewer_id() || '-'
                       and key <> app_hidden.viewer_id() || ',PUBLISHED')
               and (posts_count.status is null or key in (posts_count.status::text, app_hidden.viewer_id() || ',' || posts_count.status)));
  end if;
end $$;
comment on function app_public.posts_count(app_public.post_status, bigint, text) is $$@describe status Count only posts with this status.
@describe author_id Count only posts of this user.
@describe tag Count only posts with this tag, in any case.
The number of posts that you may see.$$;
grant execute on function app_public.posts_count(app_public.post_status, bigint, text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.tags_posts_count(tags app_public.tags, status app_public.post_status default null) returns int
language sql stable
return app_hidden.posts_count_of_tag(tags.id, tags_posts_count.status);
comment on function app_public.tags_posts_count(app_public.tags, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this tag that you may see.$$;
grant execute on function app_public.tags_posts_count(app_public.tags, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.users_posts_count(users app_public.users, status app_public.post_status default null) returns int
language sql stable
return app_public.posts_count(users_posts_count.status, users.id);
comment on function app_public.users_posts_count(app_public.users, app_public.post_status) is $$@notNull
@describe status Count only posts with this status.
The number of posts of this user that you may see.$$;
grant execute on function app_public.users_posts_count(app_public.users, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts_count.sql
-- An added row needs no list of computed columns.
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key, the number column of rows that have numbers of their own, and the column that is null until a row belongs to the stream.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_computed text[];
  v_since text := nullif(tg_argv[3], '');
begin
  perform app_private.begin_run();
  case
    when app_hidden.is_import() then
      return null;
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
      v_computed := app_hidden.computed_columns(tg_relid);
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
        -- A row of which only such columns differ has followed another row's change.
        where before = after or before - v_computed is distinct from after - v_computed;
  end case;
  return null;
end $$;
comment on function app_hidden.tg__stream() is $$After a statement: records its changes in the streams of the table, and notifies the services. stream() attaches it to a table.$$;
--! EndIncluded functions/tg__stream.sql
