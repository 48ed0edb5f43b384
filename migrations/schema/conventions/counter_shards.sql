-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- How many rows of a table have a value in the columns of a counter: the sum over the shards.
create table conventions.counter_shards (
  counter text not null, -- The counter.
  key     text not null, -- The value of the column; of two, both, separated by a comma.
  shard   bigint not null generated always as identity, -- Tells apart the parts of a sum, of which each transaction writes another.
  value   bigint not null, -- A part of the number of rows.
  constraint counter_shards_pkey primary key (counter, key, shard)
);

-- Row-level security
alter table conventions.counter_shards enable row level security;
create policy select_by_right on conventions.counter_shards for select to api_member
  using (((key !~ '(^|,)TRASHED$'::text) and
case
    when (counter = 'reports.status'::text) then ( select app_hidden.viewer_may('READ_REPORTS'::app_public.user_right) as viewer_may)
    else ( select app_hidden.viewer_may('EDIT_ANY_POST'::app_public.user_right) as viewer_may)
end));
create policy select_comments on conventions.counter_shards for select to api_anonymous, api_member
  using (
case counter
    when 'comments.post_id'::text then (exists ( select
       from app_public.posts
      where (posts.id = (counter_shards.key)::bigint)
     offset 0))
    when 'comments.reply_to_id'::text then (exists ( select
       from app_public.comments
      where (comments.id = (counter_shards.key)::bigint)
     offset 0))
    else false
end);
create policy select_follows on conventions.counter_shards for select to api_anonymous, api_member
  using ((counter = any (array['follows.followed_id'::text, 'follows.follower_id'::text])));
create policy select_own_posts on conventions.counter_shards for select to api_member
  using (((counter = 'posts.author_id,status'::text) and (split_part(key, ','::text, 1) = (( select app_hidden.viewer_id() as viewer_id))::text) and (split_part(key, ','::text, 2) <> 'TRASHED'::text)));
create policy select_public_post_tags on conventions.counter_shards for select to api_anonymous, api_member
  using (((counter = 'post_tags.tag_id,is_public'::text) and (key ~~ '%,true'::text)));
create policy select_published_posts on conventions.counter_shards for select to api_anonymous, api_member
  using ((((counter = 'posts.status'::text) and (key = ('PUBLISHED'::app_public.post_status)::text)) or ((counter = 'posts.author_id,status'::text) and (split_part(key, ','::text, 2) = ('PUBLISHED'::app_public.post_status)::text))));

-- Rights, beside the owner's
grant select on conventions.counter_shards to api_anonymous;
grant select on conventions.counter_shards to api_member;
