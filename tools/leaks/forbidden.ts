import type pg from "pg";

/** Everything that one viewer has seen: ids by type, all texts, and numbers of children that count others than those shown. */
export interface Shown {
  ids: Map<string, Set<string>>;
  texts: Set<string>;
  miscounts: Set<string>;
}

/** An object that this viewer must not see. */
export interface Forbidden {
  kind: string;
  id: string;
  /** The text that gave the object away; null if it was the id. */
  text: string | null;
}

/**
 * A second implementation of the permissions (migrations/permissions.md). It reads only the tables and shares no code with
 * the policies that it checks. A text counts as a leak only when every object with that text is forbidden: two posts
 * may have the same title.
 */
const forbiddenOf = `
  with viewer as (
    select $1::bigint as id, 'EDIT_ANY_POST' = any (rights) as edits, 'MODERATE' = any (rights) as moderates,
           'READ_REPORTS' = any (rights) as reads_reports, 'BAN' = any (rights) as bans, 'READ_ACCOUNTS' = any (rights) as reads_accounts
      from (select array(select may::text from app_hidden.role_rights
                          where role = (select role::text from app_public.users where id = $1::bigint)) as rights) as given
  ), posts as (
    select posts.*, status <> 'TRASHED' and (edits or status = 'PUBLISHED' or author_id is not distinct from viewer.id) as may,
           status <> 'TRASHED' and (edits or author_id is not distinct from viewer.id) as may_edit
      from app_public.posts, viewer
  ), comments as (
    select comments.*, posts.may from app_public.comments join posts on posts.id = post_id
  ), chats as (
    select chats.*, moderates or exists (select from app_public.chat_members where chat_id = chats.id and user_id = viewer.id) as may
      from app_public.chats, viewer
  ), messages as (
    select messages.*,
           exists (select from app_public.chat_members where chat_id = messages.chat_id and user_id = viewer.id)
           or reads_reports and exists (select from app_public.reports where message_id = messages.id) as may
      from app_public.messages, viewer
  ), revisions as (
    select r.*, may_edit as may from app_public.post_revisions r join posts on posts.id = post_id
  ), copies as (
    select w.*, may_edit as may from app_public.working_copies w join posts on posts.id = post_id
  ), tags as (
    select tags.*, exists (select from app_public.post_tags join posts on posts.id = post_id where tag_id = tags.id and may) as may
      from app_public.tags
  ), notifications as (
    select notifications.*, user_id is not distinct from viewer.id
           and (post_id is null or exists (select from posts where posts.id = post_id and may)) as may
      from app_public.notifications, viewer
  ), accounts as (
    select accounts.*, reads_accounts or user_id is not distinct from viewer.id as may from app_private.accounts, viewer
  ), reports as (
    select reports.*, reads_reports as may from app_public.reports, viewer
  ), reasons as (
    select r.*, reads_reports or reporter_id is not distinct from viewer.id as may from app_public.report_reasons r, viewer
  ), bans as (
    select bans.*, viewer.bans as may from app_public.bans, viewer
  ), things (kind, id, may, words) as (
    select 'Post', id, may, array[title, slug, excerpt, content] from posts
    union all select 'PostRevision', id, may, array[title, excerpt, content] || tags from revisions
    union all select 'Preview', v.id, may_edit, '{}' from app_public.previews v join posts on posts.id = post_id
    union all select 'review note', n.post_id, may_edit, array[note] from app_public.review_notes n join posts on posts.id = post_id
    union all select 'TrashedPost', t.id, edits or author_id is not distinct from viewer.id, array[title, content, slug] || tags
      from app_public.trashed_posts t, viewer
    union all select 'WorkingCopy', id, may, array[fields ->> 'title', fields ->> 'content'] from copies
    union all select 'Comment', id, may, array[text] from comments
    union all select 'Chat', id, may, array[title] from chats
    union all select 'Message', id, may, array[text] from messages
    union all select 'Report', id, may, array[note] from reports
    union all select 'ReportReason', report_id, may, array[reason] from reasons
    union all select 'Ban', id, may, array[reason] from bans
    union all select 'Tag', id, may, array[name] from tags
    union all select 'Notification', id, may, '{}' from notifications
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
 * @param database a connection of the owner, to whom no policy applies
 * @param viewer the id of the user who saw it; null for an anonymous caller
 */
export async function forbiddenAmong(database: pg.Pool, viewer: string | null, shown: Shown): Promise<Forbidden[]> {
  const ids = [...shown.ids].flatMap(([k, values]) => [...values].map((i) => ({ k, i })));
  const { rows } = await database.query<Forbidden>(forbiddenOf, [viewer, JSON.stringify(ids), [...shown.texts]]);
  return rows;
}
