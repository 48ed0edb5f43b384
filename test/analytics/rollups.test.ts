import { randomUUID } from "node:crypto";
import pg from "pg";
import { pino } from "pino";
import { createRequestPool } from "../../src/database/requestAccess.ts";
import { maintain } from "../../src/maintenance/maintain.ts";
import { refreshRollups } from "../../tools/support/analystContent.ts";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";
import { testSettings } from "../support/service.ts";

/* After a refresh, every number of the views equals a recomputation from the base tables. Before it, later days do. */
const database = useDatabase();
const jane = useAnalyst(database);
let owner: pg.Client;
let views: string[];

beforeAll(async () => {
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  database.ends.defer(() => owner.end());
  views = (
    await database.query<{ view: string }>(
      "select format('analytics.%I', viewname) as view from pg_views where schemaname = 'analytics' and viewname <> 'freshness'",
    )
  ).map(({ view }) => view);
});

type Rows = Record<string, string[]>;

/** The rows of each view as text; of a series by day, only those that the condition allows. */
async function readViews(condition = "true"): Promise<Rows> {
  const rowsOf: Rows = {};
  for (const view of views) {
    const { rows } = await owner.query(
      `select seen::text from ${view} as seen where ${/_by_day$/.test(view) ? condition : "true"} order by 1`,
    );
    rowsOf[view] = rows.map((row) => row.seen);
  }
  return rowsOf;
}

/** The rows of each view when there are no rollups: all days are computed from the base tables. */
async function recompute(condition = "true"): Promise<Rows> {
  await owner.query(`
    begin;
    update rollups.watermark set through = null;
    do $$
    declare v_name regclass;
    begin
      for v_name in select oid from pg_catalog.pg_class where relnamespace = 'rollups'::regnamespace and relkind = 'm' loop
        execute 'refresh materialized view ' || v_name;
      end loop;
    end $$`);
  try {
    const { rows } = await owner.query(
      "select sum(count)::int as rolled_up from (select count(*) from rollups.periods union all select count(*) from rollups.tags) as counts",
    );
    expect(rows).toEqual([{ rolled_up: 0 }]);
    return await readViews(condition);
  } finally {
    await owner.query("rollback");
  }
}

const freshness = async () =>
  (
    await database.query<{ through: string | null; yesterday: string }>(
      "select refreshed_through::text as through, ((now() at time zone 'UTC')::date - 1)::text as yesterday from analytics.freshness",
    )
  )[0];

const monthOf = (time: string) => `date_trunc('month', ${time} at time zone 'UTC')::date`;
const dayOf = (time: string) => `(${time} at time zone 'UTC')::date`;
/** Each count of totals_by_day and totals_by_month, of the day or month t.period. */
const countsOf = (periodOf: (time: string) => string) => {
  const count = (what: string, table: string, time: string, condition = "true") =>
    `(select count(${what}) from app_public.${table} where ${periodOf(time)} = t.period and ${time} <= now() and ${condition})`;
  const published = "status = 'PUBLISHED'";
  const shown = `post_id in (select id from app_public.posts where ${published})`;
  const kept = "text <> '[erased]'";
  return [
    count("*", "users", "created_at"),
    count("*", "posts", "created_at"),
    count("*", "posts", "first_published_at", published),
    count("distinct author_id", "posts", "first_published_at", published),
    `(select count(*) from (select min(first_published_at) as first from app_public.posts where ${published} group by author_id) as debuts
       where ${periodOf("first")} = t.period)`,
    count("*", "comments", "created_at", shown),
    count("distinct author_id", "comments", "created_at", shown),
    count("distinct post_id", "comments", "created_at", shown),
    count("*", "follows", "created_at"),
    count("*", "messages", "created_at", kept),
    count("distinct sender_id", "messages", "created_at", kept),
    count("distinct chat_id", "messages", "created_at", kept),
    `(select count(distinct author_id) from texts where ${periodOf("created_at")} = t.period and created_at <= now())`,
    count("distinct author_id", "posts", "created_at"),
  ].join(", ");
};
const counted = `new_users, posts_created, posts_published, authors, new_authors, comments, commenters, posts_commented, new_follows,
  messages, senders, active_chats, writers, post_writers`;
const texts = `texts as (select author_id, created_at from app_public.posts union all
  select author_id, created_at from app_public.comments where post_id in (select id from app_public.posts where status = 'PUBLISHED'))`;
const lookBack = (days: number) =>
  `(select count(distinct author_id) from texts where ${dayOf("created_at")} between d.day - ${days - 1} and d.day)`;
const weekOf = (time: string) => `date_trunc('week', ${time} at time zone 'UTC')::date`;
/** @param condition `#` stands for the weeks of the same writer */
const writersOf = (week: string, condition: string) =>
  `(select count(*) from w where ${week} and ${condition.replaceAll("#", "select from w as other where other.author_id = w.author_id and other.week")})`;
/** Queries of the views, and the same numbers in other SQL. */
const plain: Record<string, [view: string, same: string]> = {
  totals_by_day: [
    `select day, ${counted} from analytics.totals_by_day`,
    // All of them: none is before the first day.
    `with ${texts} select period, ${countsOf(dayOf)} from (select day as period from analytics.days
       union select ${dayOf("created_at")} from app_public.posts
       union select ${dayOf("first_published_at")} from app_public.posts where status = 'PUBLISHED') as t`,
  ],
  totals_by_month: [
    `select month, ${counted} from analytics.totals_by_month`,
    `with ${texts} select period, ${countsOf(monthOf)} from (select month as period from analytics.months) as t`,
  ],
  active_writers_by_day: [
    "select * from analytics.active_writers_by_day",
    `with ${texts} select day, ${lookBack(7)}, ${lookBack(28)} from analytics.days as d`,
  ],
  writer_growth_by_week: [
    "select * from analytics.writer_growth_by_week",
    `with ${texts}, w as (select distinct author_id, ${weekOf("created_at")} as week from texts where created_at between '1970-01-01Z' and now())
     select weeks.week, ${writersOf("w.week = weeks.week", "not exists (# < w.week)")},
            ${writersOf("w.week = weeks.week", "exists (# = w.week - 7)")},
            ${writersOf("w.week = weeks.week", "exists (# < w.week) and not exists (# = w.week - 7)")},
            ${writersOf("w.week = weeks.week - 7", "not exists (# = w.week + 7)")}, ${writersOf("w.week = weeks.week", "true")}
       from (select distinct date_trunc('week', day::timestamp)::date as week from analytics.days) as weeks`,
  ],
  first_steps_by_cohort: [
    "select cohort, users, commenters, authors from analytics.first_steps_by_cohort",
    `select ${monthOf("created_at")}, count(*),
       count(*) filter (where exists (select from app_public.comments where author_id = users.id and post_id in (select id from app_public.posts where status = 'PUBLISHED'))),
       count(*) filter (where exists (select from app_public.posts where author_id = users.id and status = 'PUBLISHED'))
       from app_public.users where created_at <= now() group by 1`,
  ],
  tags: [
    "select * from analytics.tags",
    `select name, count(*), count(distinct author_id), sum((select count(*) from app_public.comments where comments.post_id = posts.id))::bigint,
       min(first_published_at at time zone 'UTC')::date, max(first_published_at at time zone 'UTC')::date
       from app_public.tags join app_public.post_tags on tag_id = tags.id join app_public.posts on posts.id = post_id and status = 'PUBLISHED' group by name`,
  ],
};

/** A moment within 40 days, now and then of today. Every call gives another one. */
const anyMoment = "now() - (case when random() < 0.2 then 0 else random() * 40 end) * interval '1 day'";
const anyOf = (table: string, condition = "true") =>
  `(select id from ${table} where ${condition} order by random() limit 1)`;

/** Changes of all kinds. Each is one statement, as psql and the API write them. */
const changes = [
  `insert into app_public.users (name, created_at) select 'User ' || n, ${anyMoment} from generate_series(1, 3) as n`,
  `insert into app_public.posts (author_id, title, content, status, created_at, published_at)
   select ${anyOf("app_public.users")}, 'Post ' || n, 'Text.', status, created, case when status = 'PUBLISHED' then created + random() * (now() - created) end
     from (select n, ${anyMoment} as created, (array['DRAFT', 'PUBLISHED', 'PUBLISHED']::app_public.post_status[])[1 + n % 3] as status
             from generate_series(1, 9) as n) as posts`,
  // As an import has them: published long before the row was made, and before all users.
  `insert into app_public.posts (author_id, title, content, status, created_at, published_at)
   select ${anyOf("app_public.users")}, 'Old ' || n, 'Text.', 'PUBLISHED', ${anyMoment}, now() - random() * interval '400 days' from generate_series(1, 3) as n`,
  `insert into app_public.comments (post_id, author_id, text, created_at)
   select ${anyOf("app_public.posts")}, users.id, 'Text.', ${anyMoment} from app_public.users`,
  `insert into app_public.comments (post_id, author_id, text) select id, author_id, 'Text.' from app_public.posts order by random() limit 3`,
  `insert into app_public.tags (name) select 'tag ' || (select count(*) from app_public.tags)`,
  `insert into app_public.post_tags (post_id, tag_id, position) select ${anyOf("app_public.posts")}, ${anyOf("app_public.tags")}, 1 + floor(random() * 15)`,
  `insert into app_public.follows (follower_id, followed_id, created_at)
   select a.id, b.id, ${anyMoment} from app_public.users a, app_public.users b where a.id <> b.id order by random() limit 5 on conflict do nothing`,
  `insert into app_public.messages (chat_id, sender_id, text, created_at) select ${anyOf("app_public.chats")}, id, 'Text.', ${anyMoment} from app_public.users`,
  `update app_public.posts set status = 'DRAFT' where id = ${anyOf("app_public.posts", "status = 'PUBLISHED'")}`,
  `update app_public.posts set status = 'PUBLISHED' where id = ${anyOf("app_public.posts", "status = 'DRAFT'")}`,
  `update app_public.posts set author_id = ${anyOf("app_public.users")} where id = ${anyOf("app_public.posts")}`,
  `update app_public.posts set created_at = created_at - interval '3 days' where id = ${anyOf("app_public.posts")}`,
  `update app_public.posts set title = title || '.' where id = ${anyOf("app_public.posts")}`,
  `update app_public.comments set created_at = ${anyMoment} where id = ${anyOf("app_public.comments")}`,
  `update app_public.comments set author_id = ${anyOf("app_public.users")}, post_id = ${anyOf("app_public.posts")} where id = ${anyOf("app_public.comments")}`,
  `update app_public.users set created_at = ${anyMoment} where id = ${anyOf("app_public.users")}`,
  `update app_public.messages set sender_id = null where id = ${anyOf("app_public.messages")}`,
  `update app_public.post_tags set tag_id = ${anyOf("app_public.tags")} where ctid = (select ctid from app_public.post_tags order by random() limit 1)
     and not exists (select from app_public.post_tags o where o.post_id = post_tags.post_id and o.tag_id <> post_tags.tag_id)`,
  `delete from app_public.comments where id = ${anyOf("app_public.comments")}`,
  `delete from app_public.posts where id = ${anyOf("app_public.posts")}`,
  `delete from app_public.post_tags where ctid = (select ctid from app_public.post_tags order by random() limit 1)`,
  `delete from app_public.follows where ctid = (select ctid from app_public.follows order by random() limit 1)`,
  `delete from app_public.messages where id = ${anyOf("app_public.messages")}`,
  `update app_public.messages set text = '[erased]', deleted_at = now() where id in (select id from app_public.messages order by random() limit 3)`,
  `select app_private.erase_user(${anyOf("app_public.users", "id > 4")})`,
  // Refused.
  `insert into app_public.posts (author_id, title, content, status, created_at, published_at)
   select 1, 'Ancient', 'Text.', 'PUBLISHED', time, time from unnest('{0001-01-01,-infinity,9999-12-31,0044-03-15 BC}'::timestamptz[]) as time`,
  // As they are where they were written before times had bounds.
  `with ancient as (select set_config('session_replication_role', 'replica', true))
   insert into app_public.comments (post_id, author_id, text, is_public, created_at)
   select posts.id, 1, 'Text.', is_public, time from ancient, (select id, is_public from app_public.posts order by random() limit 1) as posts,
          unnest('{0001-01-01,-infinity,infinity,1969-12-31}'::timestamptz[]) as time`,
  // Later this month, and next year.
  `insert into app_public.comments (post_id, author_id, text, created_at)
   select id, author_id, 'Text.', now() + interval '1 day' + random() * interval '400 days' from app_public.posts order by random() limit 2`,
  `delete from app_public.tags where id = ${anyOf("app_public.tags")}`,
  `delete from app_public.users where id = ${anyOf("app_public.users", "id > 4")}`,
  `update app_public.audit_trail set changed_at = changed_at - random() * interval '60 days' where id in (select id from app_public.audit_trail order by random() limit 9)`,
  `delete from app_public.audit_trail where id = ${anyOf("app_public.audit_trail")}`,
  `insert into app_private.unfollows (author_id, day) select id, (now() at time zone 'UTC')::date from app_public.users limit 2`,
];

/** A change is seeded, so that a failure can be repeated. */
async function change(statement: string, seed: number): Promise<void> {
  await owner.query("select setseed($1)", [seed]);
  // Some break a rule, such as two tags at one position, and change nothing.
  await owner.query(statement).catch((error) => {
    if (!["23502", "23503", "23505", "23514", "FAULT"].includes(error.code)) throw error;
  });
}

beforeAll(async () => {
  await owner.query("insert into app_public.chats (title) values ('One'), ('Two')");
  for (const seed of [0.1, 0.2, 0.3]) for (const statement of changes.slice(0, 9)) await change(statement, seed);
  await refreshRollups(owner);
});

describe("the views equal a recomputation", () => {
  test("after a refresh", async () => {
    const { through, yesterday } = (await freshness()) ?? {};
    expect(through).toBe(yesterday);
    expect(await readViews()).toEqual(await recompute());
  });

  test.each([1, 2, 3])("after random changes: of later days at once, of all after a refresh (%i)", async (round) => {
    for (let step = 1; step <= 40; step++) {
      const place = Math.floor(Math.abs(Math.sin(round * 1_000 + step * 7)) * changes.length);
      await change(changes[place] as string, Math.sin(round + step));
    }
    // Running totals, and writers of 28 days, of a later day count finished days too.
    const series = /^analytics\.(totals_by_day|changes_by_day|reads_by_post_and_day)$/;
    const pick = (rows: Rows) => Object.fromEntries(Object.entries(rows).filter(([view]) => series.test(view)));
    const later = "day > (select refreshed_through from analytics.freshness)";
    const { rows } = await owner.query("select refreshed_through::text as through from analytics.freshness");
    const live = pick(await readViews(later));
    expect(live).toEqual(pick(await recompute(`day > '${rows[0].through}'`)));
    await refreshRollups(owner);
    expect(await readViews()).toEqual(await recompute());
  });

  test.each(changes.map((statement, place) => [place, statement.split("\n")[0]] as const))(
    "of the rollups after change %i: %s",
    async (place) => {
      await change(changes[place] as string, 0.25);
      await refreshRollups(owner);
      const { rows } = await owner.query(`
        select count(*)::int as wrong from (
          (table rollups.tags except select * from rollups.count_tags('-infinity', current_date - 1)) union all
          (select * from rollups.count_tags('-infinity', (select through from rollups.watermark)) except table rollups.tags)) as differing`);
      expect(rows).toEqual([{ wrong: 0 }]);
    },
  );

  test.each(Object.keys(plain))("in other SQL: %s", async (view) => {
    await refreshRollups(owner);
    const rowsOf = async (sql: string) =>
      (await owner.query(`select s::text from (${sql}) as s order by 1`)).rows.map((row) => row.s);
    const [shown, same] = plain[view] as [string, string];
    expect(await rowsOf(shown)).toEqual(await rowsOf(same));
  });
});

describe("a post that is published no more is gone at once:", () => {
  /** An author and a tag that nothing else has. */
  async function publish(): Promise<string> {
    const name = `solo ${randomUUID().slice(0, 8)}`;
    await owner.query("insert into app_public.users (name, created_at) values ($1, now() - interval '9 days')", [name]);
    await owner.query(
      `insert into app_public.posts (author_id, title, content, status, created_at, published_at)
       select id, name, 'Text.', 'PUBLISHED', moment, moment from app_public.users, (select now() - interval '5 days' as moment) as m where name = $1`,
      [name],
    );
    await owner.query("insert into app_public.tags (name) values ($1)", [name]);
    await owner.query(
      `insert into app_public.post_tags (post_id, tag_id, position)
       select posts.id, tags.id, 1 from app_public.posts, app_public.tags where title = $1 and name = $1`,
      [name],
    );
    await owner.query(
      "insert into app_public.comments (post_id, author_id, text, created_at) select id, 1, 'Text.', now() - interval '3 days' from app_public.posts where title = $1",
      [name],
    );
    await refreshRollups(owner);
    return name;
  }

  test.each([
    ["withdrawn", "update app_public.posts set status = 'DRAFT' where title = $1"],
    ["deleted", "delete from app_public.posts where title = $1"],
    ["its author erased", "select app_private.erase_user(id) from app_public.users where name = $1"],
  ])("%s", async (_, statement) => {
    const name = await publish();
    const slug = name.replace(" ", "-");
    const naming = async () =>
      Object.entries(await readViews())
        .filter(([, rows]) => rows.some((row) => row.includes(name) || row.includes(slug)))
        .map(([view]) => view.replace("analytics.", ""));
    expect((await naming()).sort()).toEqual(["engagement_by_post", "tags", "tags_by_day"]);
    const { rows } = await owner.query("select post_id, author_id from analytics.engagement_by_post where title = $1", [
      name,
    ]);
    await owner.query(statement, [name]);
    expect(await naming()).toEqual([]);
    const { post_id, author_id } = rows[0];
    expect((await owner.query("select from analytics.engagement_by_post where post_id = $1", [post_id])).rowCount).toBe(
      0,
    );
    expect((await owner.query("select from analytics.authors where author_id = $1", [author_id])).rowCount).toBe(0);
    const copies = await database.query<{ name: string }>(
      "select oid::regclass::text as name from pg_class where relnamespace = 'rollups'::regnamespace and relkind in ('r', 'm')",
    );
    for (const { name: rollup } of copies) {
      expect(
        (
          await owner.query(`select from ${rollup} as t where t::text like $1 or t::text like $2`, [
            `%${name}%`,
            `%${slug}%`,
          ])
        ).rowCount,
      ).toBe(0);
    }
  });
});

test("a draft changes totals of all authors, and no number of its author", async () => {
  await refreshRollups(owner);
  const before = await readViews();
  await owner.query("begin");
  try {
    await owner.query(
      "insert into app_public.posts (author_id, title, content) select author_id, 'A draft', 'Text.' from analytics.authors limit 1",
    );
    await refreshRollups(owner);
    const after = await readViews();
    const changed = views.filter((view) => JSON.stringify(before[view]) !== JSON.stringify(after[view]));
    expect(
      changed.filter(
        (view) =>
          !/^analytics\.(totals_by_(day|month)|active_writers_by_day|writer_growth_by_(month|week)|retention_by_cohort_and_month|changes_by_day)$/.test(
            view,
          ),
      ),
    ).toEqual([]);
    expect(changed).toContain("analytics.totals_by_day");
  } finally {
    await owner.query("rollback");
  }
});

test("a publication before all else is in the series, and took no negative time", async () => {
  await owner.query("begin");
  try {
    const { rows } = await owner.query(`
      with added as (
        insert into app_public.posts (author_id, title, content, status, published_at)
        values (1, 'Imported', 'Text.', 'PUBLISHED', now() - interval '400 days') returning id, published_at)
      select id, (published_at at time zone 'UTC')::date::text as day from added`);
    const { id, day } = rows[0];
    for (const step of ["select", "select rollups.refresh()"]) {
      await owner.query(step);
      const { rows: seen } = await owner.query(
        "select hours_to_publish::float from analytics.engagement_by_post where post_id = $1",
        [id],
      );
      expect(seen).toEqual([{ hours_to_publish: 0 }]);
    }
    const { rows: first } = await owner.query(
      "select (select min(day)::text from analytics.days) as first, posts_published, (select median_hours::float from analytics.totals_by_month where month = date_trunc('month', $1::timestamp)) as hours from analytics.totals_by_day where day = $1",
      [day],
    );
    expect(first).toEqual([{ first: day, posts_published: "1", hours: 0 }]);
  } finally {
    await owner.query("rollback");
  }
});

describe("the refresh", () => {
  test("depends on nothing of the server: no transaction id, and a refresh that was cut off leaves what was there", async () => {
    const ids = await database.query(
      "select attrelid::regclass, attname from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'rollups'::regnamespace and attnum > 0 and atttypid::regtype::text ~ 'xid|snapshot'",
    );
    expect(ids).toEqual([]);
    await refreshRollups(owner);
    const before = await database.query("select * from rollups.watermark");
    const cut = new pg.Client({ connectionString: database.ownerUrl });
    cut.on("error", () => {});
    await cut.connect();
    await cut.query("begin; select rollups.refresh()");
    const { rows } = await cut.query("select pg_backend_pid() as pid");
    await database.query("select pg_terminate_backend($1, 5000)", [rows[0].pid]);
    expect(await database.query("select * from rollups.watermark")).toEqual(before);
    await owner.query(
      "insert into app_public.comments (post_id, author_id, text, created_at) select min(id), 1, 'Late.', now() - interval '2 days' from app_public.posts",
    );
    await refreshRollups(owner);
    expect(await readViews()).toEqual(await recompute());
  });

  test("fills rollups that a dump without rows has left empty", async () => {
    await owner.query("refresh materialized view rollups.periods with no data");
    await refreshRollups(owner);
    expect(await readViews()).toEqual(await recompute());
  });

  test("is done by one session at a time, and not again within the given age", async () => {
    const refresh = async (minAge: string | null) =>
      (await owner.query("select rollups.refresh($1) as done", [minAge])).rows[0].done;
    const working = await database.hold("select from rollups.watermark for update");
    try {
      expect(await refresh(null)).toBeNull();
    } finally {
      await working.release();
    }
    expect(await refresh(null)).toEqual({
      through: (await freshness())?.yesterday,
      milliseconds: expect.any(Number),
    });
    expect(await refresh("1 hour")).toBeNull();
    await owner.query("update rollups.watermark set refreshed_at = now() - interval '61 minutes'");
    expect(await refresh("1 hour")).not.toBeNull();
    await owner.query("update rollups.watermark set refreshed_at = now() - interval '61 minutes', took = '4 minutes'");
    expect(await refresh("1 hour")).toBeNull();
    // After midnight.
    await owner.query("update rollups.watermark set through = through - 1, refreshed_at = now()");
    expect(await refresh("1 hour")).not.toBeNull();
  });

  test("may last longer than a statement of the service", async () => {
    const log = pino({ level: "silent" });
    const pool = createRequestPool(
      { ...testSettings, apiDatabaseUrl: database.apiUrl, poolSize: 1, statementTimeoutMs: 500 },
      log,
    );
    try {
      await owner.query(
        "create materialized view rollups.slow as select 1 as one from pg_catalog.pg_sleep(3) with no data",
      );
      await owner.query("update rollups.watermark set refreshed_at = null");
      await maintain(pool, log, 365);
      expect((await owner.query("select one from rollups.slow")).rows).toEqual([{ one: 1 }]);
    } finally {
      await owner.query("drop materialized view rollups.slow");
      await pool.end();
    }
  });

  test("is not for analysts, nor are the rollups", async () => {
    for (const statement of [
      "select rollups.refresh()",
      "table rollups.discussions",
      "select * from rollups.count_tags('2026-01-01', '2026-01-02')",
    ]) {
      await expect(jane.ask(statement)).rejects.toMatchObject({ code: "42501" });
    }
  });
});

test("no trigger works for analysts, but the one that records unfollows", async () => {
  const triggers = await database.query(
    `select tgrelid::regclass::text as table, tgname as trigger from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where not tgisinternal and (pronamespace in ('rollups'::regnamespace, 'analytics'::regnamespace) or prosrc ~ 'rollups|analytics|unfollows')`,
  );
  expect(triggers).toEqual([{ table: "app_public.follows", trigger: "_700_record_unfollows" }]);
});

test("an import without triggers that leaves out the first publication does not stop the refresh", async () => {
  await owner.query(`
    begin;
    set local session_replication_role = replica;
    insert into app_public.posts (author_id, title, slug, excerpt, content, status, published_at)
      values (1, 'Imported', 'imported', '', 'Text.', 'PUBLISHED', now());
    insert into app_public.comments (post_id, author_id, text)
      select id, 1, 'Text.' from app_public.posts where slug = 'imported';
    commit`);
  await refreshRollups(owner);
  expect(await readViews()).toEqual(await recompute());
});

test("after a truncate, the next refresh counts nothing", async () => {
  await owner.query(
    "set local app.is_import = on; truncate app_public.comments cascade; set local app.is_import = off",
  );
  await refreshRollups(owner);
  const { rows } = await owner.query("select sum(comments) as comments from analytics.totals_by_day");
  expect(rows).toEqual([{ comments: "0" }]);
});

test("unfollowing is counted, the removal of an account is not", async () => {
  const name = randomUUID();
  await owner.query("insert into app_public.users (name) values ($1)", [name]);
  const before = await owner.query("select sum(unfollows) as n from analytics.totals_by_day");
  await owner.query(
    "insert into app_public.follows (follower_id, followed_id) select id, 1 from app_public.users where name = $1",
    [name],
  );
  await owner.query("insert into app_public.follows (follower_id, followed_id) values (2, 3) on conflict do nothing");
  await owner.query("delete from app_public.follows where (follower_id, followed_id) = (2, 3)");
  await owner.query("delete from app_public.users where name = $1", [name]);
  const after = await owner.query("select sum(unfollows) as n from analytics.totals_by_day");
  expect(Number(after.rows[0].n) - Number(before.rows[0].n)).toBe(1);
});
