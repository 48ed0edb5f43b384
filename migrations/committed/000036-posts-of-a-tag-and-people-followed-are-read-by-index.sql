--! Previous: sha1:70148dc7a861ef359def73739819652eaf179d24
--! Hash: sha1:3ffa37ea37e9220a62d490181e554788df12ae7e
--! Message: posts of a tag and people followed are read by index

--! split: 210-lists-read-their-first-rows.sql
-- More lists and counts read no more rows than they show, however much content there is.

--! Included functions/first_posts_of_tag.sql
-- As app_hidden.first_posts(), for the posts of a tag. Rows of post_tags whose columns may be wrong do not have the order of their
-- posts: while there are any, all posts of the tag are read.
create or replace function app_hidden.first_posts_of_tag(tag_id bigint, page int, status app_public.post_status default null)
returns setof app_public.posts
language sql stable as $$
  select posts.* from app_public.posts
   where id = any (array(
     (select post_id from app_public.post_tags
       where post_tags.tag_id = first_posts_of_tag.tag_id and is_public and coalesce(first_posts_of_tag.status, 'PUBLISHED') = 'PUBLISHED'
         and (select not exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass))
       order by listed_at desc, post_id desc limit page)
      union all
     (select post_id from app_public.post_tags
       where post_tags.tag_id = first_posts_of_tag.tag_id and not is_public and first_posts_of_tag.status is distinct from 'PUBLISHED'
         and (select not exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass))
         and (select app_hidden.viewer_is_admin())
       order by listed_at desc, post_id desc limit page)
      union all
     (select private.id from app_public.posts as private
       where private.status <> 'PUBLISHED' and first_posts_of_tag.status is distinct from 'PUBLISHED'
         and private.author_id = (select app_hidden.viewer_id()) and not (select app_hidden.viewer_is_admin())
         and exists (select from app_public.post_tags where post_tags.post_id = private.id and post_tags.tag_id = first_posts_of_tag.tag_id)
       order by listed_at desc, id desc limit page)
      union all
     (select post_id from app_public.post_tags
       where post_tags.tag_id = first_posts_of_tag.tag_id
         and (select exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass)))))
     and (first_posts_of_tag.status is null or posts.status = first_posts_of_tag.status)
$$;
comment on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status) is $$The first posts of the list Tag.posts, or those of a status.$$;
grant execute on function app_hidden.first_posts_of_tag(bigint, int, app_public.post_status) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/first_posts_of_tag.sql
comment on constraint post_tags_tag_id_fkey on app_public.post_tags is $$@firstRows app_hidden.first_posts_of_tag status$$;

select app_private.count_rows('app_public.follows', 'follower_id');
alter policy select_public on app_hidden.counts
  using (name in ('follows.followed_id', 'follows.follower_id') or (name, key) = ('posts.status', 'PUBLISHED'));
--! Included functions/users_following.sql
create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
language sql stable
return (select row(coalesce(sum(rows), 0))::app_public.follow_summary from app_hidden.counts
         where name = 'follows.follower_id' and key = users.id::text);
comment on function app_public.users_following(app_public.users) is $$The number of users whom this user follows.$$;
grant execute on function app_public.users_following(app_public.users) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/users_following.sql
-- No count keeps the id of an erased user.
--! Included functions/erase_user.sql
create or replace function app_private.erase_user(user_id bigint) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  v_email text := (select email from app_private.accounts where accounts.user_id = erase_user.user_id);
  v_existed boolean := exists (select from app_public.users where id = erase_user.user_id);
  v_tags bigint[] := array(
    select tag_id from app_public.post_tags join app_public.posts on posts.id = post_id where author_id = erase_user.user_id);
  v_counts text[] := '{}';
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
comment on function app_private.erase_user(bigint) is $$Erases the data of a user everywhere: account, sessions, posts, comments, follows, memberships, and the text of messages. In the audit trail, entries about these rows keep the names of columns only, and the user’s own changes lose their actor. Returns whether the user still existed; what an earlier deletion has left is erased as well. For operators.$$;
--! EndIncluded functions/erase_user.sql

-- Tells Query.postsConnection where its totalCount is kept.
do $$
begin
  execute format('comment on table app_public.posts is ''%s''', replace(E'@totalCount app_public.posts_count status\n'
    || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'), '@totalCount[^\n]*\n', ''), '''', ''''''));
end $$;
