-- PostgreSQL planned the counts of posts anew for each call. That took most of the time of a page with a count.
--!include functions/posts_count.sql

-- Carry the tags of a post with all that the policies read, so that no row of either table is visited.
create index if not exists post_tags_post_id_tag_id_is_public_idx on app_public.post_tags (post_id) include (tag_id, is_public);
create index if not exists tags_id_name_is_public_idx on app_public.tags (id) include (name, is_public);
