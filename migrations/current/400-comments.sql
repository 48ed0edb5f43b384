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

--!include functions/tg_comments__prepare.sql
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

--!include functions/create_comment.sql
--!include functions/delete_comment.sql
