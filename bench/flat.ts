import pg from "pg";
import type { Statement } from "../test/support/statements.ts";

/* Operations that must cost the same for any number of rows, and content that makes it hard for them. */

const feed = `{ feed(limit: 10) { title author { name } tags { name } comments(limit: 3) { text author { name } } } }`;
const posts = "{ posts(limit: 20) { title } }";
const drafts = "{ posts(limit: 20, status: DRAFT) { title } }";
const postsOfTag = `{ tag(id: "1") { posts(limit: 20) { title } } }`;
const inbox = "chat { title isDirect lastActivityAt unreadCount lastMessage { text sender { name } } }";
const draftsOfTag = `{ tag(id: "8") { posts(limit: 5, status: DRAFT) { title } } }`;

/**
 * More content for the size. Ada follows fifty people, Mallory a user who has no posts and one who has three old ones,
 * and Bob nobody. Bob has three old drafts. User 5 has many followers, user 8 follows many. User 6 has written the newest drafts.
 */
export function extremes(size: number): string {
  return [
    "set session_replication_role = replica",
    "update app_public.users set role = 'ADMIN' where id = 3",
    `insert into app_public.users (name) select 'Follower ' || n from generate_series(1, ${size}) n`,
    "update app_public.posts set author_id = 7 where author_id = 4",
    "insert into app_public.follows (follower_id, followed_id) values (4, 1001), (4, 1002)",
    `insert into app_public.posts (author_id, title, slug, excerpt, content, status, created_at, published_at)
      select 1002, 'Old post ' || n, 'old-post-' || n, '', 'Text', 'PUBLISHED', '2020-01-01', '2020-01-01' from generate_series(1, 3) n`,
    "insert into app_public.follows (follower_id, followed_id) select id, 5 from app_public.users where id > 1002",
    "insert into app_public.follows (follower_id, followed_id) select 8, id from app_public.users where id > 1002",
    `insert into app_public.posts (author_id, title, slug, excerpt, content, created_at)
      select 6, 'Draft ' || n, 'draft-' || n, '', 'Text', now() + n * interval '1 second' from generate_series(1, ${size / 10}) n
       union all
      select 2, 'Old draft ' || n, 'old-draft-' || n, '', 'Text', '2020-01-01' from generate_series(1, 3) n`,
    `select app_private.count_rows('app_public.posts', 'status'), app_private.count_rows('app_public.follows', 'followed_id'),
           app_private.count_rows('app_public.follows', 'follower_id')`,
    // Ada has about as many chats as there are posts, and Bob three. All users are in chat 1. Activity is in another order than the chats.
    `insert into app_public.chats (title, last_number, created_at, last_activity_at)
      select 'Chat ' || n, case n when 1 then ${size / 10} else 1 end, '2020-01-01', now() - (n * 7919::bigint % ${size}) * interval '1 minute'
        from generate_series(1, ${size}) n`,
    `insert into app_public.messages (chat_id, number, sender_id, text, created_at)
      select id, number, 2, 'Message ' || number, last_activity_at from app_public.chats, generate_series(1, last_number) number
       order by last_activity_at, id, number`,
    `insert into app_public.chat_members (chat_id, user_id)
      select id, 1 from app_public.chats where id <> 2
       union all
      select id, 2 from app_public.chats where id in (2, 4, 6)
       union
      select 1, id from app_public.users`,
    `insert into app_public.inbox_entries (chat_id, user_id, listed_at, last_read_number)
      select chat_id, user_id, last_activity_at, 0 from app_public.chat_members join app_public.chats on chats.id = chat_id`,
    "set session_replication_role = origin",
  ].join(";");
}

/** The ids of the users of test/support/people.sql. The others are made by fill(). */
export const viewers = { ada: "1", bob: "2", admin: "3", mallory: "4" } as const;

export interface Operation {
  query: string;
  /** Without it, a visitor. */
  as?: keyof typeof viewers;
}

export const operations: Record<string, Operation> = {
  "the feed of a visitor": { query: feed },
  "the feed of a user who follows nobody": { query: feed, as: "bob" },
  "the feed of a user who follows people": { query: feed, as: "ada" },
  "a post with its tags and comments": {
    query: `{ post(id: "901") { title content author { name } tags { name } comments(limit: 5) { text } } }`,
  },
  "a page of posts": { query: "{ posts(limit: 20, status: PUBLISHED) { title tags { name } } }", as: "bob" },
  "the number of posts": { query: "{ postsCount }" },
  "the number of posts of a user": { query: "{ postsCount }", as: "bob" },
  "the number of posts for an admin": { query: "{ postsCount }", as: "admin" },
  "the number of published posts": { query: "{ postsCount(status: PUBLISHED) }", as: "bob" },
  "the number of posts, as a connection's total": { query: "{ postsConnection { totalCount } }" },
  "the number of posts of a user, as a connection's total": {
    query: "{ postsConnection(first: 2) { totalCount nodes { id } } }",
    as: "bob",
  },
  "the number of drafts, as a connection's total": {
    query: "{ postsConnection(status: DRAFT) { totalCount } }",
    as: "admin",
  },
  "the number of drafts": { query: "{ postsCount(status: DRAFT) }", as: "bob" },
  "the number of a star's followers": { query: `{ user(id: "5") { followers { count } } }` },
  "the number of users whom somebody follows": { query: `{ user(id: "8") { following { count } } }` },
  "the posts of a tag": { query: postsOfTag },
  "the posts of a tag for a user": { query: postsOfTag, as: "bob" },
  "the posts of a tag for an admin": { query: postsOfTag, as: "admin" },
  "the published posts of a tag": {
    query: `{ tag(id: "1") { posts(limit: 20, status: PUBLISHED) { title } } }`,
    as: "bob",
  },
  "the drafts of a tag for a user": { query: draftsOfTag, as: "bob" },
  "the drafts of a tag for an admin": { query: draftsOfTag, as: "admin" },
  "the first page of a connection": {
    query: "{ postsConnection(first: 20) { edges { cursor node { title } } pageInfo { hasNextPage endCursor } } }",
    as: "bob",
  },
  "drafts for a visitor": { query: drafts },
  "the drafts of a user": { query: drafts, as: "bob" },
  "drafts for an admin": { query: drafts, as: "admin" },
  "posts after the drafts of others, for a visitor": { query: posts },
  "posts after the drafts of others": { query: posts, as: "bob" },
  "posts after the drafts of others, for an admin": { query: posts, as: "admin" },
  "the inbox of a user with many chats": { query: `{ me { inbox(limit: 10) { ${inbox} } } }`, as: "ada" },
  "the inbox of a user with few chats": { query: `{ me { inbox(limit: 10) { ${inbox} } } }`, as: "bob" },
  "the first page of an inbox": {
    query: `{ me { inboxConnection(first: 5) { nodes { ${inbox} } pageInfo { hasNextPage endCursor } } } }`,
    as: "ada",
  },
  "the chats of a user": { query: "{ chats(limit: 20) { title } }", as: "ada" },
  "the chats of a user with few of them": { query: "{ chats(limit: 20) { title } }", as: "bob" },
  "the chats of a user, for an admin": { query: `{ user(id: "1") { chats(limit: 20) { title } } }`, as: "admin" },
  "the chats of a user, through the user": { query: "{ me { chats(limit: 10) { title } } }", as: "ada" },
  "the messages of a chat": { query: `{ messages(chatId: "1", limit: 20) { text sender { name } } }`, as: "ada" },
  "the members of a chat": { query: `{ chat(id: "1") { members(limit: 20) { name } } }`, as: "bob" },
  "the first members of a chat": {
    query: `{ chat(id: "1") { membersConnection(first: 20) { nodes { name } pageInfo { hasNextPage endCursor } } } }`,
    as: "bob",
  },
  "the feed of a user who follows people who write seldom": { query: feed, as: "mallory" },
};

/** The pages that the statement touches when its caller runs it. */
export async function sharedBuffers(apiUrl: string, { text, values, identity }: Statement): Promise<number> {
  const client = new pg.Client({ connectionString: apiUrl });
  await client.connect();
  try {
    await client.query("begin");
    if (identity) await client.query(identity.text, identity.values);
    // The first run reads the catalogue as well.
    await client.query(text, values);
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
    const { Plan: plan } = rows[0]["QUERY PLAN"][0];
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  } finally {
    await client.end();
  }
}
