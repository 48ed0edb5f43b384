import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type ExportOptions, exportRows } from "../../src/commands/transfer/exportRows.ts";
import { type Counts, type ImportOptions, importRows } from "../../src/commands/transfer/importRows.ts";
import { main } from "../../src/commands/transfer/main.ts";
import { openInput } from "../../src/commands/transfer/readRows.ts";
import type { Refusal } from "../../src/commands/transfer/rows.ts";
import { kinds } from "../../src/commands/transfer/tables.ts";
import { loadSampleContent } from "../../src/migrations/sampleContent.ts";
import type { HeldLock } from "../../tools/support/holdLock.ts";
import { holdLock } from "../../tools/support/holdLock.ts";
import type { Ended } from "../../tools/support/runCommand.ts";
import { type TestDatabase, useDatabase } from "../support/database.ts";
import { importOptions } from "./importOptions.ts";

/* Users, posts and comments travel from one database to another, in both formats, and files of other programs come in. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const source = useDatabase();
const target = useDatabase();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "content-service-transfer-"));
  // A DBA's own columns travel as well, and references of every kind.
  for (const { query } of [source, target]) {
    await query(`alter table app_public.posts add column if not exists details jsonb default '{}'`);
    await query(
      "alter table app_public.comments add column if not exists answered_id bigint references app_public.comments",
    );
    await query("select change_feed.stream('app_public.comments', 'post_id')");
  }
  await source.query(
    "set local app.is_import = on; truncate app_public.users restart identity cascade; set local app.is_import = off",
  );
  await loadSampleContent(source.ownerUrl);
  await source.query(`
    update app_private.accounts set verified_at = '2026-02-03 04:05:06.789012Z' where user_id = 2;
    update app_private.accounts set banned_at = '2026-02-03 04:05:06Z' where user_id = 5;
    update app_public.posts set details = '{"rating": 4.50, "large": 12345678901234567890, "list": [1, "two"]}' where id = 1;
    update app_public.posts set status = 'DRAFT' where id = 2;
    insert into app_public.posts (author_id, title, slug, content, excerpt, status) values
      (1, '007', 'a-number', E'\\n\\r\\n---\\nLine breaks.\\r\\n\\n', '- not: "a list" # é', 'DRAFT'),
      (1, 'He said --- "no": yes', 'quotes', '# Heading', E'Two\\nlines \\u2028--- "no": yes\\n---\\n', 'PUBLISHED'),
      (1, 'A ---', 'break', E'\\u2028---', E' \\n', 'PUBLISHED'),
      (2, 'Null', 'null', 'null', 'null', 'PUBLISHED'),
      (2, 'Con', 'con', 'A device.', '', 'PUBLISHED'),
      (3, 'پروتکل 日本語 Ελληνικά हिन्दी 🙂', 'پروتکل-日本語-ελληνικά-हिन्दी', E'Everything\\tin \\u0085 here 🙂 \\\\ "\\\\u0041"', 'x', 'PUBLISHED');
    insert into app_public.posts (author_id, title, slug, content) select 1, 'Long', repeat('長', 80) || '-' || n, 'Long' from generate_series(1, 2) n;
    delete from app_public.comments where id % 7 = 3;
    insert into app_public.comments (post_id, author_id, text, answered_id, created_at)
      select post_id, 1, 'In answer to ' || id, id, now() + id * interval '1 second' from app_public.comments order by id`);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() =>
  target.query(
    "set local app.is_import = on; truncate app_public.users, app_public.tags, app_public.audit_trail, change_feed.stream_events restart identity cascade; set local app.is_import = off",
  ),
);

async function withOwner<Result>(
  { ownerUrl }: TestDatabase,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

let exports = 0;
async function exportTo(
  database: TestDatabase,
  options: Partial<ExportOptions> = {},
  name = `export-${exports++}`,
): Promise<string> {
  const path = join(folder, name);
  const all: ExportOptions = { format: "ndjson", only: kinds, withPasswordHashes: true, ...options };
  await withOwner(database, (client) => exportRows(client, path, all));
  return path;
}

interface Imported {
  counts: Counts;
  refused: string[];
  refusals: Refusal[];
}

async function importFrom(
  path: string,
  options: Partial<ImportOptions> = {},
  onBatch = (_counts: Counts) => {},
): Promise<Imported> {
  const refusals: Refusal[] = [];
  const all = importOptions(options);
  const input = await openInput(path);
  const counts = await withOwner(target, (client) =>
    importRows(
      client,
      input,
      all,
      async (refusal) => void refusals.push(refusal),
      (_bytes, soFar) => onBatch(soFar),
    ),
  );
  return { counts, refusals, refused: refusals.map(({ file, line, reason }) => `${file}:${line}: ${reason}`) };
}

/** Each file below a folder, with its bytes. */
async function contentOf(path: string): Promise<Record<string, string>> {
  const names = (await stat(path)).isDirectory() ? await readdir(path) : [""];
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), "utf8")])),
  );
}

async function write(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function count(table: string): Promise<number> {
  const [row] = await target.query<{ count: number }>(`select count(*)::int from ${table}`);
  return row?.count ?? 0;
}

const known = { user: 0, post: 0, comment: 0 };
const importedOf = (counts: Counts) => Object.fromEntries(kinds.map((kind) => [kind, counts[kind].imported]));

describe("a round trip", () => {
  test.each(["ndjson", "markdown"] as const)(
    "gives the same bytes again, as %s, and a second import changes nothing",
    async (format) => {
      const first = await exportTo(source, { format });
      const { counts, refused } = await importFrom(first, { keepIds: true });
      expect(refused).toEqual([]);
      expect(importedOf(counts)["post"]).toBeGreaterThan(20);
      expect(await contentOf(await exportTo(target, { format }))).toEqual(await contentOf(first));

      const again = await importFrom(first, { keepIds: true });
      expect({ ...again, counts: importedOf(again.counts) }).toMatchObject({ counts: known, refused: [] });
      expect(await target.query("select * from app_private.check_derived_data()")).toEqual([]);
      const counted =
        "select key, sum(value)::int as rows from conventions.counter_shards where counter = 'posts.status' group by 1 order by 1";
      expect(await target.query(counted)).toEqual(
        await target.query(
          "select status::text as key, count(*)::int as rows from app_public.posts group by 1 order by 1",
        ),
      );
    },
  );

  test("gives new ids beside other rows, and answers stay with their comments", async () => {
    await target.query("insert into app_public.users (name) values ('Other')");
    const path = await exportTo(source, {}, "all.ndjson");
    const { refused } = await importFrom(path);
    expect(refused).toEqual([]);
    const answers = `
      select a.text as answer, c.text, p.slug from app_public.comments a join app_public.comments c on c.id = a.answered_id
        join app_public.posts p on p.id = a.post_id where c.post_id = a.post_id order by a.created_at`;
    const texts = (rows: Record<string, string>[]) => rows.map(({ text: said, slug }) => [said, slug]);
    expect(texts(await target.query(answers))).toEqual(texts(await source.query(answers)));
    const [user] = await target.query<{ id: string }>("select min(user_id) as id from app_private.accounts");
    expect(user?.id).toBe("2");
  });

  test("leaves password hashes out unless they are wanted, and only the owner can read the files", async () => {
    const without = await exportTo(source, { withPasswordHashes: false, only: ["user"] });
    expect(await readdir(without)).toEqual(["users.ndjson"]);
    expect((await contentOf(without))["users.ndjson"]).not.toMatch(/password|\$2a\$/);
    expect((await stat(without)).mode & 0o777).toBe(0o700);
    expect((await stat(join(without, "users.ndjson"))).mode & 0o777).toBe(0o600);
    const markdown = await exportTo(source, { format: "markdown" });
    const names = (await readdir(markdown)).sort();
    expect(names).toEqual(
      expect.arrayContaining(["a-number.md", "پروتکل-日本語-ελληνικά-हिन्दी.md", "users.ndjson", "comments.ndjson"]),
    );
    expect(names.filter((name) => /^con(--\d+)?\.md$/.test(name))).toEqual([expect.stringMatching(/^con--\d+\.md$/)]);
    expect(names.filter((name) => name.startsWith("長"))).toHaveLength(2);
    for (const name of names) expect((await stat(join(markdown, name))).mode & 0o777).toBe(0o600);
  });

  test.each(["ndjson", "markdown"] as const)("leaves out what is in the trash, as %s", async (format) => {
    const [row] = await source.query<{ id: string; author_id: string }>(
      "select posts.id, posts.author_id from app_public.posts join app_public.comments on post_id = posts.id where status = 'PUBLISHED' order by posts.id desc limit 1",
    );
    const { id, author_id } = row as { id: string; author_id: string };
    const before = await contentOf(await exportTo(source, { format }));
    await source.query(`set local app.viewer_id = '${author_id}'; select app_hidden.trash_post(${id})`);
    const inTrash = await contentOf(await exportTo(source, { format }));
    await source.query("delete from app_public.posts where id = $1", [id]);
    expect(inTrash).toEqual(await contentOf(await exportTo(source, { format })));
    expect(inTrash).not.toEqual(before);
  });

  test("no slug leaves the folder", async () => {
    await source.query(
      "alter table app_public.posts disable trigger user; alter table app_public.posts drop constraint posts_slug_check",
    );
    const [row] = await source.query<{ id: string; slug: string }>(
      "select id, slug from app_public.posts order by id desc limit 1",
    );
    await source.query("update app_public.posts set slug = '../../escaped' where id = $1", [row?.id]);
    const path = await exportTo(source, { format: "markdown" });
    expect(await readdir(path)).toContain(`post--${row?.id}.md`);
    const { refused } = await importFrom(path);
    expect(refused).toEqual([
      `post--${row?.id}.md:5: slug: A slug consists of lower-case letters and digits, with single hyphens between them.`,
    ]);
    await source.query("update app_public.posts set slug = $2 where id = $1", [row?.id, row?.slug]);
    await source.query("alter table app_public.posts enable trigger user");
  });

  test.each(["failed", "failed.ndjson"])("leaves nothing when it fails: %s", async (name) => {
    const before = await readdir(folder);
    const lock = await holdLock(source.ownerUrl, "lock app_public.posts");
    const options: ExportOptions = {
      format: name.endsWith(".ndjson") ? "ndjson" : "markdown",
      only: ["post"],
      withPasswordHashes: false,
    };
    const failed = withOwner(source, async (client) => {
      await client.query("set lock_timeout = '10ms'");
      return exportRows(client, join(folder, name), options);
    });
    await expect(failed).rejects.toThrow("lock timeout");
    await lock.release();
    expect(await readdir(folder)).toEqual(before);
  });

  test("tells no subscriber, keeps the times, and is in the audit trail", async () => {
    await importFrom(await exportTo(source, {}, "quiet.ndjson"));
    expect(await count("change_feed.stream_events")).toBe(0);
    expect(await count("app_public.audit_trail where table_name = 'comments'")).toBe(
      await count("app_public.comments"),
    );
    expect(await count("app_public.audit_trail where action = 'UPDATE'")).toBe(0);
    await target.query(
      "insert into app_public.comments (post_id, author_id, text) select id, author_id, 'Live' from app_public.posts limit 1",
    );
    expect(await count("change_feed.stream_events")).toBe(1);
  });
});

const line = (row: Record<string, unknown>) => `${JSON.stringify(row)}\n`;
const user = (name: string, fields = {}) =>
  line({ type: "user", name, email: `${name.toLowerCase()}@example.com`, ...fields });
const post = (slug: string, fields = {}) =>
  line({
    type: "post",
    author: "ada@example.com",
    title: slug,
    slug,
    content: "Text.",
    status: "PUBLISHED",
    ...fields,
  });

describe("rows that break a rule", () => {
  test("are listed with their line and the words of the API, and the others are imported", async () => {
    const rows: [row: string | Buffer, refusal?: RegExp][] = [
      [`\uFEFF${user("Ada").replace("\n", "\r\n")}`],
      ["\r\n"],
      [user("Ada")],
      [user("Bob", { email: "nonsense" }), /email: This does not look like an e-?mail/],
      [user("Cy", { email: undefined }), /email: This is required/],
      [user(" ", { email: "d@example.com" }), /name: /],
      [user("Eve", { role: "ROOT" }), /invalid input value for enum app_public.user_role: "ROOT"/],
      [user("Fay", { password_hash: "$2a$31$aaa" }), /password_hash: This is not a bcrypt hash/],
      ["not JSON\n", /The line is not a JSON object/],
      ["[1]\n", /The line is not a JSON object/],
      [line({ type: "tag", name: "x" }), /type: This is one of user, post, comment/],
      [Buffer.from([0xff, 0xfe, 0x0a]), /The line is not UTF-8/],
      [post("fine", { tags: ["One", "one", "two"] })],
      [post("fine")],
      [
        post("nul", { title: "a\0b", content: "" }),
        /title: Text cannot contain NUL.*; content: Content needs|content: Content needs.*title: Text cannot contain NUL/,
      ],
      [post("half", { content: "\ud800" }), /content: Text cannot contain NUL, a lone surrogate/],
      [
        post("marks", { content: `a${"\u0301".repeat(50)}` }),
        /content: Text cannot contain more than 30 combining marks/,
      ],
      [post("Not a slug"), /slug: A slug consists of/],
      [post("stranger", { author: "nobody@example.com" }), /author: No user has this email.*: nobody@example.com/],
      [post("nobodys", { author: null }), /author: This is required/],
      [
        post("date", { published_at: "yesterday-ish" }),
        /invalid input syntax for type timestamp with time zone: "yesterday-ish"/,
      ],
      [post("never", { published_at: "infinity" }), /published_at: This is no time/],
      ...["0001-01-01", "0044-03-15 BC", "1969-12-31T23:59:59Z", "9999-12-31"].map((date): [string, RegExp] => [
        post(`dated-${date}`.replaceAll(/[^\w-]/g, "").toLowerCase(), { published_at: date }),
        /published_at: A date lies between 1970-01-01 and ten years from now/,
      ]),
      [post("ever", { created_at: "-Infinity ", updated_at: "infinity" }), /created_at: .*updated_at: /],
      [user("Gil", { verified_at: "infinity" }), /verified_at: This is no time/],
      [post("tag", { tags: ["a".repeat(51)] }), /tags: A tag needs/],
      [post("tags", { tags: Array.from({ length: 16 }, (_, place) => `tag ${place}`) }), /tags: .*15/],
      [post("list", { tags: "a, b" }), /tags: This is a list of texts/],
      [post("unnamed", { slug: null }), /slug: This is required/],
      [`{"type":"post","content":"${"x".repeat(17_000_000)}"}\n`, /The line is longer than/],
      [`${"[".repeat(100_000)}\n`, /The line is not a JSON object/],
      [
        post("deep", { details: undefined }).replace("}\n", `,"details":${"[".repeat(20_000)}${"]".repeat(20_000)}}\n`),
        /stack depth|JSON object/,
      ],
      [post("tag-free", { author: "Ada", id: "a-uuid", listed_at: "nonsense", layout: "post" })],
      [line({ type: "comment", id: "c1", post: "fine", author: "ada@example.com", text: "First" })],
      [line({ type: "comment", id: "c2", post: "fine", author: "ada@example.com", text: "First" })],
      [
        line({ type: "comment", post: "none", author: "ada@example.com", text: "x" }),
        /post: No post has the slug none/,
      ],
      [line({ type: "comment", post: "fine", author: "ada@example.com", text: "" }), /text: /],
      [line({ type: "comment", post: "fine", author: "ada@example.com", text: "Yes", answered: "c1" })],
      [
        line({ type: "comment", post: "fine", author: "ada@example.com", text: "No", answered: "c9" }),
        /answered: No comment with the id c9/,
      ],
      [line({ type: "comment", post: "fine", author: "ada@example.com", text: "The end" }).trimEnd()],
    ];
    const path = await write("bad.ndjson", Buffer.concat(rows.map(([row]) => Buffer.from(row as string))));
    const { counts, refused } = await importFrom(path);
    const expected = rows.flatMap(([, refusal], place) => (refusal ? [{ line: place + 1, refusal }] : []));
    expect(refused.map((reason) => Number(reason.split(":")[1])).sort((a, b) => a - b)).toEqual(
      expected.map(({ line: number }) => number),
    );
    for (const { line: number, refusal } of expected) {
      expect(refused.find((reason) => reason.startsWith(`bad.ndjson:${number}:`))).toMatch(refusal);
    }
    expect(counts).toEqual({
      user: { imported: 1, known: 1 },
      post: { imported: 2, known: 1 },
      comment: { imported: 3, known: 1 },
    });
    expect(await target.query("select name from app_public.tags order by name")).toEqual([
      { name: "one" },
      { name: "two" },
    ]);
  });

  test("are few statements among many rows", async () => {
    const path = await write(
      "many.ndjson",
      user("Ada") +
        Array.from({ length: 400 }, (_, n) => post(`p-${n}-x`, n % 150 === 5 ? { title: "" } : {})).join(""),
    );
    const { counts, refused } = await importFrom(path);
    expect(counts.post.imported).toBe(397);
    expect(refused.map((reason) => reason.split(" ")[0])).toEqual([
      "many.ndjson:7:",
      "many.ndjson:157:",
      "many.ndjson:307:",
    ]);
  });

  test("leave nothing in a check", async () => {
    const path = await write(
      "check.ndjson",
      user("Ada") + post("one") + post("") + line({ type: "comment", post: "one", author: "Ada", text: "x" }),
    );
    const { counts, refused } = await importFrom(path, { isCheck: true });
    expect(importedOf(counts)).toEqual({ user: 1, post: 1, comment: 1 });
    expect(refused).toHaveLength(1);
    expect(await count("app_public.users")).toBe(0);
  });
});

test("Markdown of other programs is imported", async () => {
  await write(
    "blog/_posts/2020-01-02-hello-world.md",
    "---\r\ntitle: Hello, World\r\ntags: go sql\r\nlayout: post\r\n---\r\n\r\nText.\r\n",
  );
  await write("blog/_drafts/later.md", "---\ntitle: 1.10\nauthor: Ada\n---\nText.");
  await write(
    "blog/content/my-post/index.md",
    '\uFEFF---\ntitle: "Mine"\ndate: 2021-02-03T04:05:06+02:00\nlastmod: 2022-01-01\ndescription: Short\ntags: [2020, Été]\ndraft: false\n---\n\n    code\n',
  );
  await write("blog/content/_index.md", "A section.");
  await write("blog/content/hidden.markdown", "---\ntitle: Hidden\npublished: false\n---\nText.");
  await write("blog/content/no-front-matter.md", "# Title\n");
  await write("blog/content/toml.md", "+++\ntitle = 'x'\n+++\n");
  await write("blog/content/broken.md", "---\ntitle: ok\nslug: [a\n---\nText.");
  await write(
    "blog/content/bomb.md",
    `---\na: &a [x, x]\n${Array.from({ length: 9 }, (_, n) => `${"bcdefghij"[n]}: &${"bcdefghij"[n]} [*${"abcdefghi"[n]}, *${"abcdefghi"[n]}, *${"abcdefghi"[n]}]\n`).join("")}---\n`,
  );
  await write("blog/content/cycle.md", "---\ntitle: ok\ntags: &tags [*tags]\n---\nText.");
  await write(
    "blog/content/code.md",
    "---\ntitle: !!js/function 'function () { throw 1 }'\nslug: code\ntags: []\nexcerpt: ''\n---\nText.",
  );
  await write("blog/content/blank.md", "---\nlayout: post\ntitle: ''\n---\n\nText.");
  await write("blog/picture.png", "png");
  await target.query("insert into app_public.users (name) values ('Ada'), ('Twin'), ('Twin')");
  await target.query("insert into app_private.accounts (user_id, email) values (1, 'ada@example.com')");
  await write("blog/content/twin.md", "---\ntitle: Twin\nauthor: Twin\n---\nText.");

  const { counts, refused } = await importFrom(join(folder, "blog"), { author: "ADA@example.com" });
  expect(refused.sort()).toEqual([
    expect.stringMatching(/^content\/blank\.md:3: title: A title needs/),
    expect.stringMatching(/^content\/bomb\.md:1: The front matter is not YAML: Excessive alias/),
    expect.stringMatching(/^content\/broken\.md:[34]: The front matter is not YAML: /),
    "content/cycle.md:3: The front matter has an alias that contains itself.",
    "content/no-front-matter.md:1: The file does not begin with YAML front matter (---).",
    "content/toml.md:1: Front matter in TOML (+++) cannot be read. Write it in YAML (---).",
    "content/twin.md:3: author: No user has this email, or is the only one of this name: Twin",
  ]);
  expect(counts.post.imported).toBe(5);
  const rows = await target.query(`
    select slug, title, status, content, published_at::date::text as published_on, updated_at::date::text as updated_on,
           array(select name from app_public.post_tags join app_public.tags t on t.id = tag_id where post_id = posts.id order by position) as tags
      from app_public.posts order by slug`);
  expect(rows).toMatchObject([
    { slug: "code", title: "function () { throw 1 }" },
    {
      slug: "hello-world",
      title: "Hello, World",
      status: "PUBLISHED",
      content: "Text.\r\n",
      published_on: "2020-01-02",
      updated_on: "2020-01-02",
      tags: ["go", "sql"],
    },
    { slug: "hidden", status: "DRAFT" },
    { slug: "later", title: "1.10", status: "DRAFT" },
    {
      slug: "my-post",
      content: "    code\n",
      published_on: "2021-02-03",
      updated_on: "2022-01-01",
      tags: ["2020", "été"],
    },
  ]);
});

/** A batch has a thousand. */
function manyRows(count = 1_100, fields = {}): string {
  const posts = Array.from({ length: count }, (_, n) => post(`post-${n}-x`, fields)).join("");
  return user("Ada") + posts + line({ type: "comment", post: "post-7-x", author: "Ada", text: "x" });
}

/** Makes the second batch of manyRows() wait, until the lock is released: for a post that has the slug of one of its posts. */
async function holdSecondBatch(): Promise<HeldLock> {
  await target.query("insert into app_public.users (name) values ('Ada')");
  await target.query("insert into app_private.accounts (user_id, email) values (1, 'ada@example.com')");
  return target.hold(
    "insert into app_public.posts (author_id, title, slug, content) values (1, 'Same', 'post-1050-x', 'Text.')",
  );
}

test("a check keeps no writer of its tags waiting for longer than a batch", async () => {
  const path = await write("tags.ndjson", manyRows(1_100, { tags: ["new"] }));
  const lock = await holdSecondBatch();
  const checked = importFrom(path, { isCheck: true });
  await lock.somebodyWaits();
  // A deadlock, if the first batch still held its tags.
  await lock.run("insert into app_public.tags (name) values ('new')");
  await lock.release();
  expect((await checked).counts.post.imported).toBe(1_100);
});

describe("an import that is interrupted", () => {
  test("goes on after its connection is lost", async () => {
    const path = await write("lost.ndjson", manyRows());
    const lock = await holdSecondBatch();
    const lost = importFrom(path);
    const outcome = expect(lost).rejects.toThrow(/terminat/);
    await lock.somebodyWaits();
    await lock.run(
      "select pg_terminate_backend(pid) from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))",
    );
    await outcome;
    await lock.release();
    expect(await count("app_public.posts")).toBe(1_000);
    const { counts, refused } = await importFrom(path);
    expect(refused).toEqual([]);
    expect(counts.post).toEqual({ imported: 100, known: 1_000 });
    expect(await count("app_public.comments")).toBe(1);
  });

  test("ends after the batch under way when it is told to", async () => {
    const path = await write("stopped.ndjson", manyRows());
    const stop = new AbortController();
    await importFrom(path, { signal: stop.signal }, ({ post: { imported } }) => imported >= 1_000 && stop.abort());
    expect(await count("app_public.posts")).toBe(1_000);
    const { counts } = await importFrom(path);
    expect(counts.post).toEqual({ imported: 100, known: 1_000 });
  });
});

describe("the commands", () => {
  function run(script: string, args: string[], untilSignal?: () => Promise<void>) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, ["src/commands/transfer.ts", script, ...args], {
      cwd: root,
      env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: target.ownerUrl },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(
      ([stdout, stderr, [status]]): Omit<Ended, "output"> => ({ status: status as number | null, stdout, stderr }),
    );
    return { ended, signalled: untilSignal?.().then(() => child.kill("SIGINT")) };
  }

  /** Runs a command in this process, which takes a fraction of the time. */
  async function runHere(...args: string[]) {
    const { error, log } = console;
    let stderr = "";
    console.error = (text: string) => {
      stderr += text;
    };
    console.log = () => {};
    try {
      const status = await main(args, async () => ({ url: target.ownerUrl, close: async () => {} }));
      return { status, stderr };
    } finally {
      Object.assign(console, { error, log });
    }
  }

  test("import ends with 1 for refused rows, and their file can be corrected and imported", async () => {
    const path = await write(
      "commands.ndjson",
      `${user("Ada")}${post("one")}${post("two", { title: "" })}nonsense\u001b[31m\n`,
    );
    const first = await run("import", [path]).ended;
    expect(first).toMatchObject({
      status: 1,
      stdout: "1 users, 1 posts, 0 comments imported; 0 rows were there already; 2 refused\n",
    });
    expect(first.stderr).toContain("commands.ndjson:3: title: A title needs");
    expect(first.stderr).not.toContain("\u001b");
    const rejects = join(folder, "commands.rejects.ndjson");
    expect((await stat(rejects)).mode & 0o777).toBe(0o600);
    const lines = (await readFile(rejects, "utf8"))
      .trimEnd()
      .split("\n")
      .map((row) => JSON.parse(row));
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ slug: "two", rejected: expect.stringMatching(/^commands\.ndjson:3: title: /) }),
        { rejected: "commands.ndjson:4: The line is not a JSON object." },
      ]),
    );
    await writeFile(rejects, line({ ...lines.find(({ slug }) => slug), title: "Two" }));
    expect(await runHere("import", rejects)).toEqual({ status: 0, stderr: "" });
    expect(await count("app_public.posts")).toBe(2);
  });

  test("import stops at Ctrl-C, and goes on", async () => {
    const path = await write("signal.ndjson", manyRows(2_001));
    const lock = await holdSecondBatch();
    const interrupted = run("import", [path], () => lock.somebodyWaits());
    await interrupted.signalled;
    await lock.release();
    const { status, stderr } = await interrupted.ended;
    // A slow machine prints its progress before.
    expect({ status, stderr }).toEqual({
      status: 130,
      stderr: expect.stringMatching(/^(\d+% after .*\n)*Interrupted\. Run the command again to go on\.\n$/),
    });
    expect(await count("app_public.posts")).toBe(2_000);
    expect(await runHere("import", path)).toMatchObject({ status: 0 });
    expect(await count("app_public.posts")).toBe(2_001);
  });

  test("a wrong command line ends with 2, and a used target is refused", async () => {
    const nothing = await runHere("import");
    const option = await runHere("import", "x", "--wrong");
    const format = await runHere("export", "x", "--format", "csv");
    const used = await runHere("export", folder);
    expect(nothing).toMatchObject({ status: 2, stderr: expect.stringContaining("Usage: npm run import") });
    expect(option).toMatchObject({ status: 2, stderr: expect.stringContaining("'--wrong'") });
    expect(format).toMatchObject({ status: 2, stderr: expect.stringContaining("--format is ndjson or markdown") });
    expect(used).toMatchObject({ status: 1, stderr: expect.stringContaining("is not empty. Name a new folder.") });
  });
});
