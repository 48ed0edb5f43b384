import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { migrateCurrent, projectMigrations } from "../../src/database/migrations.ts";
import { resetContent } from "../permissions/outcome.ts";
import { useAnalyst } from "../support/analyst.ts";
import { brokenRules } from "../support/brokenRules.ts";
import { undescribed, unordered } from "../support/descriptions.ts";
import { type Person, useService } from "../support/service.ts";

/*
 * The features of this folder, as a DBA writes them from docs/feature.md: each in one file of at most 60 lines. All are added to one
 * running service, on the rows of migrations/permissions.sql.
 */
const folder = new URL(".", import.meta.url);
const service = useService();
const jane = useAnalyst(service.database);
let root: string;
let files: string[];

/** Runs the files together, as `npm run db:watch` does on every save that changes something. */
async function save(names: string[], change = ""): Promise<void> {
  const current = join(root, "migrations/current");
  await rm(current, { recursive: true, force: true });
  await mkdir(current);
  for (const [index, name] of names.entries()) {
    const text = await readFile(new URL(name, folder), "utf8");
    await writeFile(join(current, `${100 + index}-${name.replaceAll("_", "-")}`), text + change);
  }
  await migrateCurrent(service.database.ownerUrl, join(root, "migrations"));
}

/** The data of an operation that has no error. */
async function data(query: string, as: Person = "nobody") {
  const answer = await service.ask(query, { as });
  expect(answer.errors).toBeUndefined();
  return answer.data;
}

/** The codes of the errors of an operation. */
async function codes(query: string, as: Person = "nobody"): Promise<unknown[]> {
  const { errors = [] } = await service.ask(query, { as });
  return errors.map(({ extensions }) => extensions?.["code"]);
}

const run = (sql: string) => service.database.query<Record<string, unknown>>(sql);

/** Derived data that does not agree with its rows. */
const wrong = () =>
  run(
    "select derived from app_private.check_derived_data() union all select counter from conventions.check_counters()",
  );

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "content-service-features-"));
  await cp(projectMigrations, join(root, "migrations"), { recursive: true });
  files = (await readdir(folder)).filter((name) => name.endsWith(".sql"));
  // A transaction cannot use a value of an enum that it adds.
  await save(["soft_delete_status.sql"]);
  await save(files);
  await save(files, "-- Saved again.\n");
  await service.app.rebuild();
});
beforeEach(() => resetContent(service));
afterAll(() => rm(root, { recursive: true }));

test("each feature has at most 60 lines", async () => {
  const lengths = new Map<string, number>();
  for (const name of files) {
    const feature = name.replace("_status", "");
    const text = await readFile(new URL(name, folder), "utf8");
    lengths.set(feature, (lengths.get(feature) ?? 0) + text.split("\n").filter((line) => line.trim()).length);
  }
  expect(lengths.size).toBe(6);
  expect(lengths.get("ordinary.sql")).toBeLessThanOrEqual(25);
  for (const [name, length] of lengths) expect({ name, length: Math.max(length, 60) }).toEqual({ name, length: 60 });
});

test("a reader of the schema finds each type and field described", () => {
  expect([...undescribed(service.app.schema), ...unordered(service.app.schema)]).toEqual([]);
});

test("no rule of db:check is broken", async () => {
  expect(await brokenRules(service.database, root)).toEqual([]);
});

describe("an ordinary table", () => {
  const create = (heading: string) =>
    `mutation { createNote(input: { heading: "${heading}" }) { id heading author { name } } }`;
  const change = `mutation { updateNote(id: "1", input: { heading: "Else" }) { heading } }`;
  const remove = `mutation { deleteNote(id: "1") { success } }`;

  beforeEach(() => run("truncate app_public.notes restart identity"));

  test("is created, read, changed and deleted", async () => {
    expect(await data(create(" Milk "), "ada")).toEqual({
      createNote: { id: "1", heading: "Milk", author: { name: "Ada" } },
    });
    expect(await data(`{ notes { heading } user(id: "1") { notes { id } } }`)).toEqual({
      notes: [{ heading: "Milk" }],
      user: { notes: [{ id: "1" }] },
    });
    expect(await data(change, "ada")).toEqual({ updateNote: { heading: "Else" } });
    expect(await data(remove, "ada")).toEqual({ deleteNote: { success: true } });
    expect(await codes(`{ note(id: "1") { id } }`)).toEqual(["NOT_FOUND"]);
    expect(await run("select action from app_public.audit_trail where table_name = 'notes' order by id")).toHaveLength(
      3,
    );
  });

  test("is its author's, by its policies", async () => {
    await data(create("Milk"), "ada");
    for (const [query, code] of [
      [change, "UNAUTHORIZED"],
      [remove, "UNAUTHORIZED"],
      [create(""), "VALIDATION_ERROR"],
    ] as const) {
      expect(await codes(query, "bob")).toEqual([code]);
    }
    expect(await codes(create("Milk"))).toEqual(["UNAUTHORIZED"]);
  });
});

describe("series", () => {
  test("list their posts in the author's order, without the drafts of others", async () => {
    await data(`mutation { createSeries(title: " Tides ") { id title } }`, "ada");
    await data(
      `mutation { a: addToSeries(seriesId: "1", postId: "1", position: 2) { id }
      b: addToSeries(seriesId: "1", postId: "2", position: 1) { id } }`,
      "ada",
    );
    const query = `{ series(id: "1") { title author { name } posts { title } postsConnection { totalCount } }
      post(id: "1") { series { title } } user(id: "1") { series { id } } }`;
    const seen = (titles: string[]) => ({
      series: {
        title: "Tides",
        author: { name: "Ada" },
        posts: titles.map((title) => ({ title })),
        postsConnection: { totalCount: titles.length },
      },
      post: { series: [{ title: "Tides" }] },
      user: { series: [{ id: "1" }] },
    });
    expect(await data(query, "ada")).toEqual(seen(["Ada’s draft", "Ada’s post"]));
    expect(await data(query)).toEqual(seen(["Ada’s post"]));
    await data(`mutation { addToSeries(seriesId: "1", postId: "2", position: 3) { id } }`, "ada");
    expect(await data(query, "ada")).toEqual(seen(["Ada’s post", "Ada’s draft"]));
  });

  test("are written by their author, with the author's own posts", async () => {
    await data(`mutation { createSeries(title: "Tides") { id } }`, "ada");
    const add = (postId: number, seriesId = 1) =>
      `mutation { addToSeries(seriesId: "${seriesId}", postId: "${postId}", position: 1) { id } }`;
    expect(await codes(add(3), "bob")).toEqual(["UNAUTHORIZED"]);
    expect(await codes(add(2), "bob")).toEqual(["NOT_FOUND"]);
    expect(await codes(add(1, 9), "ada")).toEqual(["NOT_FOUND"]);
    expect(await codes(add(3), "ada")).toEqual(["UNAUTHORIZED"]);
    expect(await codes(add(1))).toEqual(["UNAUTHORIZED"]);
    expect(await codes(`mutation { createSeries(title: "") { id } }`, "ada")).toEqual(["VALIDATION_ERROR"]);
  });
});

describe("bookmarks", () => {
  const list = `{ me { bookmarks { post { title } } bookmarksConnection { totalCount } } }`;
  const listed = (...titles: string[]) => ({
    me: { bookmarks: titles.map((title) => ({ post: { title } })), bookmarksConnection: { totalCount: titles.length } },
  });

  test("are seen by their owner only", async () => {
    const add = `mutation { bookmarkPost(id: "1") { isBookmarkedByMe } }`;
    expect(await data(add, "bob")).toEqual({ bookmarkPost: { isBookmarkedByMe: true } });
    await data(add, "bob");
    expect(await data(list, "bob")).toEqual(listed("Ada’s post"));
    const others = `{ bookmarks { userId } user(id: "2") { bookmarks { userId } } post(id: "1") { isBookmarkedByMe } }`;
    for (const person of ["nobody", "ada", "admin"] as const) {
      expect(await data(others, person)).toEqual({
        bookmarks: [],
        user: { bookmarks: [] },
        post: { isBookmarkedByMe: false },
      });
    }
    expect(await codes(add)).toEqual(["UNAUTHORIZED"]);
    expect(await data(`mutation { removeBookmark(postId: "1") { isBookmarkedByMe } }`, "bob")).toEqual({
      removeBookmark: { isBookmarkedByMe: false },
    });
    expect(await data(list, "bob")).toEqual(listed());
  });

  test("lead to no draft of another user", async () => {
    expect(await codes(`mutation { bookmarkPost(id: "2") { id } }`, "bob")).toEqual(["NOT_FOUND"]);
    await data(`mutation { bookmarkPost(id: "1") { id } }`, "bob");
    await data(`mutation { updatePost(id: "1", input: { status: DRAFT }) { id } }`, "ada");
    expect(await data(list, "bob")).toEqual(listed());
    await data(`mutation { updatePost(id: "1", input: { status: PUBLISHED }) { id } }`, "ada");
    expect(await data(list, "bob")).toEqual(listed("Ada’s post"));
  });

  test("are in no audit trail", async () => {
    await data(`mutation { bookmarkPost(id: "1") { id } }`, "bob");
    expect(await run("select from app_public.audit_trail where table_name = 'bookmarks'")).toEqual([]);
  });
});

/** What shows post 1, its comments and its tag. Bob has commented on it. */
const everywhere = `{
  post(id: "1") { title comments { text } } posts(limit: 9, orderBy: TITLE) { title } postsCount postsConnection { totalCount }
  user(id: "1") { posts { title } postsCount } feed(limit: 9) { title } searchConnection(text: "Ada") { nodes { __typename } }
  tagsConnection { nodes { name postsCount } } comment(id: "1") { text }
}`;

async function expectHidden(): Promise<void> {
  for (const reader of ["nobody", "bob"] as const) {
    const { data, errors } = await service.ask(everywhere, { as: reader });
    expect(errors?.map(({ extensions }) => extensions?.["code"])).toEqual(["NOT_FOUND", "NOT_FOUND"]);
    const own = reader === "bob" ? [{ title: "Bob’s submitted post" }] : [];
    expect(data).toEqual({
      post: null,
      posts: [{ title: "Bob’s post" }, ...own],
      postsCount: 1 + own.length,
      postsConnection: { totalCount: 1 + own.length },
      user: { posts: [], postsCount: 0 },
      feed: [{ title: "Bob’s post" }],
      searchConnection: { nodes: [] },
      tagsConnection: { nodes: [] },
      comment: null,
    });
  }
  expect(await analystsTitles()).toEqual(["Bob’s post"]);
  expect(await wrong()).toEqual([]);
}

async function analystsTitles(): Promise<unknown[]> {
  const { rows } = await jane.ask("select title from analytics.engagement_by_post order by 1");
  return rows.flat();
}

describe("soft delete", () => {
  const remove = `mutation { deletePost(id: "1") { success message } }`;

  test.each(["ada", "admin"] as const)(
    "by %s hides the post from others, with all that belongs to it",
    async (person) => {
      const before = await data(everywhere, "bob");
      expect(await data(remove, person)).toEqual({ deletePost: { success: true, message: "Post 1 is deleted." } });
      await expectHidden();
      const restore = `mutation { updatePost(id: "1", input: { status: PUBLISHED }) { deletedAt } }`;
      expect(await data(restore, "ada")).toEqual({ updatePost: { deletedAt: null } });
      expect(await data(everywhere, "bob")).toEqual(before);
      expect(await analystsTitles()).toEqual(["Ada’s post", "Bob’s post"]);
      expect(await wrong()).toEqual([]);
    },
  );

  test("returns a post to its place in lists", async () => {
    await data(remove, "ada");
    await data(`mutation { updatePost(id: "1", input: { status: PUBLISHED }) { id } }`, "ada");
    expect(await run("select published_at = first_published_at as same from app_public.posts where id = 1")).toEqual([
      { same: true },
    ]);
  });

  test("leaves the post to its author, counted as deleted", async () => {
    await data(remove, "ada");
    expect(
      await data(
        `{ posts(status: DELETED, limit: 9) { title deletedAt } postsCount(status: DELETED) me { postsCount } }`,
        "ada",
      ),
    ).toEqual({
      posts: [{ title: "Ada’s post", deletedAt: expect.any(String) }],
      postsCount: 1,
      me: { postsCount: 2 },
    });
    expect(await data(`{ posts(status: DELETED, limit: 9) { id } postsCount(status: DELETED) }`, "bob")).toEqual({
      posts: [],
      postsCount: 0,
    });
  });

  test("is for authors and admins", async () => {
    expect(await codes(remove, "bob")).toEqual(["UNAUTHORIZED"]);
    expect(await codes(remove)).toEqual(["UNAUTHORIZED"]);
    expect(await codes(`mutation { deletePost(id: "2") { success } }`, "bob")).toEqual(["NOT_FOUND"]);
  });

  test("removes a scheduled post from the schedule", async () => {
    await data(`mutation { updatePost(id: "2", input: { publishAt: "2999-01-01T00:00:00Z" }) { id } }`, "ada");
    await data(`mutation { deletePost(id: "2") { success } }`, "ada");
    expect(await run("select status, publish_at from app_public.posts where id = 2")).toEqual([
      { status: "DELETED", publish_at: null },
    ]);
  });

  test("ends after 30 days by a job", async () => {
    await data(remove, "ada");
    const job = "select is_complete, rows from app_private.run_job('deleted_posts')";
    expect(await run(job)).toEqual([{ is_complete: true, rows: 0 }]);
    await run("update app_public.posts set deleted_at = now() - interval '31 days' where id = 1");
    expect(await run(job)).toEqual([{ is_complete: true, rows: 1 }]);
    expect(await wrong()).toEqual([]);
  });
});

describe("an embargo", () => {
  const embargo = (input: string) =>
    `mutation { updatePost(id: "1", input: {${input}}) { status publishAt embargoUntil } }`;
  const later = `"2999-01-01T00:00:00Z"`;
  const isPublic = () => run("select is_public from app_public.posts where id = 1");

  test("hides a published post from all but its author and admins, until it ends", async () => {
    const before = await data(everywhere, "bob");
    const until = expect.stringMatching(/^2999-01-01T00:00/);
    expect(await data(embargo(`embargoUntil: ${later}`), "ada")).toEqual({
      updatePost: { status: "DRAFT", publishAt: until, embargoUntil: until },
    });
    await expectHidden();
    for (const reader of ["ada", "admin"] as const) {
      expect(await data(`{ post(id: "1") { title } }`, reader)).toEqual({ post: { title: "Ada’s post" } });
    }
    // The embargo ends.
    await run("update app_public.posts set embargo_until = now() where id = 1");
    expect(await data(everywhere, "bob")).toEqual({
      ...before,
      feed: [{ title: "Ada’s post" }, { title: "Bob’s post" }],
    });
    expect(await wrong()).toEqual([]);
  });

  test("ends by the job that publishes due posts", async () => {
    await data(embargo(`embargoUntil: ${later}`), "ada");
    // As if the time had come: the columns are moved without triggers.
    await withClient(service.database.ownerUrl, (client) =>
      client.query(`begin; set local session_replication_role = replica;
        update app_public.posts set embargo_until = now(), publish_at = now() where id = 1; commit`),
    );
    expect(await run("select published from app_hidden.publish_due_posts()")).toEqual([{ published: 1 }]);
    expect(await isPublic()).toEqual([{ is_public: true }]);
    expect(await wrong()).toEqual([]);
  });

  test.each([`status: PUBLISHED`, `publishAt: "2030-01-01T00:00:00Z"`, `publishAt: "2020-01-01T00:00:00Z"`])(
    "is not shortened by %s",
    async (input) => {
      await data(embargo(`embargoUntil: ${later}`), "ada");
      expect(await data(embargo(input), "ada")).toMatchObject({ updatePost: { status: "DRAFT" } });
      expect(await isPublic()).toEqual([{ is_public: false }]);
    },
  );

  test("of a new post: subscribers hear of it when it ends", async () => {
    const create = `mutation { createPost(input: { title: "News", content: "Soon.", status: PUBLISHED, embargoUntil: ${later} }) { status } }`;
    expect(await data(create, "ada")).toEqual({ createPost: { status: "DRAFT" } });
    await run("delete from change_feed.stream_events");
    const events = `select row_id from change_feed.stream_events join change_feed.streams on streams.id = stream_id
      where relation = 'app_public.posts'::regclass and kind = 'added'`;
    expect(await run(events)).toEqual([]);
    await run("update app_public.posts set embargo_until = null where id = 6");
    expect(await run(events)).toEqual([{ row_id: "6" }]);
    expect(await data(`{ post(id: "6") { slug status } }`)).toEqual({ post: { slug: "news", status: "PUBLISHED" } });
  });

  test("leaves a draft a draft", async () => {
    await data(`mutation { updatePost(id: "2", input: { embargoUntil: ${later} }) { id } }`, "ada");
    await run("update app_public.posts set embargo_until = now() where id = 2");
    expect(await run("select status, publish_at from app_public.posts where id = 2")).toEqual([
      { status: "DRAFT", publish_at: null },
    ]);
  });
});

describe("a locale", () => {
  const create = (locale: string) =>
    `mutation { createPost(input: { title: "Moin", content: "Text.", status: PUBLISHED${locale} }) { slug locale } }`;

  test("has each slug once", async () => {
    expect(await data(create(""), "ada")).toEqual({ createPost: { slug: "moin", locale: "en" } });
    expect(await data(create(`, locale: "de"`), "bob")).toEqual({ createPost: { slug: "moin", locale: "de" } });
    expect(await data(create(`, locale: "de"`), "bob")).toEqual({ createPost: { slug: "moin-8", locale: "de" } });
    expect(await codes(`mutation { updatePost(id: "6", input: { locale: "de" }) { id } }`, "ada")).toEqual([
      "VALIDATION_ERROR",
    ]);
    expect(await codes(create(`, locale: "German"`), "ada")).toEqual(["VALIDATION_ERROR"]);
  });

  test("and a slug find a post that the viewer may see", async () => {
    await data(create(`, locale: "de"`), "bob");
    const find = (locale: string, slug: string) =>
      `{ postByLocaleAndSlug(locale: "${locale}", slug: "${slug}") { author { name } } }`;
    expect(await data(find("de", "moin"))).toEqual({ postByLocaleAndSlug: { author: { name: "Bob" } } });
    expect(await codes(find("en", "moin"))).toEqual(["NOT_FOUND"]);
    const draft = find("en", "ada-s-draft-2");
    expect(await data(draft, "ada")).toEqual({ postByLocaleAndSlug: { author: { name: "Ada" } } });
    expect(await codes(draft, "bob")).toEqual(["NOT_FOUND"]);
    expect(await data(`{ posts(locale: "de", limit: 9) { slug } }`)).toEqual({ posts: [{ slug: "moin" }] });
    // The field of clients that know no locale.
    expect(await data(`{ postBySlug(slug: "ada-s-post") { locale } }`)).toEqual({ postBySlug: { locale: "en" } });
  });
});
