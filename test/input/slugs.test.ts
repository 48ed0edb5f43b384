import { useService } from "../support/service.ts";

/* A slug has the title's letters, whatever the script. It is unique without locks, and tells nothing of drafts. */
const service = useService();

async function createPost(title: string, status = "PUBLISHED", as: "ada" | "bob" = "ada") {
  const { data, errors } = await service.ask(
    `mutation Create($input: CreatePostInput!) { createPost(input: $input) { id slug } }`,
    { variables: { input: { title, content: "Content.", status } }, as },
  );
  expect(errors).toBeUndefined();
  return data.createPost as { id: string; slug: string };
}

async function updatePost(id: string, input: Record<string, unknown>): Promise<string> {
  const { data } = await service.ask(
    `mutation Update($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { slug } }`,
    { variables: { id, input }, as: "ada" },
  );
  return data.updatePost.slug;
}

test.each([
  ["Crème brûlée!", "creme-brulee"],
  ["  Salt -- and_patience  ", "salt-and-patience"],
  ["Война и мир", "война-и-мир"],
  ["日本語の、タイトル", "日本語の-タイトル"],
  ["हिन्दी में लेख", "हिन्दी-में-लेख"],
  ["مرحبا، بالعالم؟", "مرحبا-بالعالم"],
  ["שלום־עולם", "שלום-עולם"],
  ["안녕하세요 «여러분»", "안녕하세요-여러분"],
  ["ÆTHER/100 %?", "aether-100"],
  ["🎉", "post"],
  ["a".repeat(200), "a".repeat(80)],
])("%j", async (title, slug) => {
  const post = await createPost(title);
  expect([slug, `${slug}-${post.id}`]).toContain(post.slug);
  expect(await service.database.query("select app_hidden.slugify($1) as slug", [title])).toEqual([{ slug }]);
});

describe("the slug of", () => {
  test("a draft has the post's id until the post is published", async () => {
    const { id, slug } = await createPost("A draft", "DRAFT");
    expect(slug).toBe(`a-draft-${id}`);
    expect(await updatePost(id, { title: "A better draft" })).toBe(`a-better-draft-${id}`);
    expect(await updatePost(id, { status: "PUBLISHED" })).toBe("a-better-draft");
    expect(await updatePost(id, { title: "Renamed" })).toBe("a-better-draft");
    expect(await updatePost(id, { status: "DRAFT" })).toBe("a-better-draft");
  });

  test("a published post tells nothing of another's draft", async () => {
    const draft = await createPost("Secret plan", "DRAFT", "bob");
    expect((await createPost("Secret plan")).slug).toBe("secret-plan");
    const guess = await createPost(`Secret plan ${draft.id}`);
    expect(guess.slug).toBe(`secret-plan-${draft.id}-${guess.id}`);
    const other = await createPost("Harmless 99999");
    expect(other.slug).toBe(`harmless-99999-${other.id}`);
  });

  test("a second post of the same title has the post's id", async () => {
    await createPost("Twice");
    const second = await createPost("Twice");
    expect(second.slug).toBe(`twice-${second.id}`);
  });

  test("a post that was written in SQL with a slug stays", async () => {
    await service.database.query(
      "insert into app_public.posts (author_id, title, slug, content) values (1, 'Chosen', 'my-choice', 'x')",
    );
    await service.database.query(
      "update app_public.posts set title = 'Other', status = 'PUBLISHED' where slug = 'my-choice'",
    );
    expect(await service.database.query("select title from app_public.posts where slug = 'my-choice'")).toEqual([
      { title: "Other" },
    ]);
  });

  test.each(["A", "a b", "a--b", "-a", "a?", "a\u202eb", ""])("a post is never %j", async (slug) => {
    await expect(
      service.database.query(
        "insert into app_public.posts (author_id, title, slug, content) values (1, 'x', $1, 'x')",
        [slug],
      ),
    ).rejects.toMatchObject({ code: "FAULT" });
  });
});

describe("many posts of one title", () => {
  test("50 clients write them at once, none waits for another", async () => {
    // A transaction that stays open: a client that waited for it would never be answered. Publications of one author take turns, so
    // it is another author's.
    const open = await service.database.hold(
      `insert into app_public.posts (author_id, title, content, status) values (3, 'All at once', 'x', 'PUBLISHED')`,
    );
    const posts = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        createPost("All at once", i % 2 ? "DRAFT" : "PUBLISHED", i % 3 ? "ada" : "bob"),
      ),
    );
    expect(new Set(posts.map(({ slug }) => slug)).size).toBe(50);
    await open.release();
    expect((await createPost("All at once")).slug).toBe("all-at-once");
  });

  test("of 50 at once, one has the plain slug", async () => {
    const posts = await Promise.all(Array.from({ length: 50 }, () => createPost("All together")));
    const slugs = posts.map(({ slug }) => slug);
    expect(new Set(slugs).size).toBe(50);
    expect(slugs.filter((slug) => slug === "all-together")).toHaveLength(1);
  });

  test("the work for one more does not grow with their number", async () => {
    // Without triggers, which would take half a minute.
    const insert = (from: number, to: number) =>
      service.database.query(`
        set session_replication_role = replica;
        insert into app_public.posts (id, author_id, title, slug, excerpt, content, status, published_at, first_published_at)
          overriding system value
        select n, 1, 'The same', 'the-same' || case when n > 1000 then '-' || n else '' end, 'x', 'x', 'PUBLISHED', now(), now()
          from generate_series(${from}, ${to}) as n;
        reset session_replication_role;
        select setval('app_public.posts_id_seq', ${to})`);
    async function buffersOfOneMore(): Promise<number> {
      const [row] = await service.database.query<{ "QUERY PLAN": any }>(
        `explain (analyze, buffers, format json)
         insert into app_public.posts (author_id, title, content, status) values (1, 'The same', 'x', 'PUBLISHED')`,
      );
      const plan = row?.["QUERY PLAN"][0].Plan;
      return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
    }
    await insert(1000, 1200);
    await buffersOfOneMore();
    const few = await buffersOfOneMore();
    await insert(2000, 10_000);
    await buffersOfOneMore();
    const many = await buffersOfOneMore();
    expect(few).toBeGreaterThan(0);
    // The indexes are a level or two deeper.
    expect(many).toBeLessThan(few + 50);
  });
});

test.each(["NFC", "NFD"])("a text in %s finds what is stored, as a literal and as a variable", async (form) => {
  const post = await createPost("Здесь й и 각");
  const tagged = `mutation { createPost(input: { title: "T", content: "C", tags: ["crème"], status: PUBLISHED }) { id } }`;
  await service.ask(tagged, { as: "ada" });
  const [slug, tag, begin] = [post.slug, "crème", "CRÈ"].map((text) => text.normalize(form));
  const fields = (one: string, two: string, three: string) =>
    `{ postBySlug(slug: ${one}) { id } tagByName(name: ${two}) { name } tagsConnection(nameStartsWith: ${three}, first: 1) { nodes { name } } }`;
  const expected = {
    postBySlug: { id: post.id },
    tagByName: { name: "crème" },
    tagsConnection: { nodes: [{ name: "crème" }] },
  };
  const literals = await service.ask(fields(JSON.stringify(slug), JSON.stringify(tag), JSON.stringify(begin)));
  expect(literals).toEqual({ data: expected });
  const variables = await service.ask(
    `query Q($slug: String!, $tag: String!, $begin: String!) ${fields("$slug", "$tag", "$begin")}`,
    { variables: { slug, tag, begin } },
  );
  expect(variables).toEqual({ data: expected });
});

test("a statement that publishes 5,000 posts holds fewer locks than PostgreSQL has room for", async () => {
  const open = await service.database.hold(
    `insert into app_public.posts (author_id, title, content, status)
      select 1, 'Title ' || md5(n::text) || 'x', 'x', 'PUBLISHED' from generate_series(1, 5000) as n`,
  );
  const [row] = await service.database.query<{ count: number }>(
    "select count(*)::int from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  await open.release();
  expect(row?.count).toBeGreaterThan(1000);
  expect(row?.count).toBeLessThan(4000);
});
