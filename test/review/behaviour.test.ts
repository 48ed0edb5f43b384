import { loadModule } from "libpg-query";
import type { ClientBase } from "pg";
import { type Behaviours, readBehaviours } from "../../packages/migration-review/check/catalogue/behaviours.ts";
import {
  compareBehaviours,
  rewrittenTables,
} from "../../packages/migration-review/check/catalogue/compareBehaviours.ts";
import { compareViews } from "../../packages/migration-review/check/catalogue/compareViews.ts";
import {
  audienceOf,
  compareExposures,
  type Exposure,
  readExposures,
} from "../../packages/migration-review/check/catalogue/exposures.ts";
import { type Finding, nameOf } from "../../packages/migration-review/check/finding.ts";
import { project } from "../../src/commands/project.ts";
import { useDatabase } from "../support/database.ts";

/* The review names what a migration changes without any error: what functions do and may do, who sees which rows, who may what. */
const database = useDatabase();

let before: Behaviours;
let exposedBefore: Exposure[];

beforeAll(async () => {
  await loadModule();
  [before, exposedBefore] = await after("", async (client) => [
    await readBehaviours(client, project),
    await readExposures(client, project),
  ]);
});

const messages = async (sql: string) => (await findings(sql)).map(({ message }) => message);

/** The result of `read` after `sql`, which is rolled back. */
async function after<Result>(sql: string, read: (client: ClientBase) => Promise<Result>): Promise<Result> {
  const client = await database.owner.connect();
  try {
    await client.query("begin");
    await client.query(sql);
    return await read(client);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

/** The findings of the review for `sql`. */
function findings(sql: string, compare = compareBehaviours): Promise<Finding[]> {
  return after(`set local search_path = ''; ${sql}; select conventions.renew_validators()`, async (client) =>
    compare(before, await readBehaviours(client, project)),
  );
}

test.each([
  [
    "a function with its own definition, a view that is gone, what is renamed, and what is new, with its rights",
    `do $$ begin execute pg_get_functiondef('app_public.feed'::regproc); end $$;
     drop view analytics.freshness;
     alter policy select_own on app_public.posts rename to select_mine;
     alter table app_public.posts rename constraint posts_title_length_check to odd;
     alter table app_public.post_revisions rename to revisions;
     alter table app_public.comments rename text to body; alter table app_public.report_reasons rename reporter_id to member_id;
     alter table app_public.bans rename created_at to banned_at;
     create table app_public.things (id bigint primary key, odd text check (odd <> ''));
     create policy select_all on app_public.things using (true);
     grant select on app_public.things to api_member;
     create function app_public.things_age(things app_public.things) returns int language sql return 1;
     alter table app_public.posts add column mood text;
     grant update (mood) on app_public.posts to api_member`,
  ],
  [
    "settings of tables that change how rows are stored",
    "alter table app_public.chats set (fillfactor = 70); alter table app_private.sessions set (autovacuum_vacuum_scale_factor = 0.05)",
  ],
  [
    "what is new on a new column, unless it has to be given",
    `alter table app_public.posts add column mood text default 'calm', add column editor_id bigint references app_public.users;
     alter table app_public.posts add constraint odd check (mood <> 'odd'), alter column mood set default 'odd'`,
  ],
  [
    "what is dropped and created again as it was",
    `do $$ declare v_rule text := (select pg_get_constraintdef(oid) from pg_constraint where conname = 'posts_title_length_check'); begin
       alter table app_public.posts drop constraint posts_title_length_check;
       execute 'alter table app_public.posts add constraint posts_title_length_check ' || v_rule;
     end $$;
     alter table app_public.posts drop column if exists mood, add column mood text;
     drop table if exists app_public.things; create table app_public.things (id int)`,
  ],
])("%s: no finding", async (_title, sql) => {
  expect(await messages(sql)).toEqual([]);
});

describe("one finding each, in one migration", () => {
  const changes: [title: string, sql: string, expected: unknown][] = [
    [
      "the body of a function, and what it may do",
      `create or replace function app_public.me() returns app_public.users
     language sql volatile security definer leakproof strict set search_path = '' set work_mem = '64MB'
     as 'delete from app_public.follows; select users from app_public.users'`,
      "The function app_public.me() changes its behaviour: it has another body; it is volatile, and was stable; it is security definer, " +
        "and was security invoker; it is leakproof, and was not leakproof; it is strict, and was called on null input; it is set " +
        'search_path="", work_mem=64MB, and was without settings.',
    ],
    [
      "the expression of a policy",
      "alter policy select_own on app_public.posts using (author_id > 0) ",
      "The policy select_own on app_public.posts changes its behaviour: it is using (author_id > 0), and was using " +
        "((author_id = ( SELECT app_hidden.viewer_id() AS viewer_id)) AND (status IS DISTINCT FROM 'TRASHED'::app_public.post_status)).",
    ],
    [
      "a policy that is dropped and created again for others",
      `drop policy select_public on app_public.posts;
     create policy select_public on app_public.posts as restrictive for all to api_member using (is_public)`,
      "The policy select_public on app_public.posts changes its behaviour: it is for all, and was for select; it is " +
        "restrictive, and was permissive; it is to api_member, and was to api_anonymous, api_member.",
    ],
    [
      "a function that is dropped and created again without its rights",
      "drop function app_public.sign_out(text); " +
        "create function app_public.sign_out(refresh_token text) returns text language sql " +
        "security definer set search_path = pg_catalog, pg_temp return 'x'",
      "The function app_public.sign_out(text) changes its behaviour: it has another body; it is tagged nothing, and was tagged " +
        "@withoutToken; api_anonymous may no longer execute; api_member may no longer execute.",
    ],
    [
      "a policy that means another column after a rename",
      `alter table app_public.reports rename queue to line;
     alter policy update_by_right on app_public.reports with check (post_id = 1)`,
      expect.stringMatching(/^The policy update_by_right on app_public.reports .* it is with check \(post_id = 1\)/),
    ],
    [
      "a policy that is renamed and altered",
      "alter policy delete_own on app_public.comments rename to delete_mine; alter policy delete_mine on app_public.comments using (true)",
      expect.stringMatching(
        /^The policy delete_own on app_public.comments changes its behaviour: it is using true, and was using/,
      ),
    ],
    [
      "a function that is renamed and loses a smart tag",
      `alter function app_public.users_email(app_public.users) rename to users_address;
     comment on function app_public.users_address(app_public.users) is E'@name email\\nAn e-mail address.'`,
      "The function app_public.users_email(app_public.users) changes its behaviour: it is tagged nothing, and was tagged @unauthorizedWhenNull.",
    ],
    [
      "a right on a column",
      "grant update (email) on app_private.accounts to api_member",
      "The column app_private.accounts.email changes its behaviour: api_member may update.",
    ],
    [
      "a view's query and options",
      "drop view analytics.freshness; create view analytics.freshness as select now() as refreshed_at; grant select on analytics.freshness to analyst",
      "The view analytics.freshness changes its behaviour: it has another definition; it is without options, and was with " +
        "(security_barrier=true).",
    ],
    [
      "a check of the same name",
      `alter table app_public.posts drop constraint posts_title_length_check;
     alter table app_public.posts add constraint posts_title_length_check check (char_length(title) < 9) not valid`,
      "The constraint posts_title_length_check on app_public.posts changes its behaviour: it is CHECK ((char_length(title) < 9)) NOT " +
        "VALID, and was CHECK (((char_length(title) >= 1) AND (char_length(title) <= 200))).",
    ],
    [
      "a trigger that is disabled",
      "alter table app_public.posts disable trigger _200_validate",
      "The trigger _200_validate on app_public.posts changes its behaviour: it is disabled, and was enabled.",
    ],
    [
      "row-level security",
      "alter table app_public.tags disable row level security, force row level security",
      "The table app_public.tags changes its behaviour: it is without row-level security, and was with row-level security; it is " +
        "forced for its owner, and was not forced for its owner.",
    ],
  ];
  let found: string[];
  beforeAll(async () => {
    found = await messages(changes.map(([, sql]) => sql).join(";\n"));
  });

  test.each(changes)("%s", (_title, _sql, expected) => expect(found).toContainEqual(expected));

  test("and no other", () => expect(found).toHaveLength(changes.length));
});

test("the owner of a table and of a function", async () => {
  const found = await messages(
    "alter table app_public.tags owner to api_member; alter function app_public.sign_out(text) owner to api_member",
  );
  expect(found).toEqual([
    expect.stringMatching(/^The function app_public.sign_out\(text\) .* owned by api_member, and was owned by \w+/),
    expect.stringMatching(/^The table app_public.tags .* owned by api_member, and was owned by \w+/),
  ]);
});

const trigger = "before insert on app_public.tags for each row execute function app_hidden.tg_posts__prepare()";

// Statements, each with the rule of its finding and its object.
test.each<[what: string, changes: Record<string, string>]>([
  [
    "what is gone, and what is new",
    {
      "drop table app_public.notifications": "drop-table:app_public.notifications",
      "alter table app_public.posts alter status drop default": "change-default:app_public.posts.status",
      "alter table app_public.posts alter title set default 'Untitled'": "change-default:app_public.posts.title",
      "drop policy select_own on app_public.posts": "drop-policy:select_own on app_public.posts",
      "drop policy if exists odd on app_public.posts; create policy odd on app_public.posts using (true)":
        "create-policy:odd on app_public.posts",
      "revoke select on app_public.tags from api_member": "revoke:app_public.tags",
      "revoke all on function app_public.me() from api_member": "revoke:app_public.me",
      "alter table app_public.posts add constraint odd check (title <> '') not valid":
        "create-constraint:odd on app_public.posts",
      "alter table app_public.posts drop constraint posts_title_length_check":
        "drop-constraint:posts_title_length_check on app_public.posts",
      [`create trigger odd ${trigger}`]: "create-trigger:odd on app_public.tags",
      [`create table app_public.things (id int); create trigger odd ${trigger.replace("tags", "things")}`]: "",
      "drop trigger _500_keep_revision_update on app_public.posts":
        "drop-trigger:_500_keep_revision_update on app_public.posts",
    },
  ],
  [
    "what has its name again, what has another meaning, and what a do-statement drops",
    {
      "drop table app_public.notifications; create table app_public.notifications (id int)":
        "drop-table:app_public.notifications",
      "do $$ begin if true then execute 'drop policy select_own on app_public.posts'; end if; end $$":
        "drop-policy:select_own on app_public.posts",
      "create policy odd on app_public.posts using (true); alter policy odd on app_public.posts to api_member":
        "create-policy:odd on app_public.posts",
      "grant update on app_public.tags to api_member": "change-behaviour:app_public.tags",
      "alter table app_public.posts add column mood text, add constraint odd check (mood is not null) not valid":
        "create-constraint:odd on app_public.posts",
    },
  ],
  [
    "a column that is gone, and a policy that is created again",
    {
      "alter table app_public.post_revisions drop column replaced_at":
        "drop-column:app_public.post_revisions.replaced_at",
      "drop policy if exists select_own on app_public.posts; create policy select_own on app_public.posts using (false)":
        "alter-policy:select_own on app_public.posts",
      "alter table app_public.posts add constraint odd unique (title)": "create-constraint:odd on app_public.posts",
      "alter table app_public.tags disable row level security": "disable-row-level-security:app_public.tags",
    },
  ],
  [
    "a column that is created again, and a policy that is altered",
    {
      "alter table app_public.post_revisions drop column replaced_at; alter table app_public.post_revisions add column replaced_at timestamptz":
        "drop-column:app_public.post_revisions.replaced_at",
      "alter policy select_own on app_public.posts using (false)": "alter-policy:select_own on app_public.posts",
    },
  ],
])("%s", async (_what, changes) => {
  const found = await findings(Object.keys(changes).join("; "));
  const rules = Object.values(changes).filter(Boolean);
  expect(found.map(nameOf).toSorted()).toEqual(rules.toSorted());
  const refused = found.filter(({ severity }) => severity === "refused").map(nameOf);
  expect(refused).toEqual(rules.filter((rule) => rule.startsWith("disable-row")));
});

test("for analysts, the columns of a view that go, come and change their type", async () => {
  const found = await findings(
    "drop view analytics.freshness; create view analytics.freshness as select 1 as minutes_since_refresh, 2 as odd",
    (old, now) => compareViews(old, now, ["analytics"]),
  );
  expect(found.map(({ severity, object }) => `${severity} ${object}`)).toEqual([
    "refused analytics.freshness.refreshed_through",
    "refused analytics.freshness.minutes_since_refresh",
    "refused analytics.freshness.levels_since",
    "refused analytics.freshness.levels_missed",
    "safe analytics.freshness.odd",
  ]);
});

/** The columns and functions that callers of the API read after `sql` and did not read before. */
function exposed(sql: string): Promise<string[]> {
  return after(sql, async (client) => {
    const found = compareExposures(exposedBefore, await readExposures(client, project));
    expect(found.filter(({ severity }) => severity !== "dangerous")).toEqual([]);
    return found.map(({ message }) => message);
  });
}

const definer = (returns: string, body: string) =>
  `returns ${returns} security definer set search_path = pg_catalog, pg_temp ${body};`;

test.each<[what: string, sql: string, ...messages: string[]]>([
  ["nothing", "select 1"],
  [
    "what is renamed, new for members, or for nobody",
    `alter table app_public.users rename bio to about; alter table app_public.tags rename to labels;
     alter table app_public.reports add column phone text; create table app_public.notes (id int primary key);
     create function app_public.odd(id bigint) ${definer("text", "language sql return 'x'")}
     do $$ begin execute pg_get_functiondef('app_public.sign_out(text)'::regprocedure); end $$`,
  ],
  [
    "a new column of a table that everybody reads",
    "alter table app_public.users add column phone text",
    "app_public.users.phone is readable without a token, and is new.",
  ],
  [
    "a new table, with and without row-level security",
    `create table app_public.notes (id int primary key, body text); create table app_public.hints (id int, mood text);
     alter table app_public.hints enable row level security; grant select on app_public.notes, app_public.hints to api_anonymous`,
    "app_public.notes is readable without a token, and is new.",
  ],
  [
    "a policy for more callers",
    `create policy odd on app_public.reports for select to api_anonymous using (true); grant select on app_public.reports to api_anonymous;
     create policy odd on app_public.inbox_entries to public using (true)`,
    "app_public.inbox_entries is readable by members, and was readable by its owner.",
    "app_public.reports is readable without a token, and was readable by admins.",
  ],
  [
    "a function that reads an email address, directly and through another one",
    `create function app_public.email_of(id bigint) ${definer("text", "language sql stable return (select a.email from app_private.accounts a where user_id = id)")}
     create function app_public.email_of_owner(id bigint) ${definer(
       "text",
       "language plpgsql as $$ begin return app_public.email_of(id); end $$",
     )}
     grant execute on function app_public.email_of to api_anonymous; grant execute on function app_public.email_of_owner to api_member`,
    "app_public.email_of(bigint) runs with its owner's rights, may be called without a token, and reads " +
      "app_private.accounts.email, app_private.accounts.user_id.",
    "app_public.email_of_owner(bigint) runs with its owner's rights, may be called by members, and reads " +
      "app_private.accounts.email, app_private.accounts.user_id.",
  ],
  [
    "a function that reads more than before",
    `do $$ begin execute replace(pg_get_functiondef('app_public.sign_out'::regproc), E'\\nbegin', E'\\nbegin perform title from app_public.posts;'); end $$`,
    expect.stringContaining("and now also reads app_public.posts.title") as unknown as string,
  ],
  [
    "a function that calls one that reads more than before",
    `do $$ begin execute replace(pg_get_functiondef('app_private.send_token'::regproc), E'\\nbegin', E'\\nbegin perform note from app_public.reports;'); end $$`,
    ...[
      "create_user(text,text,text) runs with its owner's rights, may be called without a token",
      "request_email_change(text,text) runs with its owner's rights, may be called by members",
      "request_email_verification() runs with its owner's rights, may be called by members",
      "request_password_reset(text) runs with its owner's rights, may be called without a token",
    ].map((message) => `app_public.${message}, and now also reads app_public.reports.note.`),
  ],
  [
    "a function that builds its SQL",
    `create function app_public.odd(id bigint) ${definer("text", "language plpgsql as $$ declare v text; begin execute 'select ' || id into v; return v; end $$")}
     grant execute on function app_public.odd to api_anonymous`,
    "app_public.odd(bigint) runs with its owner's rights, may be called without a token, and reads SQL that app_public.odd builds as text.",
  ],
])("readable by more callers: %s", async (_what, sql, ...messages) => {
  expect(await exposed(sql)).toEqual(messages);
});

test("each field has its audience", () => {
  expect(
    [
      "the column app_public.posts.title",
      "the column app_private.accounts.email",
      "the column app_public.chats.title",
      "the column app_public.inbox_entries.user_id",
      "the column app_public.bans.reason",
      "the foreign key posts (author_id)",
      "the function app_public.sign_in",
    ].map((thing) => audienceOf(thing, exposedBefore)),
  ).toEqual([
    "without a token",
    "by nobody",
    "by members",
    "by its owner",
    "by admins",
    "without a token",
    "without a token",
  ]);
});

test("what a policy, a default, a constraint or a trigger is, and what it was", async () => {
  const found = await messages(`
    create policy everybody on app_public.comments for select to api_anonymous using (true);
    drop policy select_own on app_public.posts; alter table app_public.posts alter status set default 'PUBLISHED';
    alter table app_public.tags add constraint odd check (name <> 'odd') not valid; create trigger odd ${trigger}`);
  expect(found).toEqual([
    "The policy select_own on app_public.posts is dropped, which was for select, permissive, to api_member, using " +
      "((author_id = ( SELECT app_hidden.viewer_id() AS viewer_id)) AND (status IS DISTINCT FROM 'TRASHED'::app_public.post_status)).",
    "The column app_public.posts.status changes its behaviour: it is default 'PUBLISHED'::app_public.post_status, and was default " +
      "'DRAFT'::app_public.post_status.",
    "app_public.comments has a new policy, everybody: for select, permissive, to api_anonymous, using true.",
    expect.stringMatching(
      /^app_public.tags has a new trigger, odd: CREATE TRIGGER odd BEFORE INSERT ON app_public.tags/,
    ),
    "app_public.tags has a new constraint, odd: CHECK ((name <> 'odd'::text)) NOT VALID.",
  ]);
});

test.each<[sql: string, ...tables: string[]]>([
  ["alter table app_public.tags add column code uuid default gen_random_uuid()", "app_public.tags"],
  ["alter table app_public.tags add column code text generated always as (upper(name)) stored", "app_public.tags"],
  ["alter table app_public.post_revisions alter column replaced_at type text using null", "app_public.post_revisions"],
  [
    "alter table app_public.tags add column at timestamptz not null default now(), add column n int; update app_public.tags set n = 1",
  ],
  [
    "alter table app_public.post_revisions alter column replaced_at type timestamptz(6); create table app_public.a (id int); alter table app_public.a alter id type bigint",
  ],
])("rewrites: %s", async (sql, ...tables) => {
  const found = await after(sql, async (client) => rewrittenTables(before, await readBehaviours(client, project)));
  expect(found).toEqual(tables);
});
