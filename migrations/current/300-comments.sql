--! Message: Comments are answered, notifications are sent

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

--!include functions/tg_comments__place_reply.sql
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
--!include functions/create_comment.sql
--!include functions/update_comment.sql
--!include functions/delete_comment.sql
--!include functions/posts_comments_count.sql
--!include functions/comments_replies_count.sql
