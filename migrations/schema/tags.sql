-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- A keyword for posts.
-- @behavior -query:resource:list -query:resource:single
-- @listOrder name
-- @listFilter name_starts_with app_hidden.tag_ids_named
-- @describe name_starts_with Only tags that begin so, in any case.
-- @firstRows app_hidden.first_tags_named name_starts_with! after
create table app_public.tags (
  id             bigint not null default ((('x'::text || "right"((gen_random_uuid())::text, 12)))::bit(48))::bigint, -- The tag’s id.
  name           text not null, -- The keyword: lower case, without surrounding white space, unique.
  public_post_id bigint, -- [@behavior -*] A post that everybody may see, with this tag; null if none is known.
  public_tag_id  bigint, -- [@behavior -*] The tag’s id, for the foreign key to the tag of that post; null without one.
  is_public      boolean, -- [@behavior -*] Whether everybody may see that post, and so this tag.
  form           text not null generated always as (app_hidden.tag_form(name)) stored, -- [@behavior -*] The search form of the name.
  constraint tags_pkey primary key (id),
  constraint tags_form_key unique (form), -- [@behavior -single] This tag already exists.
  constraint tags_name_key unique (name), -- [@behavior -single] This tag already exists.
  constraint tags_public_post_fkey foreign key (public_post_id, public_tag_id, is_public) references app_public.post_tags(post_id, tag_id, is_public) on update cascade on delete set null, -- [@behavior -*] When that post is hidden, is_public becomes false in the same statement.
  constraint tags_name_check check (((name = lower((name collate "default"))) and (name = btrim(name)))), -- [@code FORMAT] A tag is in lower case, without surrounding white space.
  constraint tags_name_length_check check (((char_length(name) >= 1) and (char_length(name) <= 50))), -- A tag needs between 1 and 50 characters.
  constraint tags_public_tag_id_check check ((public_tag_id = id)) -- The row of post_tags is one of this tag.
);

-- Indexes
create index tags_id_name_is_public_idx on app_public.tags (id) include (name, is_public);
create index tags_public_post_id_idx on app_public.tags (public_post_id, public_tag_id, is_public);

-- Triggers, before and after, in the order in which they run
-- Before a row of app_public.tags is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of id, name, public_tag_id on app_public.tags for each row execute function conventions.validate_app_public_tags();

-- Row-level security
alter table app_public.tags enable row level security;
create policy select_visible on app_public.tags for select to api_anonymous, api_member
  using ((is_public or (exists ( select
   from app_public.post_tags
  where ((post_tags.tag_id = tags.id) and post_tags.is_public)
 offset 0)) or (exists ( select
   from app_public.post_tags
  where (post_tags.tag_id = tags.id)
 offset 0))));

-- Rights, beside the owner's
grant select on app_public.tags to api_anonymous;
grant select on app_public.tags to api_member;

-- Referenced by
-- app_public.post_tags (post_tags_tag_id_fkey)
