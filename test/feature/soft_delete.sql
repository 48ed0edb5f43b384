-- deletePost keeps the post for 30 days. The status hides it, as it hides drafts, with all that belongs to it.
alter table app_public.posts add column if not exists deleted_at timestamptz;
comment on column app_public.posts.deleted_at is $$When the post was deleted; null if it is not.$$;
create index if not exists posts_deleted_at_idx on app_public.posts (deleted_at) where deleted_at is not null;

create or replace function app_hidden.tg_posts__keep_deletion() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if new.status = 'DELETED' then
    new.deleted_at := coalesce(new.deleted_at, now());
  else
    new.deleted_at := null;
    -- A restored post returns to its place in lists.
    if tg_op = 'UPDATE' and old.status = 'DELETED' and new.status = 'PUBLISHED' then
      new.published_at := coalesce(old.first_published_at, new.published_at);
    end if;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__keep_deletion() is $$Before the status of a post is written: keeps the time of its deletion.$$;
create or replace trigger _150_keep_deletion before insert or update of status on app_public.posts
  for each row execute function app_hidden.tg_posts__keep_deletion();

create or replace function app_public.delete_post(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- Infinity removes the schedule: null would leave it.
  perform app_hidden.update_row(null::app_public.posts, delete_post.id, '{"status": "DELETED", "publish_at": null, "cleared": ["publish_at"]}', 'post');
  return (true, format('Post %s is deleted.', delete_post.id), delete_post.id, 'app_public.posts', null)::app_public.delete_result;
end $$;
comment on function app_public.delete_post(bigint) is $$@describe id The post to delete.
Deletes a post of yours, with its comments. For 30 days, updatePost restores it with another status.$$;
-- No other way deletes a post at once.
revoke delete on app_public.posts from :API_MEMBER;

insert into app_private.jobs (name, every, statement) values
  ('deleted_posts', '1 hour', $$select * from app_private.delete_expired('app_public.posts', 'deleted_at', '30 days', $1)$$)
on conflict (name) do update set statement = excluded.statement;
