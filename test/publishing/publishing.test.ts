import pg from "pg";
import { pino } from "pino";
import { publishDuePosts } from "../../src/maintenance/publishDuePosts.ts";
import { type Person, useService } from "../support/service.ts";

/* Writing and publishing, as an editor's screens need it: no lost update, no post written twice. */
const service = useService();

interface Refusal {
  code: string;
  reason?: string;
  validationErrors?: { path: (string | number)[]; code: string }[];
}

/** The data of the only root field. */
async function done(query: string, variables: object = {}, as: Person = "ada"): Promise<any> {
  const { data, errors } = await service.ask(query, { variables: { ...variables }, as });
  expect(errors).toBeUndefined();
  return Object.values(data as object)[0];
}

async function refused(query: string, variables: object = {}, as: Person = "ada"): Promise<Refusal> {
  const { data, errors } = await service.ask(query, { variables: { ...variables }, as });
  expect(Object.values(data ?? { none: null })).toEqual([null]);
  return errors?.[0]?.extensions as unknown as Refusal;
}

const create = `mutation ($input: CreatePostInput!, $key: String) {
  createPost(input: $input, idempotencyKey: $key) { id title slug status version updatedAt(format: DATE_TIME) }
}`;
const update = `mutation ($id: ID!, $input: UpdatePostInput!, $if: String, $key: String) {
  updatePost(id: $id, input: $input, ifVersion: $if, idempotencyKey: $key) { id title version updatedAt(format: DATE_TIME) tags { name } }
}`;

describe("ifVersion", () => {
  let post: { id: string; version: string };
  beforeAll(async () => {
    post = await done(create, { input: { title: "One", content: "Text.", tags: ["a"] } });
  });
  const title = async () => (await done("query ($id: ID!) { post(id: $id) { title } }", { id: post.id })).title;

  test("is the version that was read: each change gives the next one", async () => {
    const second = await done(update, { id: post.id, input: { title: "Two" }, if: post.version });
    const third = await done(update, { id: post.id, input: { tags: ["b"] }, if: second.version });
    expect(third).toMatchObject({ title: "Two", tags: [{ name: "b" }] });
    post = await done(update, { id: post.id, input: { title: "Three" }, if: third.version });
    expect(await title()).toBe("Three");
  });

  test.each([
    ["the title", { title: "Other" }],
    ["tags only", { tags: ["c"] }],
    ["the order of tags", { tags: ["y", "x"] }],
    ["the status", { status: "PUBLISHED" }],
  ])("refuses with CONFLICT after a change of %s, and writes nothing", async (_what, input) => {
    const { version } = await done(update, {
      id: post.id,
      input: { title: "Read", status: "DRAFT", tags: ["x", "y"] },
    });
    const current = await done(update, { id: post.id, input }, "admin");
    const before = await service.database.query("select * from app_public.posts");
    expect(await refused(update, { id: post.id, input: { title: "Lost", tags: [] }, if: version })).toEqual({
      code: "CONFLICT",
      reason: "CHANGED",
      version: current.version,
    });
    expect(await service.database.query("select * from app_public.posts")).toEqual(before);
  });

  test("waits for a change that is under way, and then compares", async () => {
    const { version } = await done(update, { id: post.id, input: { title: "Read" } });
    const change = `update app_public.posts set title = 'Changed meanwhile' where id = ${post.id}`;
    const undone = await service.database.hold(change);
    const kept = done(update, { id: post.id, input: { title: "Mine" }, if: version });
    await undone.somebodyWaits();
    await undone.release();
    const { version: next } = await kept;
    const other = await service.database.hold(change);
    const lost = refused(update, { id: post.id, input: { title: "Lost" }, if: next });
    await other.somebodyWaits();
    await other.commit();
    expect(await lost).toMatchObject({ code: "CONFLICT", reason: "CHANGED" });
    expect(await title()).toBe("Changed meanwhile");
  });

  test("a clock that was set back gives a later updatedAt all the same", async () => {
    await service.database.query(
      `alter table app_public.posts disable trigger user;
       update app_public.posts set updated_at = '2999-01-01T00:00:00.5Z' where id = ${post.id};
       alter table app_public.posts enable trigger user`,
    );
    const { updatedAt } = await done(update, { id: post.id, input: { title: "Later" } });
    expect(updatedAt).toBe("2999-01-01T00:00:00.500001+00:00");
    const tagged = await done(update, { id: post.id, input: { tags: ["later"] } });
    expect(tagged.updatedAt > updatedAt).toBe(true);
  });

  test("tells nobody more than the update without it", async () => {
    const ifVersion = "1";
    await done(update, { id: post.id, input: { status: "PUBLISHED" } });
    expect(await refused(update, { id: post.id, input: {}, if: ifVersion }, "bob")).toMatchObject({
      code: "UNAUTHORIZED",
    });
    await done(update, { id: post.id, input: { status: "DRAFT" } });
    expect(await refused(update, { id: post.id, input: {}, if: ifVersion }, "bob")).toEqual({ code: "NOT_FOUND" });
  });
});

describe("idempotencyKey", () => {
  const comment = `mutation ($postId: ID!, $text: String!, $key: String) {
    createComment(input: { postId: $postId, text: $text }, idempotencyKey: $key) { id text }
  }`;
  const send = `mutation ($chatId: ID!, $text: String!, $key: String) {
    sendMessage(chatId: $chatId, text: $text, idempotencyKey: $key) { id text }
  }`;
  const chat = `mutation ($memberIds: [ID!]!, $title: String, $key: String) {
    createChat(memberIds: $memberIds, title: $title, idempotencyKey: $key) { id title }
  }`;
  let postId: string;
  let chatId: string;
  beforeAll(async () => {
    postId = (await done(create, { input: { title: "Open", content: "Text.", status: "PUBLISHED" } })).id;
    chatId = (await done(chat, { memberIds: ["2"] })).id;
  });
  const input = { title: "Once", content: "Text.", tags: ["b", "a"] };
  const calls: Record<string, [string, object]> = {
    createPost: [create, { input }],
    createComment: [comment, { text: "Once" }],
    sendMessage: [send, { text: "Once" }],
    createChat: [chat, { memberIds: ["2", "3"], title: "Once" }],
  };
  const variables = (name: string, key: string) => ({ ...calls[name]?.[1], postId, chatId, key });
  const rows = async () =>
    JSON.stringify(
      await service.database.query(`select (select count(*) from app_public.posts), (select count(*) from app_public.comments),
        (select count(*) from app_public.messages), (select count(*) from app_public.chats), (select count(*) from app_public.audit_trail)`),
    );

  test.each(Object.keys(calls))("%s with the same key answers with the same row and writes nothing", async (name) => {
    const [query = ""] = calls[name] ?? [];
    const used = Object.keys(calls[name]?.[1] ?? {});
    const given = Object.fromEntries(
      Object.entries(variables(name, `same ${name}`)).filter(
        ([variable]) => used.includes(variable) || query.includes(`$${variable}:`),
      ),
    );
    const first = await done(query, given);
    const before = await rows();
    expect(await done(query, given)).toEqual(first);
    expect(await rows()).toBe(before);
    // Another key, and none.
    expect((await done(query, { ...given, key: `other ${name}` })).id).not.toBe(first.id);
    expect((await done(query, { ...given, key: null })).id).not.toBe(first.id);
  });

  test("the same key of another user is another key", async () => {
    const [a, b] = [await done(create, { input, key: "shared" }), await done(create, { input, key: "shared" }, "bob")];
    expect(a.id).not.toBe(b.id);
  });

  test.each(["commit", "release"] as const)("two calls at once: the second waits for the first to %s", async (end) => {
    const key = `at once ${end}`;
    const first = await service.database.hold(
      `select set_config('app.viewer_id', '1', true);
       set local role api_member;
       select app_public.create_comment((${postId}, '${key}', null), idempotency_key => '${key}')`,
    );
    const second = done(comment, { postId, text: key, key });
    await first.somebodyWaits();
    await first[end]();
    const { id } = await second;
    expect(await service.database.query("select id from app_public.comments where text = $1", [key])).toEqual([{ id }]);
  });

  test("a first call that fails leaves its key free", async () => {
    await refused(create, { input: { title: "", content: "Text." }, key: "failed" });
    await done(create, { input, key: "failed" });
  });

  test.each([
    ["other arguments", create, { input: { ...input, title: "Other" } }],
    ["another order of tags", create, { input: { ...input, tags: ["a", "b"] } }],
    ["another mutation", chat, { memberIds: ["2"] }],
  ])("with %s it is a fault that names the key", async (_what, query, others) => {
    await done(create, { input, key: "reused" });
    const before = await rows();
    expect(await refused(query, { ...others, key: "reused" })).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["idempotencyKey"], code: "REUSED" }],
    });
    expect(await rows()).toBe(before);
  });

  test("an update that is repeated after a lost response is no conflict with itself", async () => {
    const { id, version } = await done(create, { input });
    const call = { id, input: { title: "Saved" }, if: version, key: "save" };
    const saved = await done(update, call);
    const before = await rows();
    expect(await done(update, call)).toEqual(saved);
    expect(await rows()).toBe(before);
    const next = await done(update, { id, input: { title: "Newer" }, if: saved.version });
    expect(await done(update, call)).toEqual(next);
    expect(await refused(update, { ...call, key: "another save" })).toMatchObject({ code: "CONFLICT" });
  });

  test("its length is bounded", async () => {
    for (const [key, code] of [
      ["", "TOO_SHORT"],
      ["x".repeat(256), "TOO_LONG"],
    ]) {
      expect(await refused(create, { input, key })).toMatchObject({
        validationErrors: [{ path: ["idempotencyKey"], code }],
      });
    }
    // A character that Unicode normal form C would change.
    const longest = "\u212B".repeat(255);
    const first = await done(create, { input, key: longest });
    expect(await done(create, { input, key: longest })).toEqual(first);
  });

  test("a day later it is a new key, before maintain() has deleted it", async () => {
    const first = await done(create, { input, key: "old" });
    const age = (time: string) =>
      service.database.query(
        `update app_private.idempotency_keys set created_at = now() - interval '${time}' where key = 'old'`,
      );
    await age("23 hours 59 minutes");
    expect((await done(create, { input, key: "old" })).id).toBe(first.id);
    await age("24 hours 1 minute");
    const second = await done(create, { input: { ...input, title: "Another" }, key: "old" });
    expect(second.id).not.toBe(first.id);
    expect((await done(create, { input: { ...input, title: "Another" }, key: "old" })).id).toBe(second.id);
  });

  test("a result that was deleted, or that the user may not see any more, is NOT_FOUND", async () => {
    const { id } = await done(create, { input, key: "deleted" });
    await done("mutation ($id: ID!) { deletePost(id: $id) { success } }", { id });
    expect(await refused(create, { input, key: "deleted" })).toEqual({ code: "NOT_FOUND" });
    const left = await done(chat, { memberIds: ["2"], key: "left" });
    await done("mutation ($id: ID!) { leaveChat(chatId: $id) { success } }", { id: left.id });
    expect(await refused(chat, { memberIds: ["2"], key: "left" })).toEqual({ code: "NOT_FOUND" });
  });

  test("without a key, nothing is kept", async () => {
    const kept = "select count(*)::int as count from app_private.idempotency_keys";
    const before = await service.database.query(kept);
    await done(send, { chatId, text: "No key" });
    expect(await service.database.query(kept)).toEqual(before);
  });
});

describe("publishAt", () => {
  const later = "2999-01-02T03:04:05.678901+00:00";
  const change = `mutation ($id: ID!, $input: UpdatePostInput!) {
    updatePost(id: $id, input: $input) { status publishAt publishedAt(format: DATE_TIME) slug }
  }`;
  const draft = async (input: object = {}) =>
    (await done(create, { input: { title: "Soon", content: "Text.", tags: ["soon"], ...input } })).id as string;

  /** What a clock does: no write of anybody. @returns the time */
  async function makeDue(...ids: string[]): Promise<string> {
    const [row] = await service.database.query<{ at: string }>(
      `with posts as (
         update app_public.posts set publish_at = clock_timestamp() - interval '1 second'
          where set_config('session_replication_role', 'replica', true) = 'replica' and id = any ($1::bigint[])
         returning publish_at)
       select to_char(publish_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US+00:00') as at from posts`,
      [ids],
    );
    return row?.at ?? "";
  }

  /** What the service's timer does. @returns how many posts were published */
  async function publishDue(): Promise<number | undefined> {
    const [row] = await service.database.query<{ published: number }>("select * from app_hidden.publish_due_posts()");
    return row?.published;
  }

  test("a draft with a time is a draft, and its author sees the time", async () => {
    const id = await draft({ publishAt: later });
    const read = "query ($id: ID!) { post(id: $id) { status publishAt publishedAt } }";
    const scheduled = { status: "DRAFT", publishAt: later, publishedAt: null };
    expect(await done(read, { id })).toEqual(scheduled);
    expect(await done(read, { id }, "admin")).toEqual(scheduled);
    expect(await refused(read, { id }, "bob")).toEqual({ code: "NOT_FOUND" });
    // Other changes keep it.
    expect(await done(change, { id, input: { title: "Sooner" } })).toMatchObject({ publishAt: later });
  });

  test.each<[string, string, Person]>([
    ["by its id", "{ post(id: ID) { title } }", "nobody"],
    ["in the list", "{ posts(limit: 3) { id status slug title publishedAt(format: DATE_TIME) } }", "nobody"],
    ["in the list of the published", "{ posts(limit: 3, status: PUBLISHED) { id } }", "bob"],
    ["in the count", "{ postsCount(status: PUBLISHED) }", "nobody"],
    ["in the author's own drafts", "{ posts(limit: 100, status: DRAFT) { id } }", "ada"],
    ["in the feed", "{ feed(limit: 3) { id } }", "bob"],
    ["among the author's posts", "{ user(id: 1) { posts(limit: 100) { id } } }", "nobody"],
    ["among the posts of its tag", '{ tagByName(name: "soon") { postsConnection(first: 3) { nodes { id } } } }', "bob"],
    ["by its tag", "{ tagsConnection(first: 100) { nodes { name } } }", "nobody"],
    ["in pages", "{ postsConnection(first: 3) { totalCount nodes { id } } }", "nobody"],
    ["by its comments", "{ user(id: 1) { commentsConnection(first: 100) { nodes { text } } } }", "nobody"],
    ["in the engine", '{ post(id: ID) { nodeId } node(nodeId: "NODE") { ... on Post { title } } }', "nobody"],
    ["in a mutation", 'mutation { createComment(input: { postId: ID, text: "First!" }) { post { id } } }', "bob"],
  ])("is published everywhere when its time has come: %s", async (what, template, as) => {
    const id = await draft({ publishAt: later, tags: [`soon`, `tag ${what}`] });
    await done(`mutation { createComment(input: { postId: ${id}, text: "On a draft" }) { id } }`);
    const nodeId = Buffer.from(JSON.stringify(["Post", id])).toString("base64");
    const query = template.replaceAll("ID", id).replace("NODE", nodeId);
    const before = await service.ask(query, { as });
    await makeDue(id);
    await publishDue();
    const answer = await service.ask(query, { as });
    expect(answer).not.toEqual(before);
    expect(answer.errors).toBeUndefined();
    await service.database.query("delete from app_public.posts where title = 'Soon'");
  });

  test("its publishedAt is the time, its slug a published post's, and nobody is recorded as the actor", async () => {
    const id = await draft({ title: "At Nine", publishAt: later });
    const at = await makeDue(id);
    await publishDue();
    expect(
      await done(
        "query ($id: ID!) { post(id: $id) { status publishAt publishedAt(format: DATE_TIME) slug } }",
        { id },
        "nobody",
      ),
    ).toEqual({ status: "PUBLISHED", publishAt: null, publishedAt: at, slug: "at-nine" });
    expect(
      await service.database.query(
        `select actor_id, changes -> 'status' ->> 'new' as status from app_public.audit_trail
          where table_name = 'posts' and row_key = '${id}' order by id desc limit 1`,
      ),
    ).toEqual([{ actor_id: null, status: "PUBLISHED" }]);
  });

  test("a time in the past publishes now, not then", async () => {
    const [{ now }] = (await service.database.query("select to_jsonb(now()) #>> '{}' as now")) as [{ now: string }];
    const id = await draft();
    const post = await done(change, { id, input: { publishAt: "2020-01-01" } });
    expect(post).toMatchObject({ status: "PUBLISHED", publishAt: null });
    expect(post.publishedAt > now).toBe(true);
    expect((await done(create, { input: { title: "P", content: "P", publishAt: "2020-01-01" } })).status).toBe(
      "PUBLISHED",
    );
  });

  test("the author moves the time, removes it, or publishes before it", async () => {
    const id = await draft({ publishAt: later });
    const other = "2998-01-01T00:00:00.000000+00:00";
    expect(await done(change, { id, input: { publishAt: other } })).toMatchObject({ publishAt: other });
    expect(await done(change, { id, input: { status: "DRAFT", publishAt: later } })).toMatchObject({
      publishAt: later,
    });
    // Editors send the status that the post has with every save.
    expect(await done(change, { id, input: { status: "DRAFT" } })).toMatchObject({ status: "DRAFT", publishAt: later });
    expect(await done(change, { id, input: { publishAt: null } })).toMatchObject({ status: "DRAFT", publishAt: null });
    await done(change, { id, input: { publishAt: later } });
    expect(await done(change, { id, input: { status: "PUBLISHED" } })).toMatchObject({
      status: "PUBLISHED",
      publishAt: null,
    });
    // A published post would disappear until then.
    expect(await refused(change, { id, input: { publishAt: later } })).toMatchObject({
      validationErrors: [{ path: ["input", "publishAt"], code: "ALREADY_PUBLISHED" }],
    });
    expect(await done(change, { id, input: { publishAt: later, status: "DRAFT" } })).toMatchObject({
      status: "DRAFT",
      publishAt: later,
    });
  });

  test("only the author and admins schedule", async () => {
    const id = await draft();
    expect(await refused(change, { id, input: { publishAt: later } }, "bob")).toEqual({ code: "NOT_FOUND" });
    expect(await done(change, { id, input: { publishAt: later } }, "admin")).toMatchObject({ publishAt: later });
  });

  test("the milliseconds until the next one is due are told", async () => {
    const id = await draft({ publishAt: later });
    const waitMs = async () => (await service.database.query("select * from app_hidden.publish_due_posts()"))[0];
    expect(await waitMs()).toEqual({ published: 0, wait_ms: expect.any(Number) });
    expect((await waitMs())?.["wait_ms"]).toBeLessThanOrEqual(86_400_000);
    await service.database.query("update app_public.posts set publish_at = now() + interval '1 minute' where id = $1", [
      id,
    ]);
    expect((await waitMs())?.["wait_ms"]).toBeLessThanOrEqual(60_000);
    await service.database.query("delete from app_public.posts where id = $1", [id]);
  });

  test("the service's timer publishes without any request", async () => {
    const id = await draft({ publishAt: later });
    await makeDue(id);
    const pool = new pg.Pool({ connectionString: service.database.apiUrl, max: 1 });
    await publishDuePosts(pool, pino({ level: "silent" }));
    await pool.end();
    expect(await service.database.query("select status from app_public.posts where id = $1", [id])).toEqual([
      { status: "PUBLISHED" },
    ]);
  });

  test("a post that is locked, or that cannot be published, holds no other back", async () => {
    const [locked, broken, free] = [
      await draft({ publishAt: later }),
      await draft({ publishAt: later }),
      await draft({ publishAt: later }),
    ];
    await makeDue(locked);
    await makeDue(broken);
    await makeDue(free);
    await service.database.query(
      `alter table app_public.posts add constraint unlucky check (id <> ${broken} or status = 'DRAFT') not valid`,
    );
    const writer = await service.database.hold(`select from app_public.posts where id = ${locked} for update`);
    expect(await publishDue()).toBe(1);
    expect(await done("query ($id: ID!) { post(id: $id) { id } }", { id: free }, "nobody")).toEqual({ id: free });
    await writer.release();
    expect(await publishDue()).toBe(1);
    await service.database.query("alter table app_public.posts drop constraint unlucky");
    expect(await publishDue()).toBe(1);
  });

  test("a lock on all posts delays no request that reads none", async () => {
    const migration = await service.database.hold("lock table app_public.posts");
    expect(await done("{ users { id } }", {}, "nobody")).toHaveLength(4);
    await migration.release();
  });
});

describe("null in an update", () => {
  const updated =
    "mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { title excerpt tags { name } } }";

  test("clears what may be empty, as a literal and as a variable; what is left out stays", async () => {
    const { id } = await done(create, { input: { title: "T", content: "The text.", excerpt: "Short.", tags: ["a"] } });
    const before = { title: "T", excerpt: "Short.", tags: [{ name: "a" }] };
    expect(await done(updated, { id, input: {} })).toEqual(before);
    expect(await done(updated, { id, input: { tags: null } })).toEqual({ ...before, tags: [] });
    const literal = `mutation { updatePost(id: "${id}", input: { excerpt: null }) { excerpt } }`;
    expect(await done(literal)).toEqual({ excerpt: "The text." });
    const profile = "mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { name bio avatar } }";
    const avatar = "https://example.com/a.png";
    expect(await done(profile, { input: { bio: "Me.", avatar } })).toEqual({ name: "Ada", bio: "Me.", avatar });
    expect(await done(profile, { input: { avatar: null } })).toEqual({ name: "Ada", bio: "Me.", avatar: null });
    expect(await done(profile, { input: { bio: null } })).toEqual({ name: "Ada", bio: null, avatar: null });
  });

  test.each(["title", "content", "status"])("is a fault of %s, which is required", async (field) => {
    const { id } = await done(create, { input: { title: "T", content: "C" } });
    expect(await refused(updated, { id, input: { [field]: null } })).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["input", field], code: "REQUIRED" }],
    });
  });
});

describe("revisions", () => {
  const revisions = `query ($id: ID!) { post(id: $id) {
    revisions { title content excerpt tags }
    newest: revisions(limit: 1) { title writtenAt replacedAt post { id } }
  } }`;
  const restore = `mutation ($id: ID!, $if: String) {
    restoreRevision(id: $id, ifVersion: $if) { title content excerpt slug tags { name } version }
  }`;
  const first = { title: "One", content: "First text.", tags: ["a", "b"] };
  const idOf = async (post: string, title: string) =>
    (await done("query ($id: ID!) { post(id: $id) { revisions { id title } } }", { id: post })).revisions.find(
      (revision: { title: string }) => revision.title === title,
    )?.id;

  test("each change of title, content, excerpt or tags keeps what was before, newest first", async () => {
    const { id, updatedAt } = await done(create, { input: first });
    const change = (input: object) => done(update, { id, input });
    await change({ title: "Two", tags: ["c"] });
    await change({ content: "Second text.", excerpt: "Short." });
    await change({ tags: ["c", "a"] });
    await change({ tags: ["a", "c"] });
    // What changes nothing, and a status, which no version has.
    await change({ title: "Two", tags: ["a", "c"], status: "PUBLISHED" });
    const two = { title: "Two", content: "Second text.", excerpt: "Short." };
    expect(await done(revisions, { id })).toEqual({
      revisions: [
        { ...two, tags: ["c", "a"] },
        { ...two, tags: ["c"] },
        { title: "Two", content: "First text.", excerpt: "First text.", tags: ["c"] },
        { ...first, excerpt: "First text." },
      ],
      newest: [{ title: "Two", writtenAt: expect.any(String), replacedAt: expect.any(String), post: { id } }],
    });
    const [oldest] = await service.database.query(
      "select to_jsonb(written_at) #>> '{}' as at from app_public.post_revisions where post_id = $1 order by id limit 1",
      [id],
    );
    expect(Date.parse(oldest?.["at"])).toBe(Date.parse(updatedAt));
  });

  test("a plain update in SQL keeps one as well, and a transaction one for all its changes", async () => {
    const { id } = await done(create, { input: first });
    await service.database.query(`
      begin;
      update app_public.posts set title = 'In SQL' where id = ${id};
      select app_hidden.set_post_tags(${id}, '{x}');
      update app_public.posts set title = 'In SQL, again' where id = ${id};
      commit`);
    expect((await done(revisions, { id })).revisions).toEqual([{ ...first, excerpt: "First text." }]);
  });

  test("restoreRevision brings it back, and keeps what it replaces", async () => {
    const { id } = await done(create, { input: { ...first, status: "PUBLISHED" } });
    const { version } = await done(update, { id, input: { title: "Two", content: "Second.", tags: [] } });
    const one = await idOf(id, "One");
    expect(await refused(restore, { id: one, if: "1" })).toMatchObject({ code: "CONFLICT" });
    expect(await done(restore, { id: one, if: version })).toMatchObject({
      title: "One",
      content: "First text.",
      excerpt: "First text.",
      tags: [{ name: "a" }, { name: "b" }],
    });
    expect((await done(revisions, { id })).revisions.map(({ title }: { title: string }) => title)).toEqual([
      "Two",
      "One",
    ]);
    // The excerpt was made from the content, and is again.
    await done(update, { id, input: { content: "Third." } });
    expect(await done("query ($id: ID!) { post(id: $id) { excerpt } }", { id })).toEqual({ excerpt: "Third." });
  });

  test("after a conflict, the revision with the version that was sent is what both began with", async () => {
    const { id, version } = await done(create, { input: first });
    await done(update, { id, input: { title: "Two", status: "PUBLISHED" } });
    await done(update, { id, input: { title: "Three" } });
    expect(await refused(update, { id, input: { content: "Mine." }, if: version })).toMatchObject({ code: "CONFLICT" });
    const versions = "query ($id: ID!) { post(id: $id) { revisions { title version } } }";
    const found = (await done(versions, { id })).revisions;
    expect(found.filter((revision: { version: string }) => revision.version === version)).toEqual([
      { title: "One", version },
    ]);
  });

  test("they are for the author and admins, also of a published post", async () => {
    const { id } = await done(create, { input: { ...first, status: "PUBLISHED" } });
    await done(update, { id, input: { title: "Two" } });
    const revision = await idOf(id, "One");
    const list = "query ($id: ID!) { post(id: $id) { revisions { title } } }";
    const seen = { revisions: [{ title: "One" }] };
    expect(await done(list, { id }, "ada")).toEqual(seen);
    expect(await done(list, { id }, "admin")).toEqual(seen);
    expect(await done(list, { id }, "bob")).toEqual({ revisions: [] });
    expect(await refused(restore, { id: revision }, "bob")).toEqual({ code: "NOT_FOUND" });
    expect(await done(list, { id }, "nobody")).toEqual({ revisions: [] });
  });

  test("a hundred stay: an hour of saves leaves yesterday’s version, and some of each few minutes", async () => {
    const { id } = await done(create, { input: first });
    await done(update, { id, input: { title: "Yesterday" } });
    const pass = (time: string) =>
      `update app_public.post_revisions set replaced_at = replaced_at - interval '${time}' where post_id = ${id}; commit;`;
    await service.database.query(`do $$ begin
      ${pass("1 day")}
      for save in 1..150 loop
        update app_public.posts set title = 'Save ' || save where id = ${id};
        ${pass("24 s")}
      end loop;
    end $$`);
    const kept = await service.database.query<{ title: string; seconds: number }>(
      `select title, extract(epoch from replaced_at - lag(replaced_at) over (order by id))::int as seconds
         from app_public.post_revisions where post_id = $1 order by id`,
      [id],
    );
    expect(kept).toHaveLength(100);
    expect(kept.slice(0, 2)).toMatchObject([{ title: "One" }, { title: "Yesterday" }]);
    expect(kept.slice(-20).map(({ title }) => title)).toEqual(Array.from({ length: 20 }, (_, i) => `Save ${130 + i}`));
    expect(Math.max(...kept.slice(2).map(({ seconds }) => seconds))).toBeLessThan(300);
  });
});

describe("a draft without text", () => {
  const content = { path: ["input", "content"], field: "content", code: "TOO_SHORT", params: { min: 1 } };
  const faults = (faulty: object) => ({
    code: "VALIDATION_ERROR",
    validationErrors: [expect.objectContaining(faulty)],
  });
  const read = "query ($id: ID!) { post(id: $id) { title content excerpt status } }";

  test("is kept, and needs the text when it is published or scheduled", async () => {
    const { id } = await done(create, { input: { title: "An idea", content: "" } });
    const draft = { title: "An idea", content: "", excerpt: "", status: "DRAFT" };
    expect(await done(read, { id })).toEqual(draft);
    expect(await refused(update, { id, input: { status: "PUBLISHED" } })).toEqual(faults(content));
    expect(await refused(update, { id, input: { publishAt: "2999-01-01" } })).toEqual(faults(content));
    expect(await done(read, { id })).toEqual(draft);
    await done(update, { id, input: { content: "Text.", status: "PUBLISHED" } });
    expect(await refused(update, { id, input: { content: "" } })).toEqual(faults(content));
    expect(await done(read, { id })).toMatchObject({ content: "Text.", excerpt: "Text.", status: "PUBLISHED" });
    await done(update, { id, input: { content: "", status: "DRAFT" } });
    expect(await done(read, { id })).toEqual(draft);
  });

  test("is no new published or scheduled post", async () => {
    const input = { title: "An idea", content: "" };
    expect(await refused(create, { input: { ...input, status: "PUBLISHED" } })).toEqual(faults(content));
    expect(await refused(create, { input: { ...input, publishAt: "2999-01-01" } })).toEqual(faults(content));
  });
});

describe("the excerpt", () => {
  const made = async (content: string) =>
    (await service.database.query("select app_hidden.start_of($1) as made", [content]))[0]?.["made"] as string;
  const words = "Lorem ipsum dolor sit amet, ".repeat(20);

  test.each([
    ["a short text", "Short. ", "Short."],
    ["200 characters", "x".repeat(200), "x".repeat(200)],
    ["words: at the end of one", "abcdefghi ".repeat(30), `${"abcdefghi ".repeat(20).trim()}…`],
    [
      "words, of which one ends just there",
      `${"x".repeat(99)} ${"y".repeat(99)} z`,
      `${"x".repeat(99)} ${"y".repeat(99)}…`,
    ],
    ["a comma before the cut", `${"x".repeat(170)}, ${"y".repeat(35)}`, `${"x".repeat(170)}…`],
    ["lines", `${"x".repeat(170)}\n\n${"y".repeat(35)}`, `${"x".repeat(170)}…`],
    ["a script without spaces", "春".repeat(300), `${"春".repeat(199)}…`],
    ["one space far before", `Title ${"春".repeat(300)}`, `Title ${"春".repeat(193)}…`],
    ["Thai, whose vowels are marks", "ที่".repeat(100), `${"ที่".repeat(66)}…`],
    ["emoji of several parts", "👩‍🚀".repeat(100), `${"👩‍🚀".repeat(66)}…`],
  ])("made from %s", async (_what, content, expected) => {
    expect(await made(content)).toBe(expected);
    expect([...expected].length).toBeLessThanOrEqual(200);
  });

  test("follows the content until the author writes one, and again after a blank one", async () => {
    const { id } = await done(create, { input: { title: "E", content: words, excerpt: " " } });
    const change = async (input: object) =>
      (
        await done(`mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { excerpt } }`, {
          id,
          input,
        })
      ).excerpt;
    const automatic = await made(words);
    expect(automatic).toMatch(/^Lorem.*[a-z]…$/);
    expect(await change({ title: "E2" })).toBe(automatic);
    expect(await change({ excerpt: "Mine." })).toBe("Mine.");
    expect(await change({ content: `New ${words}` })).toBe("Mine.");
    expect(await change({ excerpt: "" })).toBe(await made(`New ${words}`));
    expect(await change({ content: words })).toBe(automatic);
  });
});
