-- Embargo: whoever publishes the post, it is not public before this time.
alter table app_public.posts add column if not exists embargo_until timestamptz;
comment on column app_public.posts.embargo_until is E'The post is not public before this time. Publishing it earlier schedules it.';

-- A post under embargo is a scheduled draft: the service publishes it when it is due, and tells subscribers then.
create or replace function app_hidden.tg_posts__keep_embargo() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' and new.publish_at = old.embargo_until and new.embargo_until is distinct from old.embargo_until then
    -- The post waits for the end of the embargo, which moves.
    new.publish_at := coalesce(new.embargo_until, now());
  elsif new.embargo_until > now() and (new.status = 'PUBLISHED' or new.publish_at < new.embargo_until) then
    new.status := 'DRAFT';
    new.publish_at := new.embargo_until;
  end if;
  return new;
end $$;
comment on function app_hidden.tg_posts__keep_embargo() is $$Before a post is written: schedules it for the end of its embargo, if it would be public before.$$;
-- Before _100_prepare, which derives slug and times from the status.
create or replace trigger _050_keep_embargo before insert or update on app_public.posts
  for each row execute function app_hidden.tg_posts__keep_embargo();

select conventions.allow_writing('app_public.posts', '{embargo_until}',
  on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');
