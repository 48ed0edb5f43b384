-- Policies of comments, the tags of posts, and tags read a column of the row, and look another row up only if that column says so.
--
-- Locks, until the end of the migration: comments, post_tags and tags against reads and writes, posts and the other tables that
-- analysts' facts depend on against writes. That is as long as it takes to change the catalogue, to build the index of post_tags,
-- and to fill a thousand or two rows of comments and post_tags. Nothing is rewritten. Maintenance fills the rest in batches. Until then the
-- policies look the other rows up, as they did before.

create table if not exists app_private.shown_with_parent (
  relation   regclass primary key,
  key_column name not null,
  parent     regclass not null,
  parent_key name not null,
  copied     name[] not null
);
comment on table app_private.shown_with_parent is $$Tables whose rows are visible when the row that a foreign key refers to is: see app_hidden.show_with_parent().$$;
comment on column app_private.shown_with_parent.relation is $$The table.$$;
comment on column app_private.shown_with_parent.key_column is $$The foreign key.$$;
comment on column app_private.shown_with_parent.parent is $$The table that it refers to.$$;
comment on column app_private.shown_with_parent.parent_key is $$The column that it refers to.$$;
comment on column app_private.shown_with_parent.copied is $$Columns that have the values of the parent's columns of the same names.$$;
alter table app_private.shown_with_parent enable row level security;

create table if not exists app_hidden.unsettled (
  relation    regclass not null,
  key         text not null,
  next_block  bigint not null default 0,
  has_changes boolean not null default false,
  primary key (relation, key)
);
comment on table app_hidden.unsettled is $$The keys whose rows in a table may have a wrong is_public, so that policies look the parent up; an empty key if rows of any key may have is_public false by mistake.$$;
alter table app_hidden.unsettled enable row level security;
drop policy if exists select_all on app_hidden.unsettled;
create policy select_all on app_hidden.unsettled for select to :API_ANONYMOUS, :API_MEMBER using (true);
grant select on app_hidden.unsettled to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.is_public(posts app_public.posts) returns boolean
language sql immutable
return posts.status = 'PUBLISHED';
comment on function app_hidden.is_public(app_public.posts) is $$Whether everybody may see the post.$$;
grant execute on function app_hidden.is_public(app_public.posts) to :API_MEMBER;

--!include functions/settle_rows.sql
--!include functions/show_with_parent.sql
--!include functions/protect.sql
--!include functions/tg__record_changes.sql
--!include functions/tg__stream.sql
--!include functions/mark_stale_facts.sql

alter table app_public.tags add column if not exists is_public boolean not null default false;
comment on column app_public.tags.is_public is E'@behavior -*\nWhether a published post has the tag, as far as known: if false, policies look.';
alter table app_public.post_tags add column if not exists listed_at timestamptz;
comment on column app_public.post_tags.listed_at is $$The post’s place in lists.$$;

--!include functions/show_tags.sql
create or replace trigger _650_show_tags_added after insert on app_public.post_tags
  referencing new table as new_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
create or replace trigger _650_show_tags_updated after update on app_public.post_tags
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
create or replace trigger _650_show_tags_removed after delete on app_public.post_tags
  referencing old table as old_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
create or replace trigger _650_show_tags_truncated after truncate on app_public.post_tags
  for each statement execute function app_hidden.tg_post_tags__show_tags();

select app_hidden.show_with_parent('app_public.comments', 'post_id');
select app_hidden.show_with_parent('app_public.post_tags', 'post_id', '{listed_at}');
alter policy select_visible on app_public.tags
  using (is_public or exists (select from app_public.post_tags where post_tags.tag_id = tags.id offset 0));

-- Carries Tag.posts, in its order, and the foreign key to tags.
create index if not exists post_tags_tag_id_is_public_listed_at_post_id_idx
  on app_public.post_tags (tag_id, is_public, listed_at desc, post_id desc);
drop index if exists app_public.post_tags_tag_id_post_id_idx;

--!include functions/maintain.sql
