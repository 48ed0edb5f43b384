-- Readers see comments as they come.
select app_hidden.stream('app_public.comments', 'post_id', kinds => '{added}');
comment on table app_public.comments is $$@describe listOrder Oldest first.
@listOrder created_at, id
@behavior -query:resource:list -query:resource:connection
@subscription commentAdded post_id
A text by a user about a post, or a reply to one. Visible to all who can see the post.$$;
