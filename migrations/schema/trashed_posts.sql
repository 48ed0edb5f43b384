-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A deleted post that can be restored.
-- @behavior -query:resource:connection -query:resource:single
-- @listOrder deleted_at desc, id desc
-- @describe listOrder The last deleted first.
create table app_public.trashed_posts (
  id            bigint not null, -- The id of the post, for restorePost and deletePostPermanently.
  author_id     bigint not null, -- The user who wrote the post.
  title         text not null, -- The headline.
  content       text not null, -- The full text.
  status        app_public.post_status not null, -- The status that the post had, and will have when it is restored.
  tags          text[] not null, -- [@notNull items] The names of the tags, in their order.
  slug          text not null, -- [@behavior -*] The slug that the post had.
  published_at  timestamptz, -- [@behavior -*] The time when the post last became public; null for a draft.
  publish_at    timestamptz, -- [@behavior -*] The time at which the draft would have been published; null without one.
  deleted_at    timestamptz not null default now(), -- The time when the post was deleted.
  expires_at    timestamptz not null, -- The time after which the post is deleted for good.
  deleted_by_id bigint, -- The user who deleted the post; null when that user is gone, and for direct SQL.
  constraint trashed_posts_pkey primary key (id),
  constraint trashed_posts_author_id_fkey foreign key (author_id) references app_public.users(id) on delete cascade, -- [@notNull] [@backwardBehavior -*]
  constraint trashed_posts_deleted_by_id_fkey foreign key (deleted_by_id) references app_public.users(id) on delete set null, -- [@fieldName deletedBy] [@backwardBehavior -*]
  constraint trashed_posts_id_fkey foreign key (id) references app_public.posts(id) on delete cascade -- [@behavior -*]
);

-- Indexes
create index trashed_posts_author_id_idx on app_public.trashed_posts (author_id);
create index trashed_posts_deleted_at_id_idx on app_public.trashed_posts (deleted_at desc, id desc);
create index trashed_posts_deleted_by_id_idx on app_public.trashed_posts (deleted_by_id);
create index trashed_posts_expires_at_idx on app_public.trashed_posts (expires_at);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.trashed_posts is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of content, slug, title on app_public.trashed_posts for each row execute function conventions.validate_app_public_trashed_posts();

-- Row-level security
alter table app_public.trashed_posts enable row level security;
create policy select_by_right on app_public.trashed_posts for select to api_member
  using (( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may));
create policy select_own on app_public.trashed_posts for select to api_member
  using ((author_id = ( select app_hidden.viewer_id() as viewer_id)));

-- Rights, beside the owner's
grant select on app_public.trashed_posts to api_member;

-- Referenced by
-- app_private.trashed_reasons (trashed_reasons_post_id_fkey)
