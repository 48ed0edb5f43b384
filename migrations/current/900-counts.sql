-- Counts of rows are kept while rows are written, so that reading one does not depend on how many rows there are.

-- A transaction adds to a row that no other transaction is writing, and inserts one if all are taken. So nobody waits.
create table if not exists app_hidden.counts (
  name text collate "C" not null,
  key  text collate "C" not null,
  slot bigint not null generated always as identity,
  rows bigint not null,
  primary key (name, key, slot)
) with (fillfactor = 50);
comment on table app_hidden.counts is $$How many rows of a table have a value in a column: the sum over the slots.$$;
alter table app_hidden.counts enable row level security;

--!include functions/counts.sql
select app_private.count_rows('app_public.posts', 'status');
select app_private.count_rows('app_public.follows', 'followed_id');

-- A count tells no more than the policies of its table.
drop policy if exists select_public on app_hidden.counts;
create policy select_public on app_hidden.counts for select to :API_ANONYMOUS, :API_MEMBER
  using (name = 'follows.followed_id' or (name, key) = ('posts.status', 'PUBLISHED'));
drop policy if exists select_as_admin on app_hidden.counts;
create policy select_as_admin on app_hidden.counts for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_hidden.counts to :API_ANONYMOUS, :API_MEMBER;

-- Carries the viewer's own drafts: posts that are not published are few, and their author's.
create index if not exists posts_author_id_private_idx on app_public.posts (author_id, listed_at desc, id desc) where status <> 'PUBLISHED';

--!include functions/posts_count.sql
--!include functions/users_followers.sql
--!include functions/maintain.sql
