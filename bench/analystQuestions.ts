import { readAnalystQuestions } from "../tools/support/analystQuestions.ts";

/** A question of an analyst, asked of the views and of the tables. Both give the same rows, in one order. */
export interface ComparedQuestion {
  title: string;
  fromViews: string;
  fromTables: string;
}

/** For each question of docs/analysts.md, what the tables' owner would write who knows the indexes and has no views. */
const fromTables: Record<string, string> = {
  "How is the year going?": `
    select month, posts_published, comments
      from (select date_trunc('month', first_published_at at time zone 'UTC')::date as month, count(*) as posts_published
              from posts
             where is_public and (first_published_at at time zone 'UTC')::date >= (select month from today) - interval '11 months'
             group by 1) as published
      join (select date_trunc('month', created_at at time zone 'UTC')::date as month, count(*) as comments
              from comments
             where is_public and (created_at at time zone 'UTC')::date >= (select month from today) - interval '11 months'
             group by 1) as said using (month)
     order by month limit 12`,
  "Which posts moved readers most?": `
    select title, (first_published_at at time zone 'UTC')::date as published_on, commenters, comments,
           round(extract(epoch from first_at - first_published_at)::numeric / 3600, 1) as hours_to_first_comment
      from (select posts.id, count(*) as comments,
                   count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id) as commenters,
                   min(comments.created_at) filter (
                     where comments.author_id <> posts.author_id and comments.created_at >= first_published_at) as first_at
              from posts join comments on post_id = posts.id
             where posts.is_public
             group by posts.id) as said
      join posts using (id)
     order by commenters desc, comments desc, id limit 5`,
  "What should we write more about?": `
    select name as tag, count(*) as posts_published, sum(coalesce(said.comments, 0)) as comments,
           round(sum(coalesce(said.comments, 0)) / count(*), 1) as comments_a_post
      from post_tags
      join tags on tags.id = tag_id
      left join (select post_id, count(*) as comments from comments where is_public group by post_id) as said using (post_id)
     where post_tags.is_public
     group by name
    having count(*) >= 3
     order by comments_a_post desc, tag limit 3`,
  "Who are our most read authors?": `
    select author_id, coalesce(followers, 0) as followers, posts_published, coalesce(comments_received, 0) as comments_received, last_published_on
      from (select author_id, count(*) as posts_published, (max(first_published_at) at time zone 'UTC')::date as last_published_on
              from posts where is_public group by author_id) as published
      left join (select followed_id as author_id, count(*) as followers from follows group by 1) as followed using (author_id)
      left join (select posts.author_id, count(*) as comments_received
                   from posts join comments on post_id = posts.id
                  where posts.is_public and comments.author_id <> posts.author_id
                  group by 1) as received using (author_id)
     order by followers desc, author_id limit 3`,
  "Is readership growing?": `
    select *
      from (select month, users, follows, follows - lag(follows) over (order by month) as net_growth
              from (select month, sum(count(*) filter (where kind = 'user')) over (order by month) as users,
                           sum(count(*) filter (where kind = 'follow')) over (order by month) as follows
                      from (select month, null as kind from months
                             union all
                            select date_trunc('month', created_at at time zone 'UTC')::date, 'user' from users
                             union all
                            select date_trunc('month', created_at at time zone 'UTC')::date, 'follow' from follows) as beginnings
                     group by month) as levels) as growth
     where month >= (select month from today) - interval '3 months'
     order by month limit 4`,
  "Do people who write come back?": `
    with writing as (
      select month, lag(month) over author as before, lead(month) over author as after
        from (select distinct author_id, date_trunc('month', created_at at time zone 'UTC')::date as month
                from (select author_id, created_at from posts
                       union all
                      select author_id, created_at from comments where is_public) as texts) as months
      window author as (partition by author_id order by month)
    )
    select month, new, retained, resurrected, churned
      from (select month, count(*) filter (where before is null) as new,
                   count(*) filter (where before = month - interval '1 month') as retained,
                   count(*) filter (where before < month - interval '1 month') as resurrected
              from writing
             group by month) as writers
      join (select (month + interval '1 month')::date as month, count(*) filter (where after is distinct from month + interval '1 month') as churned
              from writing
             group by 1) as lost using (month)
     where month >= (select month from today) - interval '2 months'
     order by month limit 3`,
  "On which days of the week is it quiet below the posts?": `
    select to_char(day, 'FMDay') as weekday, sum(coalesce(comments, 0)) as comments, round(avg(coalesce(commenters, 0)), 2) as commenters_a_day
      from (select moment::date as day
              from today, generate_series(day - interval '1 year' + interval '1 day', day, interval '1 day') as moment) as days
      left join (select (created_at at time zone 'UTC')::date as day, count(*) as comments, count(distinct author_id) as commenters
                   from comments
                  where is_public and (created_at at time zone 'UTC')::date > (select day from today) - interval '1 year'
                    and (created_at at time zone 'UTC')::date <= (select day from today)
                  group by 1) as said using (day)
     group by extract(isodow from day), weekday
     order by extract(isodow from day)`,
  "How busy are the chats?": `
    select day, count(messages.id) as messages, count(distinct sender_id) as senders, count(distinct chat_id) as active_chats
      from (select day - ago as day from today, generate_series(0, 3) as ago) as days
      left join messages on (created_at at time zone 'UTC')::date = day and deleted_at is null
     group by day
     order by day limit 4`,
  "What is changed, and by whom?": `
    select table_name, action, case when actor_id is not null then 'USER' else 'DATABASE' end as actor_kind, count(*) as changes
      from audit_trail
     group by 1, 2, 3
     order by 1, 2, 3`,
  "Do people who sign up come back?": `
    with joined as (
      select id, date_trunc('month', created_at at time zone 'UTC')::date as cohort from users
    ), activity as (
      select cohort, month, count(*) as active_users
        from (select author_id, date_trunc('month', created_at at time zone 'UTC')::date as month from posts
               union
              select author_id, date_trunc('month', created_at at time zone 'UTC')::date from comments where is_public) as writing
        join joined on joined.id = author_id
       group by 1, 2
    )
    select since as months_since_sign_up, sum(users) as users, sum(coalesce(active_users, 0)) as active_users,
           round(100.0 * sum(coalesce(active_users, 0)) / sum(users)) as percent
      from (select cohort, count(*) as users from joined group by cohort) as cohorts
     cross join generate_series(0, 3) as since
      left join activity on activity.cohort = cohorts.cohort and activity.month = cohorts.cohort + since * interval '1 month'
     where cohorts.cohort + since * interval '1 month' <= (select month from today)
     group by since
     order by since`,
  "When did one author comment?": `
    select date_trunc('month', created_at at time zone 'UTC')::date as month, count(*) as comments
      from comments
     where author_id = 3 and is_public and created_at >= ((select day from today) - 365)::timestamp at time zone 'UTC'
     group by 1
     order by 1 desc limit 3`,
  "How often are posts read?": `
    select day, sum(reads) as reads, count(*) as posts_read
      from post_reads
     where day > (select day from today) - 3 and day <= (select day from today) and exists (select from posts where id = post_id and is_public)
     group by day
     order by day limit 3`,
};

/** What analysts asked beyond the page. */
const more: ComparedQuestion[] = [
  {
    title: "How is one post doing?",
    fromViews: `
      select title, tags, words, comments, commenters, hours_to_first_comment
        from engagement_of_posts('{1003}')`,
    fromTables: `
      select title, array(select name from tags join post_tags on tag_id = tags.id where post_id = posts.id order by name) as tags,
             cardinality(regexp_split_to_array(btrim(content, E' \\t\\r\\n'), '\\s+')) as words, comments, commenters,
             round(extract(epoch from first_at - first_published_at)::numeric / 3600, 1) as hours_to_first_comment
        from posts
       cross join lateral (
             select count(*) as comments, count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id) as commenters,
                    min(comments.created_at) filter (
                      where comments.author_id <> posts.author_id and comments.created_at >= first_published_at) as first_at
               from comments
              where post_id = posts.id) as said
       where id = 1003 and is_public`,
  },
  {
    title: "How did the posts of a week do?",
    fromViews: `
      select post_id, title, commenters, comments
        from today cross join lateral engagement_of_days(week - 7, week - 1)
       order by post_id`,
    fromTables: `
      select posts.id as post_id, title,
             count(distinct comments.author_id) filter (where comments.author_id <> posts.author_id) as commenters, count(comments.id) as comments
        from posts left join comments on post_id = posts.id
       where posts.is_public and (first_published_at at time zone 'UTC')::date >= (select week from today) - 7
         and (first_published_at at time zone 'UTC')::date < (select week from today)
       group by posts.id
       order by post_id`,
  },
  {
    title: "How is one author doing?",
    fromViews: `
      select posts_published, comments_written, comments_received, followers, mutual_followers
        from totals_of_authors('{3}')`,
    fromTables: `
      select (select count(*) from posts where author_id = 3 and is_public) as posts_published,
             (select count(*) from comments where author_id = 3 and is_public) as comments_written,
             (select count(*) from posts join comments on post_id = posts.id
               where posts.author_id = 3 and posts.is_public and comments.author_id <> 3) as comments_received,
             (select count(*) from follows where followed_id = 3) as followers,
             (select count(*) from follows where followed_id = 3
                 and exists (select from follows as back where back.follower_id = 3 and back.followed_id = follows.follower_id)) as mutual_followers`,
  },
  {
    title: "How often is one post read?",
    fromViews: `
      select day, reads
        from reads_of_posts('{1003}')
       order by day`,
    fromTables: `
      select day, reads
        from post_reads
       where post_id = 1003 and exists (select from posts where id = post_id and is_public)
       order by day`,
  },
  {
    title: "How soon after the sign-up do people comment?",
    fromViews: `
      select cohort, users, commenters, median_days_to_first_comment
        from first_steps_by_cohort
       order by cohort`,
    fromTables: `
      select date_trunc('month', created_at at time zone 'UTC')::date as cohort, count(*) as users, count(first_at) as commenters,
             round((percentile_cont(0.5) within group (order by greatest(extract(epoch from first_at - created_at)::float8 / 86400, 0))
               filter (where first_at is not null))::numeric, 1) as median_days_to_first_comment
        from users
        left join (select author_id as id, min(created_at) as first_at from comments where is_public group by 1) as said using (id)
       group by 1
       order by cohort`,
  },
  {
    title: "At which hours of the last four weeks was it busy?",
    fromViews: `
      select extract(hour from hour) as of_day, sum(comments) as comments
        from activity_by_hour
       where day >= (select day from today) - 27
       group by 1
       order by 1`,
    fromTables: `
      select extract(hour from created_at) as of_day, count(*) as comments
        from comments
       where is_public and (created_at at time zone 'UTC')::date between (select day from today) - 27 and (select day from today)
       group by 1
       order by 1`,
  },
  {
    title: "How long does a post take from the first line to publication?",
    fromViews: `
      select month, posts_published, median_hours, slowest_tenth_hours
        from totals_by_month
       where month >= (select month from today) - interval '2 months'
       order by month limit 3`,
    fromTables: `
      select date_trunc('month', first_published_at at time zone 'UTC')::date as month, count(*) as posts_published,
             round((percentile_cont(0.5) within group (order by hours))::numeric, 1) as median_hours,
             round((percentile_cont(0.9) within group (order by hours))::numeric, 1) as slowest_tenth_hours
        from (select first_published_at, greatest(extract(epoch from first_published_at - created_at)::float8 / 3600, 0) as hours
                from posts
               where is_public and (first_published_at at time zone 'UTC')::date >= (select month from today) - interval '2 months') as published
       group by 1
       order by month limit 3`,
  },
  {
    title: "How many follows are ended?",
    fromViews: `
      select month, new_follows, unfollows
        from totals_by_month
       where month >= (select month from today) - interval '2 months'
       order by month limit 3`,
    fromTables: `
      select month,
             (select count(*) from follows
               where (created_at at time zone 'UTC')::date >= month and (created_at at time zone 'UTC')::date < month + interval '1 month') as new_follows,
             (select count(*) from unfollows where day >= month and day < month + interval '1 month') as unfollows
        from months
       where month >= (select month from today) - interval '2 months'
       order by month limit 3`,
  },
  {
    title: "How long does it take from sign-up to the first post?",
    fromViews: `
      select date_trunc('month', joined_on)::date as month, count(*) as authors,
             round((percentile_cont(0.5) within group (order by greatest(first_published_on - joined_on, 0)))::numeric, 1) as median_days
        from authors
       group by 1
       order by 1 desc limit 5`,
    fromTables: `
      select date_trunc('month', joined_on)::date as month, count(*) as authors,
             round((percentile_cont(0.5) within group (order by greatest(first_published_on - joined_on, 0)))::numeric, 1) as median_days
        from (select (users.created_at at time zone 'UTC')::date as joined_on, (min(first_published_at) at time zone 'UTC')::date as first_published_on
                from posts join users on users.id = author_id
               where is_public
               group by users.id) as authors
       group by 1
       order by 1 desc limit 5`,
  },
  {
    title: "Which tags are discussed most, week by week?",
    fromViews: `
      with weekly as (
        select date_trunc('week', day)::date as week, tag, sum(comments) as comments
          from tags_by_day
         where day >= (select week from today) - 14 and day <= (select day from today)
         group by 1, 2)
      select week, tag, comments
        from (select *, rank() over (partition by week order by comments desc, tag) as place from weekly) as ranked
       where place <= 2 and comments > 0
       order by week, place`,
    fromTables: `
      with weekly as (
        select date_trunc('week', comments.created_at at time zone 'UTC')::date as week, name as tag, count(*) as comments
          from comments join post_tags using (post_id) join tags on tags.id = tag_id
         where comments.is_public and (comments.created_at at time zone 'UTC')::date >= (select week from today) - 14
           and (comments.created_at at time zone 'UTC')::date <= (select day from today)
         group by 1, 2
      )
      select week, tag, comments
        from (select *, rank() over (partition by week order by comments desc, tag) as place from weekly) as ranked
       where place <= 2
       order by week, place`,
  },
];

/** The questions of docs/analysts.md, and ten more. */
export function comparedQuestions(): ComparedQuestion[] {
  const ofThePage = readAnalystQuestions().map(({ title, sql }) => {
    const own = fromTables[title];
    if (!own) throw new Error(`bench/analystQuestions.ts does not ask the tables: ${title}`);
    return { title, fromViews: sql, fromTables: own };
  });
  return [...ofThePage, ...more];
}
