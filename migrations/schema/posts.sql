-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A text by a user.
-- @subscription postPublished author_id
-- @describe postPublished Each post of this user when it is published for the first time, in order, once.
-- @subscription postUpdated id updated
-- @describe postUpdated The post each time it is updated, in order, once. Ends when it is deleted, or no longer visible to you.
-- @describe listOrder Newest first, by publishedAt; drafts by createdAt.
-- @listOrder listed_at desc, id desc
-- @listOrder NEWEST: listed_at desc, id desc
-- @listOrder OLDEST: listed_at, id
-- @listOrder UPDATED: updated_at desc, id desc
-- @listOrder TITLE: title, id
-- @describe NEWEST Newest first, by publishedAt; drafts by createdAt.
-- @describe OLDEST Oldest first, by publishedAt; drafts by createdAt.
-- @describe UPDATED By updatedAt, the latest change first.
-- @describe TITLE By title, as the database sorts texts.
-- @listFilter tag app_hidden.post_ids_of_tag
-- @describe tag Only those with this tag, in any case.
-- @listPart app_hidden.listed_published_posts status
-- @listPart app_hidden.listed_own_posts status
-- @listPart app_hidden.listed_private_posts status
-- @firstRows app_hidden.first_posts_tagged tag! status after
-- @totalCount app_public.posts_count status author_id tag
-- @countReads app_private.count_reads
-- @listLimit required
-- @subscription postSubmitted queue added 1
-- @describe postSubmitted Each post when it is submitted for review. With the right EDIT_ANY_POST.
-- @subscription postReviewed queue deleted 1
-- @describe postReviewed Each post that waits for review no longer: published, returned, taken back or deleted.
create table app_public.posts (
  id                 bigint not null generated always as identity, -- The post’s id.
  author_id          bigint not null, -- [@listFilter] The user who wrote the post.
  title              text not null, -- The headline.
  slug               text not null, -- The post’s name in URLs: unique, of the title’s letters and digits, in any script.
  excerpt            text not null, -- A preview, at most 200 characters: the author’s, or else the beginning of the content, with an ellipsis if it goes on.
  content            text not null, -- The full text.
  status             app_public.post_status not null default 'DRAFT'::app_public.post_status, -- [@listFilter] The visibility of the post.
  published_at       timestamptz, -- [@timestampFormat DATE] The time when the post last became public; null if it is not.
  first_published_at timestamptz, -- [@behavior -*] The time when the post first became public.
  created_at         timestamptz not null default now(), -- [@timestampFormat DATE] The time when the post was created.
  updated_at         timestamptz not null default now(), -- [@timestampFormat DATE] The time of the last change of the post or its tags.
  listed_at          timestamptz not null generated always as (coalesce(published_at, created_at)) stored, -- [@behavior -*] The sort key of lists, newest first: published_at, or created_at for a draft.
  publish_at         timestamptz, -- The time at which the draft will be published; null without one.
  is_public          boolean not null generated always as ((status = 'PUBLISHED'::app_public.post_status)) stored, -- [@behavior -*] Whether everybody may see the post.
  queue              smallint, -- [@behavior -*] 1 while the status is SUBMITTED, else null: the key of the one stream of submitted posts.
  scheduled_by_id    bigint, -- [@behavior -*] The user who set publish_at; null without one, and for direct SQL, which counts as the author.
  constraint posts_pkey primary key (id),
  constraint posts_slug_key unique (slug), -- This slug is already in use.
  constraint posts_author_id_fkey foreign key (author_id) references app_public.users(id) on delete cascade, -- [@notNull] [@totalCount app_public.posts_count status]
  constraint posts_scheduled_by_id_fkey foreign key (scheduled_by_id) references app_public.users(id) on delete set null, -- [@behavior -*]
  constraint posts_content_blank_check check (((content ~ '\S'::text) or (content = ''::text))), -- Content needs a character other than white space.
  constraint posts_content_length_check check (((char_length(content) <= 100000) and ((char_length(content) >= 1) or ((status <> 'PUBLISHED'::app_public.post_status) and (publish_at is null))))), -- Content needs between 1 and 100000 characters, or none in a draft that is not scheduled.
  constraint posts_excerpt_length_check check ((char_length(excerpt) <= 200)), -- An excerpt has at most 200 characters.
  constraint posts_publish_at_check check (((publish_at is null) or (status <> 'PUBLISHED'::app_public.post_status))), -- [@code ALREADY_PUBLISHED] A published post cannot be scheduled.
  constraint posts_published_at_check check (((status = 'PUBLISHED'::app_public.post_status) = (published_at is not null))), -- A published post needs a publication time, and a draft has none.
  constraint posts_slug_check check (((slug <> ''::text) and (slug = app_hidden.slug_words(slug)))), -- [@code FORMAT] A slug consists of lower-case letters and digits, with single hyphens between them.
  constraint posts_title_blank_check check (((title ~ '\S'::text) or (title = ''::text))), -- A title needs a character other than white space.
  constraint posts_title_length_check check (((char_length(title) >= 1) and (char_length(title) <= 200))) -- A title needs between 1 and 200 characters.
);

-- Indexes
create index posts_author_id_is_public_listed_at_id_idx on app_public.posts (author_id, is_public, listed_at desc, id desc) include (first_published_at);
create index posts_author_id_is_public_title_id_idx on app_public.posts (author_id, is_public, title, id);
create index posts_author_id_is_public_updated_at_id_idx on app_public.posts (author_id, is_public, updated_at desc, id desc);
create index posts_created_at_day_idx on app_public.posts ((((created_at at time zone 'UTC'::text))::date));
create index posts_first_published_at_day_idx on app_public.posts ((((first_published_at at time zone 'UTC'::text))::date));
create unique index posts_id_is_public_idx on app_public.posts (id, is_public) include (author_id);
create unique index posts_id_is_public_listed_at_idx on app_public.posts (id, is_public, listed_at);
create index posts_is_public_title_id_idx on app_public.posts (is_public, title, id);
create index posts_is_public_updated_at_id_idx on app_public.posts (is_public, updated_at desc, id desc);
create index posts_listed_at_id_idx on app_public.posts (listed_at desc, id desc);
create index posts_private_listed_at_id_idx on app_public.posts (listed_at desc, id desc) where (not is_public);
create index posts_publish_at_idx on app_public.posts (publish_at) where (publish_at is not null);
create index posts_published_listed_at_id_idx on app_public.posts (listed_at desc, id desc) include (author_id) where is_public;
create index posts_scheduled_by_id_idx on app_public.posts (scheduled_by_id) where (scheduled_by_id is not null);

-- Triggers, before and after, in the order in which they run
-- Before a member writes or deletes a post: asks require_post_change().
create trigger _090_require_change before insert or delete or update on app_public.posts for each row execute function app_hidden.tg_posts__require_change();
-- Before a post is written: sets slug, excerpt and times, for the API and SQL alike.
create trigger _100_prepare before insert or update on app_public.posts for each row execute function app_hidden.tg_posts__prepare();
-- Before a row of app_public.posts is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update on app_public.posts for each row execute function conventions.validate_app_public_posts();
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of created_at, published_at, first_published_at on app_public.posts for each row when ((not (conventions.is_plausible(new.created_at) and conventions.is_plausible(new.published_at) and conventions.is_plausible(new.first_published_at)))) execute function conventions.tg__refuse_times('created_at', 'published_at', 'first_published_at');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.posts for each statement execute function conventions.tg__record_changes('{id}', '{content}', '{"posts.author_id,status",posts.status}', '{author_id,status}', '{status,NULL}', '{listed_at,is_public,scheduled_by_id}');
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.posts for each statement execute function change_feed.tg__refuse_truncate();
-- After the fields of a post change: keeps the former ones.
create trigger _500_keep_revision_update after update on app_public.posts for each row when (((old.title is distinct from new.title) or (old.excerpt is distinct from new.excerpt) or (old.content is distinct from new.content))) execute function app_hidden.tg_posts__keep_revision();
-- After a post gets another status than TRASHED, by restore_post() or in SQL: brings its tags and open reports back.
create trigger _500_leave_trash after update on app_public.posts for each row when (((old.status = 'TRASHED'::app_public.post_status) and (new.status <> 'TRASHED'::app_public.post_status))) execute function app_hidden.tg_posts__leave_trash();
-- After a post is submitted, or was: notifies its author of what another user, or the time for publication, decides.
create trigger _500_review after update on app_public.posts for each row when (((old.status <> new.status) and ((old.status = 'SUBMITTED'::app_public.post_status) or (new.status = any (array['SUBMITTED'::app_public.post_status, 'PUBLISHED'::app_public.post_status]))))) execute function app_hidden.tg_posts__review();
-- After a post is written: keeps its words for the search.
create trigger _640_find_words after insert or update on app_public.posts for each row execute function app_hidden.tg_posts__find_words();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.posts referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{id}', '{content}', '{"posts.author_id,status",posts.status}', '{author_id,status}', '{status,NULL}', '{listed_at,is_public,scheduled_by_id}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.posts referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{content}', '{"posts.author_id,status",posts.status}', '{author_id,status}', '{status,NULL}', '{listed_at,is_public,scheduled_by_id}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.posts referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{content}', '{"posts.author_id,status",posts.status}', '{author_id,status}', '{status,NULL}', '{listed_at,is_public,scheduled_by_id}');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_author_id_insert after insert on app_public.posts referencing new table as new_rows for each statement execute function change_feed.tg__record_events('author_id', 'id', '', 'first_published_at');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_author_id_update after update on app_public.posts referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('author_id', 'id', '', 'first_published_at');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_id_update after update on app_public.posts referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('id', 'id', '', '');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_queue_delete after delete on app_public.posts referencing old table as old_rows for each statement execute function change_feed.tg__record_events('queue', 'id', '', 'queue');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_queue_insert after insert on app_public.posts referencing new table as new_rows for each statement execute function change_feed.tg__record_events('queue', 'id', '', 'queue');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_queue_update after update on app_public.posts referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('queue', 'id', '', 'queue');
-- After posts are hidden or published: those who have unread notifications of them are told, because these are not counted while the post is hidden.
create trigger _900_tell_notified_update after update on app_public.posts referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_posts__tell_notified();

-- Row-level security
alter table app_public.posts enable row level security;
create policy delete_by_right on app_public.posts for delete to api_member
  using ((( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may) and (status is distinct from 'TRASHED'::app_public.post_status)));
create policy delete_own on app_public.posts for delete to api_member
  using (((author_id = ( select app_hidden.viewer_id() as viewer_id)) and (status is distinct from 'TRASHED'::app_public.post_status)));
create policy insert_own on app_public.posts for insert to api_member
  with check ((author_id = ( select app_hidden.viewer_id() as viewer_id)));
create policy select_by_right on app_public.posts for select to api_member
  using ((( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may) and (status is distinct from 'TRASHED'::app_public.post_status)));
create policy select_own on app_public.posts for select to api_member
  using (((author_id = ( select app_hidden.viewer_id() as viewer_id)) and (status is distinct from 'TRASHED'::app_public.post_status)));
create policy select_public on app_public.posts for select to api_anonymous, api_member
  using (is_public);
create policy update_by_right on app_public.posts for update to api_member
  using ((( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may) and (status is distinct from 'TRASHED'::app_public.post_status)));
create policy update_own on app_public.posts for update to api_member
  using (((author_id = ( select app_hidden.viewer_id() as viewer_id)) and (status is distinct from 'TRASHED'::app_public.post_status)));

-- Rights, beside the owner's
grant select on app_public.posts to api_anonymous;
grant delete on app_public.posts to api_member;
grant insert (author_id, title, excerpt, content, status, publish_at) on app_public.posts to api_member;
grant select on app_public.posts to api_member;
grant update (title, excerpt, content, status, publish_at) on app_public.posts to api_member;

-- Referenced by
-- app_private.post_reads (post_reads_post_id_fkey)
-- app_private.post_words (post_words_post_id_fkey)
-- app_public.comments (comments_inherited_fkey)
-- app_public.comments (comments_post_id_fkey)
-- app_public.notifications (notifications_post_id_fkey)
-- app_public.post_revisions (post_revisions_post_id_fkey)
-- app_public.post_tags (post_tags_inherited_fkey)
-- app_public.post_tags (post_tags_post_id_fkey)
-- app_public.previews (previews_post_id_fkey)
-- app_public.reports (reports_post_id_fkey)
-- app_public.review_notes (review_notes_post_id_fkey)
-- app_public.trashed_posts (trashed_posts_id_fkey)
-- app_public.working_copies (working_copies_post_id_fkey)
