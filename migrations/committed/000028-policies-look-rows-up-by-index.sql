--! Previous: sha1:ce56242e3a0ee32e538e7ff745577f5b3da449d2
--! Hash: sha1:37b4f1b79f1a0bc261e82c19db42296e220ef984
--! Message: policies look rows up by index

--! split: 850-policies-look-rows-up.sql
-- Policies that look a row up never read the whole table.
--
-- PostgreSQL may turn `exists (select … where id = …)` into a hash of all rows that pass, when it expects many look-ups. It
-- expects them for a nested list, although a page has few rows: the tags of ten posts hashed all visible posts. `offset 0`
-- forbids that, so each row costs one look-up by index.
alter policy select_visible on app_public.comments
  using (exists (select from app_public.posts where posts.id = comments.post_id offset 0));
alter policy select_visible on app_public.post_tags
  using (exists (select from app_public.posts where posts.id = post_tags.post_id offset 0));
alter policy select_visible on app_public.tags
  using (exists (select from app_public.post_tags where post_tags.tag_id = tags.id offset 0));
