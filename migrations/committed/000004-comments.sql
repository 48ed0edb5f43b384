--! Previous: sha1:7d31841ce94c1fac365a23752350d9204e76788f
--! Hash: sha1:a932c05721dbd93716690dd549b862cd55f9ed2f
--! Message: comments

--! split: 400-comments.sql
-- Comments: what readers say below a post. Whoever may see the post may see them.
create table app_public.comments (
  id         bigint generated always as identity primary key,
  post_id    bigint not null references app_public.posts on delete cascade,
  author_id  bigint not null references app_public.users on delete cascade,
  text       text not null,
  created_at timestamptz not null default now(),
  constraint comments_text_length_check check (char_length(text) between 1 and 5000),
  constraint comments_text_blank_check check (text ~ '\S' or text = '')
);
comment on table app_public.comments is E'@listOrder created_at, id\n@behavior -query:resource:list -query:resource:connection -query:resource:single\nWhat a reader says below a post.';
comment on column app_public.comments.id is $$Identifies the comment, for good.$$;
comment on column app_public.comments.post_id is $$The post that it is about.$$;
comment on column app_public.comments.author_id is $$Who wrote it.$$;
comment on column app_public.comments.text is $$What it says.$$;
comment on column app_public.comments.created_at is $$When it was written.$$;
comment on constraint comments_text_length_check on app_public.comments is $$A comment needs between 1 and 5000 characters.$$;
comment on constraint comments_text_blank_check on app_public.comments is $$A comment needs more than spaces.$$;
-- Carries Post.comments, oldest first, and the foreign key to posts.
create index comments_post_id_created_at_id_idx on app_public.comments (post_id, created_at, id);
-- Carries User.comments and the foreign key to users.
create index comments_author_id_created_at_id_idx on app_public.comments (author_id, created_at, id);

--! Included functions/tg_comments__prepare.sql
create or replace function app_hidden.tg_comments__prepare() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.text := normalize(new.text, NFC);
  return new;
end $$;
comment on function app_hidden.tg_comments__prepare() is $$Before a comment is written: text is stored in normal form C.$$;
--! EndIncluded functions/tg_comments__prepare.sql
create trigger _100_prepare before insert or update on app_public.comments
  for each row execute function app_hidden.tg_comments__prepare();
create trigger _200_refuse_faults before insert or update on app_public.comments
  for each row execute function app_hidden.tg__refuse_faults();

alter table app_public.comments enable row level security;
create policy select_visible on app_public.comments for select to :API_ANONYMOUS, :API_MEMBER
  using (exists (select from app_public.posts where posts.id = comments.post_id));
create policy insert_own on app_public.comments for insert to :API_MEMBER
  with check (author_id = (select app_hidden.viewer_id())
          and exists (select from app_public.posts where posts.id = comments.post_id));
create policy delete_own on app_public.comments for delete to :API_MEMBER
  using (author_id = (select app_hidden.viewer_id()));
create policy delete_as_admin on app_public.comments for delete to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.comments to :API_ANONYMOUS, :API_MEMBER;
grant insert (post_id, author_id, text), delete on app_public.comments to :API_MEMBER;

--! Included functions/create_comment.sql
create or replace function app_public.create_comment(post_id bigint, text text) returns app_public.comments
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
begin
  if not exists (select from app_public.posts where posts.id = create_comment.post_id) then
    perform app_hidden.refuse_missing('post');
  end if;
  insert into app_public.comments (post_id, author_id, text)
  values (create_comment.post_id, app_hidden.viewer_id(), create_comment.text)
  returning * into v_comment;
  return v_comment;
end $$;
comment on function app_public.create_comment(bigint, text) is $$@describe post_id The post that it is about.
@describe text What it says: 1 to 5,000 characters.
Says something below a post: 1 to 5,000 characters.$$;
grant execute on function app_public.create_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/create_comment.sql
--! Included functions/delete_comment.sql
create or replace function app_public.delete_comment(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
begin
  delete from app_public.comments where comments.id = delete_comment.id;
  if not found then
    if exists (select from app_public.comments where comments.id = delete_comment.id) then
      perform app_hidden.refuse_unauthorized();
    end if;
    perform app_hidden.refuse_missing('comment');
  end if;
  return (true, format('Comment %s is deleted.', delete_comment.id));
end $$;
comment on function app_public.delete_comment(bigint) is $$@describe id The comment to delete.
Deletes a comment of yours.$$;
grant execute on function app_public.delete_comment(bigint) to :API_MEMBER;
--! EndIncluded functions/delete_comment.sql
