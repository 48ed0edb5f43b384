-- Rights are asked on every way out as on the way in, by one function; and what a user has begun ends with the right to it.
-- A new column without a default has no values to check against the foreign key.
alter table app_public.posts add column if not exists scheduled_by_id bigint
  constraint posts_scheduled_by_id_fkey references app_public.users on delete set null;
comment on column app_public.posts.scheduled_by_id is $$@behavior -*
The user who set publish_at; null without one, and for direct SQL, which counts as the author.$$;
comment on constraint posts_scheduled_by_id_fkey on app_public.posts is $$@behavior -*$$;
-- It says with publish_at when it changes.
select conventions.derived('app_public.posts', 'scheduled_by_id');
create index if not exists posts_scheduled_by_id_idx on app_public.posts (scheduled_by_id) where scheduled_by_id is not null;

alter table app_public.previews add column if not exists made_by_id bigint
  constraint previews_made_by_id_fkey references app_public.users on delete cascade;
alter table app_public.previews alter column made_by_id set default app_hidden.viewer_id();
alter table app_public.previews add column if not exists last_used_at timestamptz;
comment on column app_public.previews.made_by_id is $$The user who made the link; null for direct SQL and for links made before this was kept, which count as the author’s.$$;
comment on column app_public.previews.last_used_at is $$When the link was last used, to the minute.$$;
comment on constraint previews_made_by_id_fkey on app_public.previews is $$@behavior -*$$;
create index if not exists previews_made_by_id_idx on app_public.previews (made_by_id);
do $$ begin
  if not exists (select from pg_attribute where attrelid = 'app_public.preview'::regclass and attname = 'made_by_id') then
    alter type app_public.preview add attribute made_by_id bigint, add attribute last_used_at timestamptz;
  end if;
end $$;
comment on type app_public.preview is $$@foreignKey (made_by_id) references app_public.users (id)|@fieldName madeBy|@backwardBehavior -*|@forwardDescription The user who made the link, for who may edit the post; null where this is not known, and for who only has the token.
A link that shows a post before it is published.$$;
comment on column app_public.preview.made_by_id is $$@behavior -*
The user who made the link.$$;
comment on column app_public.preview.last_used_at is $$When the link was last used, to the minute, for who may edit the post; null when it was not, and for who only has the token.$$;

--!include functions/posts/require_post_change.sql
--!include functions/posts/tg_posts__prepare.sql
--!include functions/posts/publish_due_posts.sql
--!include functions/posts/set_post_tags.sql
--!include functions/trash/trash_post.sql
--!include functions/trash/restore_post.sql
--!include functions/trash/delete_post_permanently.sql
--!include functions/previews/preview.sql
-- Before the triggers that prepare a row, and after those that may change what is wanted.
create or replace trigger _090_require_change before insert or update or delete on app_public.posts
  for each row execute function app_hidden.tg_posts__require_change();
comment on trigger _090_require_change on app_public.posts is $$Before a member writes or deletes a post: refuses what the viewer may not make of it.$$;

-- The audit trail knows who has set the times that wait.
update app_public.posts
   set scheduled_by_id = (
     select actor_id from app_public.audit_trail
      where table_name = 'posts' and row_key = posts.id::text and changes ? 'publish_at'
      order by changed_at desc, audit_trail.id desc limit 1)
 where publish_at is not null;
