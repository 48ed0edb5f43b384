--! Previous: sha1:742f57c6caf985a6830f77da19875642b1f2557a
--! Hash: sha1:9b0be6418f8036df891163525ae929afc72a6c05
--! Message: A publication's screens

--! split: 100-posts-are-filtered-and-ordered.sql
-- Posts are found by their slug, filtered by author and tag, and listed in orders that clients choose. Counts by author and tag are kept.

comment on constraint posts_slug_key on app_public.posts is $$This slug is already in use.$$;

-- Each kind of posts that a viewer may see has an index in each order: all, and those of an author.
create index if not exists posts_published_listed_at_id_idx on app_public.posts (listed_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_author_id_published_listed_at_id_idx on app_public.posts (author_id, listed_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_published_updated_at_id_idx on app_public.posts (updated_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_private_updated_at_id_idx on app_public.posts (updated_at desc, id desc) where status <> 'PUBLISHED';
create index if not exists posts_author_id_published_updated_at_id_idx on app_public.posts (author_id, updated_at desc, id desc) where status = 'PUBLISHED';
create index if not exists posts_author_id_private_updated_at_id_idx on app_public.posts (author_id, updated_at desc, id desc) where status <> 'PUBLISHED';
create index if not exists posts_published_title_id_idx on app_public.posts (title, id) where status = 'PUBLISHED';
create index if not exists posts_private_title_id_idx on app_public.posts (title, id) where status <> 'PUBLISHED';
create index if not exists posts_author_id_published_title_id_idx on app_public.posts (author_id, title, id) where status = 'PUBLISHED';
create index if not exists posts_author_id_private_title_id_idx on app_public.posts (author_id, title, id) where status <> 'PUBLISHED';

--! Included functions/tag_names.sql
create or replace function app_hidden.tag_name(given text) returns text
language sql immutable parallel safe
return regexp_replace(
  app_hidden.normal_text(case when char_length(given) > 200 then given else lower(given) end, 50, true), '^\s+$', '');
comment on function app_hidden.tag_name(text) is $$The stored form of a tag: trimmed, lower case, Unicode normal form C.$$;
grant execute on function app_hidden.tag_name(text) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.tag_names(given text[]) returns text[]
language sql immutable parallel safe
return coalesce((
  select array_agg(name order by place)
    from (select app_hidden.tag_name(g.tag) as name, min(g.place) as place
            from unnest(given) with ordinality as g (tag, place)
           group by 1) as named
), '{}');
comment on function app_hidden.tag_names(text[]) is $$The stored form of the tags, without duplicates, in the given order.$$;
grant execute on function app_hidden.tag_names(text[]) to :API_MEMBER;
--! EndIncluded functions/tag_names.sql
drop function if exists app_private.count_rows(regclass, name);
--! Included functions/counts.sql
create or replace function app_hidden.count_key(row_values jsonb, counted text, counted_with text) returns text
language sql immutable parallel safe
return case when counted_with is null then row_values ->> counted else (row_values ->> counted) || ',' || (row_values ->> counted_with) end;
comment on function app_hidden.count_key(jsonb, text, text) is $$The key in app_hidden.counts of a row.$$;

-- Security definer: nobody writes counts but the triggers.
--
-- Static statements, which are planned once in a session. Rows as JSON, because the trigger's arguments name the columns: one, or two.
-- `offset 0` makes the JSON of a row once.
create or replace function app_hidden.tg__count_rows() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_name text := format('%s.%s', tg_table_name, concat_ws(',', tg_argv[0], tg_argv[1]));
  v_changes refcursor;
  v_key text;
  v_change bigint;
begin
  case tg_op
    when 'TRUNCATE' then
      delete from app_hidden.counts where name = v_name;
      return null;
    when 'INSERT' then
      open v_changes for
        select key, count(*) from (select app_hidden.count_key(row, tg_argv[0], tg_argv[1]) as key
                                     from (select to_jsonb(new_rows) as row from new_rows offset 0) as rows) as added
         where key is not null group by key;
    when 'DELETE' then
      open v_changes for
        select key, - count(*) from (select app_hidden.count_key(row, tg_argv[0], tg_argv[1]) as key
                                       from (select to_jsonb(old_rows) as row from old_rows offset 0) as rows) as removed
         where key is not null group by key;
    else
      open v_changes for
        select key, sum(change) from (
          select app_hidden.count_key(row, tg_argv[0], tg_argv[1]) as key, change
            from (select to_jsonb(new_rows) as row, 1 as change from new_rows
                   union all select to_jsonb(old_rows), -1 from old_rows offset 0) as rows) as changes
         where key is not null group by key having sum(change) <> 0;
  end case;
  loop
    fetch v_changes into v_key, v_change;
    exit when not found;
    -- With a stricter isolation level, a row that was changed since the transaction began cannot be changed.
    if current_setting('transaction_isolation') in ('read committed', 'read uncommitted') then
      update app_hidden.counts set rows = rows + v_change
       where name = v_name and key = v_key
         and slot = (select slot from app_hidden.counts
                      where name = v_name and key = v_key limit 1 for update skip locked);
      continue when found;
    end if;
    insert into app_hidden.counts (name, key, rows) values (v_name, v_key, v_change);
  end loop;
  return null;
end $$;
comment on function app_hidden.tg__count_rows() is $$After rows change: keeps the counts of a column’s values.$$;

create or replace function app_private.count_rows(relation regclass, counted name, counted_with name default null) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_table name := (select relname from pg_catalog.pg_class where oid = relation);
  v_columns text := concat_ws('_', counted, counted_with);
  v_name text := format('%s.%s', v_table, concat_ws(',', counted, counted_with));
  v_run text := format('for each statement execute function app_hidden.tg__count_rows(%s)', concat_ws(',', quote_literal(counted), quote_literal(counted_with)));
begin
  execute format('create or replace trigger %I after insert on %s referencing new table as new_rows %s', left('_600_count_' || v_columns, 55) || '_added', relation, v_run);
  execute format('create or replace trigger %I after update on %s referencing old table as old_rows new table as new_rows %s', left('_600_count_' || v_columns, 55) || '_updated', relation, v_run);
  execute format('create or replace trigger %I after delete on %s referencing old table as old_rows %s', left('_600_count_' || v_columns, 55) || '_removed', relation, v_run);
  execute format('create or replace trigger %I after truncate on %s %s', left('_600_count_' || v_columns, 53) || '_truncated', relation, v_run);
  delete from app_hidden.counts where name = v_name;
  execute format('insert into app_hidden.counts (name, key, rows)
    select $1, key, count(*) from (select app_hidden.count_key(to_jsonb(t), $2, $3) as key from (select %s from %s) as t) as counted_rows
     where key is not null group by key', concat_ws(', ', quote_ident(counted), quote_ident(counted_with)), relation)
    using v_name, counted::text, counted_with::text;
end $$;
comment on function app_private.count_rows(regclass, name, name) is $$Keeps the number of rows of each value of a column, or of each pair of values of two columns, in app_hidden.counts, from now on. Call it again after rows were written without triggers. For DBAs.$$;

create or replace function app_private.merge_counts() returns void
language sql volatile set search_path = '' as $$
  with taken as (
    delete from app_hidden.counts
     where slot in (
       select slot from app_hidden.counts
        where (name, key) in (select name, key from app_hidden.counts group by name, key having count(*) > 1 or sum(rows) = 0)
          for update skip locked)
    returning name, key, rows)
  insert into app_hidden.counts (name, key, rows)
  select name, key, sum(rows) from taken group by name, key having sum(rows) <> 0
$$;
comment on function app_private.merge_counts() is $$Merges the slots of each count that no transaction is writing.$$;
--! EndIncluded functions/counts.sql
select app_private.count_rows('app_public.posts', 'author_id', 'status');
select app_private.count_rows('app_public.post_tags', 'tag_id', 'is_public');
alter policy select_public on app_hidden.counts
  using (name in ('follows.followed_id', 'follows.follower_id') or (name, key) = ('posts.status', 'PUBLISHED')
      or name = 'posts.author_id,status' and key like '%,PUBLISHED' or name = 'post_tags.tag_id,is_public' and key like '%,true');
drop policy if exists select_own on app_hidden.counts;
create policy select_own on app_hidden.counts for select to :API_MEMBER
  using (name = 'posts.author_id,status' and split_part(key, ',', 1) = (select app_hidden.viewer_id())::text);
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
  delete from app_private.account_tokens where account = app_private.account_key(v_email);
  delete from app_private.rate_limited_calls
   where key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', sender_id = null where sender_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
  delete from app_private.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_private.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_hidden.counts where name = any (v_counts) and key = erase_user.user_id::text;
  delete from app_hidden.counts where split_part(name, ',', 1) = any (v_counts) and key like erase_user.user_id || ',%';
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

drop function if exists app_hidden.first_posts(int, app_public.post_status);
--! Included functions/listed_posts.sql
-- The parts of the lists of posts: published posts, the viewer's own others, and for admins all others. Each has partial indexes for each
-- order, so that no draft of another user is read and left out by a policy. The status is also an argument, because no index of a part
-- says at once that the part has no such posts.
create or replace function app_hidden.listed_published_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where posts.status = 'PUBLISHED' and coalesce(listed_published_posts.status, 'PUBLISHED') = 'PUBLISHED'
$$;
comment on function app_hidden.listed_published_posts(app_public.post_status) is $$A part of the lists of posts: the published ones.$$;
grant execute on function app_hidden.listed_published_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.listed_own_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where posts.status <> 'PUBLISHED' and listed_own_posts.status is distinct from 'PUBLISHED'
     and author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
$$;
comment on function app_hidden.listed_own_posts(app_public.post_status) is $$A part of the lists of posts: those of the viewer that are not published. None for an admin.$$;
grant execute on function app_hidden.listed_own_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.listed_private_posts(status app_public.post_status default null) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where posts.status <> 'PUBLISHED' and listed_private_posts.status is distinct from 'PUBLISHED'
     and (select app_hidden.viewer_is_admin())
$$;
comment on function app_hidden.listed_private_posts(app_public.post_status) is $$A part of the lists of posts: for an admin, those that are not published.$$;
grant execute on function app_hidden.listed_private_posts(app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/listed_posts.sql
drop function if exists app_hidden.first_posts_of_tag(bigint, int, app_public.post_status);
--! Included functions/first_posts_of_tag.sql
-- One index for each kind of posts that a viewer may see: published posts, the viewer's own others, and for admins all others. So
-- no draft of another user is read and left out by a policy. Rows of post_tags whose columns may be wrong do not have the order of their
-- posts: while there are any, all posts of the tag are read.
create or replace function app_hidden.first_post_ids_of_tag(
  tag_id bigint, page int, status app_public.post_status, after_listed_at timestamptz, after_id bigint
) returns setof bigint
language sql stable as $$
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and is_public and coalesce(first_post_ids_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
      and (select not exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass))
    order by listed_at desc, post_id desc limit page)
   union all
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id and not is_public and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and (listed_at, post_id) < (after_listed_at, after_id)
      and (select not exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass))
      and (select app_hidden.viewer_is_admin())
    order by listed_at desc, post_id desc limit page)
   union all
  (select private.id from app_public.posts as private
    where private.status <> 'PUBLISHED' and first_post_ids_of_tag.status is distinct from 'PUBLISHED'
      and private.author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
      and (private.listed_at, private.id) < (after_listed_at, after_id)
      and exists (select from app_public.post_tags where post_tags.post_id = private.id and post_tags.tag_id = first_post_ids_of_tag.tag_id)
    order by listed_at desc, id desc limit page)
   union all
  (select post_id from app_public.post_tags
    where post_tags.tag_id = first_post_ids_of_tag.tag_id
      and (select exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass)))
$$;
comment on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The ids of the first posts of a tag, or more.$$;
grant execute on function app_hidden.first_post_ids_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_of_tag(
  tag_id bigint, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select * from app_hidden.first_post_ids_of_tag(first_posts_of_tag.tag_id, first_posts_of_tag.page, first_posts_of_tag.status, after_listed_at, after_id)))
     and (first_posts_of_tag.status is null or posts.status = first_posts_of_tag.status)
$$;
comment on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Tag.posts, or those of a status, or those after a place.$$;
grant execute on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.first_posts_tagged(
  tag text, page int, status app_public.post_status default null,
  after_listed_at timestamptz default 'infinity', after_id bigint default 9223372036854775807
) returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
       select ids.* from app_public.tags,
              lateral app_hidden.first_post_ids_of_tag(tags.id, first_posts_tagged.page, first_posts_tagged.status, after_listed_at, after_id) as ids
        where tags.name = app_hidden.tag_name(first_posts_tagged.tag)))
     and (first_posts_tagged.status is null or posts.status = first_posts_tagged.status)
$$;
comment on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) is $$The first posts of the list Query.posts with a tag.$$;
grant execute on function app_hidden.first_posts_tagged(text, int, app_public.post_status, timestamptz, bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.post_ids_of_tag(tag text) returns setof bigint
language sql stable as $$
  select post_id from app_public.post_tags
   where tag_id = (select tags.id from app_public.tags where tags.name = app_hidden.tag_name(post_ids_of_tag.tag))
$$;
comment on function app_hidden.post_ids_of_tag(text) is $$The ids of the posts with a tag. For the filter by tag.$$;
grant execute on function app_hidden.post_ids_of_tag(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/first_posts_of_tag.sql
drop function if exists app_public.posts_count(app_public.post_status);
--! Included functions/posts_count.sql
-- Rows of post_tags whose is_public may be wrong are not counted by it: while there are any, the posts of the tag are counted. Of the kept
-- counts, the policies show those of published posts and, to admins, the others.
create or replace function app_hidden.posts_count_of_tag(tag_id bigint, status app_public.post_status default null) returns int
language sql stable
return case
  when (select exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass))
    -- Which private status a post has stands in no count.
    or posts_count_of_tag.status <> 'PUBLISHED' and (select app_hidden.viewer_is_admin()) then
   (select count(*)::int from app_public.post_tags
      join app_public.posts on posts.id = post_id
     where post_tags.tag_id = posts_count_of_tag.tag_id
       and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status))
  else
   (select coalesce(sum(rows), 0)::int from app_hidden.counts
     where name = 'post_tags.tag_id,is_public'
       and (key = posts_count_of_tag.tag_id || ',true' and coalesce(posts_count_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
         or key = posts_count_of_tag.tag_id || ',false' and posts_count_of_tag.status is null))
   + (select count(*)::int from app_public.posts
       where posts.status <> 'PUBLISHED' and (posts_count_of_tag.status is null or posts.status = posts_count_of_tag.status)
         and author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
         and exists (select from app_public.post_tags where post_tags.post_id = posts.id and post_tags.tag_id = posts_count_of_tag.tag_id))
end;
comment on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) is $$The number of posts of a tag that the viewer may see.$$;
grant execute on function app_hidden.posts_count_of_tag(bigint, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_public.posts_count(
  status app_public.post_status default null, author_id bigint default null, tag text default null
) returns int
language sql stable
return case
  when tag is not null and posts_count.author_id is not null then
   (select count(*)::int from app_public.posts
     where posts.author_id = posts_count.author_id and (posts_count.status is null or posts.status = posts_count.status)
       and id in (select * from app_hidden.post_ids_of_tag(posts_count.tag)))
  when tag is not null then
    coalesce((select app_hidden.posts_count_of_tag(tags.id, posts_count.status) from app_public.tags
               where name = app_hidden.tag_name(posts_count.tag)), 0)
  when posts_count.author_id is not null then
    -- The policies of counts show those of published posts, and of all posts to their author and to admins. After a comma comes a hyphen.
   (select coalesce(sum(rows), 0)::int from app_hidden.counts
     where name = 'posts.author_id,status' and key > posts_count.author_id || ',' and key < posts_count.author_id || '-'
       and (posts_count.status is null or key = posts_count.author_id || ',' || posts_count.status))
  else
   (select coalesce(sum(rows), 0)::int from app_hidden.counts
     where name = 'posts.status' and (posts_count.status is null or key = posts_count.status::text))
   + case when (select app_hidden.viewer_is_admin()) then 0 else
     (select count(*)::int from app_public.posts
       where posts.author_id = (select app_hidden.viewer_id()) and posts.status <> 'PUBLISHED'
         and (posts_count.status is null or posts.status = posts_count.status)) end
end;
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

-- Smart tags.
do $$
begin
  execute format('comment on table app_public.posts is %L', $tags$@describe listOrder Newest first, by publishedAt; drafts by createdAt.
@listOrder listed_at desc, id desc
@listOrder NEWEST: listed_at desc, id desc
@listOrder OLDEST: listed_at, id
@listOrder UPDATED: updated_at desc, id desc
@listOrder TITLE: title, id
@describe NEWEST Newest first, by publishedAt; drafts by createdAt.
@describe OLDEST Oldest first, by publishedAt; drafts by createdAt.
@describe UPDATED By updatedAt, the latest change first.
@describe TITLE By title, as the database sorts texts.
@listFilter tag app_hidden.post_ids_of_tag
@describe tag Only those with this tag, in any case.
@listPart app_hidden.listed_published_posts status
@listPart app_hidden.listed_own_posts status
@listPart app_hidden.listed_private_posts status
@firstRows app_hidden.first_posts_tagged tag! status after
@totalCount app_public.posts_count status author_id tag
$tags$ || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'),
      '@(describe (listOrder|NEWEST|OLDEST|UPDATED|TITLE|tag)|listOrder|listFilter|listPart|firstRows|totalCount) [^\n]*\n', '', 'g'));
end $$;
comment on column app_public.posts.author_id is E'@listFilter\nThe user who wrote the post.';
comment on constraint posts_author_id_fkey on app_public.posts is E'@notNull\n@totalCount app_public.posts_count status';
comment on constraint post_tags_tag_id_fkey on app_public.post_tags is E'@firstRows app_hidden.first_posts_of_tag status after\n@totalCount app_hidden.posts_count_of_tag status';

--! split: 110-search.sql
-- Search: posts by their words, and titles with spelling mistakes.
create extension if not exists pg_trgm with schema app_hidden;

-- In two parts, so that PostgreSQL knows how frequent a word is in each: what is frequent in drafts may be rare in published posts.
create table if not exists app_private.post_words (
  post_id   bigint not null references app_public.posts on delete cascade,
  author_id bigint not null,
  is_public boolean not null,
  listed_at timestamptz not null,
  title     text not null,
  words     tsvector not null,
  -- As text: pg_upgrade refuses a column of the type regconfig.
  language  text collate "C" not null,
  primary key (post_id, is_public)
) partition by list (is_public);
create table if not exists app_private.post_words_public partition of app_private.post_words for values in (true);
create table if not exists app_private.post_words_private partition of app_private.post_words for values in (false);
comment on table app_private.post_words is $$The words of each post, for the search. A trigger keeps them.$$;
comment on table app_private.post_words_public is $$The words of published posts.$$;
comment on table app_private.post_words_private is $$The words of the other posts.$$;
comment on column app_private.post_words.post_id is $$The post.$$;
comment on column app_private.post_words.author_id is $$Its author.$$;
comment on column app_private.post_words.is_public is $$Whether everybody may see it.$$;
comment on column app_private.post_words.listed_at is $$Its place in lists.$$;
comment on column app_private.post_words.title is $$Its title, in the form of app_hidden.similar_text().$$;
comment on column app_private.post_words.words is $$Its words, those of the title with the weight A.$$;
comment on column app_private.post_words.language is $$The text search configuration that found the words.$$;
alter table app_private.post_words enable row level security;
alter table app_private.post_words_public enable row level security;
alter table app_private.post_words_private enable row level security;

-- For rare words, for similar titles, and in the order of lists: of all posts, and of an author's.
create index if not exists post_words_words_idx on app_private.post_words using gin (words);
create index if not exists post_words_title_idx on app_private.post_words using gin (title app_hidden.gin_trgm_ops);
create index if not exists post_words_listed_at_post_id_idx on app_private.post_words (listed_at desc, post_id desc);
create index if not exists post_words_author_id_listed_at_post_id_idx on app_private.post_words (author_id, listed_at desc, post_id desc);
create index if not exists post_words_language_idx on app_private.post_words (language);

-- A later set_search_language() stays.
do $$
begin
  if to_regprocedure('app_hidden.search_language()') is null then
    create function app_hidden.search_language() returns regconfig language sql stable parallel safe as $body$ select 'simple'::regconfig $body$;
  end if;
end $$;
--! Included functions/post_words.sql
-- Stable, not immutable: a plan that a session keeps would have the former language.
create or replace function app_private.set_search_language(language regconfig) returns void
language plpgsql volatile set search_path = '' as $$
begin
  execute format('create or replace function app_hidden.search_language() returns regconfig language sql stable parallel safe
    as %L', format('select %L::regconfig', language));
end $$;
comment on function app_private.set_search_language(regconfig) is $$Sets the language of the search, a text search configuration such as 'german'. Maintenance finds the words of all posts anew, in batches, and searches have the former words until then. For DBAs.$$;

create or replace function app_hidden.html_text(given text) returns text
language sql immutable parallel safe
return replace(replace(replace(replace(replace(given, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
comment on function app_hidden.html_text(text) is $$The text in HTML: no character of it is markup.$$;
grant execute on function app_hidden.html_text(text) to :API_ANONYMOUS, :API_MEMBER;

-- pg_trgm knows the letters of the database's locale only, and under C just those of ASCII. So each other letter is written as one of 36.
create or replace function app_hidden.similar_text(given text) returns text
language sql stable parallel safe
return case when octet_length(given) = char_length(given) then lower(given) else (
  select coalesce(string_agg(case when ascii(letter) < 128 then letter
                                  else substr('abcdefghijklmnopqrstuvwxyz0123456789', ascii(letter) % 36 + 1, 1) end, '' order by place), '')
    from string_to_table(lower(app_hidden.unaccent('app_hidden.unaccent', given)), null) with ordinality as letters (letter, place)) end;
comment on function app_hidden.similar_text(text) is $$The form of a text by which similar ones are found: without accents, lower case, in ASCII.$$;

-- Of an angle bracket and what follows it, PostgreSQL would make a tag, which is no word.
create or replace function app_hidden.search_query(text text) returns tsquery
language sql stable parallel safe
return websearch_to_tsquery(app_hidden.search_language(), translate(search_query.text, '<>', '  '));
comment on function app_hidden.search_query(text) is $$The words to look for, as PostgreSQL's text search reads them.$$;
grant execute on function app_hidden.search_query(text) to :API_ANONYMOUS, :API_MEMBER;

-- As HTML text, so that a tag is words, as in fragments. A headline counts more than the text. A word of more than 2,046 bytes is left out, with a notice that nobody needs.
create or replace function app_hidden.words_in(title text, content text) returns tsvector
language sql stable parallel safe set search_path = '' set client_min_messages = 'warning' as $$
  select setweight(to_tsvector(app_hidden.search_language(), app_hidden.html_text(title)), 'A')
      || setweight(to_tsvector(app_hidden.search_language(), app_hidden.html_text(content)), 'D')
$$;
comment on function app_hidden.words_in(text, text) is $$The words of a post, as the search finds them.$$;

-- Security definer: nobody may write words. A post without words, which index_posts() has not reached, gets none here: index_posts() goes
-- on below the lowest post that has words.
create or replace function app_hidden.tg_posts__find_words() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, words, language)
    values (new.id, new.author_id, app_hidden.is_public(new), new.listed_at, app_hidden.similar_text(new.title), app_hidden.words_in(new.title, new.content),
            app_hidden.search_language());
  elsif (new.title, new.content) is distinct from (old.title, old.content) then
    update app_private.post_words
       set author_id = new.author_id, is_public = app_hidden.is_public(new), listed_at = new.listed_at, title = app_hidden.similar_text(new.title),
           words = app_hidden.words_in(new.title, new.content), language = app_hidden.search_language()
     where post_id = new.id;
  else
    update app_private.post_words
       set author_id = new.author_id, is_public = app_hidden.is_public(new), listed_at = new.listed_at
     where post_id = new.id;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__find_words() is $$After a post is written: keeps its words for the search.$$;

create or replace function app_private.index_posts(batch int) returns int
language plpgsql volatile set search_path = '' as $$
declare
  v_language text := app_hidden.search_language();
  v_lowest bigint := (select coalesce(min(post_id), 9223372036854775807) from app_private.post_words);
  v_added int;
  v_changed int;
begin
  -- A lock on each post, so that nobody changes it meanwhile.
  insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, words, language)
  select id, author_id, app_hidden.is_public(p), listed_at, app_hidden.similar_text(title), app_hidden.words_in(title, content), v_language
    from (select posts.* from app_public.posts where id < v_lowest order by id desc limit batch for share) as p;
  get diagnostics v_added = row_count;
  update app_private.post_words
     set words = app_hidden.words_in(posts.title, posts.content), language = v_language
    from app_public.posts
   where posts.id = post_id and post_id in (
     select w.post_id
       from ((select former.post_id from app_private.post_words former where former.language < v_language limit batch)
              union all
             (select former.post_id from app_private.post_words former where former.language > v_language limit batch)) as former
       join app_private.post_words w on w.post_id = former.post_id
      limit batch - v_added for update of w skip locked);
  get diagnostics v_changed = row_count;
  return v_added + v_changed;
end $$;
comment on function app_private.index_posts(int) is $$Finds the words of up to batch posts that have none, or those of another language. Returns the number of posts.$$;
--! EndIncluded functions/post_words.sql
comment on function app_hidden.search_language() is $$The language of the search, a text search configuration. app_private.set_search_language() sets it.$$;
grant execute on function app_hidden.search_language() to :API_ANONYMOUS, :API_MEMBER;

create or replace trigger _640_find_words_added after insert on app_public.posts
  for each row execute function app_hidden.tg_posts__find_words();
create or replace trigger _640_find_words_updated after update on app_public.posts
  for each row when ((old.title, old.content, old.author_id, old.listed_at) is distinct from (new.title, new.content, new.author_id, new.listed_at)
    or app_hidden.is_public(old) is distinct from app_hidden.is_public(new))
  execute function app_hidden.tg_posts__find_words();

-- Of a large table, maintenance does the rest.
select app_private.index_posts(1000);
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

  delete from app_private.account_tokens where token_hash in (
    select token_hash from app_private.account_tokens where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('account_tokens', v_count);

  delete from app_private.mail_outbox where id in (
    select id from app_private.mail_outbox where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('mail_outbox', v_count);

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
  delete from app_private.idempotency_keys where ctid = any (array(
    select ctid from app_private.idempotency_keys where created_at < now() - interval '1 day'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('idempotency_keys', v_count);

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
  v_count := app_private.index_posts(least(v_batch, 500));
  done := done || jsonb_build_object('indexed_posts', v_count);
  is_complete := is_complete and v_count < least(v_batch, 500);
  if is_complete then
    perform app_private.merge_counts();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, expired tokens and mails, networks, rate-limited calls, idempotency keys, notifications, events of streams and unused tags. Corrects rows whose visibility changed. Finds the words of posts for the search. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql

drop type if exists app_public.search_result cascade;
create type app_public.search_result as (post_id bigint, rank float8, text text);
comment on type app_public.search_result is $$@foreignKey (post_id) references app_public.posts (id)|@fieldName post|@notNull
A post that a search has found.$$;
comment on column app_public.search_result.post_id is E'@notNull\nThe post.';
comment on column app_public.search_result.rank is E'@notNull\nThe greater, the better the match: 1 and more for the words themselves, less for a similar title. Compare it within one search only.';
comment on column app_public.search_result.text is E'@behavior -*\nThe text that was searched for.';
--! Included functions/search.sql
-- Security definer: under policies PostgreSQL may not use an index of words, because their operators are not leakproof. So this function
-- names the rows that the viewer may see, and searches each kind of them by its own index: published posts, the viewer's own, and for
-- admins all others. No other row is looked at, and search() reads the posts that are found under the policies.
--
-- The newest posts of each kind that have the words are ranked, 200 published ones at most: a word that every post has would rank them all. Planned for each call,
-- so that PostgreSQL reads the newest posts for a frequent word, and the index of words for a rare one.
create or replace function app_hidden.find_posts(text text, tag text default null, author_id bigint default null)
returns table (post_id bigint, rank float8)
language plpgsql stable security definer rows 200
set search_path = '' set plan_cache_mode = 'force_custom_plan' set pg_trgm.word_similarity_threshold = 0.5 as $$
#variable_conflict use_column
declare
  v_text text := app_hidden.normal_text(find_posts.text, 200, true);
  v_similar text;
  v_query tsquery;
  v_author bigint := find_posts.author_id;
  v_tag bigint;
  v_viewer bigint := app_hidden.viewer_id();
  v_is_admin boolean := app_hidden.viewer_is_admin();
  v_found bigint[];
  v_ranks float8[];
begin
  perform app_hidden.refuse_faults(case
    when char_length(v_text) > 200 then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'TOO_LONG', 'message', 'A text to search for has at most 200 characters.', 'params', '{"max": 200}'::jsonb))
    -- The service writes a noncharacter for what PostgreSQL cannot store or normalise.
    when v_text ~ '[\uFDD0\uFDD2-\uFDEF\uFFFE\uFFFF]' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'CHARACTERS', 'message', 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'))
    when v_text ~ '\uFDD1' or not app_hidden.bounded_text(v_text, 200) then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'MARKS', 'message', 'Text cannot contain more than 30 combining marks in a row.'))
    when v_text !~ '\S' then jsonb_build_array(jsonb_build_object('column', 'text',
      'code', 'BLANK', 'message', 'A text to search for needs a character other than white space.'))
    else '[]' end);
  if find_posts.tag is not null then
    v_tag := (select tags.id from app_public.tags where tags.name = app_hidden.tag_name(find_posts.tag));
    if v_tag is null then
      return;
    end if;
  end if;
  v_query := app_hidden.search_query(v_text);
  -- There is nothing to look up: no words, stop words only, or only words to leave out.
  if querytree(v_query) in ('', 'T') then
    return;
  end if;

  -- 1 divides a rank by the length of the text, 32 makes it less than 1.
  select coalesce(array_agg(c.post_id), '{}'), array_agg(round(1 + ts_rank(c.words, v_query, 1 | 32)::numeric, 4)::float8) into v_found, v_ranks from (
    (select w.post_id, w.words from app_private.post_words w
      where w.is_public and w.words @@ v_query and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      order by w.listed_at desc, w.post_id desc limit 200)
     union all
    (select w.post_id, w.words from app_private.post_words w
      where not w.is_public and w.author_id = v_viewer and w.words @@ v_query and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      order by w.listed_at desc, w.post_id desc limit 100)
     union all
    (select w.post_id, w.words from app_private.post_words w
      where v_is_admin and not w.is_public and w.author_id is distinct from v_viewer and w.words @@ v_query and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      order by w.listed_at desc, w.post_id desc limit 100)
  ) as c;
  return query select * from unnest(v_found, v_ranks);

  -- Too little: titles with spelling mistakes, or with another form of the words. A word similarity is from 0 to 1. Not with operators: a
  -- title would be similar to a word that is to be left out.
  if cardinality(v_found) < 10 and v_query = plainto_tsquery(app_hidden.search_language(), v_text) then
    v_similar := app_hidden.similar_text(v_text);
    return query
    select c.post_id, round(app_hidden.word_similarity(v_similar, c.title)::numeric * 0.999, 4)::float8 as rank from (
    (select w.post_id, w.title from app_private.post_words w
      where w.is_public and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      limit 1000)
     union all
    (select w.post_id, w.title from app_private.post_words w
      where not w.is_public and w.author_id = v_viewer and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      limit 1000)
     union all
    (select w.post_id, w.title from app_private.post_words w
      where v_is_admin and not w.is_public and w.author_id is distinct from v_viewer and w.title operator(app_hidden.%>) v_similar and (v_author is null or w.author_id = v_author)
        and (v_tag is null or exists (select from app_public.post_tags t where t.post_id = w.post_id and t.tag_id = v_tag))
      limit 1000)
    ) as c
     where c.post_id <> all (v_found)
     order by rank desc, c.post_id desc limit 200;
  end if;
end $$;
comment on function app_hidden.find_posts(text, text, bigint) is $$The posts that the viewer may see and that have the words, with their ranks, from 1 to 2. If there are fewer than 10, also those with a similar title, with ranks below 1.$$;
grant execute on function app_hidden.find_posts(text, text, bigint) to :API_ANONYMOUS, :API_MEMBER;

-- The policies are asked for the rows of a page only, in their order.
create or replace function app_public.search(
  text text, tag text default null, author_id bigint default null, page int default null
) returns setof app_public.search_result
language sql stable as $$
  select found.post_id, found.rank, search.text
    from (select * from app_hidden.find_posts(search.text, search.tag, search.author_id) order by rank desc, post_id desc limit search.page) as found
   where exists (select from app_public.posts where posts.id = found.post_id offset 0)
   order by found.rank desc, found.post_id desc
$$;
comment on function app_public.search(text, text, bigint, int) is $$@pageArgument page
@listOrder rank desc, post_id desc
@describe text The words to look for, at most 200 characters. “Several words” all have to be found, in any order; "in quotes" one after the other; or between them for either; a minus before one to leave it out.
@describe tag Search only posts with this tag, in any case.
@describe author_id Search only posts of this user.
The posts that you may see and that have the words, best first. Of a frequent word, the newest 200 posts are ranked. If fewer than 10 are found, posts with a similar title follow, so that spelling mistakes are forgiven.$$;
grant execute on function app_public.search(text, text, bigint, int) to :API_ANONYMOUS, :API_MEMBER;

-- The text becomes HTML before its words are marked, so that nothing but the marks is markup. The cost is such that PostgreSQL marks the words
-- of the rows of a page only.
create or replace function app_public.search_result_title_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select ts_headline(app_hidden.search_language(), app_hidden.html_text(title),
           app_hidden.search_query(app_hidden.normal_text(search_result.text, 200, true)),
           'HighlightAll=true, StartSel=<mark>, StopSel=</mark>')
    from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_title_html(app_public.search_result) is $$@notNull
The title, as HTML that is safe to show: matches are in <mark>, and the rest is escaped text.$$;
grant execute on function app_public.search_result_title_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;

-- Of a very long text, the first 20,000 characters are looked at, which takes some milliseconds.
create or replace function app_public.search_result_fragments_html(search_result app_public.search_result) returns text
language sql stable cost 1000
return (
  select ts_headline(app_hidden.search_language(), app_hidden.html_text(left(content, 20000)),
           app_hidden.search_query(app_hidden.normal_text(search_result.text, 200, true)),
           'MaxFragments=2, MinWords=10, MaxWords=30, FragmentDelimiter=" … ", StartSel=<mark>, StopSel=</mark>')
    from app_public.posts where id = search_result.post_id);
comment on function app_public.search_result_fragments_html(app_public.search_result) is $$@notNull
The parts of the content around the first matches, with “…” between them, as HTML that is safe to show: matches are in <mark>, and the rest is escaped text. Without a match, the beginning.$$;
grant execute on function app_public.search_result_fragments_html(app_public.search_result) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/search.sql

--! split: 200-profiles.sql
-- Users edit their profiles. An avatar is a URL that a page can show, and no other text.
--! Included functions/tg_users__prepare.sql
create or replace function app_hidden.tg_users__prepare() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.bio := case when new.bio ~ '\S' then new.bio end;
  new.avatar := nullif(new.avatar, '');
  return new;
end $$;
comment on function app_hidden.tg_users__prepare() is $$Before a user is written: a blank bio and an empty avatar become null.$$;
--! EndIncluded functions/tg_users__prepare.sql
create or replace trigger _100_prepare before insert or update on app_public.users
  for each row execute function app_hidden.tg_users__prepare();

-- Not valid: avatars that were written in SQL stay until their users change their profiles.
alter table app_public.users drop constraint if exists users_avatar_url_check;
alter table app_public.users add constraint users_avatar_url_check
  check (avatar ~ '^https://[^[:space:]/?#@"<>\\^`{|}]+([/?#][^[:space:]"<>\\^`{|}]*)?$') not valid;
comment on constraint users_avatar_url_check on app_public.users is $$An avatar is a URL that begins with https://.$$;

drop policy if exists update_own on app_public.users;
create policy update_own on app_public.users for update to :API_MEMBER
  using (id = (select app_hidden.viewer_id()));

drop function if exists app_public.update_profile;
drop type if exists app_public.update_profile_input;
create type app_public.update_profile_input as ();
comment on type app_public.update_profile_input is $$The changes to a profile. Fields that are missing or null stay unchanged. An empty text removes the bio or the avatar.$$;
select app_hidden.accept('app_public.users', '{name,bio,avatar}', on_update => 'app_public.update_profile_input');
--! Included functions/update_profile.sql
create or replace function app_public.update_profile(input app_public.update_profile_input) returns app_public.users
language plpgsql volatile set search_path = '' as $$
declare
  v_user app_public.users;
begin
  return app_hidden.update_row(v_user, app_hidden.viewer_id(), to_jsonb(input), 'user');
end $$;
comment on function app_public.update_profile(app_public.update_profile_input) is $$Changes your profile. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_profile(app_public.update_profile_input) to :API_MEMBER;
--! EndIncluded functions/update_profile.sql

--! split: 210-follows.sql
-- Lists of followers and of followed users, newest follow first, and whether the viewer follows a user.
create index if not exists follows_followed_id_created_at_follower_id_idx on app_public.follows (followed_id, created_at desc, follower_id desc);
create index if not exists follows_follower_id_created_at_followed_id_idx on app_public.follows (follower_id, created_at desc, followed_id desc);
-- The first of these indexes serves the foreign key.
drop index if exists app_public.follows_followed_id_idx;

--! Included functions/count_follows.sql
create or replace function app_hidden.count_followers(followed_id bigint) returns bigint
language sql stable
return (select coalesce(sum(rows), 0)::bigint from app_hidden.counts
         where name = 'follows.followed_id' and key = count_followers.followed_id::text);
comment on function app_hidden.count_followers(bigint) is $$The number of users who follow a user.$$;
grant execute on function app_hidden.count_followers(bigint) to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.count_following(follower_id bigint) returns bigint
language sql stable
return (select coalesce(sum(rows), 0)::bigint from app_hidden.counts
         where name = 'follows.follower_id' and key = count_following.follower_id::text);
comment on function app_hidden.count_following(bigint) is $$The number of users whom a user follows.$$;
grant execute on function app_hidden.count_following(bigint) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/count_follows.sql
comment on table app_public.follows is E'@manyToMany\nWhich user follows which.';
comment on constraint follows_followed_id_fkey on app_public.follows is E'@fieldName following\n@connectionOnly\n@listOrder created_at desc, follower_id desc\n@totalCount app_hidden.count_followers\n@describe list The users who follow this user. Newest follow first.';
comment on constraint follows_follower_id_fkey on app_public.follows is E'@fieldName followers\n@connectionOnly\n@listOrder created_at desc, followed_id desc\n@totalCount app_hidden.count_following\n@describe list The users whom this user follows. Newest follow first.';
--! Included functions/users_is_followed_by_me.sql
create or replace function app_public.users_is_followed_by_me(users app_public.users) returns boolean
language sql stable
return exists (select from app_public.follows
                where follower_id = (select app_hidden.viewer_id()) and followed_id = users.id);
comment on function app_public.users_is_followed_by_me(app_public.users) is $$@notNull
Whether you follow this user. False for a request without a token.$$;
grant execute on function app_public.users_is_followed_by_me(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_is_followed_by_me.sql

--! split: 220-account-tokens.sql
-- E-mails are confirmed and changed, and forgotten passwords are reset, by tokens that work once. The service sends no mail: it
-- puts a row into an outbox, which the operator's mailer takes.
create table if not exists app_private.account_tokens (
  token_hash bytea primary key,
  kind       text not null,
  account    text not null,
  user_id    bigint references app_public.users on delete cascade,
  email      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint account_tokens_kind_check check (kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL', 'RESET_PASSWORD'))
);
comment on table app_private.account_tokens is $$Tokens that were sent by mail and not used yet.$$;
comment on column app_private.account_tokens.token_hash is $$The SHA-256 of the token. Only the mail has the token itself.$$;
comment on column app_private.account_tokens.kind is $$What the token is for: VERIFY_EMAIL, CHANGE_EMAIL or RESET_PASSWORD.$$;
comment on column app_private.account_tokens.account is $$The key of the e-mail that the token was requested for, as account_key() makes it. Counts the requests.$$;
comment on column app_private.account_tokens.user_id is $$The user; null when no mail was to be sent. Such a token is never valid, and is stored so that both cases take the same time.$$;
comment on column app_private.account_tokens.email is $$The e-mail that the token confirms; null for RESET_PASSWORD.$$;
comment on column app_private.account_tokens.created_at is $$When the token was requested.$$;
comment on column app_private.account_tokens.expires_at is $$When the token stops working.$$;
comment on constraint account_tokens_kind_check on app_private.account_tokens is $$This kind of token does not exist.$$;
create index if not exists account_tokens_account_kind_created_at_idx on app_private.account_tokens (account, kind, created_at);
create index if not exists account_tokens_user_id_idx on app_private.account_tokens (user_id);
create index if not exists account_tokens_expires_at_idx on app_private.account_tokens (expires_at);
alter table app_private.account_tokens enable row level security;

create table if not exists app_private.mail_outbox (
  id         bigint generated always as identity primary key,
  kind       text not null,
  user_id    bigint references app_public.users on delete cascade,
  email      text,
  token      text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint mail_outbox_kind_check check (kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL', 'RESET_PASSWORD', 'EMAIL_CHANGED'))
);
comment on table app_private.mail_outbox is $$Mails to send. The operator’s mailer takes them with take_mail().$$;
comment on column app_private.mail_outbox.id is $$Identifies the mail.$$;
comment on column app_private.mail_outbox.kind is $$What the mail is about: VERIFY_EMAIL, CHANGE_EMAIL and RESET_PASSWORD have a token; EMAIL_CHANGED tells the former e-mail of the change.$$;
comment on column app_private.mail_outbox.user_id is $$The user; null when no mail is to be sent.$$;
comment on column app_private.mail_outbox.email is $$Where to send the mail; null when no mail is to be sent.$$;
comment on column app_private.mail_outbox.token is $$The token. Nothing else in the database has it.$$;
comment on column app_private.mail_outbox.created_at is $$When the mail was requested.$$;
comment on column app_private.mail_outbox.expires_at is $$When the mail is useless. Maintenance then deletes it.$$;
comment on constraint mail_outbox_kind_check on app_private.mail_outbox is $$This kind of mail does not exist.$$;
create index if not exists mail_outbox_user_id_idx on app_private.mail_outbox (user_id);
create index if not exists mail_outbox_expires_at_idx on app_private.mail_outbox (expires_at);
alter table app_private.mail_outbox enable row level security;

--! Included functions/tg_mail_outbox__notify_added.sql
create or replace function app_hidden.tg_mail_outbox__notify_added() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- Any login can listen, so the notification says nothing.
  perform pg_notify('mail_outbox', '');
  return null;
end $$;
comment on function app_hidden.tg_mail_outbox__notify_added() is $$After mails are added: tells the operator’s mailer to take them.$$;
--! EndIncluded functions/tg_mail_outbox__notify_added.sql
create or replace trigger _900_notify_added after insert on app_private.mail_outbox
  for each statement execute function app_hidden.tg_mail_outbox__notify_added();
--! Included functions/take_mail.sql
-- Security definer: the mailer's login may take mails, and read nothing else.
create or replace function app_private.take_mail(batch int default 10) returns setof app_private.mail_outbox
language sql volatile security definer set search_path = '' as $$
  with taken as (
    delete from app_private.mail_outbox where id in (
      select id from app_private.mail_outbox order by id limit least(greatest(batch, 1), 1000) for update skip locked)
    returning *)
  select * from taken where email is not null and expires_at > now() order by id
$$;
comment on function app_private.take_mail(int) is $$Takes the oldest mails from the outbox. A mail that is not sent comes back when the transaction rolls back. Several mailers can work at once. For logins that admit_mailer() has admitted.$$;
--! EndIncluded functions/take_mail.sql
--! Included functions/admit_mailer.sql
create or replace function app_private.admit_mailer(login name) returns void
language plpgsql volatile set search_path = '' as $$
begin
  execute format('grant connect on database %I to %I', current_database(), login);
  execute format('grant usage on schema app_private to %I', login);
  execute format('grant execute on function app_private.take_mail(int) to %I', login);
end $$;
comment on function app_private.admit_mailer(name) is $$Lets a login take mails from the outbox, and nothing else. For operators.$$;
--! EndIncluded functions/admit_mailer.sql
--! Included functions/send_token.sql
-- The same work with and without a user, so that the time of a request does not tell whether an account exists.
create or replace function app_private.send_token(kind text, email text, user_id bigint, lifetime interval) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_account text := app_private.account_key(send_token.email);
  v_token text := encode(app_hidden.gen_random_bytes(32), 'hex');
begin
  -- One request at a time for an e-mail: concurrent requests would all see a low count.
  perform pg_advisory_xact_lock(hashtext('app_private.account_tokens'), hashtext(v_account));
  -- The second limit keeps a user from sending mails to many strangers.
  if (select count(*) >= 3 from app_private.account_tokens t
       where t.account = v_account and t.kind = send_token.kind and created_at > now() - interval '1 hour')
     or (select count(*) >= 10 from app_private.account_tokens t
          where t.user_id = send_token.user_id and created_at > now() - interval '1 hour') then
    return;
  end if;
  insert into app_private.account_tokens (token_hash, kind, account, user_id, email, expires_at)
  values (sha256(convert_to(v_token, 'UTF8')), send_token.kind, v_account, send_token.user_id,
          case when send_token.user_id is not null and send_token.kind <> 'RESET_PASSWORD' then send_token.email end,
          now() + send_token.lifetime);
  insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
  values (send_token.kind, send_token.user_id, case when send_token.user_id is not null then send_token.email end,
          case when send_token.user_id is not null then v_token end, now() + send_token.lifetime);
end $$;
comment on function app_private.send_token(text, text, bigint, interval) is $$Makes a token and puts the mail with it into the outbox. Without a user, nothing is sent. Three unused tokens of a kind in an hour are the most for an e-mail, and ten for a user; further requests do nothing.$$;
--! EndIncluded functions/send_token.sql
--! Included functions/refuse_token.sql
create or replace function app_private.refuse_token() returns void
language plpgsql immutable set search_path = '' as $$
begin
  perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'token',
    'code', 'TOKEN_INVALID', 'message', 'This token is wrong, used or expired. Request a new one.')));
end $$;
comment on function app_private.refuse_token() is $$Refuses a token that is wrong, used, expired or void. The answer does not say which.$$;
--! EndIncluded functions/refuse_token.sql

--! Included functions/tg_accounts__void_tokens.sql
-- Security definer: a role that may change accounts need not have rights on tokens.
create or replace function app_hidden.tg_accounts__void_tokens() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from app_private.account_tokens where user_id = new.user_id;
  delete from app_private.mail_outbox where user_id = new.user_id;
  return null;
end $$;
comment on function app_hidden.tg_accounts__void_tokens() is $$After the e-mail or the password has changed, or a ban: all tokens that were sent to the user by mail become invalid.$$;
--! EndIncluded functions/tg_accounts__void_tokens.sql
create or replace trigger _500_void_tokens after update on app_private.accounts
  for each row when (old.password_hash is distinct from new.password_hash or old.banned_at is distinct from new.banned_at
                  or old.email is distinct from new.email)
  execute function app_hidden.tg_accounts__void_tokens();

--! Included functions/create_user.sql
-- Security definer: the API's roles may not write users or accounts directly.
create or replace function app_public.create_user(name text, email text, password text default null) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_email text := app_hidden.normal_text(create_user.email, 254, true);
  v_faults jsonb := app_hidden.faults('app_public.users', jsonb_build_object('name', create_user.name))
                 || app_hidden.faults('app_private.accounts', jsonb_build_object('email', v_email))
                 || app_private.password_faults('password', create_user.password);
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.users (name) values (create_user.name) returning * into v_user;
  insert into app_private.accounts (user_id, email, password_hash, created_by)
  values (
    v_user.id,
    v_email,
    app_private.password_hash(create_user.password, app_hidden.gen_salt('bf', 10)),
    current_setting('app.request_id', true)
  );
  perform app_private.send_token('VERIFY_EMAIL', v_email, v_user.id, interval '7 days');
  return v_user;
end $$;
comment on function app_public.create_user(text, text, text) is $$@rateLimited
@describe name The display name: 1 to 100 characters.
@describe email An e-mail that no other user has: 3 to 254 characters.
@describe password The password: 8 to 200 characters. Without it, the user needs a token from the operator to sign in.
Signs up a new user, and sends a mail with a token for confirmEmail. The result may select the new user’s e-mail.$$;
grant execute on function app_public.create_user(text, text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/create_user.sql
--! Included functions/request_email_verification.sql
-- Security definer: the API's roles may not read accounts or write tokens.
create or replace function app_public.request_email_verification() returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  if v_account.verified_at is null then
    perform app_private.send_token('VERIFY_EMAIL', v_account.email, v_account.user_id, interval '7 days');
  end if;
  return true;
end $$;
comment on function app_public.request_email_verification() is $$Sends the signed-in user a mail with a token for confirmEmail, unless the e-mail is confirmed already. At most three such mails are sent in an hour.$$;
grant execute on function app_public.request_email_verification() to :API_MEMBER;
--! EndIncluded functions/request_email_verification.sql
--! Included functions/request_email_change.sql
-- Security definer: the API's roles may not read accounts or write tokens. A wrong password returns null and does not raise: an
-- error would roll back the count of the attempt.
create or replace function app_public.request_email_change(email text, password text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_email text := app_hidden.normal_text(request_email_change.email, 254, true);
  v_account app_private.accounts;
  v_user app_public.users;
begin
  perform app_hidden.refuse_faults(app_hidden.faults('app_private.accounts', jsonb_build_object('email', v_email)));
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  if app_private.check_password(v_account.email, request_email_change.password) is null then
    return null;
  end if;
  -- An e-mail of another account gets no mail, and the answer is the same.
  perform app_private.send_token('CHANGE_EMAIL', v_email,
    case when not exists (select from app_private.accounts a where lower(a.email) = lower(v_email)) then v_account.user_id end,
    interval '1 day');
  select * into v_user from app_public.users where id = v_account.user_id;
  return v_user;
end $$;
comment on function app_public.request_email_change(text, text) is $$@rateLimited
@unauthorizedWhenNull id WRONG_PASSWORD: The password is wrong.
@describe email The new e-mail: 3 to 254 characters.
@describe password The password of the signed-in user.
Sends a mail with a token for confirmEmail to a new e-mail. The e-mail changes when the token is used, within a day. The answer is the same when another user has this e-mail; then nothing is sent. At most three such mails are sent to an e-mail in an hour, and ten by a user.$$;
grant execute on function app_public.request_email_change(text, text) to :API_MEMBER;
--! EndIncluded functions/request_email_change.sql
--! Included functions/confirm_email.sql
-- Security definer: the API's roles may not read tokens or write accounts. The caller need not be signed in.
create or replace function app_public.confirm_email(token text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_hash bytea := sha256(convert_to(confirm_email.token, 'UTF8'));
  v_account app_private.accounts;
  v_token app_private.account_tokens;
begin
  -- Lock the account first, as a ban does, which then deletes the tokens. Another order could deadlock.
  select * into v_account from app_private.accounts
   where user_id = (select user_id from app_private.account_tokens where token_hash = v_hash) for update;
  delete from app_private.account_tokens
   where token_hash = v_hash and kind in ('VERIFY_EMAIL', 'CHANGE_EMAIL') and user_id = v_account.user_id and expires_at > now()
  returning * into v_token;
  if v_token.user_id is null or v_account.banned_at is not null then
    perform app_private.refuse_token();
  end if;
  update app_private.accounts set email = v_token.email, verified_at = now() where user_id = v_account.user_id;
  if v_token.kind = 'CHANGE_EMAIL' then
    insert into app_private.mail_outbox (kind, user_id, email, expires_at)
    values ('EMAIL_CHANGED', v_account.user_id, v_account.email, now() + interval '7 days');
  end if;
  return true;
exception when unique_violation then
  -- Meanwhile the e-mail belongs to another account.
  perform app_private.refuse_token();
end $$;
comment on function app_public.confirm_email(text) is $$@withoutToken
@describe token The token from a mail.
Confirms the e-mail to which a mail with a token was sent. After requestEmailChange it becomes the user’s e-mail, and a mail tells the former one. A token works once.$$;
grant execute on function app_public.confirm_email(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/confirm_email.sql
--! Included functions/request_password_reset.sql
-- Security definer: the API's roles may not read accounts or write tokens. The caller need not be signed in.
create or replace function app_public.request_password_reset(email text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts
   where lower(accounts.email) = lower(app_hidden.normal_text(request_password_reset.email, 254, true)) and banned_at is null;
  -- The stored e-mail, not the given one, which may differ in its letter case: another mailbox at some providers.
  perform app_private.send_token('RESET_PASSWORD', coalesce(v_account.email, request_password_reset.email), v_account.user_id, interval '1 hour');
  return true;
end $$;
comment on function app_public.request_password_reset(text) is $$@rateLimited
@withoutToken
@describe email The e-mail of the account.
Sends a mail with a token for resetPassword, which works for an hour, if a user has this e-mail. The answer is always true. At most three such mails are sent to an e-mail in an hour.$$;
grant execute on function app_public.request_password_reset(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/request_password_reset.sql
--! Included functions/reset_password.sql
-- Security definer: the API's roles may not read tokens or write passwords. The caller need not be signed in.
create or replace function app_public.reset_password(token text, new_password text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_hash bytea := sha256(convert_to(reset_password.token, 'UTF8'));
  v_account app_private.accounts;
begin
  perform app_hidden.refuse_faults(app_private.password_faults('new_password', reset_password.new_password));
  -- Lock the account first, as a ban does, which then deletes the tokens. Another order could deadlock.
  select * into v_account from app_private.accounts
   where user_id = (select user_id from app_private.account_tokens where token_hash = v_hash) for update;
  delete from app_private.account_tokens
   where token_hash = v_hash and kind = 'RESET_PASSWORD' and user_id = v_account.user_id and expires_at > now();
  if not found or v_account.banned_at is not null then
    perform app_private.refuse_token();
  end if;
  update app_private.accounts
     set password_hash = app_private.password_hash(reset_password.new_password, app_hidden.gen_salt('bf', 10)),
         verified_at = coalesce(verified_at, now())
   where user_id = v_account.user_id;
  -- The owner of the mailbox need not wait for the end of a limit that wrong passwords have reached.
  delete from app_private.failed_sign_ins where account = app_private.account_key(v_account.email);
  return true;
end $$;
comment on function app_public.reset_password(text, text) is $$@rateLimited
@withoutToken
@describe token The token from a mail that requestPasswordReset has sent.
@describe new_password The new password: 8 to 200 characters.
Sets a new password, and ends all of the user’s sessions. The e-mail counts as confirmed. A token works once.$$;
grant execute on function app_public.reset_password(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/reset_password.sql
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

  delete from app_private.account_tokens where token_hash in (
    select token_hash from app_private.account_tokens where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('account_tokens', v_count);

  delete from app_private.mail_outbox where id in (
    select id from app_private.mail_outbox where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('mail_outbox', v_count);

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
  delete from app_private.idempotency_keys where ctid = any (array(
    select ctid from app_private.idempotency_keys where created_at < now() - interval '1 day'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('idempotency_keys', v_count);

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
  v_count := app_private.index_posts(least(v_batch, 500));
  done := done || jsonb_build_object('indexed_posts', v_count);
  is_complete := is_complete and v_count < least(v_batch, 500);
  if is_complete then
    perform app_private.merge_counts();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, expired tokens and mails, networks, rate-limited calls, idempotency keys, notifications, events of streams and unused tags. Corrects rows whose visibility changed. Finds the words of posts for the search. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql

--! split: 230-delete-user.sql
-- Users delete their accounts, with all their data.
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
  delete from app_private.account_tokens where account = app_private.account_key(v_email);
  delete from app_private.rate_limited_calls
   where key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', sender_id = null where sender_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
  delete from app_private.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_private.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_hidden.counts where name = any (v_counts) and key = erase_user.user_id::text;
  delete from app_hidden.counts where split_part(name, ',', 1) = any (v_counts) and key like erase_user.user_id || ',%';
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
--! Included functions/keep_an_admin.sql
create or replace function app_private.keep_an_admin(user_id bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- Changes of admins take turns: two at once would each see the other admin.
  perform from app_public.users where role = 'ADMIN' order by id for no key update;
  if exists (select from app_public.users where id = keep_an_admin.user_id and role = 'ADMIN')
     and not exists (select from app_public.users join app_private.accounts a on a.user_id = users.id
                      where role = 'ADMIN' and banned_at is null and users.id <> keep_an_admin.user_id) then
    perform app_hidden.refuse_unauthorized();
  end if;
end $$;
comment on function app_private.keep_an_admin(bigint) is $$Refuses if the user is the last admin who is not banned. Until the transaction ends, no other one changes admins.$$;
--! EndIncluded functions/keep_an_admin.sql
--! Included functions/delete_user.sql
-- Security definer: the API's roles may not delete users. A wrong password returns null and does not raise: an error would roll
-- back the count of the attempt.
create or replace function app_public.delete_user(password text) returns app_public.delete_result
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_account app_private.accounts;
begin
  select * into v_account from app_private.accounts where user_id = app_hidden.viewer_id();
  -- Lock in the order of check_password(), first the attempts, then the row. Another order could deadlock.
  perform app_private.refuse_guessing(app_private.account_key(v_account.email), v_account.user_id);
  perform from app_private.accounts where user_id = v_account.user_id for update;
  if app_private.check_password(v_account.email, delete_user.password) is null then
    return null;
  end if;
  if app_hidden.viewer_is_admin() then
    perform app_private.keep_an_admin(v_account.user_id);
  end if;
  perform app_private.erase_user(v_account.user_id);
  return (true, format('User %s is deleted.', v_account.user_id), v_account.user_id, 'app_public.users')::app_public.delete_result;
end $$;
comment on function app_public.delete_user(text) is $$@unauthorizedWhenNull success WRONG_PASSWORD: The password is wrong.
@describe password The password. An account without one sets it first, with changePassword.
Deletes the signed-in user at once and for good: the account, all sessions, posts with all their comments, comments, follows, memberships of chats and reports. Messages in chats stay, without their sender and with the text [erased]. The e-mail can sign up again. The last admin is refused.$$;
grant execute on function app_public.delete_user(text) to :API_MEMBER;
--! EndIncluded functions/delete_user.sql

--! split: 240-moderation.sql
-- Moderation: users report posts and comments, and admins read the reports, ban users and change roles.
drop table if exists app_public.reports cascade;
drop type if exists app_public.report_status;
drop table if exists app_public.bans cascade;

-- Bans: why a user cannot sign in. app_private.accounts.banned_at is what requests look at.
create table app_public.bans (
  id           bigint generated always as identity primary key,
  user_id      bigint not null references app_public.users on delete cascade,
  reason       text not null,
  banned_by_id bigint references app_public.users on delete set null,
  created_at   timestamptz not null default now(),
  constraint bans_user_id_key unique (user_id),
  constraint bans_reason_length_check check (char_length(reason) between 1 and 1000),
  constraint bans_reason_blank_check check (reason ~ '\S' or reason = '')
);
comment on table app_public.bans is E'@listOrder created_at desc, id desc\n@describe listOrder Newest first.\nA ban of a user. Only admins see it.';
comment on column app_public.bans.id is $$The ban’s id.$$;
comment on column app_public.bans.user_id is $$The banned user.$$;
comment on column app_public.bans.reason is $$The reason, for other admins.$$;
comment on column app_public.bans.banned_by_id is $$The admin who banned the user; null when the admin is deleted, and for direct SQL.$$;
comment on column app_public.bans.created_at is $$The time of the ban.$$;
comment on constraint bans_user_id_key on app_public.bans is E'@behavior -single\nThis user is banned already.';
comment on constraint bans_reason_length_check on app_public.bans is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint bans_reason_blank_check on app_public.bans is $$A reason needs more than spaces.$$;
comment on constraint bans_user_id_fkey on app_public.bans is '@notNull';
comment on constraint bans_banned_by_id_fkey on app_public.bans is E'@fieldName bannedBy\n@backwardBehavior -*';
create index bans_created_at_id_idx on app_public.bans (created_at desc, id desc);
create index bans_banned_by_id_idx on app_public.bans (banned_by_id);
select app_hidden.protect('app_public.bans');
create policy select_as_admin on app_public.bans for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.bans to :API_MEMBER;
-- No writes: ban_user() and unban_user(), and plain SQL, which has the same effect.
--! Included functions/tg_bans__bar_user.sql
-- Security definer: a role that may write bans need not have rights on accounts.
create or replace function app_hidden.tg_bans__bar_user() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    update app_private.accounts set banned_at = now() where user_id = new.user_id and banned_at is null;
  else
    update app_private.accounts set banned_at = null where user_id = old.user_id and banned_at is not null;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_bans__bar_user() is $$After a ban is added or removed: the account has it, too. Its triggers end the user’s sessions, subscriptions and tokens.$$;
--! EndIncluded functions/tg_bans__bar_user.sql
create or replace trigger _500_bar_user after insert or delete on app_public.bans
  for each row execute function app_hidden.tg_bans__bar_user();

create type app_public.report_status as enum ('OPEN', 'UPHELD', 'DISMISSED');
comment on type app_public.report_status is $$@describe OPEN No admin has decided yet.
@describe UPHELD An admin has agreed.
@describe DISMISSED An admin has not agreed.
The state of a report.$$;

-- Reports: what readers find wrong. The author never learns of them.
create table app_public.reports (
  id             bigint generated always as identity primary key,
  status         app_public.report_status not null default 'OPEN',
  reporter_id    bigint not null references app_public.users on delete cascade,
  post_id        bigint references app_public.posts on delete cascade,
  comment_id     bigint references app_public.comments on delete cascade,
  reason         text not null,
  created_at     timestamptz not null default now(),
  note           text,
  resolved_by_id bigint references app_public.users on delete set null,
  resolved_at    timestamptz,
  constraint reports_reporter_id_post_id_key unique (reporter_id, post_id),
  constraint reports_reporter_id_comment_id_key unique (reporter_id, comment_id),
  constraint reports_target_check check (num_nonnulls(post_id, comment_id) = 1),
  constraint reports_resolved_at_check check ((status = 'OPEN') = (resolved_at is null)),
  constraint reports_reason_length_check check (char_length(reason) between 1 and 1000),
  constraint reports_reason_blank_check check (reason ~ '\S' or reason = ''),
  constraint reports_note_length_check check (char_length(note) <= 1000)
);
comment on table app_public.reports is E'@listOrder created_at, id\n@describe listOrder Oldest first.\n@totalCount app_hidden.count_reports status\nA report of a post or a comment. Only admins see it.';
comment on column app_public.reports.id is $$The report’s id.$$;
comment on column app_public.reports.status is E'@listFilter\nOPEN until an admin has decided.';
comment on column app_public.reports.reporter_id is $$The user who reported it.$$;
comment on column app_public.reports.post_id is $$The reported post; null for a comment.$$;
comment on column app_public.reports.comment_id is $$The reported comment; null for a post.$$;
comment on column app_public.reports.reason is $$The reason that the reporter gave.$$;
comment on column app_public.reports.created_at is $$The time of the report.$$;
comment on column app_public.reports.note is $$A note by the admin who decided.$$;
comment on column app_public.reports.resolved_by_id is $$The admin who decided; null while the report is open, and when the admin is deleted.$$;
comment on column app_public.reports.resolved_at is $$The time of the decision; null while the report is open.$$;
comment on constraint reports_reporter_id_post_id_key on app_public.reports is E'@behavior -single\nYou have reported this post already.';
comment on constraint reports_reporter_id_comment_id_key on app_public.reports is E'@behavior -single\nYou have reported this comment already.';
comment on constraint reports_target_check on app_public.reports is $$A report is about either a post or a comment.$$;
comment on constraint reports_resolved_at_check on app_public.reports is $$A report has the time of its decision, unless it is open.$$;
comment on constraint reports_reason_length_check on app_public.reports is $$A reason needs between 1 and 1000 characters.$$;
comment on constraint reports_reason_blank_check on app_public.reports is $$A reason needs more than spaces.$$;
comment on constraint reports_note_length_check on app_public.reports is $$A note has at most 1000 characters.$$;
comment on constraint reports_reporter_id_fkey on app_public.reports is E'@notNull\n@backwardBehavior -*';
comment on constraint reports_post_id_fkey on app_public.reports is '@backwardBehavior -*';
comment on constraint reports_comment_id_fkey on app_public.reports is '@backwardBehavior -*';
comment on constraint reports_resolved_by_id_fkey on app_public.reports is '@backwardBehavior -*';
create index reports_created_at_id_idx on app_public.reports (created_at, id);
create index reports_status_created_at_id_idx on app_public.reports (status, created_at, id);
create index reports_post_id_idx on app_public.reports (post_id);
create index reports_comment_id_idx on app_public.reports (comment_id);
create index reports_resolved_by_id_idx on app_public.reports (resolved_by_id);
-- For the number of reports that a user has made lately.
create index reports_reporter_id_created_at_idx on app_public.reports (reporter_id, created_at);
select app_hidden.protect('app_public.reports');
create policy select_as_admin on app_public.reports for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy insert_own on app_public.reports for insert to :API_MEMBER
  with check (reporter_id = (select app_hidden.viewer_id())
          and (post_id is null or exists (select from app_public.posts where posts.id = reports.post_id))
          and (comment_id is null or exists (select from app_public.comments where comments.id = reports.comment_id)));
create policy update_as_admin on app_public.reports for update to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select, insert (reporter_id, post_id, comment_id, reason), update (status, note, resolved_by_id, resolved_at)
  on app_public.reports to :API_MEMBER;
--! Included functions/tg_reports__bound.sql
-- Security definer: reporters do not see their own reports.
create or replace function app_hidden.tg_reports__bound() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_blocked_at timestamptz := (
    select created_at from app_public.reports
     where reporter_id = new.reporter_id and created_at > now() - interval '1 day'
     order by created_at desc offset 49 limit 1);
begin
  if v_blocked_at is not null then
    raise exception using errcode = 'RATEL', message = 'Too many reports',
      detail = greatest(1, ceil(extract(epoch from v_blocked_at + interval '1 day' - now())))::text;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_reports__bound() is $$Before a report is added: refuses more than fifty reports of a user within a day.$$;
--! EndIncluded functions/tg_reports__bound.sql
create or replace trigger _300_bound before insert on app_public.reports
  for each row execute function app_hidden.tg_reports__bound();
select app_private.count_rows('app_public.reports', 'status');
--! Included functions/count_reports.sql
create or replace function app_hidden.count_reports(status app_public.report_status default null) returns bigint
language sql stable
-- The policies of counts show these to admins only.
return (select coalesce(sum(rows), 0)::bigint from app_hidden.counts
         where name = 'reports.status' and (count_reports.status is null or key = count_reports.status::text));
comment on function app_hidden.count_reports(app_public.report_status) is $$The number of reports, or of those with a status, for admins; 0 for others.$$;
grant execute on function app_hidden.count_reports(app_public.report_status) to :API_MEMBER;
--! EndIncluded functions/count_reports.sql

--! Included functions/ban_user.sql
-- Security definer: the API's roles may not write bans or accounts.
create or replace function app_public.ban_user(user_id bigint, reason text) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user app_public.users;
begin
  if not app_hidden.viewer_is_admin() then
    perform app_hidden.refuse_unauthorized();
  end if;
  -- Locked, so that the user does not become an admin meanwhile.
  select * into v_user from app_public.users where id = ban_user.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  elsif v_user.id = app_hidden.viewer_id() then
    perform app_hidden.refuse_faults('[{"column": "user_id", "code": "ONESELF", "message": "You cannot ban yourself."}]');
  elsif v_user.role = 'ADMIN' then
    perform app_hidden.refuse_faults('[{"column": "user_id", "code": "ADMIN", "message": "An admin cannot be banned. Change the role first."}]');
  end if;
  insert into app_public.bans (user_id, reason, banned_by_id)
  values (v_user.id, ban_user.reason, app_hidden.viewer_id())
  on conflict on constraint bans_user_id_key do update set reason = excluded.reason, banned_by_id = excluded.banned_by_id
   where bans.reason <> excluded.reason;
  return v_user;
end $$;
comment on function app_public.ban_user(bigint, text) is $$@describe user_id The user to ban.
@describe reason The reason, for other admins: 1 to 1,000 characters.
Bans a user, as an admin: all sessions and subscriptions end at once, and the user can neither sign in nor reset the password. What the user has written stays. A second ban changes the reason.$$;
grant execute on function app_public.ban_user(bigint, text) to :API_MEMBER;
--! EndIncluded functions/ban_user.sql
--! Included functions/unban_user.sql
-- Security definer: the API's roles may not write bans or accounts.
create or replace function app_public.unban_user(user_id bigint) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user app_public.users;
begin
  if not app_hidden.viewer_is_admin() then
    perform app_hidden.refuse_unauthorized();
  end if;
  select * into v_user from app_public.users where id = unban_user.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  end if;
  delete from app_public.bans where bans.user_id = v_user.id;
  -- A ban that an operator has set in SQL has no row.
  update app_private.accounts set banned_at = null where accounts.user_id = v_user.id and banned_at is not null;
  return v_user;
end $$;
comment on function app_public.unban_user(bigint) is $$@describe user_id The user who may sign in again.
Lifts the ban of a user, as an admin. Former sessions stay ended. Idempotent.$$;
grant execute on function app_public.unban_user(bigint) to :API_MEMBER;
--! EndIncluded functions/unban_user.sql
--! Included functions/set_user_role.sql
-- Security definer: the API's roles may not write roles.
create or replace function app_public.set_user_role(user_id bigint, role app_public.user_role) returns app_public.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_user app_public.users;
begin
  if not app_hidden.viewer_is_admin() then
    perform app_hidden.refuse_unauthorized();
  end if;
  -- Changes of admins take turns. Two admins who demote each other: the second one is no admin any more.
  perform from app_public.users where users.role = 'ADMIN' order by id for no key update;
  if not app_hidden.viewer_is_admin() then
    perform app_hidden.refuse_unauthorized();
  end if;
  select * into v_user from app_public.users where id = set_user_role.user_id for no key update;
  if not found then
    perform app_hidden.refuse_missing('user');
  elsif v_user.id = app_hidden.viewer_id() then
    perform app_hidden.refuse_faults('[{"column": "user_id", "code": "ONESELF", "message": "You cannot change your own role."}]');
  elsif set_user_role.role = 'ADMIN' and exists (
    select from app_private.accounts where accounts.user_id = v_user.id and banned_at is not null) then
    perform app_hidden.refuse_faults('[{"column": "user_id", "code": "BANNED", "message": "A banned user cannot become an admin."}]');
  end if;
  update app_public.users set role = set_user_role.role where id = v_user.id and users.role <> set_user_role.role;
  select * into v_user from app_public.users where id = v_user.id;
  return v_user;
end $$;
comment on function app_public.set_user_role(bigint, app_public.user_role) is $$@describe user_id The user whose role changes.
@describe role The new role.
Changes the role of another user, as an admin. Nobody changes their own role, so an admin always remains.$$;
grant execute on function app_public.set_user_role(bigint, app_public.user_role) to :API_MEMBER;
--! EndIncluded functions/set_user_role.sql
--! Included functions/report_post.sql
create or replace function app_public.report_post(post_id bigint, reason text) returns boolean
language plpgsql volatile set search_path = '' as $$
begin
  perform app_hidden.require_row('app_public.posts', report_post.post_id, 'post');
  insert into app_public.reports (reporter_id, post_id, reason)
  values (app_hidden.viewer_id(), report_post.post_id, report_post.reason)
  on conflict do nothing;
  return true;
end $$;
comment on function app_public.report_post(bigint, text) is $$@describe post_id The post to report.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a post to the admins. The author never learns of it. Idempotent: the first report of a post by a user stays. More than fifty reports in a day give RATE_LIMITED.$$;
grant execute on function app_public.report_post(bigint, text) to :API_MEMBER;
--! EndIncluded functions/report_post.sql
--! Included functions/report_comment.sql
create or replace function app_public.report_comment(comment_id bigint, reason text) returns boolean
language plpgsql volatile set search_path = '' as $$
begin
  perform app_hidden.require_row('app_public.comments', report_comment.comment_id, 'comment');
  insert into app_public.reports (reporter_id, comment_id, reason)
  values (app_hidden.viewer_id(), report_comment.comment_id, report_comment.reason)
  on conflict do nothing;
  return true;
end $$;
comment on function app_public.report_comment(bigint, text) is $$@describe comment_id The comment to report.
@describe reason The reason, for admins: 1 to 1,000 characters.
Reports a comment to the admins. The author never learns of it. Idempotent: the first report of a comment by a user stays. More than fifty reports in a day give RATE_LIMITED.$$;
grant execute on function app_public.report_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/report_comment.sql
--! Included functions/resolve_report.sql
create or replace function app_public.resolve_report(id bigint, status app_public.report_status, note text default null) returns app_public.reports
language plpgsql volatile set search_path = '' as $$
declare
  v_report app_public.reports;
begin
  update app_public.reports
     set status = resolve_report.status,
         note = resolve_report.note,
         resolved_by_id = case when resolve_report.status <> 'OPEN' then app_hidden.viewer_id() end,
         resolved_at = case when resolve_report.status <> 'OPEN' then now() end
   where reports.id = resolve_report.id
  returning * into v_report;
  if not found then
    perform app_hidden.refuse_missing('report');
  end if;
  return v_report;
end $$;
comment on function app_public.resolve_report(bigint, app_public.report_status, text) is $$@describe id The report to decide.
@describe status The decision; OPEN reopens the report.
@describe note A note for other admins: at most 1,000 characters.
Decides a report, as an admin. It changes neither the post nor the comment, and bans nobody.$$;
grant execute on function app_public.resolve_report(bigint, app_public.report_status, text) to :API_MEMBER;
--! EndIncluded functions/resolve_report.sql

--! split: 300-comments.sql
-- Comments can be read one by one, changed, answered and counted. The author of a post may delete the comments on it.
alter table app_public.comments add column if not exists reply_to_id bigint references app_public.comments on delete cascade;
comment on column app_public.comments.reply_to_id is E'@listFilter isNull:topLevel\nThe comment that this one replies to. Null for a comment on the post itself.';
-- No default: the comments that exist have never changed.
alter table app_public.comments add column if not exists updated_at timestamptz;
comment on column app_public.comments.updated_at is $$The time of the last change. Null when the comment has never changed.$$;

-- For Comment.replies, oldest first, and the foreign key.
create index if not exists comments_reply_to_id_created_at_id_idx on app_public.comments (reply_to_id, created_at, id);
-- For Post.comments(topLevel: true).
create index if not exists comments_post_id_created_at_id_top_level_idx on app_public.comments (post_id, created_at, id) where reply_to_id is null;
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
create or replace function app_public.create_comment(post_id bigint, text text, reply_to_id bigint default null, idempotency_key text default null) returns app_public.comments
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
begin
  if create_comment.idempotency_key is not null then
    v_comment := app_hidden.earlier_result(v_comment, create_comment.idempotency_key, jsonb_build_object('post_id', create_comment.post_id, 'text', create_comment.text, 'reply_to_id', create_comment.reply_to_id));
    if v_comment.id is not null then
      return v_comment;
    end if;
  end if;
  perform app_hidden.require_row('app_public.posts', create_comment.post_id, 'post');
  insert into app_public.comments (post_id, author_id, text, reply_to_id)
  values (create_comment.post_id, app_hidden.viewer_id(), create_comment.text, create_comment.reply_to_id)
  returning * into v_comment;
  if create_comment.idempotency_key is not null then
    perform app_hidden.keep_result(create_comment.idempotency_key, v_comment.id);
  end if;
  return v_comment;
end $$;
comment on function app_public.create_comment(bigint, text, bigint, text) is $$@describe post_id The post to comment on.
@describe text The text: 1 to 5,000 characters.
@describe reply_to_id The comment to reply to, on the same post and no reply itself.
@describe idempotency_key A value of your choice, 1 to 255 characters, such as a UUID. A call that is repeated with it within a day answers with the same comment and creates nothing.
Adds a comment to a post, or a reply to a comment.$$;
grant execute on function app_public.create_comment(bigint, text, bigint, text) to :API_MEMBER;
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
        -- A row of which only such columns differ has followed another row's change.
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

  delete from app_private.account_tokens where token_hash in (
    select token_hash from app_private.account_tokens where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('account_tokens', v_count);

  delete from app_private.mail_outbox where id in (
    select id from app_private.mail_outbox where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('mail_outbox', v_count);

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
  delete from app_private.idempotency_keys where ctid = any (array(
    select ctid from app_private.idempotency_keys where created_at < now() - interval '1 day'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('idempotency_keys', v_count);

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
  v_count := app_private.index_posts(least(v_batch, 500));
  done := done || jsonb_build_object('indexed_posts', v_count);
  is_complete := is_complete and v_count < least(v_batch, 500);
  if is_complete then
    perform app_private.merge_counts();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, expired tokens and mails, networks, rate-limited calls, idempotency keys, notifications, events of streams and unused tags. Corrects rows whose visibility changed. Finds the words of posts for the search. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql
-- erase_user() deletes the events of the user's own streams as well.
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
  delete from app_private.account_tokens where account = app_private.account_key(v_email);
  delete from app_private.rate_limited_calls
   where key in (select network from app_private.sign_in_networks n where n.user_id = erase_user.user_id);
  -- The numbers of a chat's messages have no gaps, so the messages stay.
  update app_public.messages set text = '[erased]', sender_id = null where sender_id = erase_user.user_id;
  -- Foreign keys delete the rest: account, sessions, networks, posts, comments, follows and memberships.
  delete from app_public.users where id = erase_user.user_id;
  delete from app_private.stream_events where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_private.stream_heads where stream_id = any (v_streams) and key = erase_user.user_id::text;
  delete from app_hidden.counts where name = any (v_counts) and key = erase_user.user_id::text;
  delete from app_hidden.counts where split_part(name, ',', 1) = any (v_counts) and key like erase_user.user_id || ',%';
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

--! split: 400-no-update-is-lost.sql
-- A client that changes a post can say which version it has read: ifUpdatedAt.
--! Included functions/require_unchanged.sql
-- Security invoker: the viewer's policies and grants decide. A row that the viewer may not change is not locked, and the update that
-- follows refuses it. The lock waits for a transaction that is changing the row, and then reads what it has committed.
create or replace function app_hidden.require_unchanged(relation regclass, id bigint, if_updated_at timestamptz) returns void
language plpgsql volatile strict set search_path = '' as $$
declare
  v_updated_at timestamptz;
begin
  execute format('select updated_at from %s where id = $1 for no key update', relation)
    into v_updated_at using require_unchanged.id;
  if v_updated_at <> if_updated_at then
    -- A date would conflict each time, whatever the client reads again.
    if if_updated_at = date_trunc('day', if_updated_at, 'UTC') then
      perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'if_updated_at', 'code', 'FORMAT',
        'message', 'Give the whole moment, as updatedAt(format: DATE_TIME) answers it.')));
    end if;
    raise exception using errcode = 'CHNGD', message = 'The row has changed';
  end if;
end $$;
comment on function app_hidden.require_unchanged(regclass, bigint, timestamptz) is $$Locks a row, and refuses with CONFLICT if its updated_at is another one. Does nothing when if_updated_at is null.$$;
grant execute on function app_hidden.require_unchanged(regclass, bigint, timestamptz) to :API_MEMBER;
--! EndIncluded functions/require_unchanged.sql
--! Included functions/protect.sql
create or replace function app_hidden.tg__touch() returns trigger
language plpgsql set search_path = '' as $$
declare
  -- In a before trigger, generated columns of the new row are still null.
  v_ignored text[] := app_hidden.computed_columns(tg_relid) || 'updated_at'::text;
begin
  if to_jsonb(new) - v_ignored is distinct from to_jsonb(old) - v_ignored then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg__touch() is $$Before a row is updated: sets its updated_at, if another column changes. protect() attaches it to a table.$$;

create or replace function app_hidden.protect(relation regclass, lines text[] default '{}', is_audited boolean default true) returns void
language plpgsql volatile set search_path = '' as $$
begin
  execute format('revoke all on %s from public', relation);
  if not (select relrowsecurity from pg_catalog.pg_class where oid = relation) then
    execute format('alter table %s enable row level security', relation);
  end if;
  if cardinality(lines) > 0 or exists (
    select from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
     where attrelid = relation and attnum > 0 and typcategory = 'S' and attgenerated = ''
  ) then
    perform app_hidden.normalize_text(relation, lines);
  elsif exists (select from pg_catalog.pg_constraint where conrelid = relation and contype = 'c') then
    execute format('create or replace trigger _200_refuse_faults before insert or update on %s
      for each row execute function app_hidden.tg__refuse_faults()', relation);
  end if;
  if exists (select from pg_catalog.pg_attribute where attrelid = relation and attname = 'updated_at') then
    execute format('create or replace trigger _150_touch before update on %s
      for each row execute function app_hidden.tg__touch()', relation);
  end if;
  if is_audited then
    perform app_private.record_changes_of(relation);
  end if;
end $$;
comment on function app_hidden.protect(regclass, text[], boolean) is $$Gives a table what every table needs: row-level security, normalize_text() with the columns of a single line, all faults of a row in one error, updated_at, and the audit trail. Idempotent: call it again when the first text, check constraint or updated_at is added. For DBAs, in a migration.$$;
--! EndIncluded functions/protect.sql
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- A generated excerpt follows the content. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  -- An infinite time removes the schedule: with update_row(), null leaves it.
  if not isfinite(new.publish_at) then
    new.publish_at := null;
  end if;
  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED'));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED');
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then new.published_at
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
--! Included functions/tg_post_tags__touch_post.sql
-- Security definer: members may not set updated_at.
create or replace function app_hidden.tg_post_tags__touch_post() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  -- Without a post that this transaction creates: its created_at is the transaction's start.
  v_ids bigint[] := array(
    select posts.id from changed join app_public.posts on posts.id = changed.post_id where created_at < transaction_timestamp());
begin
  -- An update of no rows would run the triggers of the statement all the same.
  if v_ids <> '{}' then
    update app_public.posts set updated_at = greatest(clock_timestamp(), updated_at + interval '1 microsecond') where id = any (v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_post_tags__touch_post() is $$After a post’s tags change: sets its updated_at, because readers see the tags.$$;
--! EndIncluded functions/tg_post_tags__touch_post.sql
-- PostgreSQL cannot add an argument to a function.
drop function if exists app_public.update_post(bigint, app_public.update_post_input);
drop function if exists app_public.update_post(bigint, app_public.update_post_input, timestamptz);
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input, if_updated_at timestamptz default null)
returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb;
  v_post app_public.posts;
begin
  perform app_hidden.require_unchanged('app_public.posts', update_post.id, update_post.if_updated_at);
  -- Fields of the input are columns of posts, except the tags. A status without a time to publish removes the time.
  v_post := app_hidden.update_row(v_post, update_post.id, to_jsonb(input) - 'tags'
    || case when input.status is not null and input.publish_at is null then '{"publish_at": "infinity"}'::jsonb else '{}' end, 'post');
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags, keeps_revision => true);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_faults = pg_exception_detail;
  -- The post is null if the faults are its own. Those of a tag do not say which one it is.
  perform app_hidden.refuse_faults(case when v_post.id is null then v_faults else '[]' end || app_hidden.tag_faults(input.tags));
  raise;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input, timestamptz) is $$@describe id The post to change.
@describe if_updated_at The updatedAt(format: DATE_TIME) of the post as you have read it. If it has changed since, nothing is written, and the error is CONFLICT.
Changes a post of yours. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input, timestamptz) to :API_MEMBER;
--! EndIncluded functions/update_post.sql

--! split: 410-a-repeated-call-creates-once.sql
-- A client that does not know whether its call has arrived repeats it with the same idempotencyKey. The second call answers
-- with the first one's row and writes nothing.
create table if not exists app_private.idempotency_keys (
  user_id        bigint not null references app_public.users on delete cascade,
  key            text not null,
  arguments_hash bytea not null,
  result_id      bigint,
  created_at     timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (user_id, key)
);
comment on table app_private.idempotency_keys is $$The idempotency keys of the last day, with which users repeat a call without creating twice. maintain() deletes older ones.$$;
comment on column app_private.idempotency_keys.user_id is $$The user who sent the key.$$;
comment on column app_private.idempotency_keys.key is $$The key, which the client has chosen.$$;
comment on column app_private.idempotency_keys.arguments_hash is $$The SHA-256 of what is created, and of the arguments.$$;
comment on column app_private.idempotency_keys.result_id is $$The id of the row that the call has made. Null within the transaction that makes it.$$;
comment on column app_private.idempotency_keys.created_at is $$When the key was sent first.$$;
-- For maintain().
create index if not exists idempotency_keys_created_at_idx on app_private.idempotency_keys (created_at);
-- Without protect(): a key is compared as it was sent.
alter table app_private.idempotency_keys enable row level security;

--! Included functions/idempotency.sql
-- Security definer: nobody reads or writes the keys but by these functions, and each user only their own.
--
-- A key is claimed before the row is made, in the same transaction. So another call with the key waits for the first one to end,
-- and then finds its row, or claims the key itself if the first one has failed.
create or replace function app_hidden.claim_key(idempotency_key text, arguments jsonb) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_hash bytea := sha256(convert_to(arguments::text, 'UTF8'));
  v_entry app_private.idempotency_keys;
begin
  if char_length(idempotency_key) not between 1 and 255 then
    perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'idempotency_key',
      'message', 'An idempotency key needs between 1 and 255 characters.')
      || case idempotency_key when '' then '{"code": "TOO_SHORT", "params": {"min": 1}}'::jsonb
                                      else '{"code": "TOO_LONG", "params": {"max": 255}}' end));
  end if;
  loop
    insert into app_private.idempotency_keys as former (user_id, key, arguments_hash)
    values (app_hidden.viewer_id(), idempotency_key, v_hash)
    on conflict on constraint idempotency_keys_pkey do update
      set arguments_hash = excluded.arguments_hash, result_id = null, created_at = excluded.created_at
      where former.created_at < now() - interval '1 day';
    if found then
      return null;
    end if;
    select * into v_entry from app_private.idempotency_keys
     where user_id = app_hidden.viewer_id() and key = idempotency_key;
    -- maintain() may have just deleted it.
    exit when found;
  end loop;
  if v_entry.arguments_hash <> v_hash then
    perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'idempotency_key', 'code', 'REUSED',
      'message', 'This key was sent with other arguments. A key belongs to one call and its repetitions.')));
  end if;
  return v_entry.result_id;
end $$;
comment on function app_hidden.claim_key(text, jsonb) is $$The id of the row that the viewer's first call with this key has made within the last day; null for the first call. Waits for a first call that is under way. Refuses a key that was sent with other arguments.$$;
grant execute on function app_hidden.claim_key(text, jsonb) to :API_MEMBER;

-- Security invoker: a result that the viewer may not see any more is as missing as a deleted one.
create or replace function app_hidden.earlier_result(target anyelement, idempotency_key text, arguments jsonb) returns anyelement
language plpgsql volatile set search_path = '' as $$
declare
  v_id bigint := app_hidden.claim_key(idempotency_key, jsonb_build_array(pg_typeof(target)::text, jsonb_strip_nulls(arguments)));
begin
  if v_id is null then
    return null;
  end if;
  execute format('select * from %s where id = $1', pg_typeof(target)) into target using v_id;
  if target is null then
    perform app_hidden.refuse_missing('result');
  end if;
  return target;
end $$;
comment on function app_hidden.earlier_result(anyelement, text, jsonb) is $$The row that the viewer's first call with this idempotency key has made in the table of whose type the target is; null for the first call, which gives its own row to keep_result(). Refuses with NOT_FOUND when the row is deleted, and with VALIDATION_ERROR when the arguments are others.$$;
grant execute on function app_hidden.earlier_result(anyelement, text, jsonb) to :API_MEMBER;

create or replace function app_hidden.keep_result(idempotency_key text, id bigint) returns void
language sql volatile security definer set search_path = '' as $$
  update app_private.idempotency_keys set result_id = keep_result.id
   where user_id = app_hidden.viewer_id() and key = keep_result.idempotency_key
$$;
comment on function app_hidden.keep_result(text, bigint) is $$Keeps the id of the row that the first call with an idempotency key has made, for calls that repeat it.$$;
grant execute on function app_hidden.keep_result(text, bigint) to :API_MEMBER;
--! EndIncluded functions/idempotency.sql
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

  delete from app_private.account_tokens where token_hash in (
    select token_hash from app_private.account_tokens where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('account_tokens', v_count);

  delete from app_private.mail_outbox where id in (
    select id from app_private.mail_outbox where expires_at < now()
     order by expires_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('mail_outbox', v_count);

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
  delete from app_private.idempotency_keys where ctid = any (array(
    select ctid from app_private.idempotency_keys where created_at < now() - interval '1 day'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('idempotency_keys', v_count);

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
  v_count := app_private.index_posts(least(v_batch, 500));
  done := done || jsonb_build_object('indexed_posts', v_count);
  is_complete := is_complete and v_count < least(v_batch, 500);
  if is_complete then
    perform app_private.merge_counts();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, expired tokens and mails, networks, rate-limited calls, idempotency keys, notifications, events of streams and unused tags. Corrects rows whose visibility changed. Finds the words of posts for the search. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql
-- PostgreSQL cannot add an argument to a function.
drop function if exists app_public.create_post(app_public.create_post_input);
drop function if exists app_public.send_message(bigint, text);
drop function if exists app_public.create_chat(bigint[], text);
--! Included functions/create_post.sql
create or replace function app_public.create_post(input app_public.create_post_input, idempotency_key text default null)
returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb;
  v_post app_public.posts;
begin
  if create_post.idempotency_key is not null then
    v_post := app_hidden.earlier_result(v_post, create_post.idempotency_key, to_jsonb(input));
    if v_post.id is not null then
      return v_post;
    end if;
  end if;
  -- Fields of the input are columns of posts, except the tags.
  v_post := app_hidden.insert_row(v_post, to_jsonb(input) - 'tags' || jsonb_build_object('author_id', app_hidden.viewer_id()));
  perform app_hidden.set_post_tags(v_post.id, input.tags);
  if create_post.idempotency_key is not null then
    perform app_hidden.keep_result(create_post.idempotency_key, v_post.id);
  end if;
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_faults = pg_exception_detail;
  -- The post is null if the faults are its own. Those of a tag do not say which one it is.
  perform app_hidden.refuse_faults(case when v_post.id is null then v_faults else '[]' end || app_hidden.tag_faults(input.tags));
  raise;
end $$;
comment on function app_public.create_post(app_public.create_post_input, text) is $$@describe idempotency_key A value of your choice, 1 to 255 characters, such as a UUID. A call that is repeated with it within a day answers with the same post and creates nothing.
Creates a post with you as its author.$$;
grant execute on function app_public.create_post(app_public.create_post_input, text) to :API_MEMBER;
--! EndIncluded functions/create_post.sql
--! Included functions/send_message.sql
create or replace function app_public.send_message(chat_id bigint, text text, idempotency_key text default null) returns app_public.messages
language plpgsql volatile set search_path = '' as $$
declare
  v_message app_public.messages;
begin
  if send_message.idempotency_key is not null then
    v_message := app_hidden.earlier_result(v_message, send_message.idempotency_key, jsonb_build_object('chat_id', send_message.chat_id, 'text', send_message.text));
    if v_message.id is not null then
      return v_message;
    end if;
  end if;
  perform app_hidden.require_chat(send_message.chat_id);
  insert into app_public.messages (chat_id, sender_id, text)
  values (send_message.chat_id, app_hidden.viewer_id(), send_message.text)
  returning * into v_message;
  if send_message.idempotency_key is not null then
    perform app_hidden.keep_result(send_message.idempotency_key, v_message.id);
  end if;
  return v_message;
end $$;
comment on function app_public.send_message(bigint, text, text) is $$@describe chat_id One of your chats.
@describe text The text: 1 to 5,000 characters.
@describe idempotency_key A value of your choice, 1 to 255 characters, such as a UUID. A call that is repeated with it within a day answers with the same message and creates nothing.
Sends a message to a chat. All subscribers of messageAdded receive it.$$;
grant execute on function app_public.send_message(bigint, text, text) to :API_MEMBER;
--! EndIncluded functions/send_message.sql
--! Included functions/create_chat.sql
-- Security definer: members may not write chats and memberships directly.
create or replace function app_public.create_chat(member_ids bigint[], title text default null, idempotency_key text default null) returns app_public.chats
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.member_faults(create_chat.member_ids);
  v_detail text;
  v_chat app_public.chats;
begin
  if create_chat.idempotency_key is not null then
    v_chat := app_hidden.earlier_result(v_chat, create_chat.idempotency_key, jsonb_build_object('member_ids', create_chat.member_ids, 'title', create_chat.title));
    if v_chat.id is not null then
      -- The owner of this function sees chats that the viewer has left.
      if not exists (select from app_public.chat_members where chat_id = v_chat.id and user_id = app_hidden.viewer_id()) then
        perform app_hidden.refuse_missing('result');
      end if;
      return v_chat;
    end if;
  end if;
  begin
    insert into app_public.chats (title) values (create_chat.title) returning * into v_chat;
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  insert into app_public.chat_members (chat_id, user_id)
  select v_chat.id, id from unnest(create_chat.member_ids || app_hidden.viewer_id()) as id group by id;
  if create_chat.idempotency_key is not null then
    perform app_hidden.keep_result(create_chat.idempotency_key, v_chat.id);
  end if;
  return v_chat;
end $$;
comment on function app_public.create_chat(bigint[], text, text) is $$@describe member_ids The other members, at most 100.
@describe title The chat’s title: 1 to 100 characters, or null.
@describe idempotency_key A value of your choice, 1 to 255 characters, such as a UUID. A call that is repeated with it within a day answers with the same chat and creates nothing.
Creates a chat between you and other users.$$;
grant execute on function app_public.create_chat(bigint[], text, text) to :API_MEMBER;
--! EndIncluded functions/create_chat.sql

--! split: 420-posts-are-published-when-due.sql
-- A draft can have a time at which it is published.
alter table app_public.posts add column if not exists publish_at timestamptz;
comment on column app_public.posts.publish_at is E'@timestampFormat DATE_TIME\nThe time at which the draft will be published; null without one. A time in the past publishes at once. Writing a status without a time removes it.';
-- Not valid, because no post has a time yet: PostgreSQL need not read them.
alter table app_public.posts drop constraint if exists posts_publish_at_check;
alter table app_public.posts add constraint posts_publish_at_check check (publish_at is null or status <> 'PUBLISHED') not valid;
comment on constraint posts_publish_at_check on app_public.posts is E'@code ALREADY_PUBLISHED\nA published post cannot be scheduled. Make it a draft in the same call.';
select app_hidden.accept('app_public.posts', '{publish_at}',
  on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- A generated excerpt follows the content. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  -- An infinite time removes the schedule: with update_row(), null leaves it.
  if not isfinite(new.publish_at) then
    new.publish_at := null;
  end if;
  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED'));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED');
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then new.published_at
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input, if_updated_at timestamptz default null)
returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb;
  v_post app_public.posts;
begin
  perform app_hidden.require_unchanged('app_public.posts', update_post.id, update_post.if_updated_at);
  -- Fields of the input are columns of posts, except the tags. A status without a time to publish removes the time.
  v_post := app_hidden.update_row(v_post, update_post.id, to_jsonb(input) - 'tags'
    || case when input.status is not null and input.publish_at is null then '{"publish_at": "infinity"}'::jsonb else '{}' end, 'post');
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags, keeps_revision => true);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_faults = pg_exception_detail;
  -- The post is null if the faults are its own. Those of a tag do not say which one it is.
  perform app_hidden.refuse_faults(case when v_post.id is null then v_faults else '[]' end || app_hidden.tag_faults(input.tags));
  raise;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input, timestamptz) is $$@describe id The post to change.
@describe if_updated_at The updatedAt(format: DATE_TIME) of the post as you have read it. If it has changed since, nothing is written, and the error is CONFLICT.
Changes a post of yours. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input, timestamptz) to :API_MEMBER;
--! EndIncluded functions/update_post.sql

create table if not exists app_private.scheduled_posts (
  post_id    bigint primary key references app_public.posts on delete cascade,
  publish_at timestamptz not null
);
comment on table app_private.scheduled_posts is $$The posts that have a publish_at. A table of its own, because each request asks it whether a post is due.$$;
comment on column app_private.scheduled_posts.post_id is $$The post.$$;
comment on column app_private.scheduled_posts.publish_at is $$Its publish_at.$$;
alter table app_private.scheduled_posts enable row level security;
create index if not exists scheduled_posts_publish_at_idx on app_private.scheduled_posts (publish_at);
drop function if exists app_hidden.publish_due_posts();
--! Included functions/publish_due_posts.sql
-- Security definer: nobody writes the schedule but by writing posts.
create or replace function app_hidden.tg_posts__schedule() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if new.publish_at is null then
    delete from app_private.scheduled_posts where post_id = new.id;
  else
    insert into app_private.scheduled_posts (post_id, publish_at) values (new.id, new.publish_at)
    on conflict on constraint scheduled_posts_pkey do update set publish_at = excluded.publish_at;
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__schedule() is $$After publish_at of a post changes: keeps app_private.scheduled_posts.$$;

-- Security definer: the service's login may have due posts published, and can choose neither the posts nor the time.
--
-- Writing a post that is due publishes it (tg_posts__prepare). A post that cannot be published must not hinder the others, or any
-- request: its reason is logged as a warning. A post that somebody is changing is waited for, because a change by a client is short.
create or replace function app_hidden.publish_due_posts(out is_complete boolean, out published int, out wait_ms int)
language plpgsql volatile security definer set search_path = '' set lock_timeout = '500ms' as $$
declare
  v_ids bigint[] := array(select post_id from app_private.scheduled_posts where publish_at <= now() order by publish_at, post_id limit 100);
  v_id bigint;
begin
  published := 0;
  foreach v_id in array v_ids loop
    begin
      update app_public.posts set publish_at = publish_at where id = v_id and publish_at <= now();
      published := published + 1;
    exception
      when lock_not_available then
        exit;
      when others then
        raise warning 'Post % is due and cannot be published: % (%)', v_id, sqlerrm, sqlstate;
    end;
  end loop;
  is_complete := not exists (select from app_private.scheduled_posts where publish_at <= now());
  wait_ms := (select ceil(extract(epoch from least(min(publish_at), now() + interval '1 day') - clock_timestamp()) * 1000)
                from app_private.scheduled_posts where publish_at > now());
end $$;
comment on function app_hidden.publish_due_posts() is $$Publishes up to 100 posts whose publish_at has come. Returns whether no due post is left, how many it has published, and the milliseconds until the next one is due, a day at most.$$;
grant execute on function app_hidden.publish_due_posts() to :API_LOGIN;
--! EndIncluded functions/publish_due_posts.sql
create or replace trigger _500_schedule_new after insert on app_public.posts
  for each row when (new.publish_at is not null) execute function app_hidden.tg_posts__schedule();
create or replace trigger _500_schedule after update on app_public.posts
  for each row when (old.publish_at is distinct from new.publish_at) execute function app_hidden.tg_posts__schedule();
drop function if exists app_private.identify(bigint);
--! Included functions/identify.sql
-- Security definer: the login may look up a token's user, but may not read accounts or posts itself.
--
-- A post that is due is visible from that moment on, whether or not anybody has published it. So a request that would not find it is
-- refused, and the service repeats it after publish_due_posts(). A standby server cannot write, and follows the primary.
--
-- Asking reads one page of a small index, and not the posts: a migration that locks them must not stop other requests. Without
-- enable_seqscan, a connection that planned it while few posts were scheduled would read all of them later, until they are analyzed.
create or replace function app_private.identify(user_id bigint, refuses_due boolean default false, out role text, out viewer_id text)
language plpgsql stable security definer set search_path = '' set enable_seqscan = off as $$
begin
  if identify.refuses_due
     and exists (select from app_private.scheduled_posts where publish_at <= now())
     and not pg_is_in_recovery() then
    raise exception using errcode = 'ISDUE', message = 'A post is due';
  end if;
  if identify.user_id is null then
    role := ':API_ANONYMOUS';
    viewer_id := '';
  elsif exists (select from app_private.accounts where accounts.user_id = identify.user_id and banned_at is null) then
    role := ':API_MEMBER';
    viewer_id := identify.user_id;
  else
    raise exception using errcode = 'TOKEN', message = 'This user is deleted or banned';
  end if;
end $$;
comment on function app_private.identify(bigint, boolean) is $$The database role and viewer id for a request. Called for each request. Raises TOKEN when the user is deleted or banned, and, where refuses_due, ISDUE while a post is due that is not published yet.$$;
grant execute on function app_private.identify(bigint, boolean) to :API_LOGIN;
--! EndIncluded functions/identify.sql

--! split: 430-posts-have-revisions.sql
-- Revisions: a post as it was before each change, for its author and admins.
create table if not exists app_public.post_revisions (
  id             bigint generated always as identity primary key,
  post_id        bigint not null references app_public.posts on delete cascade,
  title          text not null,
  excerpt        text not null,
  content        text not null,
  tags           text[] not null,
  written_at     timestamptz not null,
  replaced_at    timestamptz not null default now(),
  transaction_id bigint not null default pg_current_xact_id()::text::bigint
);
comment on table app_public.post_revisions is E'@listOrder id desc\n@describe listOrder Newest first.\n@behavior -query:resource:list -query:resource:connection -query:resource:single\nA former version of a post, for its author and admins. The newest 100 of a post are kept.';
comment on column app_public.post_revisions.id is $$The unique id of the revision.$$;
comment on column app_public.post_revisions.post_id is $$The post of which this is a version.$$;
comment on column app_public.post_revisions.title is $$The title of this version.$$;
comment on column app_public.post_revisions.excerpt is $$The excerpt of this version.$$;
comment on column app_public.post_revisions.content is $$The whole text of this version.$$;
comment on column app_public.post_revisions.tags is $$The names of the tags of this version, in their order.$$;
comment on column app_public.post_revisions.written_at is E'@timestampFormat DATE_TIME\nThe time of the last change of this version.';
comment on column app_public.post_revisions.replaced_at is E'@timestampFormat DATE_TIME\nThe time when the next version replaced it.';
comment on column app_public.post_revisions.transaction_id is E'@behavior -*\nThe transaction that replaced it. It keeps one revision of a post.';
comment on constraint post_revisions_post_id_fkey on app_public.post_revisions is '@foreignFieldName revisions';
-- For Post.revisions, newest first, and for the foreign key to posts.
create index if not exists post_revisions_post_id_id_idx on app_public.post_revisions (post_id, id desc);

-- Without protect(): a version is kept as it is, also when it breaks a rule that is newer. Posts have the audit trail.
revoke all on app_public.post_revisions from public;
alter table app_public.post_revisions enable row level security;
create or replace trigger _050_normalize_text before insert or update on app_public.post_revisions
  for each row execute function app_hidden.tg__normalize_text();
drop policy if exists select_own on app_public.post_revisions;
create policy select_own on app_public.post_revisions for select to :API_MEMBER
  using (exists (select from app_public.posts
                  where posts.id = post_revisions.post_id and author_id = (select app_hidden.viewer_id()) offset 0));
drop policy if exists select_as_admin on app_public.post_revisions;
create policy select_as_admin on app_public.post_revisions for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
-- Without a policy for others, their lists are empty, and the rest of their answer stands.
grant select on app_public.post_revisions to :API_ANONYMOUS, :API_MEMBER;

--! Included functions/keep_revision.sql
-- Keeps a post as it was before a transaction that changes it. Further changes of the same transaction keep nothing more. A transaction id alone
-- could return after a restore from a dump.
create or replace function app_hidden.keep_revision(post app_public.posts) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if exists (
    select from (select transaction_id, replaced_at from app_public.post_revisions where post_id = post.id order by id desc limit 1) as newest
     where transaction_id = pg_current_xact_id()::text::bigint and replaced_at = now()
  ) then
    return;
  end if;
  insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at)
  select post.id, post.title, post.excerpt, post.content,
         array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
                where post_id = post.id order by position),
         post.updated_at;
  delete from app_public.post_revisions where id = (
    select id from app_public.post_revisions where post_id = post.id order by id desc offset 100 limit 1);
end $$;
comment on function app_hidden.keep_revision(app_public.posts) is $$Keeps the title, excerpt, content and tags of a post as a revision, before they change. The newest 100 revisions of a post stay.$$;

-- Security definer: nobody writes revisions but by changing posts.
create or replace function app_hidden.tg_posts__keep_revision() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app_hidden.keep_revision(old);
  return null;
end $$;
comment on function app_hidden.tg_posts__keep_revision() is $$After the texts of a post change: keeps the former ones. Tags change later, by set_post_tags().$$;
--! EndIncluded functions/keep_revision.sql
create or replace trigger _500_keep_revision after update on app_public.posts for each row
  when ((old.title, old.excerpt, old.content) is distinct from (new.title, new.excerpt, new.content))
  execute function app_hidden.tg_posts__keep_revision();
-- PostgreSQL cannot add an argument to a function.
drop function if exists app_hidden.set_post_tags(bigint, text[]);
--! Included functions/set_post_tags.sql
-- Security definer: posts share their tags, so members may not write tags directly. Its callers have just written the post
-- under the viewer's own policies. Planning for the number of tags would take longer than looking them up by index.
create or replace function app_hidden.set_post_tags(post_id bigint, tags text[], keeps_revision boolean default false) returns void
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_names text[];
  v_is_tagged boolean := exists (select from app_public.post_tags where post_tags.post_id = set_post_tags.post_id);
  v_count int;
  v_post app_public.posts;
begin
  select * into v_post from app_public.posts
   where posts.id = set_post_tags.post_id
     and (author_id = app_hidden.viewer_id() or app_hidden.viewer_is_admin()
       -- Logins other than the API's have the rights granted on the tables.
       or session_user <> ':API_LOGIN');
  if not found then
    perform app_hidden.refuse_unauthorized();
  end if;

  -- The rule for their number counts all that were given. Most posts have so few that looking it up would only take time.
  if cardinality(tags) > 10 then
    perform app_hidden.refuse_faults(app_hidden.tag_faults(tags));
  end if;
  v_names := app_hidden.tag_names(tags);
  if v_names = '{}' and not v_is_tagged then
    return;
  end if;

  if keeps_revision
     and v_names <> array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
                           where post_tags.post_id = set_post_tags.post_id order by position) then
    perform app_hidden.keep_revision(v_post);
  end if;

  -- Keeps maintain() from deleting a tag that no post has had until now.
  perform from app_public.tags where name = any (v_names) for key share;
  get diagnostics v_count = row_count;
  if v_count < cardinality(v_names) then
    -- Insert in one order, so that two writers of the same new tags cannot deadlock.
    insert into app_public.tags (name)
    select name from unnest(v_names) as name
     where not exists (select from app_public.tags t where t.name = name.name)
     order by name
    on conflict do nothing;
  end if;

  if v_is_tagged then
    delete from app_public.post_tags
     where post_tags.post_id = set_post_tags.post_id
       and tag_id not in (select id from app_public.tags where name = any (v_names));
    set constraints app_public.post_tags_post_id_position_key deferred;
  end if;
  insert into app_public.post_tags (post_id, tag_id, position)
  select set_post_tags.post_id, tags.id, wanted.place
    from unnest(v_names) with ordinality as wanted (name, place)
    join app_public.tags on tags.name = wanted.name
  on conflict on constraint post_tags_pkey do update set position = excluded.position
   where post_tags.position <> excluded.position;
end $$;
comment on function app_hidden.set_post_tags(bigint, text[], boolean) is $$Replaces the tags of a post. keeps_revision keeps the former ones as a revision, if they differ; it is not for a new post.$$;
grant execute on function app_hidden.set_post_tags(bigint, text[], boolean) to :API_MEMBER;
--! EndIncluded functions/set_post_tags.sql
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input, if_updated_at timestamptz default null)
returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb;
  v_post app_public.posts;
begin
  perform app_hidden.require_unchanged('app_public.posts', update_post.id, update_post.if_updated_at);
  -- Fields of the input are columns of posts, except the tags. A status without a time to publish removes the time.
  v_post := app_hidden.update_row(v_post, update_post.id, to_jsonb(input) - 'tags'
    || case when input.status is not null and input.publish_at is null then '{"publish_at": "infinity"}'::jsonb else '{}' end, 'post');
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags, keeps_revision => true);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
exception when sqlstate 'FAULT' then
  get stacked diagnostics v_faults = pg_exception_detail;
  -- The post is null if the faults are its own. Those of a tag do not say which one it is.
  perform app_hidden.refuse_faults(case when v_post.id is null then v_faults else '[]' end || app_hidden.tag_faults(input.tags));
  raise;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input, timestamptz) is $$@describe id The post to change.
@describe if_updated_at The updatedAt(format: DATE_TIME) of the post as you have read it. If it has changed since, nothing is written, and the error is CONFLICT.
Changes a post of yours. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input, timestamptz) to :API_MEMBER;
--! EndIncluded functions/update_post.sql
--! Included functions/restore_revision.sql
create or replace function app_public.restore_revision(id bigint, if_updated_at timestamptz default null) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_revision app_public.post_revisions;
  v_post app_public.posts;
begin
  select * into v_revision from app_public.post_revisions where post_revisions.id = restore_revision.id;
  if not found then
    perform app_hidden.refuse_missing('revision');
  end if;
  perform app_hidden.require_unchanged('app_public.posts', v_revision.post_id, restore_revision.if_updated_at);
  v_post := app_hidden.update_row(v_post, v_revision.post_id,
    jsonb_build_object('title', v_revision.title, 'excerpt', v_revision.excerpt, 'content', v_revision.content), 'post');
  perform app_hidden.set_post_tags(v_post.id, v_revision.tags, keeps_revision => true);
  select * into v_post from app_public.posts where posts.id = v_post.id;
  return v_post;
end $$;
comment on function app_public.restore_revision(bigint, timestamptz) is $$@describe id The revision to restore.
@describe if_updated_at The updatedAt(format: DATE_TIME) of the post as you have read it. If it has changed since, nothing is written, and the error is CONFLICT.
Gives a post of yours the title, excerpt, content and tags of a revision. What they replace becomes a revision.$$;
grant execute on function app_public.restore_revision(bigint, timestamptz) to :API_MEMBER;
--! EndIncluded functions/restore_revision.sql

--! split: 440-excerpts-end-with-an-ellipsis.sql
-- An excerpt that is made from the content ends with an ellipsis where the content goes on, and an author can return to it.
create temporary table if not exists made_excerpts on commit drop as
select id from app_public.posts where char_length(content) > 200 and excerpt = app_hidden.start_of(content);
--! Included functions/start_of.sql
-- A word is cut off only if it is long, as a text without spaces is. Then the cut is between two characters as readers see them: before a
-- letter with its marks, or the parts of an emoji. The list has the general marks, and those of scripts without spaces.
create or replace function app_hidden.start_of(content text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select case
    when char_length(storable) <= 200 then rtrim(storable, E' \t\r\n')
    else regexp_replace(
      coalesce(
        substring(left(storable, 200) from '^(.*\S)\s+\S{0,39}$'),
        -- These three join the next character to the one before.
        regexp_replace(left(storable, 200), '(?:.' || marks || '*[\u1039\u17D2\u200D])*.' || marks || '*$', '')),
      '[\s,;:]+$', '') || '…'
  end
  -- Drop characters that must not be stored: the content's own fault reports them, once.
  from regexp_replace(left(start_of.content, 201), '[\uFDD0-\uFDEF\uFFFE\uFFFF]', '', 'g') as storable,
       (values ('[\u0300-\u036F\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u0F71-\u0F84\u0F8D-\u0FBC\u102B-\u103E'
         '\u1056-\u1059\u17B4-\u17D3\u200D\u20D0-\u20FF\u302A-\u302F\u3099-\u309A\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
         '\U000E0020-\U000E007F]')) as extending (marks)
$$;
comment on function app_hidden.start_of(text) is $$The beginning of a text, at most 200 characters: in whole words, with an ellipsis if the text is longer.$$;
grant execute on function app_hidden.start_of(text) to :API_MEMBER;
--! EndIncluded functions/start_of.sql
--! Included functions/tg_posts__prepare.sql
create or replace function app_hidden.tg_posts__prepare() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_is_new boolean := tg_op = 'INSERT';
  v_is_scheduled_now boolean := v_is_new or new.publish_at is distinct from old.publish_at;
begin
  -- A generated excerpt follows the content. An excerpt that the author wrote stays, until the author writes a blank one.
  if new.excerpt is null or new.excerpt !~ '\S'
     or (not v_is_new and new.excerpt = old.excerpt and old.excerpt = app_hidden.start_of(old.content)) then
    new.excerpt := app_hidden.start_of(new.content);
  end if;

  -- An infinite time removes the schedule: with update_row(), null leaves it.
  if not isfinite(new.publish_at) then
    new.publish_at := null;
  end if;
  if new.publish_at <= now() then
    -- Due since then, also if it is published later. Nobody can publish a post in the past.
    if new.status <> 'PUBLISHED' and not v_is_scheduled_now then
      new.published_at := new.publish_at;
    end if;
    new.status := 'PUBLISHED';
    new.publish_at := null;
  elsif new.status = 'PUBLISHED' and not v_is_scheduled_now then
    new.publish_at := null;
  end if;

  if v_is_new then
    new.slug := coalesce(new.slug, app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED'));
  -- The slug stays after the first publication, because readers may have a link.
  elsif old.first_published_at is not null then
    new.slug := old.slug;
  -- A slug that was written in SQL stays as well. A generated slug of a draft ends in the id.
  elsif new.slug = old.slug and old.slug ~ ('-' || old.id || '$')
        and (new.status = 'PUBLISHED' or new.title <> old.title) then
    new.slug := app_hidden.free_slug(new.title, new.id, new.status = 'PUBLISHED');
  end if;

  -- Only PUBLISHED is named, so that a status added later is as private as a draft.
  if new.status <> 'PUBLISHED' then
    new.published_at := null;
  elsif v_is_new or old.status <> 'PUBLISHED' then
    new.published_at := coalesce(new.published_at, now());
  end if;
  new.first_published_at := case when v_is_new then new.published_at
                                 else coalesce(old.first_published_at, new.published_at) end;

  if not v_is_new and (new.title, new.content, new.excerpt, new.status, new.slug, new.publish_at)
       is distinct from (old.title, old.content, old.excerpt, old.status, old.slug, old.publish_at) then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__prepare() is $$Before a post is written: sets slug, excerpt and times, for the API and SQL alike.$$;
--! EndIncluded functions/tg_posts__prepare.sql
-- Those that were made before. No author has changed anything, so updated_at, the audit trail and revisions stay as they are.
alter table app_public.posts disable trigger user;
update app_public.posts set excerpt = app_hidden.start_of(content)
 where id in (select id from pg_temp.made_excerpts) and excerpt <> app_hidden.start_of(content);
alter table app_public.posts enable trigger user;

comment on column app_public.posts.excerpt is $$A short preview, at most 200 characters: written by the author, or else the beginning of the content, with an ellipsis if the content goes on.$$;
comment on column app_public.create_post_input.excerpt is $$A short preview, at most 200 characters. The default is the beginning of the content, also if it is blank.$$;
comment on column app_public.update_post_input.excerpt is $$A short preview, at most 200 characters. A blank one returns to the beginning of the content.$$;
