import type { Random } from "@content-service/testing/Random.ts";

/** Whether a row is never changed. The objects of id 1 stay as well, but their rows in other lists may move. */
export function isWitness(id: string): boolean {
  return Number(id) % 3 === 0;
}

type Change = (random: Random) => string;

const chats: Change[] = [
  (random) => `delete from app_public.chats where id in (${others("chats", random)})`,
  (random) => `
      with added as (insert into app_public.chats (title, created_at) select 'New', ${moment(random)} from generate_series(1, 3) returning id)
      insert into app_public.chat_members (chat_id, user_id) select id, 1 from added`,
  (random) => `delete from app_public.chat_members where user_id = 1 and chat_id in (${others("chats", random)})`,
  (random) => `
      insert into app_public.messages (chat_id, sender_id, text, created_at)
      select id, 1, 'New', ${moment(random)} from (${others("chats", random)}) as active`,
];

/** SQL that changes the lists of each type of node: rows appear, disappear and move, but not the witnesses. */
export const changes: Record<string, Change[]> = {
  Post: [
    (random) => `delete from app_public.posts where id in (${others("posts", random)})`,
    (random) => `
      with added as (
        insert into app_public.posts (author_id, title, content, status, published_at, created_at)
        select author, ${title(random)}, 'New', 'PUBLISHED', ${moment(random)}, ${moment(random)} from unnest(array[1, 1, 6]) as author
        returning id)
      insert into app_public.post_tags (post_id, tag_id, position) select id, 1, 1 from added`,
    (random) => `
      update app_public.posts
         set status = case status when 'DRAFT' then 'PUBLISHED' else 'DRAFT' end::app_public.post_status,
             published_at = case status when 'DRAFT' then ${moment(random)} end
       where id in (${others("posts", random)})`,
    (random) => `update app_public.posts set title = ${title(random)} where id in (${others("posts", random)})`,
    (random) => `delete from app_public.post_tags where tag_id = 1 and post_id in (${others("posts", random)})`,
  ],
  PostRevision: [
    (random) => `delete from app_public.post_revisions where id in (${others("post_revisions", random)})`,
    (random) => `
      insert into app_public.post_revisions (post_id, title, excerpt, content, tags, written_at, replaced_at)
      select 1, 'New', 'New', 'New', '{}', ${moment(random)}, ${moment(random)} from generate_series(1, 3)`,
  ],
  User: [
    (random) => `delete from app_public.users where id in (${others("users", random)})`,
    (random) => `
      with added as (insert into app_public.users (name) select 'New' from generate_series(1, 3) returning id),
           room as (insert into app_public.chat_members (chat_id, user_id) select 1, id from added)
      insert into app_public.follows (follower_id, followed_id, created_at)
      select follower, followed, ${moment(random)} from added, lateral (values (1, id), (id, 1)) as pair (follower, followed)`,
    (random) => `
      with removed as (delete from app_public.blocks where blocker_id = 1 and blocked_id in (${others("users", random)}) returning blocked_id)
      update app_public.blocks set created_at = ${moment(random)}
       where blocked_id in (${others("users", random)}) and blocked_id not in (select blocked_id from removed)`,
    (random) => `delete from app_public.follows where follower_id = 1 and followed_id in (${others("users", random)})`,
    (random) => `delete from app_public.follows where followed_id = 1 and follower_id in (${others("users", random)})`,
    (random) => `
      update app_public.follows set created_at = ${moment(random)}
       where follower_id in (${others("users", random)}) or followed_id in (${others("users", random)})`,
    (random) => `delete from app_public.chat_members where chat_id = 1 and user_id in (${others("users", random)})`,
  ],
  Ban: [
    (random) => `delete from app_public.bans where id in (${others("bans", random)})`,
    (random) => `
      insert into app_public.bans (user_id, reason, created_at)
      select id, 'New', ${moment(random)} from app_public.users
       where id > 9 and not exists (select from app_public.bans where user_id = users.id) order by id desc limit 3`,
  ],
  Tag: [
    (random) => `delete from app_public.tags where id in (${others("tags", random)})`,
    (random) =>
      `insert into app_public.tags (name) select 'tag ${random.below(1e9)}.' || i from generate_series(1, 3) as i`,
    // A post has at most 15 tags.
    (random) => `
      insert into app_public.post_tags (post_id, tag_id, position)
      select 1, (${others("tags", random, 1)}), place from generate_series(1, 15) as place
       where not exists (select from app_public.post_tags where post_id = 1 and position = place) limit 1
      on conflict on constraint post_tags_pkey do nothing`,
    (random) =>
      `update app_public.tags set name = 'tag ' || id || '.${random.below(1e9)}' where id in (${others("tags", random)})`,
    (random) =>
      `delete from app_public.post_tags where post_id = 1 and position = ${1 + random.below(15)} and tag_id % 3 > 0`,
  ],
  Comment: [
    (random) => `delete from app_public.comments where id in (${others("comments", random)})`,
    (random) => `
      insert into app_public.comments (post_id, author_id, text, reply_to_id, created_at)
      select 1, 1, 'New', answered, ${moment(random)} from unnest(array[1, 1, null]) as answered`,
    (random) => `
      update app_public.comments set created_at = ${moment(random)}, reply_to_id = nullif(1, reply_to_id)
       where id in (${others("comments", random)})`,
  ],
  Chat: chats,
  InboxEntry: chats,
  Message: [
    (random) => `delete from app_public.messages where chat_id = 1 and id in (${others("messages", random)})`,
    (random) => `
      insert into app_public.messages (chat_id, sender_id, text, created_at)
      select 1, 6, 'New', ${moment(random)} from generate_series(1, 3)`,
  ],
  Notification: [
    (random) => `delete from app_public.notifications where id in (${others("notifications", random)})`,
    (random) => `
      insert into app_public.notifications (user_id, kind, actor_id, created_at)
      select 3, 'FOLLOWED', 6, ${moment(random)} from generate_series(1, 3)`,
    (random) => `
      update app_public.notifications set read_at = case when read_at is null then ${moment(random)} end
       where id in (${others("notifications", random)})`,
  ],
  Report: [
    (random) => `delete from app_public.reports where id in (${others("reports", random)})`,
    (random) => `
      insert into app_public.reports (post_id, created_at)
      select id, ${moment(random)} from app_public.posts
       where not exists (select from app_public.reports where post_id = posts.id) order by id desc limit 3`,
    (random) => `
      update app_public.reports
         set status = case status when 'OPEN' then 'UPHELD' else 'OPEN' end::app_public.report_status,
             resolved_at = case status when 'OPEN' then ${moment(random)} end
       where id in (${others("reports", random)}) and num_nonnulls(post_id, comment_id) = 1`,
  ],
};

/** Random rows of a table that are no witnesses. */
function others(table: string, random: Random, count = 3): string {
  return `select id from app_public.${table} where id > 9 and id % 3 > 0 order by md5(id || '.${random.below(1e9)}') limit ${count}`;
}

function moment(random: Random): string {
  return `'2020-01-01Z'::timestamptz + ${random.below(60)} * interval '1 hour'`;
}

function title(random: Random): string {
  return `'Title ${random.pick(["A", "b", "C", "d", "É", "漢"])}'`;
}
