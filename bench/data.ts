import { execFileSync } from "node:child_process";
import pg from "pg";

/** How much content there is. Each post has five comments and three tags on average. */
export interface Size {
  users: number;
  posts: number;
}

/** The user who follows fifty others. */
const follower = "1";
/** Users who follow fifty others, once follow() has run, and users who follow nobody. */
export const followers = [follower, ...ids(101, 163)];
export const plainUsers = ids(201, 264);

function ids(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}

export interface DatabaseServer {
  /** The process whose children serve the connections. */
  pid: number;
  version: string;
}

export async function describe(ownerUrl: string): Promise<DatabaseServer> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query("select pg_backend_pid() as pid, current_setting('server_version') as version");
  const pid = Number(execFileSync("ps", ["-o", "ppid=", "-p", rows[0].pid], { encoding: "utf8" }));
  await client.end();
  return { pid, version: `PostgreSQL ${rows[0].version}` };
}

/** Fills an empty, migrated database. Every tenth post is a draft. Triggers are off: the rows are as they would leave them. */
export async function fill(ownerUrl: string, { users, posts }: Size): Promise<void> {
  await run(ownerUrl, statementsFor(users, posts));
}

/** Makes all of the followers follow whom the first one follows. */
export async function follow(ownerUrl: string): Promise<void> {
  await run(ownerUrl, [
    `insert into app_public.follows (follower_id, followed_id)
      select id, followed_id from unnest('{${followers.slice(1)}}'::bigint[]) id, app_public.follows where follower_id = ${follower}`,
    "vacuum analyze app_public.follows",
  ]);
}

async function run(ownerUrl: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

function statementsFor(users: number, posts: number): string[] {
  return [
    "set session_replication_role = replica",
    `insert into app_public.users (name) select 'User ' || n from generate_series(1, ${users}) n`,
    `insert into app_private.accounts (user_id, email, verified_at)
      select id, 'user' || id || '@example.com', now() from app_public.users`,
    `insert into app_public.tags (id, name) select n, 'tag ' || n from generate_series(1, 100) n`,
    `insert into app_public.posts (author_id, title, slug, excerpt, content, status, created_at, updated_at, published_at, first_published_at)
      select 1 + (n * 7919::bigint) % ${users}, 'Post number ' || n, 'post-' || n, 'An excerpt of some length for post number ' || n,
             repeat('Some content of an ordinary post. ', 30), (case when n % 10 = 0 then 'DRAFT' else 'PUBLISHED' end)::app_public.post_status,
             at, at, case when n % 10 > 0 then at end, case when n % 10 > 0 then at end
        from generate_series(1, ${posts}) n
       cross join lateral (select now() - (${posts} - n) * interval '1 minute' as at) as moment`,
    `insert into app_public.post_tags (post_id, tag_id, position, is_public, listed_at)
      select id, 1 + (id * 31 + place * 17) % 100, place, posts.is_public, listed_at
        from app_public.posts, generate_series(1, 3) place`,
    `update app_public.tags set public_post_id = post_id, public_tag_id = id, is_public = true
       from (select distinct on (tag_id) tag_id, post_id from app_public.post_tags where post_tags.is_public order by tag_id, post_id) as shown
      where id = tag_id`,
    // All posts have one text, so that its words are found once.
    `insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
      select id, author_id, posts.is_public, listed_at, form, app_hidden.title_words(form), app_hidden.words_in(title, '') || content_words, language
        from app_public.posts, lateral conventions.search_form(title) as form,
             (select app_hidden.words_in('', content) as content_words, app_hidden.word_form() as language
                from app_public.posts limit 1) as once`,
    `insert into app_public.comments (post_id, author_id, text, created_at, is_public)
      select posts.id, 1 + (n * 104729::bigint) % ${users}, 'Comment number ' || n, now() - (${posts * 5} - n) * interval '10 seconds',
             posts.is_public
        from generate_series(1, ${posts * 5}) n join app_public.posts on posts.id = 1 + n % ${posts} order by n`,
    `insert into app_public.follows (follower_id, followed_id) select ${follower}, n from generate_series(3, 52) n`,
    `select conventions.count_rows('app_public.posts', 'status'), conventions.count_rows('app_public.posts', 'author_id', 'status'),
           conventions.count_rows('app_public.post_tags', 'tag_id', 'is_public'), conventions.count_rows('app_public.follows', 'followed_id'),
           conventions.count_rows('app_public.follows', 'follower_id'),
           conventions.count_rows('app_public.comments', 'post_id'), conventions.count_rows('app_public.comments', 'reply_to_id')`,
    "set session_replication_role = origin",
    "vacuum analyze",
  ];
}
