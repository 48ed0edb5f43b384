import { type Person, useService } from "../support/service.ts";

/* Deleted posts: nobody sees them, and their authors bring them back. */
const service = useService();
const { database } = service;
let id: string;
let slug: string;
let commentId: string;

beforeEach(async () => {
  const { data } = await ask(
    `mutation { createPost(input: { title: "Bread", content: "Flour.", tags: ["Food", "rye"], status: PUBLISHED }) { id slug } }`,
  );
  ({ id, slug } = data.createPost);
  commentId = (await ask(`mutation { createComment(input: { postId: ${id}, text: "Good." }) { id } }`, "bob")).data
    .createComment.id;
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
const report = (as: Person, reason = "Rude.") =>
  ask(
    `mutation { reportPost(postId: ${id}, reason: "${reason}") { success } reportComment(commentId: ${commentId}, reason: "${reason}") { success } }`,
    as,
  );
const reports = async () =>
  (
    await ask(
      "{ reportsConnection { totalCount nodes { status createdAt post { id } comment { id } reasonsCount reasons { reason reporter { name } createdAt } } } }",
      "admin",
    )
  ).data.reportsConnection;
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
  await report("bob");
  await ask(`mutation { saveWorkingCopy(postId: ${id}, input: { title: "Flour" }) { id } }`);
  const { createPreview: token } = (
    await ask(
      `mutation { createPreview(postId: ${id}, expiresAt: "${new Date(Date.now() + 86_400_000).toISOString()}") }`,
    )
  ).data;
  const [revision] = (
    await ask(
      `mutation { updatePost(id: ${id}, input: { title: "Bread" , content: "Flour, water." }) { revisions { id nodeId } } }`,
    )
  ).data.updatePost.revisions;
  const before = await seen();
  expect((await remove()).data.deletePost).toEqual({ success: true, id });
  const inTrash = await seen();
  for (const as of everybody) expect(inTrash[as]).not.toEqual(before[as]);
  for (const as of everybody) {
    expect((await ask(`{ preview(token: "${token}") { title } }`, as)).code).toBe("NOT_FOUND");
    expect((await ask(`{ node(nodeId: "${revision.nodeId}") { nodeId } }`, as)).code).toBe("NOT_FOUND");
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

test("deleting a post loses no report of it and its comments: they are open again when the post is", async () => {
  for (const as of ["bob", "admin"] as const) await report(as, `Rude, says ${as}.`);
  const before = await reports();
  expect(before.totalCount).toBe(2);
  await remove();
  expect(await reports()).toEqual({ totalCount: 0, nodes: [] });
  await restore();
  expect(await reports()).toEqual(before);
});

describe.each(["post", "comment"])("a report of a %s", (thing) => {
  const add = () =>
    `set local app.viewer_id = '2'; select app_hidden.add_report('${thing}', ${thing === "post" ? id : commentId}, 'Rude.')`;

  test.each([false, true])(
    "that is made while the post is deleted is with the post, if there was one before: %s",
    async (isSecond) => {
      if (isSecond) await report("admin");
      const reporting = await database.hold(add());
      const removed = remove();
      await reporting.somebodyWaits();
      await reporting.commit();
      expect((await removed).data.deletePost.success).toBe(true);
      expect((await reports()).nodes).toEqual([]);
      await restore();
      const [{ reasons }] = (await reports()).nodes.filter((each: any) => each[thing]);
      expect(reasons).toHaveLength(isSecond ? 2 : 1);
    },
  );

  test("that comes after the post is deleted, and before others see it, is refused", async () => {
    const removing = await database.hold(`set local app.viewer_id = '1'; select app_hidden.trash_post(${id})`);
    const reported = ask(
      thing === "post"
        ? `mutation { reportPost(postId: ${id}, reason: "Rude.") { success } }`
        : `mutation { reportComment(commentId: ${commentId}, reason: "Rude.") { success } }`,
      "bob",
    );
    await removing.somebodyWaits();
    await removing.commit();
    expect((await reported).code).toBe("NOT_FOUND");
    expect((await reports()).nodes).toEqual([]);
  });

  test("that is made while the post is restored waits for it", async () => {
    await report("admin");
    await remove();
    const restoring = await database.hold(`select from app_public.posts where id = ${id} for update`);
    const reported = database.query(add());
    await restoring.somebodyWaits();
    await restoring.run(`set local app.viewer_id = '1'; select app_hidden.take_from_trash(${id})`);
    await restoring.commit();
    await reported;
    const [{ reasons }] = (await reports()).nodes.filter((each: any) => each[thing]);
    expect(reasons).toHaveLength(2);
  });
});

test("a DBA who gives a post in the trash another status brings it back as restorePost does", async () => {
  await report("bob");
  const before = [await read(), await seenBy("bob"), await reports()];
  await remove();
  await database.query(
    "update app_public.posts set status = 'PUBLISHED', published_at = trashed_posts.published_at from app_public.trashed_posts where trashed_posts.id = posts.id",
  );
  expect([await read(), await seenBy("bob"), await reports()]).toEqual(before);
  expect(await trash()).toEqual([]);
  expect((await remove()).data.deletePost.success).toBe(true);
});

test("what a truncated trash has left is repaired: editors restore it, as a draft", async () => {
  await remove();
  await database.query("truncate app_public.trashed_posts cascade");
  await database.query("update app_public.posts set created_at = created_at where id = $1", [id]);
  const lost = "select derived, row_key from app_private.check_derived_data()";
  expect(await database.query(lost)).toEqual([{ derived: "app_public.trashed_posts", row_key: id }]);
  await database.query("select app_private.repair_derived_data()");
  expect(await database.query(lost)).toEqual([]);
  expect((await restore("admin")).data.restorePost).toMatchObject({
    title: "Bread",
    status: "DRAFT",
    slug: `bread-${id}`,
  });
});

test("posts in the trash take the place of no other post that a search finds", async () => {
  const draft = (title: string) =>
    ask(`mutation { createPost(input: { title: "${title}", content: "Salt." }) { id } }`).then(
      ({ data }) => data.createPost.id,
    );
  const similar = await draft("Brread");
  const found = async () =>
    (await ask(`{ searchConnection(text: "bread") { nodes { post { id } } } }`)).data.searchConnection.nodes.map(
      ({ post }: any) => post.id,
    );
  expect(await found()).toEqual([id, similar]);
  const others: string[] = [];
  for (let count = 0; count < 9; count++) others.push(await draft("Bread"));
  expect(await found()).not.toContain(similar);
  for (const other of others) await ask(`mutation { deletePost(id: ${other}) { success } }`);
  expect(await found()).toEqual([id, similar]);
  await ask(`mutation { restorePost(id: ${others[0]}) { id } }`);
  expect(await found()).toContain(others[0]);
  expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
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

describe("the days of the trash", () => {
  const setDays = (days: string) =>
    database.query(
      `create or replace function app_hidden.trash_days() returns int language sql immutable return ${days}`,
    );
  afterEach(() => setDays("30"));

  test.each(["0", "-1"])("are %s: a post is deleted at once", async (days) => {
    await setDays(days);
    expect((await remove()).data.deletePost.success).toBe(true);
    expect(await database.query("select from app_public.posts where id = $1", [id])).toEqual([]);
    expect(await trash()).toEqual([]);
  });

  test.each(["null::int", "2147483647"])("are %s: a post can be restored for 36,500 days", async (days) => {
    await setDays(days);
    expect((await remove()).data.deletePost.success).toBe(true);
    const [{ deletedAt, expiresAt }] = await trash();
    expect(Date.parse(expiresAt) - Date.parse(deletedAt)).toBe(36_500 * 86_400_000);
  });
});
