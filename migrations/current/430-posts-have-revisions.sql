-- What a post was before each change, for its author and admins.
create table if not exists app_public.post_revisions (
  id             bigint generated always as identity primary key,
  post_id        bigint not null references app_public.posts on delete cascade,
  title          text not null,
  excerpt        text not null,
  content        text not null,
  tags           text[] not null,
  written_at     timestamptz not null,
  replaced_at    timestamptz not null default now(),
  transaction_id bigint not null default pg_current_xact_id()::text::bigint
);
comment on table app_public.post_revisions is E'@listOrder id desc\n@describe listOrder Newest first.\n@behavior -query:resource:list -query:resource:connection -query:resource:single\nA former version of a post, for its author and admins. The newest 100 of a post are kept.';
comment on column app_public.post_revisions.id is $$The unique id of the revision.$$;
comment on column app_public.post_revisions.post_id is $$The post of which this is a version.$$;
comment on column app_public.post_revisions.title is $$The title of this version.$$;
comment on column app_public.post_revisions.excerpt is $$The excerpt of this version.$$;
comment on column app_public.post_revisions.content is $$The whole text of this version.$$;
comment on column app_public.post_revisions.tags is $$The names of the tags of this version, in their order.$$;
comment on column app_public.post_revisions.written_at is E'@timestampFormat DATE_TIME\nThe time of the last change of this version.';
comment on column app_public.post_revisions.replaced_at is E'@timestampFormat DATE_TIME\nThe time when the next version replaced it.';
comment on column app_public.post_revisions.transaction_id is E'@behavior -*\nThe transaction that replaced it. It keeps one revision of a post.';
comment on constraint post_revisions_post_id_fkey on app_public.post_revisions is '@foreignFieldName revisions';
-- For Post.revisions, newest first, and for the foreign key to posts.
create index if not exists post_revisions_post_id_id_idx on app_public.post_revisions (post_id, id desc);

-- Without protect(): a version is kept as it is, also when it breaks a rule that is newer. Posts have the audit trail.
revoke all on app_public.post_revisions from public;
alter table app_public.post_revisions enable row level security;
create or replace trigger _050_normalize_text before insert or update on app_public.post_revisions
  for each row execute function app_hidden.tg__normalize_text();
drop policy if exists select_own on app_public.post_revisions;
create policy select_own on app_public.post_revisions for select to :API_MEMBER
  using (exists (select from app_public.posts
                  where posts.id = post_revisions.post_id and author_id = (select app_hidden.viewer_id()) offset 0));
drop policy if exists select_as_admin on app_public.post_revisions;
create policy select_as_admin on app_public.post_revisions for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
-- Without a policy for others, their lists are empty, and the rest of their answer stands.
grant select on app_public.post_revisions to :API_ANONYMOUS, :API_MEMBER;

--!include functions/keep_revision.sql
create or replace trigger _500_keep_revision after update on app_public.posts for each row
  when ((old.title, old.excerpt, old.content) is distinct from (new.title, new.excerpt, new.content))
  execute function app_hidden.tg_posts__keep_revision();
-- PostgreSQL cannot add an argument to a function.
drop function if exists app_hidden.set_post_tags(bigint, text[]);
--!include functions/set_post_tags.sql
--!include functions/update_post.sql
--!include functions/restore_revision.sql
