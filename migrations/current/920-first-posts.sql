-- The list of posts reads no drafts that its viewer may not see: neither before the published posts nor among the viewer's own drafts.
create index if not exists posts_private_listed_at_id_idx on app_public.posts (listed_at desc, id desc) where status <> 'PUBLISHED';

--!include functions/first_posts.sql
do $$
begin
  execute format('comment on table app_public.posts is %L', E'@firstRows app_hidden.first_posts status\n'
    || regexp_replace(obj_description('app_public.posts'::regclass, 'pg_class'), '@firstRows[^\n]*\n', ''));
end $$;
