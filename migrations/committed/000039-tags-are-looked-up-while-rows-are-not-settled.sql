--! Previous: sha1:4d30e6638d6fd33ea95cbae1756faaf01e816700
--! Hash: sha1:b865e05cdf2b81ffb697ab239720adb1fd491085
--! Message: tags are looked up while rows are not settled

--! split: 390-tags.sql
-- A tag whose posts are on the list app_hidden.unsettled may be shown by mistake: its post_tags rows say that everybody may see them, and are
-- corrected later. While the list has any, tags are looked up.
alter policy select_visible on app_public.tags using (
  is_public and (select not exists (select from app_hidden.unsettled where relation = 'app_public.post_tags'::regclass offset 0))
  or exists (select from app_public.post_tags where post_tags.tag_id = tags.id offset 0));
