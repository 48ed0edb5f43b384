-- The people and posts of "Changing a post" in migrations/permissions.md: roles with each part of the two rights that matter, and a post in a state.
insert into app_hidden.role_rights (role, may) values ('COPY_EDITOR', 'EDIT_ANY_POST') on conflict do nothing;
insert into app_public.users (name, role) values ('Cora', 'CONTRIBUTOR'), ('Cole', 'COPY_EDITOR');
insert into app_private.accounts (user_id, email) values (8, 'cora@example.com'), (9, 'cole@example.com');

-- Written by the owner, without the rules: a post may be in a state that its author has no right to any more.
create function app_private.post_in(author_id bigint, state text, out id bigint, out revision bigint, out preview bigint)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_status app_public.post_status := case when state in ('draft', 'scheduled', 'lapsed') or state like '% draft' then 'DRAFT'
                                          when state = 'submitted' then 'SUBMITTED' else 'PUBLISHED' end;
begin
  insert into app_public.posts (author_id, title, content, status, publish_at, scheduled_by_id)
  values (author_id, 'A post', 'Text.', v_status, case when state in ('scheduled', 'lapsed') then '2999-12-31'::timestamptz end,
          case state when 'scheduled' then 6 else 4 end)
  returning posts.id into id;
  insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at)
  values (id, 'A former title', 'Words.', 'Words.', '{}', now()) returning post_revisions.id into revision;
  insert into app_public.working_copies (post_id, fields) values (id, '{"title": "The next title"}');
  insert into app_public.previews (post_id, token_hash, expires_at) values (id, sha256(state::bytea || id::text::bytea), now() + interval '1 day')
  returning previews.id into preview;
  if state like 'binned %' or state like 'taken down %' then
    insert into app_public.trashed_posts (id, author_id, title, content, status, tags, slug, published_at, expires_at, deleted_by_id)
    select posts.id, posts.author_id, title, content, status, '{}', slug, published_at, now() + interval '30 days',
           case when state like 'binned %' then posts.author_id else 6 end
      from app_public.posts where posts.id = post_in.id;
    update app_public.posts set status = 'TRASHED', slug = gen_random_uuid()::text where posts.id = post_in.id;
  end if;
end $$;
