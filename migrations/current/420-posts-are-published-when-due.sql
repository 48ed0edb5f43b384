-- A draft can have a time at which it is published.
alter table app_public.posts add column if not exists publish_at timestamptz;
comment on column app_public.posts.publish_at is E'@timestampFormat DATE_TIME\nThe time at which the draft will be published; null without one. A time in the past publishes at once. Writing a status without a time removes it.';
-- Not valid, because no post has a time yet: PostgreSQL need not read them.
alter table app_public.posts drop constraint if exists posts_publish_at_check;
alter table app_public.posts add constraint posts_publish_at_check check (publish_at is null or status <> 'PUBLISHED') not valid;
comment on constraint posts_publish_at_check on app_public.posts is E'@code ALREADY_PUBLISHED\nA published post cannot be scheduled. Make it a draft in the same call.';
select app_hidden.accept('app_public.posts', '{publish_at}',
  on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');
--!include functions/tg_posts__prepare.sql
--!include functions/update_post.sql

create table if not exists app_private.scheduled_posts (
  post_id    bigint primary key references app_public.posts on delete cascade,
  publish_at timestamptz not null
);
comment on table app_private.scheduled_posts is $$The posts that have a publish_at. A table of its own, because each request asks it whether a post is due.$$;
comment on column app_private.scheduled_posts.post_id is $$The post.$$;
comment on column app_private.scheduled_posts.publish_at is $$Its publish_at.$$;
alter table app_private.scheduled_posts enable row level security;
create index if not exists scheduled_posts_publish_at_idx on app_private.scheduled_posts (publish_at);
drop function if exists app_hidden.publish_due_posts();
--!include functions/publish_due_posts.sql
create or replace trigger _500_schedule_new after insert on app_public.posts
  for each row when (new.publish_at is not null) execute function app_hidden.tg_posts__schedule();
create or replace trigger _500_schedule after update on app_public.posts
  for each row when (old.publish_at is distinct from new.publish_at) execute function app_hidden.tg_posts__schedule();
drop function if exists app_private.identify(bigint);
--!include functions/identify.sql
