-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The tags of each post.
create table app_public.post_tags (
  post_id   bigint not null, -- The post.
  tag_id    bigint not null, -- The tag.
  position  smallint not null, -- The position among the post’s tags, from 1, in the author’s order.
  listed_at timestamptz, -- The post’s place in lists.
  is_public boolean not null default false, -- Whether everybody may see the row that this one is shown with, and so this one.
  constraint post_tags_pkey primary key (post_id, tag_id),
  constraint post_tags_post_id_position_key unique (post_id, "position") deferrable, -- A post has one tag at each position.
  constraint post_tags_post_id_fkey foreign key (post_id) references app_public.posts(id) on delete cascade,
  constraint post_tags_tag_id_fkey foreign key (tag_id) references app_public.tags(id) on delete cascade,
  constraint post_tags_position_check check ((("position" >= 1) and ("position" <= 15))) -- A post has at most 15 tags.
);

-- Indexes
create index post_tags_post_id_tag_id_is_public_idx on app_public.post_tags (post_id) include (tag_id, is_public);
create index post_tags_tag_id_is_public_listed_at_post_id_idx on app_public.post_tags (tag_id, is_public, listed_at desc, post_id desc);

-- Triggers, before and after, in the order in which they run
-- Before a row of post_tags is written: sets is_public.
create trigger _110_show_with_parent before insert or update of post_id, is_public, listed_at on app_public.post_tags for each row execute function app_hidden.tg_post_tags__show_with_parent();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_public.post_tags for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}');
-- After a post’s tags change: sets its updated_at, because readers see the tags.
create trigger _500_touch_post_delete after delete on app_public.post_tags referencing old table as changed for each statement execute function app_hidden.tg_post_tags__touch_post();
-- After a post’s tags change: sets its updated_at, because readers see the tags.
create trigger _500_touch_post_insert after insert on app_public.post_tags referencing new table as changed for each statement execute function app_hidden.tg_post_tags__touch_post();
-- After the tags of posts change: sets is_public of the tags.
create trigger _650_show_tags_added after insert on app_public.post_tags referencing new table as new_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
-- After the tags of posts change: sets is_public of the tags.
create trigger _650_show_tags_removed after delete on app_public.post_tags referencing old table as old_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
-- After the tags of posts change: sets is_public of the tags.
create trigger _650_show_tags_truncated after truncate on app_public.post_tags for each statement execute function app_hidden.tg_post_tags__show_tags();
-- After the tags of posts change: sets is_public of the tags.
create trigger _650_show_tags_updated after update on app_public.post_tags referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
-- After a table is truncated: forgets all kept facts.
create trigger _700_forget_facts after truncate on app_public.post_tags for each statement execute function app_hidden.tg__forget_facts();
-- After the tags of posts change: marks the facts that depend on them as stale.
create trigger _700_mark_stale_facts_added after insert on app_public.post_tags referencing new table as new_rows for each statement execute function app_hidden.tg_post_tags__mark_stale_facts();
-- After the tags of posts change: marks the facts that depend on them as stale.
create trigger _700_mark_stale_facts_removed after delete on app_public.post_tags referencing old table as old_rows for each statement execute function app_hidden.tg_post_tags__mark_stale_facts();
-- After the tags of posts change: marks the facts that depend on them as stale.
create trigger _700_mark_stale_facts_updated after update on app_public.post_tags referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_post_tags__mark_stale_facts();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_public.post_tags referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_public.post_tags referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_public.post_tags referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{}', '{}', '{"post_tags.tag_id,is_public"}', '{tag_id}', '{is_public}');

-- Policies
create policy select_visible on app_public.post_tags for select to api_anonymous, api_member
  using (((is_public and (post_id <> all (( select array( select (unsettled.key)::bigint as key
           from app_hidden.unsettled
          where (((unsettled.relation)::oid = ('app_public.post_tags'::regclass)::oid) and (unsettled.key <> ''::text))) as "array")::bigint[]))) or (exists ( select
   from app_public.posts parent
  where (parent.id = post_tags.post_id)
 offset 0))));

-- Rights, beside the owner's
grant select on app_public.post_tags to api_anonymous;
grant select on app_public.post_tags to api_member;
