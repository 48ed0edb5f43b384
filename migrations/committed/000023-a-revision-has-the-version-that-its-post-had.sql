--! Previous: sha1:ab785663f9afb3f0c26071475e42237c2f32c0b1
--! Hash: sha1:d38e8fb9375e016ffb19dd380d63a10d0a1cafe3
--! Message: a revision has the version that its post had

--! split: 100-revisions-have-a-version.sql

-- After a conflict, an app finds the text that both changes began with by the version that it sent.
--! Included functions/posts/post_revisions_version.sql
create or replace function app_public.post_revisions_version(post_revisions app_public.post_revisions) returns text
language sql stable parallel safe
return app_hidden.version_of(post_revisions.written_at);
comment on function app_public.post_revisions_version(app_public.post_revisions) is E'@notNull\nThe Post.version of this version. After a CONFLICT, the revision with the ifVersion that was sent is what both changes began with.';
grant execute on function app_public.post_revisions_version(app_public.post_revisions) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/posts/post_revisions_version.sql
