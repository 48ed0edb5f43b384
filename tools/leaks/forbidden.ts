import type pg from "pg";

/** What one viewer has been shown: ids by type, and every text. */
export interface Shown {
  ids: Map<string, Set<string>>;
  texts: Set<string>;
}

/** Something that this viewer must not see. */
export interface Forbidden {
  kind: string;
  id: string;
  /** By which it was recognized; null when it was its id. */
  text: string | null;
}

/**
 * The permission table of DECISIONS.md, written down a second time, from the tables alone: it shares nothing with the
 * policies that it is there to check. A text counts only when everything that says it is forbidden: two posts may have
 * one title.
 */
const forbiddenOf = `
  with viewer as (
    select $1::bigint as id, coalesce((select role = 'ADMIN' from app_public.users where id = $1::bigint), false) as is_admin
  ), posts as (
    select posts.*, is_admin or status = 'PUBLISHED' or author_id is not distinct from viewer.id as may
      from app_public.posts, viewer
  ), comments as (
    select comments.*, posts.may from app_public.comments join posts on posts.id = post_id
  ), chats as (
    select chats.*, is_admin or exists (select from app_public.chat_members where chat_id = chats.id and user_id = viewer.id) as may
      from app_public.chats, viewer
  ), messages as (
    select messages.*, chats.may from app_public.messages join chats on chats.id = chat_id
  ), tags as (
    select tags.*, exists (select from app_public.post_tags join posts on posts.id = post_id where tag_id = tags.id and may) as may
      from app_public.tags
  ), accounts as (
    select accounts.*, is_admin or user_id is not distinct from viewer.id as may from app_private.accounts, viewer
  ), things (kind, id, may, words) as (
    select 'Post', id, may, array[title, slug, excerpt, content] from posts
    union all select 'Comment', id, may, array[text] from comments
    union all select 'Chat', id, may, array[title] from chats
    union all select 'Message', id, may, array[text] from messages
    union all select 'Tag', id, may, array[name] from tags
    union all select 'email', user_id, may, array[email] from accounts
    union all select 'User', id, true, array[name, bio, avatar] from app_public.users
  ), told as (
    select kind, id, word, may, bool_or(may) over (partition by word) as is_open
      from things, unnest(words) as word where word = any ($3::text[])
  )
  select kind, id::text, null as text from things join jsonb_to_recordset($2) as shown (k text, i bigint) on k = kind and i = id
   where not may
  union all
  select kind, id::text, word from told where not is_open`;

/**
 * @param database the owner's connection, whom no policy stops
 * @param viewer whom it was shown to; null for nobody
 */
export async function forbiddenAmong(database: pg.Pool, viewer: string | null, shown: Shown): Promise<Forbidden[]> {
  const ids = [...shown.ids].flatMap(([k, values]) => [...values].map((i) => ({ k, i })));
  const { rows } = await database.query<Forbidden>(forbiddenOf, [viewer, JSON.stringify(ids), [...shown.texts]]);
  return rows;
}
