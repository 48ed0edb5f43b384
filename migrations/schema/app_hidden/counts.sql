-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- How many rows of a table have a value in a column: the sum over the slots.
create table app_hidden.counts (
  name text not null,
  key  text not null,
  slot bigint not null generated always as identity,
  rows bigint not null,
  constraint counts_pkey primary key (name, key, slot)
);

-- Policies
create policy select_as_admin on app_hidden.counts for select to api_member
  using (( select app_hidden.viewer_is_admin() as viewer_is_admin));
create policy select_own on app_hidden.counts for select to api_member
  using (((name = 'posts.author_id,status'::text) and (split_part(key, ','::text, 1) = (( select app_hidden.viewer_id() as viewer_id))::text)));
create policy select_public on app_hidden.counts for select to api_anonymous, api_member
  using (((name = any (array['follows.followed_id'::text, 'follows.follower_id'::text])) or ((name = 'posts.status'::text) and (key = 'PUBLISHED'::text)) or ((name = 'posts.author_id,status'::text) and (key ~~ '%,PUBLISHED'::text)) or ((name = 'post_tags.tag_id,is_public'::text) and (key ~~ '%,true'::text))));
create policy select_with_row on app_hidden.counts for select to api_anonymous, api_member
  using (
case name
    when 'comments.post_id'::text then (exists ( select
       from app_public.posts
      where (posts.id = (counts.key)::bigint)
     offset 0))
    when 'comments.reply_to_id'::text then (exists ( select
       from app_public.comments
      where (comments.id = (counts.key)::bigint)
     offset 0))
    else false
end);

-- Rights, beside the owner's
grant select on app_hidden.counts to api_anonymous;
grant select on app_hidden.counts to api_member;
