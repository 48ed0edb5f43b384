-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A text by a user about a post, or a reply to one.
-- @describe listOrder Oldest first.
-- @listOrder created_at, id
-- @behavior -query:resource:list -query:resource:connection
-- @subscription commentAdded post_id
-- @subscription commentUpdated post_id updated
-- @subscription commentDeleted post_id deleted
create table app_public.comments (
  id          bigint not null generated always as identity, -- The comment’s id.
  post_id     bigint not null, -- The post that the comment is about.
  author_id   bigint not null, -- The user who wrote the comment.
  text        text not null, -- The text.
  created_at  timestamptz not null default now(), -- [@timestampFormat DATE] The time when the comment was written.
  is_public   boolean not null default false, -- [@behavior -*] Whether everybody may see the post, and so this comment.
  reply_to_id bigint, -- [@listFilter isNull:topLevel] The comment that this one replies to, or null.
  updated_at  timestamptz, -- The time of the last change.
  constraint comments_pkey primary key (id),
  constraint comments_author_id_fkey foreign key (author_id) references app_public.users(id) on delete cascade, -- [@notNull] [@backwardBehavior -list]
  constraint comments_inherited_fkey foreign key (post_id, is_public) references app_public.posts(id, is_public) on update cascade on delete cascade, -- [@behavior -*] Inherited visibility: the post’s changes reach the copy in the same statement.
  constraint comments_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade, -- [@notNull inherited]
  constraint comments_reply_to_id_fkey foreign key (reply_to_id) references app_public.comments(id) on delete cascade, -- [@foreignFieldName replies] [@backwardBehavior -list]
  constraint comments_text_blank_check check (((text ~ '\S'::text) or (text = ''::text))), -- A comment needs a character other than white space.
  constraint comments_text_length_check check (((char_length(text) >= 1) and (char_length(text) <= 5000))) -- A comment needs between 1 and 5000 characters.
);

-- Indexes
create index comments_author_id_created_at_id_is_public_idx on app_public.comments (author_id, created_at, id) include (is_public);
create index comments_created_at_day_idx on app_public.comments ((((created_at at time zone 'UTC'::text))::date));
create index comments_post_id_created_at_id_idx on app_public.comments (post_id, created_at, id);
create index comments_post_id_created_at_id_top_level_idx on app_public.comments (post_id, created_at, id) where (reply_to_id is null);
create index comments_reply_to_id_created_at_id_idx on app_public.comments (reply_to_id, created_at, id);

-- Triggers, before and after, in the order in which they run
-- Before a reply is written: refuses one to a comment on another post, or to a reply.
create trigger _105_place_reply before insert or update of reply_to_id, post_id on app_public.comments for each row when ((new.reply_to_id is not null)) execute function app_hidden.tg_comments__place_reply();
-- Before a row with a post_id is written: copies the visibility of the post to is_public.
create trigger _110_inherit_visibility before insert or update of post_id on app_public.comments for each row execute function app_hidden.tg__inherit_visibility();
-- Before a row of app_public.comments is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of author_id, created_at, id, reply_to_id, text on app_public.comments for each row execute function conventions.validate_app_public_comments();
-- Before a row is written with a time that no content can have: names the column.
create trigger _210_bound_times before insert or update of created_at on app_public.comments for each row when ((not conventions.is_plausible(new.created_at))) execute function conventions.tg__refuse_times('created_at');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.comments for each statement execute function conventions.tg__record_changes('{id}', '{}', '{comments.post_id,comments.reply_to_id}', '{post_id,reply_to_id}', '{NULL,NULL}', '{is_public}');
-- Before a streamed table is truncated: refuses it, since no row is told.
create trigger _900_stream_truncate before truncate on app_public.comments for each statement execute function change_feed.tg__refuse_truncate();
-- After a comment is moved to another post: moves its replies, and the notifications of it.
create trigger _500_move_along_update after update of post_id on app_public.comments for each row when ((old.post_id <> new.post_id)) execute function app_hidden.tg_comments__move_along();
-- After comments are added: notifies the authors of their posts, and of the comments that they reply to.
create trigger _700_notify_users_insert after insert on app_public.comments referencing new table as new_rows for each statement execute function app_hidden.tg_comments__notify_users();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.comments referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{comments.post_id,comments.reply_to_id}', '{post_id,reply_to_id}', '{NULL,NULL}', '{is_public}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.comments referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{comments.post_id,comments.reply_to_id}', '{post_id,reply_to_id}', '{NULL,NULL}', '{is_public}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.comments referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{comments.post_id,comments.reply_to_id}', '{post_id,reply_to_id}', '{NULL,NULL}', '{is_public}');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_post_id_delete after delete on app_public.comments referencing old table as old_rows for each statement execute function change_feed.tg__record_events('post_id', 'id', '', '');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_post_id_insert after insert on app_public.comments referencing new table as new_rows for each statement execute function change_feed.tg__record_events('post_id', 'id', '', '');
-- After a statement: records its changes in the streams of the table, and notifies the services.
create trigger _900_stream_post_id_update after update on app_public.comments referencing old table as old_rows new table as new_rows for each statement execute function change_feed.tg__record_events('post_id', 'id', '', '');

-- Row-level security
alter table app_public.comments enable row level security;
create policy delete_by_right on app_public.comments for delete to api_member
  using (( select app_hidden.viewer_may('MODERATE'::app_public.user_right) as viewer_may));
create policy delete_on_own_post on app_public.comments for delete to api_member
  using ((exists ( select
   from app_public.posts
  where ((posts.id = comments.post_id) and (posts.author_id = ( select app_hidden.viewer_id() as viewer_id)))
 offset 0)));
create policy delete_own on app_public.comments for delete to api_member
  using ((author_id = ( select app_hidden.viewer_id() as viewer_id)));
create policy insert_own on app_public.comments for insert to api_member
  with check (((author_id = ( select app_hidden.viewer_id() as viewer_id)) and (exists ( select
   from app_public.posts
  where (posts.id = comments.post_id)))));
create policy select_visible on app_public.comments for select to api_anonymous, api_member
  using ((is_public or (exists ( select
   from app_public.posts
  where (posts.id = comments.post_id)
 offset 0))));
create policy update_own on app_public.comments for update to api_member
  using ((author_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.comments to api_anonymous;
grant delete on app_public.comments to api_member;
grant insert (post_id, author_id, text, reply_to_id) on app_public.comments to api_member;
grant select on app_public.comments to api_member;
grant update (text) on app_public.comments to api_member;

-- Referenced by
-- app_private.trashed_reasons (trashed_reasons_comment_id_fkey)
-- app_public.comments (comments_reply_to_id_fkey)
-- app_public.notifications (notifications_comment_id_fkey)
-- app_public.reports (reports_comment_id_fkey)
