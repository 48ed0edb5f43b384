import type pg from "pg";

/** How much content to generate. Rows are spread evenly over the days before today, and the same numbers give the same content. */
export interface ContentSize {
  users: number;
  posts: number;
  comments: number;
  tags: number;
  days: number;
}

/** The size at which the analysts' views have to answer within a second. */
export const publicationSize: ContentSize = {
  users: 20_000,
  posts: 200_000,
  comments: 1_000_000,
  tags: 500,
  days: 1_000,
};

/**
 * Replaces all content by generated content, for counts and measurements of the analysts' views. Triggers do not run, so that a million
 * rows take seconds: the copies of a post's visibility are written as they and the maintenance would. The rollups are still those of the content before: refreshRollups().
 *
 * @param client a superuser's connection
 */
export async function fillForAnalysts(client: pg.ClientBase | pg.Pool, size: ContentSize): Promise<void> {
  const { users, posts, comments, tags, days } = size;
  // Ten in eleven posts are published, an hour to two days after they were created.
  await client.query(`
    begin;
    set local app.is_import = on; truncate app_public.users, app_public.tags, app_public.chats restart identity cascade; set local app.is_import = off;
    truncate app_public.audit_trail;
    set local session_replication_role = replica;
    create or replace function pg_temp.moment(n bigint, total bigint) returns timestamptz language sql stable as
      $$ select (date_trunc('day', now() at time zone 'UTC') - interval '3 days' - (n * ${days}.0 / total) * interval '1 day') at time zone 'UTC' $$;
    insert into app_public.users (name, role, created_at)
      select 'User ' || n, 'USER', pg_temp.moment(${users} - n, ${users}) from generate_series(1::bigint, ${users}) as n;
    insert into app_public.posts (author_id, title, slug, excerpt, content, status, created_at, published_at, first_published_at)
      select 1 + n * 7919 % ${users}, 'Post ' || n, 'post-' || n, 'An excerpt.', repeat('A sentence of a post. ', 40),
             case when n % 11 = 0 then 'DRAFT' else 'PUBLISHED' end::app_public.post_status, moment, published_at, published_at
        from (select n, pg_temp.moment(${posts} - n, ${posts}) as moment,
                     case when n % 11 <> 0 then pg_temp.moment(${posts} - n, ${posts}) + (1 + n % 48) * interval '1 hour' end as published_at
                from generate_series(1::bigint, ${posts}) as n) as posts;
    insert into app_public.tags (id, name) select n, 'tag ' || n from generate_series(1, ${tags}) as n;
    insert into app_public.post_tags (post_id, is_public, listed_at, tag_id, position)
      select n, is_public, listed_at, 1 + (n * 31 + place * place * 17) % ${tags}, place
        from (select id as n, is_public, listed_at from app_public.posts) as posts, generate_series(1, 2) as place;
    update app_public.tags set public_post_id = post_id, public_tag_id = id, is_public = true
      from (select tag_id, min(post_id) as post_id from app_public.post_tags where is_public group by tag_id) as found
     where tag_id = id;
    insert into app_public.comments (post_id, is_public, author_id, text, created_at)
      select 1 + n * 7907 % ${posts}, (1 + n * 7907 % ${posts}) % 11 <> 0, 1 + n * 6151 % ${users}, 'A comment.', pg_temp.moment(${comments} - n, ${comments})
        from generate_series(1::bigint, ${comments}) as n;
    insert into app_public.follows (follower_id, followed_id, created_at)
      select n, 1 + (n * 13 + place * place * 29) % ${users}, pg_temp.moment(${users} - n, ${users})
        from generate_series(1::bigint, ${users}) as n, generate_series(1, 3) as place
       where n <> 1 + (n * 13 + place * place * 29) % ${users}
      on conflict do nothing;
    insert into app_public.chats (title) values ('Everybody');
    insert into app_public.messages (chat_id, sender_id, text, number, created_at)
      select 1, 1 + n * 6151 % ${users}, 'A message.', n, pg_temp.moment(${posts} - n, ${posts}) from generate_series(1::bigint, ${posts}) as n;
    insert into app_public.audit_trail (changed_at, actor_id, action, table_name, row_key, changes)
      select pg_temp.moment(${comments} - n, ${comments}), 1 + n * 6151 % ${users}, 'INSERT', 'comments', n::text, '{}'
        from generate_series(1::bigint, ${comments}) as n;
    insert into app_private.post_reads (post_id, day, reads)
      select id, day::date, 1 + id % 9
        from app_public.posts, generate_series(first_published_at, first_published_at + interval '2 days', interval '1 day') as day
       where status = 'PUBLISHED';
    commit`);
  await client.query("vacuum (analyze)");
}

/** Refreshes the rollups of the analysts' views, as the service's maintenance does. */
export async function refreshRollups(client: pg.ClientBase | pg.Pool): Promise<void> {
  await client.query("select rollups.refresh()");
}
