-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The reasons of open reports of posts in the trash, and of their comments.
create table app_private.trashed_reasons (
  post_id     bigint not null, -- The post.
  reporter_id bigint not null, -- The user who gave the reason.
  reason      text not null, -- The reason.
  created_at  timestamptz not null, -- The time when it was given.
  comment_id  bigint, -- The comment on the post, of a report of a comment; null for a report of the post.
  id          bigint not null generated always as identity, -- The id.
  constraint trashed_reasons_pkey primary key (id),
  constraint trashed_reasons_comment_id_fkey foreign key (comment_id) references app_public.comments(id) on delete cascade,
  constraint trashed_reasons_post_id_fkey foreign key (post_id) references app_public.trashed_posts(id) on delete cascade,
  constraint trashed_reasons_reporter_id_fkey foreign key (reporter_id) references app_public.users(id) on delete cascade
);

-- Indexes
create index trashed_reasons_comment_id_idx on app_private.trashed_reasons (comment_id);
create index trashed_reasons_post_id_idx on app_private.trashed_reasons (post_id);
create index trashed_reasons_reporter_id_idx on app_private.trashed_reasons (reporter_id);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_private.trashed_reasons is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of reason on app_private.trashed_reasons for each row execute function conventions.validate_app_private_trashed_reasons();

-- Row-level security
alter table app_private.trashed_reasons enable row level security;
