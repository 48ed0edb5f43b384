-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A former version of a post, for its author and admins.
-- @listOrder id desc
-- @describe listOrder Newest first.
-- @behavior -query:resource:list -query:resource:connection -query:resource:single
create table app_public.post_revisions (
  id             bigint not null generated always as identity, -- The unique id of the revision.
  post_id        bigint not null, -- The post of which this is a version.
  title          text, -- [@notNull] The title of this version.
  excerpt        text, -- [@notNull] The excerpt of this version.
  content        text, -- [@notNull] The whole text of this version.
  tags           text[] not null, -- [@notNull items] The names of the tags of this version, in their order.
  written_at     timestamptz not null, -- The time of the last change of this version.
  replaced_at    timestamptz not null default now(), -- The time when the next version replaced it.
  transaction_id bigint not null default ((pg_current_xact_id())::text)::bigint, -- [@behavior -*] The transaction that replaced it.
  fields         jsonb not null default '{}'::jsonb, -- [@behavior -*] The other fields of this version: of the columns of posts that this table lacks.
  constraint post_revisions_pkey primary key (id),
  constraint post_revisions_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade, -- [@foreignFieldName revisions] [@backwardBehavior -connection] [@notNull inherited]
  constraint post_revisions_tags_check check ((array_position(tags, null::text) is null)) -- A tag has a name.
);

-- Indexes
create index post_revisions_post_id_id_idx on app_public.post_revisions (post_id, id desc);

-- Row-level security
alter table app_public.post_revisions enable row level security;
create policy select_by_right on app_public.post_revisions for select to api_member
  using ((( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may) and (exists ( select
   from app_public.posts
  where (posts.id = post_revisions.post_id)
 offset 0))));
create policy select_own on app_public.post_revisions for select to api_member
  using ((exists ( select
   from app_public.posts
  where ((posts.id = post_revisions.post_id) and (posts.author_id = ( select app_hidden.viewer_id() as viewer_id)))
 offset 0)));

-- Rights, beside the owner's
grant select on app_public.post_revisions to api_anonymous;
grant select on app_public.post_revisions to api_member;
