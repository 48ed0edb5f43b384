-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The tags of each post.
-- @manyToMany
create table app_public.post_tags (
  post_id   bigint not null, -- The post.
  tag_id    bigint not null, -- The tag.
  position  smallint not null, -- The position among the post’s tags, from 1, in the author’s order.
  is_public boolean not null default false, -- [@behavior -*] Whether everybody may see the post, and so this row.
  listed_at timestamptz not null default '-infinity'::timestamp with time zone, -- The post’s place in lists.
  constraint post_tags_pkey primary key (post_id, tag_id),
  constraint post_tags_post_id_position_key unique (post_id, "position") deferrable, -- A post has one tag at each position.
  constraint post_tags_inherited_fkey foreign key (post_id, is_public, listed_at) references app_public.posts(id, is_public, listed_at) on update cascade on delete cascade, -- [@behavior -*] Inherited visibility: the post’s changes reach the copies in the same statement.
  constraint post_tags_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade, -- [@backwardBehavior -connection]
  constraint post_tags_tag_id_fkey foreign key (tag_id) references app_public.tags(id) on delete cascade, -- [@backwardBehavior -list] [@firstRows app_hidden.first_posts_of_tag status after] [@totalCount app_hidden.posts_count_of_tag status]
  constraint post_tags_position_check check ((("position" >= 1) and ("position" <= 15))) -- A post has at most 15 tags.
);

-- Indexes
create unique index post_tags_post_id_tag_id_is_public_idx on app_public.post_tags (post_id, tag_id, is_public);
create index post_tags_tag_id_is_public_listed_at_post_id_idx on app_public.post_tags (tag_id, is_public, listed_at desc, post_id desc);

-- Triggers, before and after, in the order in which they run
-- Before a row with a post_id is written: copies the visibility of the post to is_public.
create trigger _110_inherit_visibility before insert or update of post_id on app_public.post_tags for each row execute function app_hidden.tg__inherit_visibility();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.post_tags for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}', '{is_public,listed_at}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.post_tags referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}', '{is_public,listed_at}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.post_tags referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}', '{is_public,listed_at}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.post_tags referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}', '{is_public,listed_at}');

-- Row-level security
alter table app_public.post_tags enable row level security;
create policy select_visible on app_public.post_tags for select to api_anonymous, api_member
  using ((is_public or (exists ( select
   from app_public.posts
  where (posts.id = post_tags.post_id)
 offset 0))));

-- Rights, beside the owner's
grant select on app_public.post_tags to api_anonymous;
grant select on app_public.post_tags to api_member;

-- Referenced by
-- app_public.tags (tags_public_post_fkey)
