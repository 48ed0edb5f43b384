import pg from "pg";
import { useService } from "../support/service.ts";

/* The audit trail: entries for changes through the API and by SQL. SQL alone reads it. */
const service = useService();
const { database } = service;

/** The newest entries, as objects. */
const entries = (limit: number, table = "%") =>
  database.query(
    `select action, table_name, row_key, actor_id, actor_login, changes from app_public.audit_trail
      where table_name like $2 order by changed_at desc, id desc limit $1`,
    [limit, table],
  ) as Promise<any[]>;

/** The login of the owner's own connections. */
let ownerLogin: string;

beforeAll(async () => {
  ownerLogin = decodeURIComponent(new URL(database.ownerUrl).username);
  await database.query("truncate app_public.audit_trail");
});

test("a change through the API is recorded with the user, the columns and their values", async () => {
  const created = await service.ask(`mutation { createPost(input: { title: "One", content: "Text." }) { id } }`, {
    as: "ada",
  });
  const id = created.data.createPost.id;
  await service.ask(`mutation { updatePost(id: "${id}", input: { title: "Two" }) { id } }`, { as: "admin" });
  await service.ask(`mutation { deletePostPermanently(id: "${id}") { success } }`, { as: "ada" });

  const [deleted, updated, inserted] = await entries(3, "posts");
  expect(inserted).toMatchObject({
    action: "INSERT",
    row_key: id,
    actor_id: "1",
    actor_login: "api_login",
    changes: { title: { new: "One" }, content: {}, status: { new: "DRAFT" } },
  });
  expect(updated).toMatchObject({ action: "UPDATE", row_key: id, actor_id: "3" });
  expect(updated.changes).toEqual({
    title: { old: "One", new: "Two" },
    slug: { old: `one-${id}`, new: `two-${id}` },
    updated_at: { old: expect.any(String), new: expect.any(String) },
  });
  expect(deleted).toMatchObject({ action: "DELETE", row_key: id, actor_id: "1", changes: { title: { old: "Two" } } });
});

test("a sign-up is recorded without an actor, and without the email", async () => {
  await service.ask(`mutation { createUser(name: "Dora", email: "dora@example.com") { id } }`);
  const [entry] = await entries(1);
  expect(entry).toMatchObject({
    action: "INSERT",
    table_name: "users",
    actor_id: null,
    actor_login: "api_login",
  });
  const all = await database.query("select changes::text from app_public.audit_trail");
  expect(JSON.stringify(all)).not.toContain("@example.com");
});

test("a change by SQL is recorded with its login", async () => {
  await database.query("update app_public.users set bio = 'By hand' where id = 2");
  expect((await entries(1))[0]).toEqual({
    action: "UPDATE",
    table_name: "users",
    row_key: "2",
    actor_id: null,
    actor_login: ownerLogin,
    changes: { bio: { old: null, new: "By hand" } },
  });
});

test("a login that sets another role is recorded as itself", async () => {
  const client = new pg.Client({ connectionString: database.apiUrl });
  await client.connect();
  await client.query("begin; set local role api_member; select set_config('app.viewer_id', '1', true)");
  await client.query("insert into app_public.posts (author_id, title, content) values (1, 'As a member', 'Text.')");
  await client.query("commit");
  await client.end();
  expect((await entries(1))[0]).toMatchObject({ actor_id: "1", actor_login: "api_login" });
});

describe("in the database", () => {
  const told = async () =>
    (
      await database.query<{ told: string }>(
        "select concat_ws(' ', action, table_name, row_key) as told from app_public.audit_trail order by id",
      )
    ).map(({ told }) => told);

  /** The entries that these statements add. */
  async function toldOf(...statements: string[]): Promise<string[]> {
    await database.query("truncate app_public.audit_trail");
    for (const statement of statements) await database.query(statement);
    return told();
  }

  beforeAll(async () => {
    await database.query(`
      insert into app_public.posts (author_id, title, content) values (2, 'a', 'x'), (2, 'b', 'x'), (2, 'c', 'x');
      insert into app_public.comments (post_id, author_id, text) select id, 1, 'Hm.' from app_public.posts where title < 'd';
      insert into app_public.chats (title) values ('Room')`);
  });

  test("each row of a statement is an entry", async () => {
    const [first, ...rest] = await toldOf("update app_public.posts set content = 'y' where author_id = 2");
    expect(first).toMatch(/^UPDATE posts \d+$/);
    expect(rest).toHaveLength(2);
  });

  test("an update that changes no value is not recorded", async () => {
    expect(
      await toldOf("update app_public.users set name = name", "update app_public.users set name = 'x' where id = 0"),
    ).toEqual([]);
  });

  test("memberships are recorded with both their ids", async () => {
    const statements = [
      "insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2)",
      "delete from app_public.chat_members where user_id = 2",
      // A changed key counts as another row.
      "update app_public.chat_members set user_id = 3",
    ];
    const entries = await toldOf(...statements);
    expect(entries.slice(0, 3)).toEqual([
      "INSERT chat_members 1,1",
      "INSERT chat_members 1,2",
      "DELETE chat_members 1,2",
    ]);
    expect(entries.slice(3).sort()).toEqual(["DELETE chat_members 1,1", "INSERT chat_members 1,3"]);
  });

  test("rows deleted by a cascade are recorded as well", async () => {
    const entries = await toldOf("delete from app_public.users where id = 2");
    expect(entries.filter((entry) => entry.startsWith("DELETE posts"))).toHaveLength(3);
    expect(entries.filter((entry) => entry.startsWith("DELETE comments"))).toHaveLength(3);
    expect(entries).toContain("DELETE users 2");
  });

  test("an upsert is recorded as the insert or update that it became", async () => {
    const upsert = (
      name: string,
    ) => `insert into app_public.users (id, name) overriding system value values (900, '${name}')
      on conflict (id) do update set name = excluded.name`;
    expect(await toldOf(upsert("Old"), upsert("New"))).toEqual(["INSERT users 900", "UPDATE users 900"]);
  });

  test("a truncate is recorded row by row", async () => {
    await database.query("insert into app_public.posts (author_id, title, content) values (1, 't', 'x')");
    const [{ count = 0 } = {}] = await database.query<{ count: number }>("select count(*)::int from app_public.posts");
    const entries = await toldOf(
      "set local app.is_import = on; truncate app_public.posts cascade; set local app.is_import = off",
    );
    expect(entries.filter((entry) => entry.startsWith("DELETE posts"))).toHaveLength(count);
  });

  test("one statement by a DBA starts recording another table", async () => {
    await database.query("select conventions.audit('app_public.tags')");
    expect(await toldOf("insert into app_public.tags (name) values ('recorded')")).toEqual([
      expect.stringMatching(/^INSERT tags \d+$/),
    ]);
    await database.query("create table app_private.keyless (value int)");
    await expect(database.query("select conventions.audit('app_private.keyless')")).rejects.toThrow("no primary key");
  });

  test("for a secret table, only the names of the changed columns are recorded", async () => {
    await database.query("select conventions.audit('app_private.accounts')");
    await toldOf("update app_private.accounts set email = 'a@b', password_hash = 'hash' where user_id = 1");
    const [entry] = await database.query("select table_name, changes from app_public.audit_trail");
    expect(entry).toEqual({
      table_name: "app_private.accounts",
      changes: { email: {}, password_hash: {}, credentials_since: {} },
    });
  });
});

test("no role of the API reads or writes it, not even an admin", async () => {
  const rights = await database.query(
    "select grantee from information_schema.role_table_grants where table_name like 'audit_trail%' and grantee <> $1",
    [ownerLogin],
  );
  expect(rights).toEqual([]);
});

test("a row of many that are written at once has the entry of a single one", async () => {
  await database.query(`
    create table app_public.parts (a text, b timestamptz, "a ""name""" text, settings jsonb, tags text[], body text, nothing int, primary key (a, b));
    select conventions.apply_to('app_public.parts', omitted_columns => '{body}')`);
  const values = `'2026-01-01 12:00+02', 'It''s "so"', '{"x": null}', '{a,b}', 'Long', null`;
  const written = async (rows: number, end: string) => {
    await database.query(`
      insert into app_public.parts select 'x,' || n, ${values} from generate_series(1, ${rows}) n;
      ${end} app_public.parts`);
    return database.query(`select action, row_key, changes from app_public.audit_trail
       where table_name = 'parts' and row_key like 'x\\\\,1,%' order by id desc limit 2`);
  };
  const single = await written(1, "delete from");
  expect(single).toHaveLength(2);
  expect(await written(150, "delete from")).toEqual(single);
  expect(await written(1, "truncate")).toEqual(single);
});

test("a row that an update moves to a partition, whose trigger leaves it out, is recorded as deleted", async () => {
  await database.query(`
    create table app_public.cards (id int, box text, text text, primary key (id, box)) partition by list (box);
    create table app_public.cards_a partition of app_public.cards for values in ('a');
    create table app_public.cards_b partition of app_public.cards for values in ('b');
    create function app_public.leave_out() returns trigger language plpgsql as 'begin return case when new.id = 1 then new end; end';
    create trigger leave_out before insert on app_public.cards_a for each row execute function app_public.leave_out();
    select conventions.audit('app_public.cards');
    insert into app_public.cards values (1, 'a', 'x'), (2, 'b', 'x');
    update app_public.cards set box = 'a', text = 'y'`);
  expect((await entries(2, "cards")).map(({ action, row_key }) => `${action} ${row_key}`).sort()).toEqual([
    "DELETE 2,b",
    "UPDATE 1,a",
  ]);
  await database.query("drop table app_public.cards; drop function app_public.leave_out()");
});

test("a column that nobody writes is in no entry from the end of the migration on", async () => {
  await database.query(`
    create table app_public.sums (id bigint primary key, a int);
    select conventions.apply_to('app_public.sums');
    alter table app_public.sums add column twice int generated always as (2 * a) stored;
    select conventions.renew_validators();
    insert into app_public.sums values (1, 2)`);
  expect(await database.query("select changes from app_public.audit_trail where table_name = 'sums'")).toEqual([
    { changes: { id: { new: 1 }, a: { new: 2 } } },
  ]);
});
