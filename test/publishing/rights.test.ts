import { type Person, useService } from "../support/service.ts";

/*
 * What a user has begun ends with the right to it: times for publication and preview links are judged where they take effect. What a role
 * may do in each state of a post is "Changing a post" in migrations/permissions.md.
 */
const service = useService();
const { database } = service;
let id: string;

beforeEach(async () => {
  id = (await ask(`mutation { createPost(input: { title: "Bread", content: "Flour." }) { id } }`)).data.createPost.id;
});
afterEach(async () => {
  await database.query(
    "delete from app_public.posts; update app_private.accounts set banned_at = null where user_id < 4",
  );
  await database.query(`
    update app_public.users set role = 'ADMIN' where id = 3;
    insert into app_hidden.role_rights (role, may) values ('USER', 'PUBLISH') on conflict do nothing`);
});

async function ask(query: string, as: Person = "ada"): Promise<{ data: any; refusal?: string }> {
  const { data, errors } = await service.ask(query, { as });
  const { reason, code } = errors?.[0]?.extensions ?? {};
  return { data, ...(errors && { refusal: String(reason ?? code) }) };
}
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const update = (input: string, as?: Person) =>
  ask(`mutation { updatePost(id: ${id}, input: { ${input} }) { status } }`, as);
const post = async (as: Person = "ada") => (await ask(`{ post(id: ${id}) { status publishAt } }`, as)).data.post;
const takeRight = () => database.query("delete from app_hidden.role_rights where (role, may) = ('USER', 'PUBLISH')");
const demoteEditor = () => database.query("update app_public.users set role = 'USER' where id = 3");
const ban = (userId: number) =>
  database.query("update app_private.accounts set banned_at = now() where user_id = $1", [userId]);

describe("a time for publication that comes", () => {
  const isDue = () =>
    database.query(
      "update app_public.posts set publish_at = now() where set_config('session_replication_role', 'replica', true) = 'replica' and id = $1",
      [id],
    );
  const publishDue = async () =>
    (await database.query("select published from app_hidden.publish_due_posts()"))[0]?.["published"];
  const byEditor = async () => expect((await update(`publishAt: "${tomorrow}"`, "admin")).refusal).toBeUndefined();
  const byAuthor = async () => expect((await update(`publishAt: "${tomorrow}"`)).refusal).toBeUndefined();
  const eraseEditor = async () => {
    const made = await database.query<{ id: string }>(
      "insert into app_public.users (name, role) values ('Zoe', 'ADMIN') returning id",
    );
    await database.query("update app_public.posts set scheduled_by_id = $2 where id = $1", [id, made[0]?.id]);
    await database.query("select app_private.erase_user($1)", [made[0]?.id]);
  };

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ["its author, who may not publish any more", byAuthor, takeRight],
    ["its author, who is banned", byAuthor, () => ban(1)],
    ["an editor, who is one no more", byEditor, demoteEditor],
    ["an editor, who is banned", byEditor, () => ban(3)],
    ["an editor, and the author is banned", byEditor, () => ban(1)],
    ["an editor, who is erased, for an author who may not publish", byEditor, () => takeRight().then(eraseEditor)],
  ])("was set by %s: the post is not published, and waits for review", async (_, set, end) => {
    await set();
    await end();
    await isDue();
    expect(await publishDue()).toBe(0);
    expect(await database.query("select status, publish_at from app_public.posts where id = $1", [id])).toEqual([
      { status: "SUBMITTED", publish_at: null },
    ]);
    expect(await publishDue()).toBe(0);
  });

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ["an editor, for an author who may not publish", byEditor, takeRight],
    ["an editor, who is erased, for an author who may publish", byEditor, eraseEditor],
    [
      "its author, who lost the right and has it again",
      byAuthor,
      () =>
        takeRight().then(() =>
          database.query("insert into app_hidden.role_rights (role, may) values ('USER', 'PUBLISH')"),
        ),
    ],
  ])("was set by %s: the post is published", async (_, set, end) => {
    await set();
    await end();
    await isDue();
    expect(await publishDue()).toBe(1);
    expect(await post("nobody")).toEqual({ status: "PUBLISHED", publishAt: null });
  });

  test.each<Person>(["ada", "admin"])(
    "publishes nothing where %s writes the post before the service does, if it has lapsed",
    async (as) => {
      await byAuthor();
      await takeRight();
      await isDue();
      expect((await update('title: "Rye bread"', as)).data.updatePost).toEqual({ status: "SUBMITTED" });
      expect(await post()).toEqual({ status: "SUBMITTED", publishAt: null });
    },
  );
});

test("a right that is lost while a change waits for another one is lost for it", async () => {
  for (const [mutation, refusal] of [
    [`updatePost(id: ${id}, input: { status: PUBLISHED }) { id }`, "MAY_NOT_PUBLISH"],
    [`updatePost(id: ${id}, input: { publishAt: "${tomorrow}" }) { id }`, "MAY_NOT_PUBLISH"],
  ]) {
    const other = await database.hold(`update app_public.posts set title = 'Another' where id = ${id}`);
    const waiting = ask(`mutation { ${mutation} }`);
    await other.somebodyWaits();
    await takeRight();
    await other.commit();
    expect((await waiting).refusal).toBe(refusal);
    await database.query("insert into app_hidden.role_rights (role, may) values ('USER', 'PUBLISH')");
  }
  const publishing = await database.hold(`update app_public.posts set status = 'PUBLISHED' where id = ${id}`);
  const deleting = ask(`mutation { deletePost(id: ${id}) { success } }`);
  await publishing.somebodyWaits();
  await takeRight();
  await publishing.commit();
  expect((await deleting).refusal).toBe("MAY_NOT_PUBLISH");
});

test("where there is no trash, a role without the right deletes nothing that is published", async () => {
  const days = (count: number) =>
    database.query(
      `create or replace function app_hidden.trash_days() returns int language sql immutable return ${count}`,
    );
  await update("status: PUBLISHED");
  await takeRight();
  await days(0);
  try {
    expect((await ask(`mutation { deletePost(id: ${id}) { success } }`)).refusal).toBe("MAY_NOT_PUBLISH");
  } finally {
    await days(30);
  }
  expect((await post()).status).toBe("PUBLISHED");
});

test("an author who may not publish any more restores a scheduled draft without its time", async () => {
  await update(`publishAt: "${tomorrow}"`);
  await ask(`mutation { deletePost(id: ${id}) { success } }`);
  await takeRight();
  expect((await ask(`mutation { restorePost(id: ${id}) { status publishAt } }`)).data.restorePost).toEqual({
    status: "DRAFT",
    publishAt: null,
  });
});

test("who deletes the account takes all posts along, published and taken down ones too: that is every person's right", async () => {
  await database.query(`
    update app_private.accounts set password_hash = app_private.password_hash('long enough', '$2a$04$abcdefghijklmnopqrstuu') where user_id = 2`);
  const write = async (title: string) =>
    (await ask(`mutation { createPost(input: { title: "${title}", content: "A", status: PUBLISHED }) { id } }`, "bob"))
      .data.createPost.id;
  const ids = [await write("One"), await write("Two")];
  await ask(`mutation { deletePost(id: ${ids[1]}) { success } }`, "admin");
  await takeRight();
  expect((await ask(`mutation { deletePost(id: ${ids[0]}) { success } }`, "bob")).refusal).toBe("MAY_NOT_PUBLISH");
  expect((await ask(`mutation { deleteUser(password: "long enough") { success } }`, "bob")).data.deleteUser).toEqual({
    success: true,
  });
  expect(await database.query("select from app_public.posts where id = any ($1)", [ids])).toEqual([]);
});
