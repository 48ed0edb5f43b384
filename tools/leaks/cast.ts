import type pg from "pg";

/** The viewers, and objects of the owner that the other viewers must not see. Null if the database has none. */
export interface Cast {
  owner: string | null;
  stranger: string | null;
  admin: string | null;
  /** A user of each other role. */
  others: Record<string, string>;
  draft: string | null;
  draftSlug: string | null;
  draftTitle: string | null;
  revision: string | null;
  comment: string | null;
  chat: string | null;
  message: string | null;
  notification: string | null;
  report: string | null;
  ban: string | null;
  tag: string | null;
  tagName: string | null;
}

const chooseCast = `
  with members as (
    select users.id, users.role from app_public.users join app_private.accounts on user_id = users.id
     where banned_at is null
  ), owner as (
    -- The user with the most to hide: drafts and messages.
    select members.id
      from members
      left join lateral (select count(*) as drafts from app_public.posts where author_id = members.id and status = 'DRAFT') d on true
      left join lateral (select count(*) as talks from app_public.messages where sender_id = members.id) t on true
     where role = 'USER'
     order by drafts > 0 and talks > 0 desc, drafts > 0 desc, talks > 0 desc, members.id limit 1
  ), draft as (
    select posts.id, posts.slug, posts.title from app_public.posts
     where author_id = (select id from owner) and status = 'DRAFT'
     order by exists (select from app_public.comments where post_id = posts.id) desc,
              exists (select from app_public.post_tags where post_id = posts.id) desc,
              exists (select from app_public.post_revisions where post_id = posts.id) desc, posts.id limit 1
  ), tag as (
    select tags.id, tags.name from app_public.tags join app_public.post_tags on tag_id = tags.id
     where post_id = (select id from draft)
     order by exists (select from app_public.post_tags o join app_public.posts on posts.id = post_id
                       where o.tag_id = tags.id and status = 'PUBLISHED'), tags.id limit 1
  ), message as (
    select id, chat_id from app_public.messages where sender_id = (select id from owner) order by id limit 1
  )
  select (select id from owner) as owner,
         (select id from members
           where role = 'USER' and id <> (select id from owner)
             and not exists (select from app_public.chat_members where user_id = members.id
                                and chat_id = (select chat_id from message))
           order by id limit 1) as stranger,
         (select id from members where role = 'ADMIN' order by id limit 1) as admin,
         (select coalesce(jsonb_object_agg(lower(role), id), '{}')
            from (select role::text, min(id)::text as id from members where role::text not in ('USER', 'ADMIN') group by role) as each) as others,
         (select id from draft) as draft,
         (select slug from draft) as "draftSlug",
         (select title from draft) as "draftTitle",
         (select id from app_public.post_revisions where post_id = (select id from draft) order by id limit 1) as revision,
         (select id from app_public.comments where post_id = (select id from draft) order by id limit 1) as comment,
         (select chat_id from message) as chat,
         (select id from message) as message,
         (select id from app_public.notifications where user_id = (select id from owner) order by id limit 1) as notification,
         (select id from app_public.reports order by id limit 1) as report,
         (select id from app_public.bans order by id limit 1) as ban,
         (select id from tag) as tag,
         (select name from tag) as "tagName"`;

/** @param database a connection of the owner, to whom no policy applies */
export async function chooseFrom(database: pg.Pool): Promise<Cast> {
  const { rows } = await database.query<Cast>(chooseCast);
  return rows[0] as Cast;
}
