import { type Person, useService } from "../support/service.ts";

/* A new value of an enum, added by SQL alone while the service runs: migrations/README.md, "add an enum value". */
const service = useService();

const add = `
  alter type app_public.post_status add value if not exists 'ARCHIVED';
  comment on type app_public.post_status is $$@describe DRAFT Visible to its author only.
@describe PUBLISHED Visible to everyone.
@describe ARCHIVED Visible to its author only. It was published before.
The visibility of a post.$$;
  notify schema_changed`;
/** The next migration may use the value. */
const use = "create index posts_archived_idx on app_public.posts (id) where status = 'ARCHIVED'";

async function answer(query: string, as: Person = "ada") {
  const { data, errors } = await service.ask(query, { as });
  return errors ? errors.map(({ extensions }) => extensions?.code) : data;
}

const set = (id: string, status: string) =>
  `mutation { updatePost(id: "${id}", input: { status: ${status} }) { slug status publishedAt } }`;

test("a new post status can be set and asked for, and nothing but PUBLISHED is public", async () => {
  const followed = service.told("the schema has been rebuilt from the database");
  await service.database.query(`begin; ${add}; commit`);
  await followed;
  await service.database.query(use);

  const created = await answer(
    `mutation { createPost(input: { title: "Old news", content: "Text.", status: PUBLISHED }) { id slug publishedAt } }`,
  );
  const { id, slug, publishedAt } = (created as { createPost: Record<string, string> }).createPost;
  await answer(`mutation { createComment(input: { postId: "${id}", text: "Hello" }) { id } }`, "bob");
  expect(await answer(set(id as string, "ARCHIVED"), "bob")).toEqual(["UNAUTHORIZED"]);
  expect(await answer(set(id as string, "ARCHIVED"))).toEqual({
    updatePost: { slug, status: "ARCHIVED", publishedAt: null },
  });

  const archived = `{ posts(limit: 5, status: ARCHIVED) { title } postsCount(status: ARCHIVED) }`;
  const found = { posts: [{ title: "Old news" }], postsCount: 1 };
  expect(await answer(archived)).toEqual(found);
  expect(await answer(archived, "admin")).toEqual(found);
  for (const stranger of ["bob", "nobody"] as const) {
    expect(await answer(archived, stranger)).toEqual({ posts: [], postsCount: 0 });
    expect(await answer(`{ post(id: "${id}") { title } }`, stranger)).toEqual(["NOT_FOUND"]);
    expect(await answer("{ feed(limit: 5) { title } }", stranger)).toEqual({ feed: [] });
  }
  expect(await answer(`{ user(id: "2") { commentsConnection { nodes { text } } } }`, "bob")).toEqual({
    user: { commentsConnection: { nodes: [] } },
  });
  expect(await service.database.query("select from analytics.engagement_by_post")).toEqual([]);

  expect(await answer(set(id as string, "PUBLISHED"))).toMatchObject({ updatePost: { slug, status: "PUBLISHED" } });
  expect(await answer(`{ post(id: "${id}") { comments(limit: 5) { text } } }`, "nobody")).toEqual({
    post: { comments: [{ text: "Hello" }] },
  });
  expect(publishedAt).not.toBeNull();
});

test("a post can be created with the new status, in SQL as well, and published later", async () => {
  const created = await answer(
    `mutation { createPost(input: { title: "Kept", content: "Text.", status: ARCHIVED }) { id publishedAt } }`,
  );
  const { id, publishedAt } = (created as { createPost: Record<string, string | null> }).createPost;
  expect(publishedAt).toBeNull();
  const [row] = await service.database.query<{ published: boolean }>(
    "update app_public.posts set status = 'PUBLISHED' where id = $1 returning published_at = first_published_at as published",
    [id],
  );
  expect(row).toEqual({ published: true });
});
