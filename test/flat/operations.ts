import type pg from "pg";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import type { Statement } from "../support/statements.ts";

/* Operations that must cost the same for any number of rows, and content that makes it hard for them. */

const feed = `{ feed(limit: 10) { title author { name } tags { name } comments(limit: 3) { text author { name } } } }`;
const posts = "{ posts(limit: 20) { title } }";
const drafts = "{ posts(limit: 20, status: DRAFT) { title } }";
const postsOfTag = `{ tagByName(name: "tag 1") { postsConnection(first: 20) { nodes { title } } } }`;
const inbox = "chat { title isDirect lastActivityAt unreadCount lastMessage { text sender { name } } }";
const draftsOfTag = `{ tagByName(name: "tag 8") { postsConnection(first: 5, status: DRAFT) { nodes { title } } } }`;

/**
 * More content for a size, once fill() has run. `others` is how many followers, replies, reports and chats there are. Ada follows fifty people, Mallory a user who has no posts and one who has three old ones,
 * and Bob nobody. Bob has three old drafts, and post 900, which has 100 revisions, as every tenth has one. Post 903 has many comments,
 * its first comment many replies, and Bob is notified of them. User 5 has many followers, user 8 follows many. Users 6 and 9 have
 * written the newest drafts.
 */
export function extremes(size: number, others = size): string {
  return [
    "set session_replication_role = replica",
    // Otherwise a vacuum right after it leaves the newest rows out of the visibility map.
    "set synchronous_commit = on",
    "update app_public.users set role = 'ADMIN' where id = 3",
    `insert into app_public.users (name) select 'Follower ' || n from generate_series(1, ${others}) n`,
    "update app_public.posts set author_id = 7 where author_id = 4",
    // User 9 has written a tenth of all posts.
    "update app_public.posts set author_id = 9 where id % 10 = 1 and id <> 901",
    "insert into app_public.follows (follower_id, followed_id) values (4, 1001), (4, 1002)",
    `insert into app_public.posts (author_id, title, slug, excerpt, content, status, created_at, published_at)
      select 1002, 'Old post ' || n, 'old-post-' || n, '', 'Text', 'PUBLISHED', '2020-01-01', '2020-01-01' from generate_series(1, 3) n`,
    "insert into app_public.follows (follower_id, followed_id) select id, 5 from app_public.users where id > 1002",
    "insert into app_public.follows (follower_id, followed_id) select 8, id from app_public.users where id > 1002",
    `insert into app_public.posts (author_id, title, slug, excerpt, content, created_at)
      select 6 + n % 2 * 3, 'Draft ' || n, 'draft-' || n, '', 'Content of a draft', now() + n * interval '1 second' from generate_series(1, ${others / 10}) n
       union all
      select 2, 'Old draft ' || n, 'old-draft-' || n, '', 'Text', '2020-01-01' from generate_series(1, 3) n`,
    `insert into app_public.comments (post_id, author_id, text, created_at, is_public, reply_to_id)
      select 903, 9, 'Reply ' || n, now(), true, (select min(id) from app_public.comments where post_id = 903) from generate_series(1, ${others}) n
       union all
      select 903, 9, 'Comment ' || n, now() + interval '1 hour', true, null from generate_series(1, ${others}) n`,
    `insert into app_public.notifications (user_id, kind, actor_id, post_id, comment_id, read_at)
      select 2, 'COMMENTED'::app_public.notification_kind, 9, post_id, id, now() from app_public.comments where post_id = 903
       union all
      select 2, 'FOLLOWED', id, null, null, null from app_public.users where id > 1002
       union all
      select id, 'FOLLOWED', 2, null, null, null from app_public.users where id > 1002`,
    `select conventions.count_rows('app_public.comments', 'post_id'), conventions.count_rows('app_public.comments', 'reply_to_id')`,
    `insert into app_public.reports (comment_id, created_at, status, resolved_at, reasons_count)
      select id, now() - id * interval '1 second', case when id % 10 > 0 then 'DISMISSED' else 'OPEN' end::app_public.report_status,
             case when id % 10 > 0 then now() end, 1
        from app_public.comments where post_id = 903`,
    // Everybody has reported the oldest.
    `insert into app_public.report_reasons (report_id, reporter_id, reason)
      select id, 9, 'Rude.' from app_public.reports
       union all
      select (select id from app_public.reports order by status, created_at, id limit 1), id, 'Rude.' from app_public.users where id > 1002`,
    "select conventions.count_rows('app_public.reports', 'status')",
    // One post has a rare word.
    "update app_public.posts set content = content || ' xylophone' where id = 903",
    `insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
      select id, author_id, posts.is_public, listed_at, form, app_hidden.title_words(form), app_hidden.words_in(title, content), app_hidden.word_form()
        from app_public.posts, lateral conventions.search_form(title) as form where id = 903 or id > ${size}
      on conflict (post_id, is_public) do update set words = excluded.words`,
    "update app_private.post_words set author_id = posts.author_id from app_public.posts where id = post_id and id % 10 = 1",
    `select conventions.count_rows('app_public.posts', 'status'), conventions.count_rows('app_public.posts', 'author_id', 'status'),
           conventions.count_rows('app_public.post_tags', 'tag_id', 'is_public'), conventions.count_rows('app_public.follows', 'followed_id'),
           conventions.count_rows('app_public.follows', 'follower_id')`,
    "update app_public.posts set author_id = 2 where id = 900",
    `insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at)
      select 900, 'Version ' || n, '', 'Text', '{}'::text[], now() from generate_series(1, 100) n
       union all
      select id, title, excerpt, 'Text', '{}'::text[], now() from app_public.posts where id % 10 = 1`,
    // Ada has about as many chats as there are posts, and Bob three. All users are in chat 1. Activity is in another order than the chats.
    `insert into app_public.chats (title, created_at)
      select 'Chat ' || n, now() - (n * 7919::bigint % ${others}) * interval '1 minute' from generate_series(1, ${others}) n`,
    `insert into app_public.messages (chat_id, number, sender_id, text, created_at)
      select id, number, 2, 'Message ' || number, created_at from app_public.chats, generate_series(1, case id when 1 then ${others / 10} else 1 end) number
       order by created_at, id, number`,
    `insert into app_public.chat_members (chat_id, user_id)
      select id, 1 from app_public.chats where id <> 2
       union all
      select id, 2 from app_public.chats where id in (2, 4, 6)
       union
      select 1, id from app_public.users`,
    `insert into app_public.inbox_entries (chat_id, user_id, listed_at, last_read_number)
      select chat_id, user_id, created_at, 0 from app_public.chat_members join app_public.chats on chats.id = chat_id`,
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

/** Asks for a cursor near the end of the list of posts. It takes the place of CURSOR in an operation. */
export const cursorFarBehind = "{ postsConnection(last: 100, status: PUBLISHED) { pageInfo { startCursor } } }";

function inEachOrder(
  name: string,
  queryIn: (order: string) => string,
  as: readonly Operation["as"][] = [undefined, "bob", "admin"],
): Record<string, Operation> {
  const orders = ["NEWEST", "OLDEST", "UPDATED", "TITLE"].flatMap((order) => as.map((each) => [order, each] as const));
  return Object.fromEntries(
    orders.map(([order, viewer]) => [
      `${name}, ${order}${viewer ? `, for ${viewer}` : ""}`,
      { query: queryIn(order), ...(viewer ? { as: viewer } : null) },
    ]),
  );
}

const search = (text: string) =>
  `{ searchConnection(text: "${text}", first: 5) { nodes { rank titleHtml fragmentsHtml post { title } } } }`;

export const operations: Record<string, Operation> = {
  "the feed of a visitor": { query: feed },
  "posts with what their authors do not show": {
    query: "{ posts(limit: 10, orderBy: TITLE) { title author { email } } }",
    as: "bob",
  },
  "the feed of a user who follows nobody": { query: feed, as: "bob" },
  "the feed of a user who follows people": { query: feed, as: "ada" },
  "a post with its tags and comments": {
    query: `{ post(id: "901") { title content author { name } tags { name } comments(limit: 5) { text } } }`,
  },
  "the revisions of a post": {
    query: `{ post(id: "900") { revisions(limit: 20) { title replacedAt } } }`,
    as: "bob",
  },
  "the revisions of a post, for an admin": {
    query: `{ post(id: "900") { revisions(limit: 20) { title } } }`,
    as: "admin",
  },
  "a page of posts": { query: "{ posts(limit: 20, status: PUBLISHED) { title tags { name } } }", as: "bob" },
  "a page of posts far behind": { query: "{ posts(limit: 20, offset: 800) { title } }", as: "bob" },
  "a page of posts with the numbers of their comments": { query: "{ posts(limit: 20) { title commentsCount } }" },
  "a page of posts with the numbers of their comments, for a user": {
    query: "{ posts(limit: 20, status: PUBLISHED) { title commentsCount } }",
    as: "bob",
  },
  "a page of the comments of a post with many replies": {
    query: `{ post(id: "903") { commentsCount comments(topLevel: true, limit: 20) { text repliesCount } } }`,
  },
  "the comments of a post with their replies": {
    query: `{ post(id: "903") { comments(topLevel: true, limit: 5) { text author { name } repliesCount repliesConnection(first: 3) { nodes { text author { name } } } } } }`,
    as: "bob",
  },
  "notifications, unread and not": {
    query: "{ notificationsConnection(first: 20) { nodes { kind actor { name } post { title } comment { text } } } }",
    as: "bob",
  },
  "notifications that have been read": {
    query:
      "{ notificationsConnection(unread: false, first: 20) { nodes { kind actor { name } post { title } comment { text } } } }",
    as: "bob",
  },
  "unread notifications": {
    query: "{ notificationsConnection(unread: true, first: 20) { nodes { kind actor { name } } } }",
    as: "bob",
  },
  "the number of unread notifications": { query: "{ me { unreadNotificationsCount } }", as: "bob" },
  "the notifications of a user who has none": {
    query: "{ notificationsConnection(first: 20) { nodes { kind } } }",
    as: "ada",
  },
  "the replies to a comment": {
    query: `{ post(id: "903") { comments(limit: 1) { repliesConnection(last: 10) { nodes { text } } } } }`,
  },
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
  "a star's newest followers": {
    query: `{ user(id: "5") { followersConnection(first: 20) { totalCount nodes { name isFollowedByMe } pageInfo { hasNextPage } } } }`,
    as: "ada",
  },
  "the newest followed users of a user": {
    query: `{ user(id: "8") { followingConnection(first: 20) { totalCount nodes { name } } } }`,
  },
  "a page of users, and whom of them the user follows": {
    query: "{ users(limit: 50) { name isFollowedByMe } }",
    as: "ada",
  },
  "the open reports for an admin": {
    query: `{ reportsConnection(status: OPEN, first: 10) { nodes { reasonsCount reasons(limit: 5) { reason reporter { name } } comment { text author { name ban { reason } } } } } }`,
    as: "admin",
  },
  "the number of open reports, as a connection's total": {
    query: "{ reportsConnection(status: OPEN, first: 2) { totalCount nodes { status } } }",
    as: "admin",
  },
  "the posts of a tag": { query: postsOfTag },
  "the posts of a tag for a user": { query: postsOfTag, as: "bob" },
  "the posts of a tag for an admin": { query: postsOfTag, as: "admin" },
  "the published posts of a tag": {
    query: `{ tagByName(name: "tag 1") { postsConnection(first: 20, status: PUBLISHED) { nodes { title } } } }`,
    as: "bob",
  },
  "the drafts of a tag for a user": { query: draftsOfTag, as: "bob" },
  "the drafts of a tag for an admin": { query: draftsOfTag, as: "admin" },
  "the first page of a connection": {
    query: "{ postsConnection(first: 20) { edges { cursor node { title } } pageInfo { hasNextPage endCursor } } }",
    as: "bob",
  },
  "a post by its slug": { query: `{ postBySlug(slug: "post-901") { title author { name } } }` },
  "the posts of a user": { query: `{ user(id: "9") { name postsCount posts(limit: 20) { title } } }` },
  "the posts of an author, for a user": { query: `{ posts(limit: 20, authorId: "9") { title } }`, as: "bob" },
  "the posts of an author, for an admin": { query: `{ posts(limit: 20, authorId: "9") { title } }`, as: "admin" },
  "posts with a tag": { query: `{ posts(limit: 20, tag: " TAG 1") { title } }` },
  "posts with a tag, for a user": {
    query: `{ posts(limit: 20, tag: "tag 1", status: PUBLISHED) { title } }`,
    as: "bob",
  },
  "posts with a tag, for an admin": { query: `{ posts(limit: 20, tag: "tag 1") { title } }`, as: "admin" },
  "a page of the posts with a tag, far behind": {
    query: `{ postsConnection(first: 20, tag: "tag 1", after: "CURSOR") { nodes { title } pageInfo { hasNextPage } } }`,
  },
  "a page of the posts of a tag, far behind": {
    query: `{ tagByName(name: "tag 1") { postsCount postsConnection(first: 20, after: "CURSOR") { totalCount nodes { title } } } }`,
    as: "bob",
  },
  "a page of an author's posts, far behind": {
    query: `{ postsConnection(first: 20, authorId: "9", after: "CURSOR") { nodes { title } } }`,
    as: "bob",
  },
  "the number of an author's posts": {
    query: `{ postsCount(authorId: "9") postsConnection(authorId: "6") { totalCount } }`,
    as: "bob",
  },
  "the number of an author's drafts, for an admin": {
    query: `{ postsCount(authorId: "6", status: DRAFT) }`,
    as: "admin",
  },
  "the number of posts with a tag": { query: `{ postsCount(tag: "tag 1") }`, as: "bob" },
  "the number of posts with a tag, for an admin": { query: `{ postsCount(tag: "Tag 1") }`, as: "admin" },
  ...inEachOrder("posts", (order) => `{ posts(limit: 20, orderBy: ${order}) { title excerpt } }`),
  ...inEachOrder(
    "the posts of an author",
    (order) => `{ posts(limit: 20, authorId: "9", orderBy: ${order}) { title excerpt } }`,
    [undefined, "bob"],
  ),
  ...inEachOrder(
    "the last posts",
    (order) => `{ postsConnection(last: 20, orderBy: ${order}) { nodes { title excerpt } } }`,
  ),
  "a search for a word that every post has": { query: search("content") },
  "a search for a word that every post has, for a user": { query: search("content"), as: "bob" },
  "a search for a word that every post has, for an admin": { query: search("content"), as: "admin" },
  "a page of a search, as a connection": {
    query: `{ searchConnection(text: "content", first: 5) { nodes { rank titleHtml fragmentsHtml post { title } } pageInfo { endCursor } } }`,
    as: "bob",
  },
  "a search for a rare word": { query: search("xylophone") },
  "a search for words of the drafts of others": { query: search("draft"), as: "bob" },
  "a search for a misspelt word": { query: search("zylophne") },
  "a search for an unfinished word": { query: search("xyloph") },
  "people by the beginning of a common name": {
    query: `{ usersConnection(nameStartsWith: "follow", first: 10) { nodes { name } pageInfo { hasNextPage } } }`,
  },
  "people by the beginning of a rare name": { query: `{ users(nameStartsWith: "ad", limit: 10) { name } }`, as: "bob" },
  "people by common names that nobody has together": {
    query: `{ users(nameStartsWith: "follower user", limit: 10) { name } }`,
  },
  "tags by their beginning": { query: `{ tagsConnection(nameStartsWith: "ta", first: 10) { nodes { name } } }` },
  "drafts for a visitor": { query: drafts },
  "the drafts of a user": { query: drafts, as: "bob" },
  "drafts for an admin": { query: drafts, as: "admin" },
  "posts after the drafts of others, for a visitor": { query: posts },
  "posts after the drafts of others": { query: posts, as: "bob" },
  "posts after the drafts of others, for an admin": { query: posts, as: "admin" },
  "the inbox of a user with many chats": {
    query: `{ me { inboxConnection(first: 10) { nodes { ${inbox} } } } }`,
    as: "ada",
  },
  "the inbox of a user with few chats": {
    query: `{ me { inboxConnection(first: 10) { nodes { ${inbox} } } } }`,
    as: "bob",
  },
  "the first page of an inbox": {
    query: `{ me { inboxConnection(first: 5) { nodes { ${inbox} } pageInfo { hasNextPage endCursor } } } }`,
    as: "ada",
  },
  "the chats of a user": { query: "{ chatsConnection(first: 20) { nodes { title } } }", as: "ada" },
  "the chats of a user with few of them": { query: "{ chatsConnection(first: 20) { nodes { title } } }", as: "bob" },
  "the chats of a user, for an admin": {
    query: `{ user(id: "1") { chatsConnection(first: 20) { nodes { title } } } }`,
    as: "admin",
  },
  "the chats of a user, through the user": {
    query: "{ me { chatsConnection(first: 10) { nodes { title } } } }",
    as: "ada",
  },
  "the messages of a chat": {
    query: `{ chat(id: "1") { messagesConnection(first: 20) { nodes { text sender { name } } } } }`,
    as: "ada",
  },
  "the members of a chat": {
    query: `{ chat(id: "1") { membersConnection(first: 20) { nodes { name } } } }`,
    as: "bob",
  },
  "the first members of a chat": {
    query: `{ chat(id: "1") { membersConnection(first: 20) { nodes { name } pageInfo { hasNextPage endCursor } } } }`,
    as: "bob",
  },
  "the feed of a user who follows people who write seldom": { query: feed, as: "mallory" },
};

/** The pages that the statement touches when its caller runs it. */
export function sharedBuffers(login: pg.Pool, { text, values, identity }: Statement): Promise<number> {
  return rolledBack(login, async (client) => {
    // As the connections of requests have it: see src/database/requestAccess.ts.
    await client.query("set local plan_cache_mode = force_generic_plan");
    if (identity) await client.query(identity.text, identity.values);
    // The first run reads the catalogue as well.
    await client.query(text, values);
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
    const { Plan: plan } = rows[0]["QUERY PLAN"][0];
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  });
}
