import { type Person, useService } from "../support/service.ts";

/* Deleted posts: nobody sees them, and their authors bring them back. */
const service = useService();
const { database } = service;
let id: string;
let slug: string;

beforeEach(async () => {
  const { data } = await ask(
    `mutation { createPost(input: { title: "Bread", content: "Flour.", tags: ["Food", "rye"], status: PUBLISHED }) { id slug } }`,
  );
  ({ id, slug } = data.createPost);
  await ask(`mutation { createComment(input: { postId: ${id}, text: "Good." }) { id } }`, "bob");
});
afterEach(async () => {
  await database.query("delete from app_public.posts");
  await database.query("delete from app_public.reports");
  await database.query("delete from app_public.notifications");
});

async function ask(query: string, as: Person = "ada"): Promise<{ data: any; code?: string; errors?: any[] }> {
  const { data, errors } = await service.ask(query, { as });
  return { data, ...(errors && { errors, code: errors[0]?.extensions.code as string }) };
}
const everybody: Person[] = ["nobody", "bob", "ada", "admin"];
const remove = (as?: Person) => ask(`mutation { deletePost(id: ${id}) { success id } }`, as);
const restore = (as?: Person) => ask(`mutation { restorePost(id: ${id}) { ${fields} } }`, as);
const fields =
  "id title slug content excerpt status publishedAt publishAt createdAt tags { name } comments { text author { name } } commentsCount revisions { title }";
const read = async (as?: Person) => (await ask(`{ post(id: ${id}) { ${fields} } }`, as)).data.post;
const trash = async (as?: Person) =>
  (await ask("{ trashedPosts { id title content status tags author { name } deletedAt expiresAt } }", as)).data
    .trashedPosts;

/** What people read that could tell of the post, without what differs each time. */
async function seenBy(as: Person): Promise<unknown> {
  const { data, errors } = await ask(
    `{
      posts(limit: 50) { id } postsCount postsConnection(first: 50) { totalCount nodes { id } }
      drafts: posts(limit: 50, status: DRAFT) { id } trashed: posts(limit: 50, status: TRASHED) { id } trashedCount: postsCount(status: TRASHED)
      tagged: posts(limit: 50, tag: "food") { id } taggedCount: postsCount(tag: "food")
      ofAda: postsCount(authorId: 1) ofAdaTagged: postsCount(authorId: 1, tag: "food")
      user(id: 1) { posts(limit: 50) { id } postsCount }
      tagByName(name: "food") { postsConnection { totalCount nodes { id } } }
      tagsConnection { nodes { name } }
      searchConnection(text: "flour") { nodes { post { id } } }
      post(id: ${id}) { id } postBySlug(slug: "${slug}") { id }
      ${as === "nobody" ? "" : "notificationsConnection { nodes { kind } } me { unreadNotificationsCount }"}
      ${as === "admin" ? "reportsConnection(first: 50) { totalCount nodes { id } }" : ""}
    }`,
    as,
  );
  // A query that is not valid would see nothing of anything.
  expect(data).toBeDefined();
  return { data, codes: errors?.map(({ extensions, path }: any) => [path, extensions.code]) };
}
const seen = async () => Object.fromEntries(await Promise.all(everybody.map(async (as) => [as, await seenBy(as)])));

test("a post in the trash is as one that is deleted for good, for everybody, the author and admins too", async () => {
  await ask(`mutation { reportPost(postId: ${id}, reason: "Rude.") { success } }`, "bob");
  await ask(`mutation { saveWorkingCopy(postId: ${id}, input: { title: "Flour" }) { id } }`);
  const { createPreview: token } = (
    await ask(
      `mutation { createPreview(postId: ${id}, expiresAt: "${new Date(Date.now() + 86_400_000).toISOString()}") }`,
    )
  ).data;
  const [revision] = (
    await ask(
      `mutation { updatePost(id: ${id}, input: { title: "Bread" , content: "Flour, water." }) { revisions { id } } }`,
    )
  ).data.updatePost.revisions;
  const before = await seen();
  expect((await remove()).data.deletePost).toEqual({ success: true, id });
  const inTrash = await seen();
  for (const as of everybody) expect(inTrash[as]).not.toEqual(before[as]);
  for (const as of everybody) {
    expect((await ask(`{ preview(token: "${token}") { title } }`, as)).code).toBe("NOT_FOUND");
    for (const mutation of [
      `updatePost(id: ${id}, input: { title: "Mine" }) { id }`,
      `deletePost(id: ${id}) { success }`,
      `createComment(input: { postId: ${id}, text: "Late." }) { id }`,
      `reportPost(postId: ${id}, reason: "Rude.") { success }`,
      `saveWorkingCopy(postId: ${id}, input: { title: "Mine" }) { id }`,
      `restoreRevision(id: ${revision.id}) { id }`,
    ]) {
      const expected = as === "nobody" ? "UNAUTHORIZED" : "NOT_FOUND";
      expect([as, mutation, (await ask(`mutation { ${mutation} }`, as)).code]).toEqual([as, mutation, expected]);
    }
  }
  await ask(`mutation { deletePostPermanently(id: ${id}) { success } }`);
  expect(await database.query("select from app_public.posts where id = $1", [id])).toEqual([]);
  expect(await seen()).toEqual(inTrash);
});

test("analysts count a post in the trash nowhere, as one that is deleted for good", async () => {
  await ask(`mutation { reportPost(postId: ${id}, reason: "Rude.") { success } }`, "bob");
  await database.query("insert into app_private.post_reads (post_id, day, reads) values ($1, current_date, 3)", [id]);
  // Changes of tables are what this view counts.
  const views = () =>
    database.query(
      `select oid::regclass::text as view, query_to_xml(format('select seen::text from %s as seen order by 1', oid::regclass), true, false, '')::text as rows
         from pg_class where relnamespace = 'analytics'::regnamespace and relkind = 'v' and relname <> 'changes_by_day' order by 1`,
    );
  const before = await views();
  await remove();
  const inTrash = await views();
  await ask(`mutation { deletePostPermanently(id: ${id}) { success } }`);
  expect(inTrash).toEqual(await views());
  expect(inTrash).not.toEqual(before);
});

test("a restored post is as it was, with its comments, tags, slug and time", async () => {
  const before = await read();
  const seenBefore = await seen();
  await remove();
  const [trashed, ...others] = await trash();
  expect(others).toEqual([]);
  expect(trashed).toMatchObject({
    id,
    title: "Bread",
    content: "Flour.",
    status: "PUBLISHED",
    tags: ["food", "rye"],
    author: { name: "Ada" },
  });
  expect(Date.parse(trashed.expiresAt) - Date.parse(trashed.deletedAt)).toBe(30 * 86_400_000);
  expect((await restore()).data.restorePost).toEqual(before);
  expect(await read("nobody")).toEqual({ ...before, revisions: [] });
  expect(await trash()).toEqual([]);
  expect(await seen()).toEqual(seenBefore);
  expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
});

test("a draft that waits for its time gets it back, unless it has passed", async () => {
  const publishAt = new Date(Date.now() + 86_400_000).toISOString();
  await ask(`mutation { updatePost(id: ${id}, input: { status: DRAFT }) { id } }`);
  const { publishAt: at } = (
    await ask(`mutation { updatePost(id: ${id}, input: { publishAt: "${publishAt}" }) { publishAt } }`)
  ).data.updatePost;
  await remove();
  await database.query("select app_hidden.publish_due_posts()");
  expect((await restore()).data.restorePost).toMatchObject({ status: "DRAFT", publishAt: at });
  await remove();
  await database.query("update app_public.trashed_posts set publish_at = now() - interval '1 minute'");
  expect((await restore()).data.restorePost).toMatchObject({ status: "DRAFT", publishAt: null, publishedAt: null });
});

test("the slug of a post in the trash is free: who has taken it keeps it", async () => {
  await remove();
  const { createPost: other } = (
    await ask(`mutation { createPost(input: { title: "Bread", content: "Salt.", status: PUBLISHED }) { slug } }`, "bob")
  ).data;
  expect(other.slug).toBe(slug);
  expect((await restore()).data.restorePost.slug).toBe(`${slug}-${id}`);
});

test("only the author and who may edit any post see the trash, restore, and delete for good", async () => {
  await remove();
  expect(await trash("bob")).toEqual([]);
  expect((await ask("{ trashedPosts { id } }", "nobody")).code).toBe("UNAUTHORIZED");
  for (const mutation of ["restorePost", "deletePostPermanently"]) {
    const { code } = await ask(`mutation { ${mutation}(id: ${id}) { __typename } }`, "bob");
    expect(code).toBe("NOT_FOUND");
  }
  expect(await trash("admin")).toHaveLength(1);
  expect((await restore("admin")).data.restorePost.status).toBe("PUBLISHED");
  expect((await restore()).code).toBe("NOT_FOUND");
  expect((await ask(`mutation { deletePostPermanently(id: ${id}) { success } }`, "bob")).code).toBe("UNAUTHORIZED");
  expect(
    (await ask(`mutation { deletePostPermanently(id: ${id}) { success } }`)).data.deletePostPermanently.success,
  ).toBe(true);
  expect(await trash()).toEqual([]);
});

test("an author does not restore what an editor has deleted; the editor does", async () => {
  await remove("admin");
  expect((await ask("{ trashedPosts { id deletedBy { name } } }")).data.trashedPosts).toEqual([
    { id, deletedBy: { name: "Admin" } },
  ]);
  expect((await restore()).code).toBe("UNAUTHORIZED");
  expect((await restore("admin")).data.restorePost.status).toBe("PUBLISHED");
});

test("deleting a post loses no report of it: it is open again when the post is", async () => {
  for (const as of ["bob", "admin"] as const)
    await ask(`mutation { reportPost(postId: ${id}, reason: "Rude, says ${as}.") { success } }`, as);
  const reports = async () =>
    (
      await ask(
        `{ reportsConnection { nodes { status createdAt post { id } reasonsCount reasons { reason reporter { name } createdAt } } } }`,
        "admin",
      )
    ).data.reportsConnection.nodes;
  const before = await reports();
  expect(before).toHaveLength(1);
  await remove();
  expect(await reports()).toEqual([]);
  await restore();
  expect(await reports()).toEqual(before);
});

test("erasing a user erases what they wrote into the trash of others, and their own trash", async () => {
  await database.query("insert into app_public.users (id, name) overriding system value values (900, 'Zoe')");
  await database.query("insert into app_public.comments (post_id, author_id, text) values ($1, 900, 'Mine.')", [id]);
  await database.query("insert into app_public.posts (author_id, title, content) values (900, 'Mine', 'Mine.')");
  await remove();
  await database.query("select app_private.erase_user(900)");
  expect((await restore()).data.restorePost.comments).toMatchObject([{ text: "Good." }]);
});

test("after its time a post is deleted for good, by the job; one that is restored stays", async () => {
  await remove();
  const purge = async () => (await database.query("select rows from app_private.run_job('trash')"))[0]?.["rows"];
  expect(await purge()).toBe(0);
  await database.query("update app_public.trashed_posts set expires_at = now() - interval '1 second'");
  expect(await purge()).toBe(1);
  expect(await database.query("select from app_public.posts where id = $1", [id])).toEqual([]);
  expect((await restore()).code).toBe("NOT_FOUND");
});

test("nobody moves a post to the trash by its status", async () => {
  for (const mutation of [
    `updatePost(id: ${id}, input: { status: TRASHED }) { id }`,
    `createPost(input: { title: "A", content: "B", status: TRASHED }) { id }`,
  ]) {
    const { errors } = await ask(`mutation { ${mutation} }`);
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([
      { path: ["input", "status"], code: "USE_DELETE_POST" },
    ]);
  }
  expect((await read()).status).toBe("PUBLISHED");
});

test("without days for the trash, a post is deleted at once", async () => {
  await database.query(
    "create or replace function app_hidden.trash_days() returns int language sql immutable return 0",
  );
  try {
    expect((await remove()).data.deletePost.success).toBe(true);
    expect(await database.query("select from app_public.posts where id = $1", [id])).toEqual([]);
    expect(await trash()).toEqual([]);
  } finally {
    await database.query(
      "create or replace function app_hidden.trash_days() returns int language sql immutable return 30",
    );
  }
});
