-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- Changes of a post that readers do not see yet.
-- @behavior -query:resource:list -query:resource:connection -query:resource:single
create table app_public.working_copies (
  id         bigint not null generated always as identity, -- The working copy’s id.
  post_id    bigint not null, -- The post.
  fields     jsonb not null, -- [@behavior -*] The columns that change, as UpdatePostInput has them; null for those that are cleared.
  created_at timestamptz not null default now(), -- The time of the first change.
  updated_at timestamptz not null default now(), -- The time of the last change.
  constraint working_copies_pkey primary key (id),
  constraint working_copies_post_id_key unique (post_id), -- [@behavior -single] The post has a working copy already.
  constraint working_copies_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade -- [@notNull inherited]
);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.working_copies is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update on app_public.working_copies for each row execute function conventions.validate_app_public_working_copies();

-- Row-level security
alter table app_public.working_copies enable row level security;
create policy editable on app_public.working_copies for all to api_member
  using ((exists ( select
   from app_public.posts
  where ((posts.id = working_copies.post_id) and ((posts.author_id = ( select app_hidden.viewer_id() as viewer_id)) or ( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may)))
 offset 0)));

-- Rights, beside the owner's
grant select on app_public.working_copies to api_anonymous;
grant delete on app_public.working_copies to api_member;
grant insert (post_id, fields) on app_public.working_copies to api_member;
grant select on app_public.working_copies to api_member;
grant update (fields) on app_public.working_copies to api_member;
