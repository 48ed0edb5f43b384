--! Previous: sha1:17d52e551c3a97e4e0f382ab5939b06e97f0d9e1
--! Hash: sha1:ed2aa84a1d781379c1ce77605b7ecf46933a00ac
--! Message: values for review and trash

--! split: 100-values.sql

-- allow: value-added-to-enum:NotificationKind.POST_PUBLISHED because the list says what is new, and clients show others as they are
-- allow: value-added-to-enum:NotificationKind.POST_RETURNED because the list says what is new, and clients show others as they are
-- allow: value-added-to-enum:PostStatus.SUBMITTED because no post has it until somebody submits one, and none that a client reads is TRASHED
-- allow: value-added-to-enum:PostStatus.TRASHED because no post has it until somebody submits one, and none that a client reads is TRASHED
-- allow: value-added-to-enum:UserRight.PUBLISH because rights are a list that grows
-- Values that the next migration uses: a right to publish, a status for review and one for the trash, and what authors are told.
select app_hidden.add_value('app_public.user_right', 'PUBLISH', 'Publishes, and changes published posts. Without it, a post is submitted: somebody else publishes it.'),
       app_hidden.add_value('app_public.post_status', 'SUBMITTED', 'A draft that waits for review.'),
       app_hidden.add_value('app_public.post_status', 'TRASHED', 'Deleted, and can be restored. No field of type Post has it: see trashedPosts.'),
       app_hidden.add_value('app_public.notification_kind', 'POST_PUBLISHED', 'The actor has published the post that you submitted.'),
       app_hidden.add_value('app_public.notification_kind', 'POST_RETURNED', 'The actor has returned the post that you submitted; see Post.reviewNote.');
