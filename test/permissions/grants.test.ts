import { expect, test } from "@jest/globals";
import pg from "pg";
import { useDatabase } from "../support/database.ts";

/*
 * The complete list of grants to the API's roles. A migration that adds a table or function adds its grants here, or the
 * test fails.
 */
const database = useDatabase();

const schemas = `like any (array['app\\_%', 'analytics', 'graphile\\_%', 'public'])`;

/** Privileges on tables, views and sequences, and on columns where the grant names columns. */
const tablePrivileges = `
  select format('%s %s%s', relation, lower(privilege),
           case when whole then '' else format(' (%s)', string_agg(attname, ', ' order by attnum)) end) as line
    from (select c.oid, c.oid::regclass::text as relation, privilege, has_table_privilege($1, c.oid, privilege) as whole
            from pg_class c
           cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as privilege
           where relkind in ('r', 'p', 'v', 'm', 'f') and relnamespace::regnamespace::text ${schemas}) as granted
    left join pg_attribute a on not whole and attrelid = granted.oid and attnum > 0 and not attisdropped
     and case when privilege in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
              then has_column_privilege($1, attrelid, attnum, privilege) end
   where whole or attname is not null
   group by relation, privilege, whole
   order by relation, privilege`;

const functionPrivileges = `
  select p.oid::regprocedure::text as line
    from pg_proc p
   where pronamespace::regnamespace::text ${schemas} and has_function_privilege($1, p.oid, 'EXECUTE')
     and has_schema_privilege($1, pronamespace, 'USAGE')
   order by p.oid::regprocedure::text collate "C"`;

async function granted(query: string, role: string): Promise<string[]> {
  return (await database.query<{ line: string }>(query, [role])).map(({ line }) => line);
}
/** Policies select the rows. */
const everyonesTables = [
  "app_hidden.rules select",
  "app_public.comments select",
  "app_public.follows select",
  "app_public.post_tags select",
  "app_public.posts select",
  "app_public.tags select",
  "app_public.users select",
];
/** In addition, for members. */
const membersTables = [
  "app_public.audit_trail select",
  "app_public.chat_members select",
  "app_public.chats select",
  "app_public.comments delete",
  "app_public.comments insert (post_id, author_id, text)",
  "app_public.follows delete",
  "app_public.follows insert (follower_id, followed_id)",
  "app_public.messages insert (chat_id, sender_id, text)",
  "app_public.messages select",
  "app_public.posts delete",
  "app_public.posts insert (author_id, title, excerpt, content, status)",
  "app_public.posts update (title, excerpt, content, status)",
];
/** Functions for requests without a token. */
const everyonesFunctions = [
  "app_hidden.bounded_text(text,integer)",
  "app_hidden.faults(regclass,jsonb)",
  "app_hidden.normal_text(text,integer,boolean)",
  "app_hidden.refuse_faults(jsonb)",
  "app_hidden.refuse_missing(text)",
  "app_hidden.refuse_unauthorized()",
  "app_hidden.require_chat(bigint)",
  "app_hidden.slug_words(text)",
  "app_hidden.viewer_id()",
  "app_hidden.viewer_is_admin()",
  "app_hidden.words_of(text)",
  "app_public.create_user(text,text,text)",
  "app_public.feed()",
  "app_public.me()",
  "app_public.messages(bigint,bigint)",
  "app_public.posts_count(app_public.post_status)",
  "app_public.refresh_session(text)",
  "app_public.sign_in(text,text)",
  "app_public.sign_out(text)",
  "app_public.users_email(app_public.users)",
  "app_public.users_followers(app_public.users)",
  "app_public.users_following(app_public.users)",
];
/** In addition, for members. */
const membersFunctions = [
  "app_hidden.free_slug(text,bigint,boolean)",
  "app_hidden.refuse_post(bigint)",
  "app_hidden.set_post_tags(bigint,text[])",
  "app_hidden.slugify(text)",
  "app_hidden.start_of(text)",
  "app_hidden.tag_faults(text[])",
  "app_hidden.tag_name(text)",
  "app_hidden.tag_names(text[])",
  "app_hidden.unaccent(regdictionary,text)",
  "app_hidden.viewer_chat_ids()",
  "app_public.add_chat_member(bigint,bigint)",
  "app_public.change_password(text,text)",
  "app_public.create_chat(bigint[],text)",
  "app_public.create_comment(bigint,text)",
  "app_public.create_post(app_public.create_post_input)",
  "app_public.delete_comment(bigint)",
  "app_public.delete_post(bigint)",
  "app_public.follow_user(bigint)",
  "app_public.leave_chat(bigint)",
  "app_public.send_message(bigint,text)",
  "app_public.unfollow_user(bigint)",
  "app_public.update_post(bigint,app_public.update_post_input)",
];

test("a request without a token reads public tables, and writes none", async () => {
  expect(await granted(tablePrivileges, "api_anonymous")).toEqual(everyonesTables);
});

test("a member reads the rows that policies show, and writes only granted columns", async () => {
  expect((await granted(tablePrivileges, "api_member")).sort()).toEqual([...everyonesTables, ...membersTables].sort());
});

test("a request without a token calls only the functions granted to it", async () => {
  expect(await granted(functionPrivileges, "api_anonymous")).toEqual(everyonesFunctions);
});

test("a member calls only the functions granted to members", async () => {
  const functions = [...everyonesFunctions, ...membersFunctions].sort();
  expect((await granted(functionPrivileges, "api_member")).sort()).toEqual(functions);
});

test("the login itself finds out who is asking, what is new in chats and which migrations have run, counts rate-limited calls, and runs the maintenance", async () => {
  expect(await granted(tablePrivileges, "api_login")).toEqual([
    "app_hidden.rules select",
    "app_private.notification_channels select",
    "app_private.stream_sources select",
    "graphile_migrate.migrations select",
  ]);
  expect(await granted(functionPrivileges, "api_login")).toEqual([
    "app_hidden.words_of(text)",
    "app_private.count_rate_limited_calls(text,integer)",
    "app_private.identify(bigint)",
    "app_private.is_verified(bigint)",
    "app_private.maintain(integer,integer)",
    "app_private.open_message_streams(bigint[],bigint[],bigint[],xid8[])",
    "app_private.open_streams(integer[],text[],text[],xid8[])",
    "app_private.read_message_streams(bigint[],bigint[],integer[],bigint[],integer)",
    "app_private.read_streams(integer[],text[],bigint[],integer)",
    "app_private.refused_by_rule(integer[],text[],bigint[])",
    "app_private.refused_viewers(integer[],text[],bigint[],integer[],text[],text[])",
    "app_private.stream_row_version(integer,text,text)",
  ]);
});

test.each(["api_anonymous", "api_member"])(
  "%s has access to the schemas app_hidden and app_public only",
  async (role) => {
    const entered = await database.query(
      `select nspname from pg_namespace where nspname ${schemas} and has_schema_privilege($1, oid, 'USAGE')
      order by nspname`,
      [role],
    );
    expect(entered).toEqual([{ nspname: "app_hidden" }, { nspname: "app_public" }]);
  },
);

test.each([
  "set role postgres",
  "set role analyst",
  "set session authorization postgres",
  "alter role api_login superuser",
  "grant analyst to api_login",
  "create schema mine",
  "create table app_public.mine ()",
  "create table public.mine ()",
  "create function app_hidden.viewer_id() returns bigint return 3",
  "alter table app_public.posts disable row level security",
  "create policy mine on app_public.posts using (true)",
  "set session_replication_role = replica",
  "copy (select 1) to program 'true'",
  "select pg_read_file('PG_VERSION')",
  "select * from app_public.users",
  "select * from pg_catalog.pg_authid",
])("the login’s password is not enough for: %s", async (statement) => {
  const login = new pg.Client({ connectionString: database.apiUrl });
  await login.connect();
  try {
    await expect(login.query(statement)).rejects.toMatchObject({ code: "42501" });
    await login.query("begin; set local role api_member");
    await expect(login.query(statement.replace("app_public.users", "app_private.accounts"))).rejects.toMatchObject({
      code: "42501",
    });
  } finally {
    await login.end();
  }
});

test("the login is a member of the API’s two roles only", async () => {
  const roles = await database.query<{ rolname: string }>(
    "select rolname from pg_roles where pg_has_role('api_login', oid, 'MEMBER') order by rolname",
  );
  expect(roles.map(({ rolname }) => rolname)).toEqual(["api_anonymous", "api_login", "api_member"]);
});
