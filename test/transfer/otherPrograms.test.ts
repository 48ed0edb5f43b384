import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { toMarkdown } from "../../src/commands/transfer/html.ts";
import { type ImportOptions, importRows } from "../../src/commands/transfer/importRows.ts";
import { Notes } from "../../src/commands/transfer/Notes.ts";
import { openInput, readRows } from "../../src/commands/transfer/readRows.ts";
import { kinds } from "../../src/commands/transfer/tables.ts";
import { heapInUse } from "../memory/support/heap.ts";
import { useDatabase } from "../support/database.ts";
import { importOptions } from "./importOptions.ts";

/* What WordPress and Ghost export comes in, also twice, and hostile files harm nothing. */
const target = useDatabase();
let folder: string;
/** Of all imports, which leave only temporary tables on it. */
let client: pg.Client;
let listed: string[] = [];

beforeAll(async () => {
  client = new pg.Client({ connectionString: target.ownerUrl });
  await client.connect();
  target.ends.defer(() => client.end());
  folder = await mkdtemp(join(tmpdir(), "content-service-exports-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function empty(): Promise<void> {
  listed = [];
  await target.query(
    "set local app.is_import = on; truncate app_public.users, app_public.tags, app_public.audit_trail restart identity cascade; set local app.is_import = off",
  );
}

async function importText(name: string, content: string | Buffer, options: Partial<ImportOptions> = {}) {
  const path = join(folder, name);
  await writeFile(path, content);
  const refused: string[] = [];
  const notes = new Notes((line) => listed.push(line), 100);
  const all = importOptions({ notes, ...options });
  const input = await openInput(path);
  await client.query("discard temp");
  const counts = await importRows(
    client,
    input,
    all,
    async ({ line, reason }) => void refused.push(`${line}: ${reason}`),
    () => {},
  );
  const numbers = (key: "imported" | "known") => kinds.map((kind) => counts[kind][key]);
  return { imported: numbers("imported"), known: numbers("known"), refused, summary: notes.summary() };
}

const posts = (columns: string) =>
  target.query(
    `select slug, ${columns} from app_public.posts as p join app_public.users as u on u.id = author_id order by slug`,
  );
const comments = () =>
  target.query(`
    select c.text, u.name, r.text as reply_to, c.created_at from app_public.comments as c join app_public.users as u on u.id = c.author_id
      left join app_public.comments as r on r.id = c.reply_to_id order by c.created_at`);
const tagsOf = `array(select t.name from app_public.post_tags join app_public.tags as t on t.id = tag_id where post_id = p.id order by position) as tags`;

const cdata = (text: string) => `<![CDATA[${text}]]>`;
const element = (name: string, text: string) => `<${name}>${cdata(text)}</${name}>`;

function wxr(body: string, version = "1.2"): string {
  return `<?xml version="1.0" encoding="UTF-8" ?>
<!-- generator="WordPress/6.4" -->
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/${version}/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/${version}/">
<channel>
<title>A &amp; B</title>
<wp:wxr_version>${version}</wp:wxr_version>
${body}
</channel>
</rss>
`;
}

const ada = `<wp:author><wp:author_id>2</wp:author_id>${element("wp:author_login", "ada")}${element("wp:author_email", "ada@example.com")}${element("wp:author_display_name", "Ada &amp; Co")}</wp:author>`;

interface Fields {
  title?: string;
  slug?: string;
  content?: string;
  status?: string;
  date?: string;
  gmt?: string;
  more?: string;
  creator?: string;
}

function item(
  id: number | string,
  { title = `Post ${id}`, slug = `post-${id}`, content = "Text.", status = "publish", ...fields }: Fields = {},
): string {
  const { date = "2020-01-02 05:04:05", gmt = "2020-01-02 03:04:05", more = "", creator = "ada" } = fields;
  return `<item>
${element("title", title)}
${element("dc:creator", creator)}
<content:encoded>${cdata(content)}</content:encoded>
<wp:post_id>${id}</wp:post_id>
<wp:post_date>${date}</wp:post_date>
<wp:post_date_gmt>${gmt}</wp:post_date_gmt>
${element("wp:post_name", slug)}
${element("wp:status", status)}
${more.includes("wp:post_type") ? "" : element("wp:post_type", "post")}
${more}
</item>
`;
}

function comment(id: number, text: string, fields: Record<string, string | number> = {}): string {
  const all = {
    id,
    author: "Guest",
    author_email: "guest@example.com",
    date_gmt: `2020-01-03 00:00:${10 + id}`,
    content: text,
    approved: 1,
    type: "",
    parent: 0,
    user_id: 0,
    ...fields,
  };
  return `<wp:comment>${Object.entries(all)
    .map(([name, value]) => element(`wp:comment_${name}`, String(value)))
    .join("")}</wp:comment>`;
}

describe("WordPress", () => {
  beforeEach(empty);

  const whole = wxr(`${ada}
${item(1, {
  title: "Caf&#233; &amp; <em>more</em>",
  slug: "%e6%97%a5%e6%9c%ac",
  content:
    '<!-- wp:paragraph -->\n<p>Hi <strong>you</strong> &lt;script&gt;</p>\n<!-- /wp:paragraph -->\n<!-- wp:latest-posts /-->\n<script>evil()</script>\n<img src="https://example.com/a.png" alt="A">',
  more: `${element("excerpt:encoded", "Short &amp; sweet")}${element("wp:post_modified_gmt", "2021-01-01 00:00:00")}
<category domain="post_tag" nicename="go"><![CDATA[Go &amp; Co]]></category><category domain="category" nicename="news"><![CDATA[News]]></category>
<category domain="category" nicename="uncategorized"><![CDATA[Uncategorized]]></category><category domain="post_format" nicename="x"><![CDATA[Aside]]></category>
${comment(3, "To a reply", { parent: 2 })}${comment(1, "First\nline <a href='https://example.com'>link</a> 2 * 3")}${comment(2, "By Ada", { parent: 1, user_id: 2 })}
<wp:postmeta>${element("wp:meta_key", "_thumbnail_id")}${element("wp:meta_value", "12")}</wp:postmeta>${comment(4, "Spam", { approved: "spam" })}${comment(5, "Waiting", { approved: 0 })}${comment(6, "Ping", { type: "pingback" })}
${comment(7, "To spam", { parent: 4, author: "", author_email: "Other@example.com" })}${comment(8, "Nobody", { author_email: "" })}
${comment(9, "As Ada", { author_email: "ADA@example.com" })}${comment(1, "Again")}`,
})}
${item(2, { content: "One\ntwo\n\n[caption id='1']<img src='/p.jpg'> Words[/caption]\n\n[gallery ids='1,2']\n<iframe src='https://video.example/1'></iframe>" })}
${item(3, { slug: "post-2", status: "draft", gmt: "0000-00-00 00:00:00", date: "2020-05-06 12:00:00" })}
${item(4, { slug: "", title: "Ein Entwurf", status: "pending", gmt: "-0001-11-30 00:00:00", date: "0000-00-00 00:00:00" })}
${item(5, { status: "future", gmt: "2999-01-01 00:00:00", date: "2999-01-01 02:00:00" })}
${item(6, { status: "future" })}
${item(7, { status: "private" })}
${item(8, { more: element("wp:post_password", "secret") })}
${item(9, { status: "odd", title: "" })}
${item(10, { status: "trash" })}
${item(11, { more: element("wp:post_type", "page") })}${item(12, { more: element("wp:post_type", "attachment") })}${item(13, { more: element("wp:post_type", "nav_menu_item") })}
${item(14, { slug: "A_b--C-" })}
${item(2)}
${item(15, { creator: "nobody" })}
${item(16, { more: Array.from({ length: 17 }, (_, n) => `<category domain="post_tag" nicename="t"><![CDATA[Tag ${n === 3 ? "x".repeat(51) : n}]]></category>`).join("") })}
`).replace("</channel>", `${item(17, { gmt: "2020-13-01 00:00:00" })}</channel>`);

  test("comes in whole, and a second import adds nothing", async () => {
    const first = await importText("site.xml", whole);
    expect(first.refused).toEqual([
      expect.stringContaining("author: No user has this email, or is the only one of this name: nobody"),
      expect.stringContaining('date/time field value out of range: "2020-13-01T00:00:00Z"'),
      expect.stringContaining("author: The comment has no email."),
      expect.stringContaining("author: A visitor who was not signed in gave the email of a user."),
    ]);
    expect(first.imported).toEqual([3, 11, 4]);
    expect(
      await posts(
        `title, status, content, excerpt, u.name, published_at, publish_at is not null as is_scheduled, p.created_at, ${tagsOf}`,
      ),
    ).toMatchObject([
      { slug: "a-b-c" },
      { slug: "ein-entwurf-4", status: "DRAFT" },
      { slug: "post-16", tags: expect.arrayContaining(["tag 0", "tag 15"]) },
      {
        slug: "post-2",
        content: "One  \ntwo\n\n![](/p.jpg) Words\n\n\\[gallery ids='1,2'\\]\n\n<https://video.example/1>",
      },
      { slug: "post-2-3", status: "DRAFT", created_at: new Date("2020-05-06T10:00:00Z") },
      { slug: "post-5", status: "DRAFT", is_scheduled: true },
      { slug: "post-6", status: "PUBLISHED", published_at: new Date("2020-01-02T03:04:05Z") },
      { slug: "post-7", status: "DRAFT" },
      { slug: "post-8", status: "DRAFT" },
      { slug: "post-9", status: "DRAFT", title: "Untitled" },
      {
        slug: "日本",
        title: "Café & more",
        status: "PUBLISHED",
        content: "Hi **you** \\<script>\n\n ![A](https://example.com/a.png)",
        excerpt: "Short & sweet",
        name: "Ada & Co",
        published_at: new Date("2020-01-02T03:04:05Z"),
        tags: ["go & co", "news"],
      },
    ]);
    expect(await comments()).toMatchObject([
      {
        text: "First  \nline [link](https://example.com) 2 * 3",
        name: "Guest",
        reply_to: null,
        created_at: new Date("2020-01-03T00:00:11Z"),
      },
      { text: "By Ada", name: "Ada & Co", reply_to: expect.stringContaining("First") },
      { text: "To a reply", reply_to: expect.stringContaining("First") },
      { text: "To spam", name: "Other", reply_to: null },
    ]);
    expect(first.summary).toEqual(
      expect.arrayContaining([
        "4 × HTML that Markdown has no form for",
        "1 × replies to a reply are replies to the first comment",
        "1 × replies to a comment that is left out are comments",
        "1 × private posts are drafts",
        "1 × posts with a password are drafts",
        "1 × posts of an unknown status are drafts",
        "1 × slugs that an earlier post of the file has get the id of the post",
        "1 × a post keeps its first 15 tags",
        expect.stringMatching(
          /^Left out: 1 featured pictures, 1 of taxonomy post_format, 1 comments of status spam, 1 comments that wait for approval, 1 pingbacks, 1 repetitions of comments, 1 posts of status trash, 1 pages, 1 attachments, 1 menu items, 1 repetitions of posts$/,
        ),
      ]),
    );
    const lineOf = (text: string) => whole.slice(0, whole.indexOf(text)).split("\n").length;
    expect(listed).toEqual(
      expect.arrayContaining([
        `site.xml:${lineOf("<!-- wp:latest-posts")}: note: The block latest-posts has no text, and is left out.`,
        `site.xml:${lineOf("[gallery")}: note: The shortcode [gallery] is kept as text.`,
        `site.xml:${lineOf("<iframe")}: note: <iframe> is kept as its address.`,
      ]),
    );

    const again = await importText("site.xml", whole);
    expect(again).toMatchObject({ imported: [0, 0, 0], known: [3, 11, 4], refused: first.refused });
    const more = whole.replace("</channel>", `${item(18)}</channel>`);
    expect(await importText("site.xml", more)).toMatchObject({ imported: [0, 1, 0] });
    const [account] = await target.query("select email, password_hash from app_private.accounts order by user_id");
    expect(account).toEqual({ email: "ada@example.com", password_hash: null });
    await target.query("select app_public.request_password_reset('ada@example.com')");
    expect(await target.query("select kind, email from app_private.mail_outbox where token is not null")).toEqual([
      { kind: "RESET_PASSWORD", email: "ada@example.com" },
    ]);
  });

  test("says in a check what would happen, and writes nothing", async () => {
    const check = await importText("site.xml", whole, { isCheck: true });
    expect(await posts("title")).toEqual([]);
    expect(check).toEqual(await importText("site.xml", whole));
  });

  test.each(["1.0", "1.1"])("version %s, without authors, needs --author", async (version) => {
    const old = wxr(
      item(1, {
        more: '<category><![CDATA[News]]></category><category domain="category" nicename="news"><![CDATA[News]]></category><category domain="tag" nicename="b"><![CDATA[B]]></category>',
      }),
      version,
    );
    expect((await importText("old.xml", old)).refused).toEqual([
      expect.stringMatching(/^\d+: author: No user has this email/),
    ]);
    await target.query("insert into app_public.users (name) values ('Ada')");
    await target.query(
      "insert into app_private.accounts (user_id, email) select id, 'ada@example.com' from app_public.users",
    );
    expect(await importText("old.xml", old, { author: "ada@example.com" })).toMatchObject({
      imported: [0, 1, 0],
      refused: [],
    });
    expect(await posts(tagsOf)).toEqual([{ slug: "post-1", tags: ["news", "b"] }]);
  });

  const bomb = `<?xml version="1.0"?>\n<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">${"bcdefghi".replace(/./g, (name) => `<!ENTITY ${name} "${`&${String.fromCharCode(name.charCodeAt(0) - 1)};`.repeat(10)}">`)}]>\n`;
  test.each<[name: string, text: string | Buffer, imported: number, refused: RegExp[]]>([
    [
      "an entity bomb",
      wxr(ada + item(1, { title: "&i;" })).replace(/^<\?xml.*\n/, bomb),
      0,
      [/^2: The file has a document type/],
    ],
    [
      "an external entity",
      wxr(ada).replace(/^<\?xml.*\n/, '<!DOCTYPE rss SYSTEM "file:///etc/passwd">\n'),
      0,
      [/^1: The file has a document type/],
    ],
    [
      "a cut file",
      wxr(ada + item(1) + item(2)).replace(/(Post 2).*/s, "$1"),
      1,
      [/^21: The file ends in the middle of the export/],
    ],
    [
      "a broken file",
      wxr(ada + item(1) + item(2)).replace(
        "</item>\n<item>\n<title><![CDATA[Post 2",
        "</item>\n<item>\n</title><![CDATA[Post 2",
      ),
      1,
      [/^21: This is not XML: Unexpected close tag/],
    ],
    [
      "elements nested without end",
      wxr(ada + item(1) + item(2, { more: `${"<a>".repeat(1_000)}${"</a>".repeat(1_000)}` })),
      1,
      [/^\d+: Elements are nested deeper than 100/],
    ],
    [
      "elements without number",
      wxr(ada + item(1, { more: Array.from({ length: 170_000 }, (_, n) => `<x${n}/>`).join("") }) + item(2)),
      1,
      [/^8: The item has more than 16000000/],
    ],
    [
      "names of every object",
      wxr(
        ada +
          item(1, { more: "<constructor><x>1</x></constructor><__proto__>2</__proto__>" }) +
          item(2, { more: element("wp:post_type", "constructor") }),
      ),
      1,
      [],
    ],
    [
      "another encoding",
      wxr(ada + item(1)).replace("UTF-8", "ISO-8859-1"),
      0,
      [/^1: The file is in ISO-8859-1. Write it in UTF-8/],
    ],
    ["bytes that are no UTF-8", Buffer.from(wxr(ada + item(1, { title: "caf\u00e9" })), "latin1"), 1, []],
    ["control characters", wxr(ada + item(1, { title: "a\u0007b", content: "c\0\u0008d" })), 1, []],
    ["an unknown entity", wxr(ada + item(1)).replace(cdata("Post 1"), "A &nope; B"), 1, []],
    [
      "a post that is too large",
      wxr(ada + item(1, { content: "x".repeat(16_100_000) }) + item(2)),
      1,
      [/^8: The item has more than 16000000 characters/],
    ],
    [
      "a post longer than the service keeps",
      wxr(ada + item(1, { content: "x".repeat(200_000) }) + item(2)),
      1,
      [/^11: content: Content needs between 1 and 100000/],
    ],
    ["nested elements", wxr(ada + item(1, { content: `${"<div><b id=x>".repeat(20_000)}deep` })), 1, []],
    ["dates of no calendar", wxr(ada + item(1, { gmt: "0000-00-00 00:00:00", date: "0000-00-00 00:00:00" })), 1, []],
    [
      "comments in a circle",
      wxr(ada + item(1, { more: comment(1, "a", { parent: 2 }) + comment(2, "b", { parent: 1 }) })),
      1,
      [],
    ],
  ])("%s", async (name, text, imported, refused) => {
    const result = await importText("hostile.xml", text);
    expect(result.refused).toEqual(refused.map((reason) => expect.stringMatching(reason)));
    expect([name, result.imported[1]]).toEqual([name, imported]);
  });
});

describe("Ghost", () => {
  beforeEach(empty);

  const data: Record<string, Record<string, unknown>[]> = {
    // Before and after what they refer to.
    comments: [
      {
        id: "c3",
        post_id: "p1",
        member_id: "m1",
        parent_id: "c1",
        html: "<p>Reply</p>",
        status: "published",
        created_at: "2023-01-04T00:00:03.000Z",
      },
      {
        id: "c1",
        post_id: "p1",
        member_id: "m1",
        parent_id: null,
        html: "<p>First</p><p>two</p>",
        status: "published",
        created_at: "2023-01-04T00:00:01.000Z",
      },
      {
        id: "c2",
        post_id: "p1",
        member_id: "m1",
        parent_id: "c3",
        html: "<p>Deep</p>",
        status: "published",
        created_at: "2023-01-04T00:00:04.000Z",
      },
      {
        id: "c4",
        post_id: "p1",
        member_id: "m1",
        parent_id: null,
        html: "<p>Hidden</p>",
        status: "hidden",
        created_at: "2023-01-04T00:00:05.000Z",
      },
      {
        id: "c5",
        post_id: "p1",
        member_id: "m1",
        parent_id: "c4",
        html: "<p>To hidden</p>",
        status: "published",
        created_at: "2023-01-04T00:00:06.000Z",
      },
      {
        id: "c6",
        post_id: "p9",
        member_id: "m1",
        parent_id: null,
        html: "<p>On a page</p>",
        status: "published",
        created_at: "2023-01-04T00:00:07.000Z",
      },
      {
        id: "c7",
        post_id: "p1",
        member_id: "gone",
        parent_id: null,
        html: "<p>Gone</p>",
        status: "published",
        created_at: "2023-01-04T00:00:08.000Z",
      },
    ],
    members: [
      { id: "m1", email: "mia@example.com", name: "Mia" },
      { id: "m2", email: "reads@example.com", name: "Reads" },
    ],
    posts: [
      {
        id: "p1",
        title: "A <b> & c",
        slug: "first",
        html: '<p>Hi <a href="__GHOST_URL__/x/">x</a></p><!--kg-card-begin: html--><iframe src="https://video.example/1"></iframe><!--kg-card-end: html-->',
        status: "published",
        visibility: "public",
        feature_image: "__GHOST_URL__/content/images/a.png",
        custom_excerpt: "E",
        published_at: "2023-01-02T03:04:05.000Z",
        created_at: "2023-01-01T00:00:00.000Z",
        updated_at: "2023-02-01T00:00:00.000Z",
        type: "post",
      },
      {
        id: "p2",
        title: "Lexical",
        slug: "lexical",
        html: null,
        lexical: JSON.stringify({
          root: {
            type: "root",
            children: [
              { type: "extended-heading", tag: "h2", children: [{ type: "extended-text", text: "Head" }] },
              {
                type: "paragraph",
                children: [
                  { type: "extended-text", text: "a < b", format: 1 },
                  { type: "link", url: "https://example.com", children: [{ type: "extended-text", text: "link" }] },
                ],
              },
              {
                type: "list",
                listType: "bullet",
                children: [{ type: "listitem", children: [{ type: "text", text: "one" }] }],
              },
              { type: "image", src: "https://example.com/p.png", alt: "P" },
              { type: "codeblock", code: "x = 1\n", language: "js" },
              { type: "constructor", title: "Kept" },
            ],
          },
        }),
        status: "draft",
        created_at: "2023-01-01T00:00:00.000Z",
        type: "post",
      },
      {
        id: "p3",
        title: "Mobiledoc",
        slug: "mobiledoc",
        mobiledoc: JSON.stringify({
          version: "0.3.1",
          atoms: [["soft-return", "", {}]],
          cards: [
            ["image", { src: "https://example.com/m.png" }],
            ["markdown", { markdown: "raw *text*" }],
          ],
          markups: [["strong"], ["a", ["href", "https://example.com"]]],
          sections: [
            [1, "h3", [[0, [], 0, "Head"]]],
            [
              1,
              "p",
              [
                [0, [0, 1], 2, "both"],
                [1, [], 0, 0],
                [0, [], 0, "end"],
              ],
            ],
            [3, "ol", [[[0, [], 0, "one"]]]],
            [10, 0],
            [10, 1],
          ],
        }),
        status: "published",
        published_at: "2017-09-01 12:17:44",
        created_at: 1504268264000,
        author_id: "u2",
        type: "post",
      },
      {
        id: "p4",
        title: "Paid",
        slug: "paid",
        html: "<p>Paid</p>",
        status: "published",
        visibility: "paid",
        published_at: "2023-01-02T03:04:05.000Z",
        type: "post",
      },
      {
        id: "p5",
        title: "Mail",
        slug: "mail",
        html: "<p>Mail</p>",
        status: "sent",
        published_at: "2023-01-02T03:04:05.000Z",
        type: "post",
      },
      {
        id: "p6",
        title: "Later",
        slug: "later",
        html: "<p>Later</p>",
        status: "scheduled",
        published_at: "2999-01-02T03:04:05.000Z",
        type: "post",
      },
      { id: "p9", title: "About", slug: "about", html: "<p>Page</p>", status: "published", type: "page" },
      { id: "p10", title: "Old page", slug: "old-about", html: "<p>Page</p>", status: "published", page: 1 },
    ],
    posts_authors: [
      { id: "x1", post_id: "p1", author_id: "u2", sort_order: 1 },
      { id: "x2", post_id: "p1", author_id: "u1", sort_order: 0 },
      ...["p2", "p4", "p5", "p6"].map((post_id) => ({ id: `x-${post_id}`, post_id, author_id: "u1", sort_order: 0 })),
    ],
    posts_tags: [
      { id: "y1", post_id: "p1", tag_id: "t2", sort_order: 1 },
      { id: "y2", post_id: "p1", tag_id: "t1", sort_order: 0 },
      { id: "y3", post_id: "p1", tag_id: "t3", sort_order: 2 },
    ],
    settings: [{ id: "s", key: "title", value: 'A "}]\\" trap' }],
    tags: [
      { id: "t1", name: "News" },
      { id: "t2", name: "Go" },
      { id: "t3", name: "#internal" },
    ],
    users: [
      {
        id: "u1",
        name: "Ada",
        email: "ada@example.com",
        password: "$2a$10$secret",
        bio: "Writes.",
        profile_image: "__GHOST_URL__/a.png",
        created_at: "2020-01-01T00:00:00.000Z",
      },
      { id: "u2", name: "Bob", email: "bob@example.com", created_at: "2020-01-01T00:00:00.000Z" },
    ],
  };
  const exported = (version: string, tables = data) => ({
    db: [{ meta: { exported_on: 1_700_000_000_000, version }, data: tables }],
  });

  test.each<[string, (value: unknown) => string, boolean]>([
    ["3.42.0 on one line", (value) => JSON.stringify(value), true],
    ["5.75.0 over lines", (value) => JSON.stringify(value, null, 2), true],
    ["6.0.0 without db", (value) => `\uFEFF${JSON.stringify((value as { db: unknown[] }).db[0])}`, false],
  ])("%s comes in whole, and a second import adds nothing", async (version, write, isOrdered) => {
    const tables = isOrdered ? data : Object.fromEntries(Object.entries(data).reverse());
    const text = write(exported(version, tables));
    const options = { site: "https://blog.example" };
    const check = await importText("ghost.json", text, { ...options, isCheck: true });
    expect(await posts("title")).toEqual([]);
    const first = await importText("ghost.json", text, options);
    expect(first).toEqual(check);
    expect(first.refused).toEqual([
      expect.stringContaining("author: The member who wrote the comment is not in the file."),
    ]);
    expect(first.imported).toEqual([3, 6, 4]);
    expect(
      await posts(
        `title, status, content, excerpt, u.name, published_at, publish_at is not null as is_scheduled, p.created_at, updated_at, ${tagsOf}`,
      ),
    ).toMatchObject([
      {
        slug: "first",
        title: "A <b> & c",
        content:
          "![](https://blog.example/content/images/a.png)\n\nHi [x](https://blog.example/x/)\n\n<https://video.example/1>",
        excerpt: "E",
        name: "Ada",
        status: "PUBLISHED",
        published_at: new Date("2023-01-02T03:04:05Z"),
        created_at: new Date("2023-01-01T00:00:00Z"),
        updated_at: new Date("2023-02-01T00:00:00Z"),
        tags: ["news", "go"],
      },
      { slug: "later", status: "DRAFT", is_scheduled: true },
      {
        slug: "lexical",
        content:
          "## Head\n\n**a \\< b**[link](https://example.com)\n\n-   one\n\n![P](https://example.com/p.png)\n\n```js\nx = 1\n```\n\nKept",
        status: "DRAFT",
      },
      { slug: "mail", status: "DRAFT" },
      {
        slug: "mobiledoc",
        content:
          "### Head\n\n**[both](https://example.com)**  \nend\n\n1.  one\n\n![](https://example.com/m.png)\n\nraw \\*text\\*",
        name: "Bob",
        published_at: new Date("2017-09-01T12:17:44Z"),
        created_at: new Date(1_504_268_264_000),
      },
      { slug: "paid", status: "DRAFT" },
    ]);
    expect(await comments()).toMatchObject([
      { text: "First\n\ntwo", name: "Mia", reply_to: null },
      { text: "Reply", reply_to: "First\n\ntwo" },
      { text: "Deep", reply_to: "First\n\ntwo" },
      { text: "To hidden", reply_to: null },
    ]);
    expect(first.summary).toEqual(
      expect.arrayContaining([
        "1 × posts for members are drafts",
        "1 × posts that were only mailed are drafts",
        "1 × posts of several authors are of the first",
        "1 × replies to a reply are replies to the first comment",
        "Left out: 2 pages, 1 comments of status hidden, 1 comments on what is left out",
      ]),
    );
    const again = await importText("ghost.json", text, options);
    expect(again).toMatchObject({ imported: [0, 0, 0], known: [3, 6, 4] });
    expect(await target.query("select name, avatar, bio from app_public.users where name = 'Ada'")).toEqual([
      { name: "Ada", avatar: "https://blog.example/a.png", bio: "Writes." },
    ]);
    expect(await target.query("select from app_private.accounts where password_hash is not null")).toEqual([]);
  });

  test("addresses without --site are counted", async () => {
    const { summary } = await importText("ghost.json", JSON.stringify(exported("5.0")));
    expect(summary).toContain("1 × links and pictures lack the address of the site: give it with --site");
  });

  const [user] = data["users"] as [Record<string, unknown>];
  const post = (id: string, fields = {}) => ({
    id,
    title: id,
    slug: id,
    html: "<p>x</p>",
    status: "published",
    author_id: "u1",
    ...fields,
  });
  const small = (...rows: unknown[]) => JSON.stringify(exported("5.0", { posts: rows as never, users: [user] }));
  test.each<[name: string, text: string | Buffer, imported: number, refused: RegExp[]]>([
    ["rows that are no objects", small(1, null, [post("in-an-array")], post("a"), "text"), 1, []],
    [
      "a row that is no JSON",
      small(post("a"), post("b")).replace('"title":"a"', "title:a"),
      1,
      [/^1: The row is not JSON/],
    ],
    [
      "a row that is too large",
      small(post("a", { html: "x".repeat(16_100_000) }), post("b")),
      1,
      [/^1: The row is longer than 16000000 bytes/],
    ],
    [
      "bytes that are no UTF-8",
      Buffer.from(small(post("a", { title: "caf\u00e9" }), post("b")), "latin1"),
      1,
      [/^1: The row is not UTF-8/],
    ],
    [
      "NUL and half a character",
      small(post("a", { title: "a\0b" }), post("b", { slug: "x\ud800y" }), post("c", { html: "<p>a\u0007b\0</p>" })),
      2,
      [/^1: title: Text cannot contain NUL/],
    ],
    [
      "nested brackets",
      small(post("a", { codeinjection_head: "[".repeat(9) })).replace(
        '"html"',
        `"deep":${"[".repeat(100_000)}${"]".repeat(100_000)},"html"`,
      ),
      1,
      [],
    ],
    ["repeated ids and slugs", small(post("a"), post("a"), post("b", { slug: "a" }), post("b", { slug: "c" })), 3, []],
    [
      "dates of no calendar",
      small(
        post("a", { published_at: "0000-00-00 00:00:00" }),
        post("b", { published_at: 9e15 }),
        post("c", { published_at: {} }),
      ),
      2,
      [/^1: invalid input syntax|^1: date\/time field/],
    ],
    [
      "keys of every object",
      small(post("a")).replace('"posts"', '"__proto__":[{"id":1}],"constructor":[{}],"posts"'),
      1,
      [],
    ],
    [
      "documents of editors that are none",
      small(
        post("a", { html: null, lexical: "{" }),
        post("b", { html: null, mobiledoc: '{"sections":[[1,"p",[[0,[9],9,"kept"]]],[10,99],null]}' }),
      ),
      2,
      [],
    ],
  ])("%s", async (name, text, imported, refused) => {
    const result = await importText("hostile.json", text);
    expect(result.refused).toEqual(refused.map((reason) => expect.stringMatching(reason)));
    expect([name, result.imported[1]]).toEqual([name, imported]);
  });

  test.each([
    ["cut", small(post("a"), post("b")).slice(0, -30)],
    ["without matching brackets", `${small(post("a")).slice(0, -2)}}}`],
  ])("%s, nothing of a file is imported", async (_, text) => {
    await expect(importText("cut.json", text)).rejects.toThrow(
      /cut\.json ends in the middle of the export, or its brackets do not match/,
    );
    expect(await posts("title")).toEqual([]);
  });
});

test.each([
  ["feed.xml", '<rss version="2.0"><channel></channel></rss>'],
  ["package.json", '{"name":"x"}'],
])("%s is no export", async (name, text) => {
  await expect(importText(name, text)).rejects.toThrow(`${name} is no export of WordPress`);
});

test("HTML becomes Markdown that cannot run", () => {
  const { markdown } = toMarkdown(
    `<a href=" java\nscript:alert(1)">a</a><a href="data:text/html,x">b</a><a href="https://x.example/(1)?a=<b>">c</a><img src="javascript:x" onerror="x">
<svg onload="x"><style>x</style></svg>&lt;img src=x onerror=x&gt;<pre>\`\`\`\n&lt;b&gt;</pre><img src="data:image/png;base64,xxxx" alt="P"><code>&lt;i&gt;</code>`,
  );
  expect(markdown).not.toMatch(/\]\(\s*(?:javascript|data):/i);
  expect(markdown).toContain("[c](https://x.example/%281%29?a=%3cb%3e)");
  expect(markdown).toContain("\\<img src=x onerror=x>");
  expect(markdown).toContain("````\n```\n<b>\n````");
});

// Each is linear; a second is a hundred times what they take.
test.each([
  ["elements", "<div>".repeat(80_000)],
  ["formats", `${"<b id=x>".repeat(150)}${"<p>x".repeat(1_500)}`],
  ["brackets", "<".repeat(100_000)],
  ["shortcodes", "[a b=".repeat(50_000)],
  ["spaces", `x${" ".repeat(200_000)}x`],
  ["lines", "\n".repeat(200_000)],
  ["comments", "<!-- wp:a ".repeat(40_000)],
  ["code", "<pre>".repeat(80_000)],
])("hostile HTML takes no time: %s", (_, html) => {
  for (const form of ["html", "lines"] as const)
    expect(toMarkdown(html, { form }).markdown.length).toBeLessThan(400_000);
});

test.each(["xml", "json"])("memory does not grow with the file: %s", async (format) => {
  // Of two chunks.
  const count = 2_000;
  const path = join(folder, `large.${format}`);
  const text = "Words that make a paragraph. ".repeat(100);
  function* wordpress() {
    yield wxr(ada).split("</channel>")[0] as string;
    for (let id = 1; id <= count; id++) yield item(id, { content: text, more: comment(id, "Comment") });
    yield "</channel></rss>";
  }
  function* ghost() {
    yield `{"db":[{"meta":{},"data":{"users":[{"id":"u","name":"Ada","email":"ada@example.com"}],"posts":[`;
    for (let id = 1; id <= count; id++)
      yield `${id > 1 ? "," : ""}${JSON.stringify({ id, title: "x", slug: `post-${id}`, html: text, status: "published", author_id: "u" })}`;
    yield `],"posts_tags":[`;
    for (let id = 1; id <= count; id++) yield `${id > 1 ? "," : ""}{"post_id":${id},"tag_id":"t","sort_order":0}`;
    yield `],"tags":[{"id":"t","name":"News"}]}}]}`;
  }
  await pipeline(Readable.from(format === "xml" ? wordpress() : ghost()), createWriteStream(path));
  const input = await openInput(path);
  let rows = 0;
  const before = await heapInUse();
  const heaps: number[] = [];
  let read = 0;
  const reading = { client, author: undefined, site: undefined, notes: new Notes(() => {}, 0) };
  const addBytes = (bytes: number) => {
    read += bytes;
  };
  for await (const row of readRows(input, reading, addBytes)) {
    if (!("kind" in row && row.kind === "post")) continue;
    if (++rows % 1_000 === 0) heaps.push(await heapInUse());
  }
  expect(rows).toBe(count);
  expect(Math.round(read)).toBe(input.bytes);
  const [first = 0, second = 0] = heaps;
  expect(first - before).toBeLessThan(10_000_000);
  // Between the two, 3 MB have been read.
  expect(second - first).toBeLessThan(1_500_000);
});
