import { OperatorError } from "@content-service/support/OperatorError.ts";
import { wellFormedText } from "@content-service/support/storable.ts";
import { Chunk, confirmed, type Reading } from "./Chunk.ts";
import { lexicalToHtml, mobiledocToHtml } from "./editors.ts";
import { readJsonTables, type TableRow } from "./readJsonTables.ts";
import { type File, type ImportRow, maxRowBytes, type Refusal } from "./rows.ts";

type Row = Record<string, unknown>;

/** The tables that posts and comments refer to, and the column by which rows are found. They come before or after the posts. */
const stored: Record<string, { key: string; columns: string[] }> = {
  users: { key: "id", columns: ["email"] },
  tags: { key: "id", columns: ["name", "visibility"] },
  posts_tags: { key: "post_id", columns: ["tag_id", "sort_order"] },
  posts_authors: { key: "post_id", columns: ["author_id", "sort_order"] },
  members: { key: "id", columns: ["email", "name"] },
  comments: { key: "id", columns: ["post_id", "member_id", "parent_id", "html", "status", "created_at"] },
};
const maxKey = 100;

/** In the database, because an export may have more rows than memory. */
const createRows = `
  create temporary table if not exists given_rows (place bigint generated always as identity, kind text, key text, line int, doc jsonb);
  create index if not exists given_rows_kind_key_idx on pg_temp.given_rows (kind, key, place);
  create index if not exists given_rows_comments_idx on pg_temp.given_rows ((doc ->> 'parent_id' is not null), place) where kind = 'comments';
  truncate pg_temp.given_rows`;

const storeRows = `
  insert into pg_temp.given_rows (kind, key, line, doc)
  select kind, key, line, doc from json_to_recordset($1) as r (kind text, key text, line int, doc jsonb)`;

/** Authors and tags of posts, in their order. Version 1 has one author, in the post. */
const findLinks = `
  select array(select u.doc ->> 'email' from pg_temp.given_rows as l join pg_temp.given_rows as u on u.kind = 'users' and u.key = l.doc ->> 'author_id'
                where l.kind = 'posts_authors' and l.key = p.id order by (l.doc ->> 'sort_order')::numeric, l.place) as authors,
         (select u.doc ->> 'email' from pg_temp.given_rows as u where u.kind = 'users' and u.key = p.author_id limit 1) as author,
         array(select t.doc ->> 'name' from pg_temp.given_rows as l join pg_temp.given_rows as t on t.kind = 'tags' and t.key = l.doc ->> 'tag_id'
                where l.kind = 'posts_tags' and l.key = p.id and t.doc ->> 'name' !~ '^#' order by (l.doc ->> 'sort_order')::numeric, l.place) as tags
    from rows from (json_to_recordset($1) as (id text, author_id text)) with ordinality as p (id, author_id, place)
   order by p.place`;

/** Comments whose post is imported: first those that are no replies. */
const findComments = `
  select c.place, c.line, c.key as id, c.doc ->> 'html' as html, c.doc ->> 'created_at' as created_at, c.doc ->> 'status' as status,
         m.doc ->> 'email' as email, m.doc ->> 'name' as name, c.doc ->> 'parent_id' as given_parent,
         case when top.doc ->> 'status' = 'published' then top.key end as parent, top.key <> parent.key as is_deep,
         (select s.slug from pg_temp.given_slugs as s where s.given_id = c.doc ->> 'post_id' limit 1) as slug
    from pg_temp.given_rows as c
    left join pg_temp.given_rows as m on m.kind = 'members' and m.key = c.doc ->> 'member_id'
    left join pg_temp.given_rows as parent on parent.kind = 'comments' and parent.key = c.doc ->> 'parent_id'
    left join pg_temp.given_rows as top on top.kind = 'comments' and top.key = coalesce(parent.doc ->> 'parent_id', parent.key)
   where c.kind = 'comments' and (c.doc ->> 'parent_id' is not null) = $1 and c.place > $2
   order by c.place limit 1000`;

interface FoundComment {
  place: string;
  line: number;
  id: string;
  html: string | null;
  created_at: string | null;
  status: string | null;
  email: string | null;
  name: string | null;
  given_parent: string | null;
  parent: string | null;
  is_deep: boolean | null;
  slug: string | null;
}

/**
 * Reads what Ghost exports (Settings, Import/Export): one JSON object with its tables. It is read twice, since posts may come before their authors and tags.
 */
export async function* readGhost(
  file: File,
  reading: Reading,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRow | Refusal> {
  const { client, notes } = reading;
  await client.query(createRows);
  const chunk = await Chunk.open(file.name, reading);
  const halfOf = (bytes: number) => onBytes(bytes / 2);

  yield* storeTables(file, reading, chunk, halfOf);
  yield* chunk.flush();

  let posts: { row: Row; line: number }[] = [];
  let size = 0;
  async function addPosts(): Promise<void> {
    const given = posts.map(({ row }) => wellFormedText({ id: keyOf(row["id"]), author_id: keyOf(row["author_id"]) }));
    const { rows: links } = await client.query(findLinks, [JSON.stringify(given)]);
    for (const [place, { row, line }] of posts.entries()) addPost(row, line, links[place], chunk, file.name, reading);
    posts = [];
    size = 0;
  }
  for await (const row of readJsonTables(file.path, (table) => table === "posts", maxRowBytes, halfOf)) {
    if (!row.value) {
      yield refusalOf(row, file);
      continue;
    }
    if (row.value["type"] === "page" || row.value["page"] === true || row.value["page"] === 1) {
      notes.leaveOut("pages");
      continue;
    }
    posts.push({ row: row.value, line: row.line });
    size += textOf(row.value["html"]).length;
    if (posts.length < 1_000 && size < maxRowBytes) continue;
    await addPosts();
    yield* chunk.flush();
  }
  await addPosts();
  yield* chunk.flush();
  yield* readComments(chunk, reading, file.name);
}

/** Stores the tables that posts refer to. */
async function* storeTables(
  { path, name }: File,
  { client, site }: Reading,
  chunk: Chunk,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRow | Refusal> {
  let rows: Row[] = [];
  const store = async () => {
    await client.query(storeRows, [JSON.stringify(wellFormedText(rows))]);
    rows = [];
  };
  const tables = readJsonTables(path, (table) => Object.hasOwn(stored, table), maxRowBytes, onBytes);
  for (;;) {
    const { value: row, done } = await tables.next();
    if (done) {
      if (row) break;
      // The tables refer to each other: half of them are posts without authors and tags.
      throw new OperatorError(
        `${name} ends in the middle of the export, or its brackets do not match. Nothing of it is imported.`,
      );
    }
    if (!row.value) {
      yield refusalOf(row, { name });
      continue;
    }
    const { key, columns } = stored[row.table] as { key: string; columns: string[] };
    const given = row.value;
    if (row.table === "users" && textOf(given["email"])) {
      const avatar = textOf(given["profile_image"]).replace(/^__GHOST_URL__/, site ?? "");
      const [bio, createdAt] = [textOf(given["bio"]), timeOf(given["created_at"])];
      chunk.addUser(textOf(given["email"]), textOf(given["name"]), row.line, {
        ...confirmed,
        ...(/^https:\/\/[^\s"<>\\^`{|}@]+$/.test(avatar) && { avatar }),
        ...(bio && { bio }),
        ...(createdAt && { created_at: createdAt }),
      });
      if (chunk.isFull) yield* chunk.flush();
    }
    const doc = Object.fromEntries(
      columns.map((column) => [column, column.endsWith("_id") && given[column] ? keyOf(given[column]) : given[column]]),
    );
    rows.push({
      kind: row.table,
      key: keyOf(given[key]),
      line: row.line,
      doc: {
        ...doc,
        ...("created_at" in doc && { created_at: timeOf(doc["created_at"]) }),
        ...("sort_order" in doc && { sort_order: Number(doc["sort_order"]) || 0 }),
      },
    });
    if (rows.length >= 1_000) await store();
  }
  await store();
}

function addPost(
  row: Row,
  line: number,
  { authors, author, tags }: { authors: string[]; author: string | null; tags: string[] },
  chunk: Chunk,
  file: string,
  { site, notes }: Reading,
): void {
  const status = textOf(row["status"]);
  const visibility = textOf(row["visibility"]) || "public";
  const slug = textOf(row["slug"]);
  const isOpen = visibility === "public";
  const change = (kind: string) => notes.change(file, line, kind, `${slug}: ${kind}`);
  if (!isOpen) change("posts for members are drafts");
  else if (!/^(published|scheduled|draft)$/.test(status))
    change(status === "sent" ? "posts that were only mailed are drafts" : "posts of an unknown status are drafts");
  if (authors.length > 1) change("posts of several authors are of the first");
  const body =
    textOf(row["html"]) ||
    (row["lexical"]
      ? lexicalToHtml(textOf(row["lexical"]))
      : row["mobiledoc"]
        ? mobiledocToHtml(textOf(row["mobiledoc"]))
        : "");
  const picture = textOf(row["feature_image"]);
  let html = picture ? `<p><img src="${picture.replaceAll('"', "%22")}" alt=""></p>\n${body}` : body;
  if (html.includes("__GHOST_URL__")) {
    if (site === undefined) change("links and pictures lack the address of the site: give it with --site");
    html = html.replaceAll("__GHOST_URL__", site ?? "");
  }
  chunk.addPost({
    id: keyOf(row["id"]),
    line,
    lines: {},
    author: authors[0] ?? author ?? undefined,
    title: textOf(row["title"]),
    slug,
    html,
    form: "html",
    excerpt: textOf(row["custom_excerpt"]),
    status: !isOpen ? "DRAFT" : status === "published" ? "PUBLISHED" : status === "scheduled" ? "SCHEDULED" : "DRAFT",
    date: timeOf(row["published_at"]),
    createdAt: timeOf(row["created_at"]),
    updatedAt: timeOf(row["updated_at"]),
    tags,
  });
}

async function* readComments(
  chunk: Chunk,
  { client, notes }: Reading,
  file: string,
): AsyncGenerator<ImportRow | Refusal> {
  for (const isReply of [false, true]) {
    for (let last = "0"; ; ) {
      const { rows } = await client.query<FoundComment>(findComments, [isReply, last]);
      if (rows.length === 0) break;
      for (const {
        place,
        line,
        id,
        html,
        created_at,
        status,
        email,
        name,
        given_parent,
        parent,
        is_deep,
        slug,
      } of rows) {
        last = place;
        if (status !== "published") notes.leaveOut(`comments of status ${status}`);
        else if (!slug) notes.leaveOut("comments on what is left out");
        else {
          if (given_parent && !parent) notes.change(file, line, "replies to a comment that is left out are comments");
          if (is_deep && parent) notes.change(file, line, "replies to a reply are replies to the first comment");
          if (email) chunk.addUser(email, name ?? "", line, confirmed);
          chunk.addComment({
            id,
            line,
            post: slug,
            author: email ?? undefined,
            html: html ?? "",
            form: "html",
            createdAt: created_at ?? undefined,
            replyTo: parent ?? undefined,
            doubt: email ? undefined : "author: The member who wrote the comment is not in the file.",
          });
        }
      }
      yield* chunk.flush();
    }
  }
}

function refusalOf({ line, problem = "" }: TableRow, { name }: Pick<File, "name">): Refusal {
  return { file: name, line, reason: problem };
}

/** A time of any version: ISO 8601, as MySQL writes it, or milliseconds. */
function timeOf(value: unknown): string | undefined {
  if (typeof value === "number") return Math.abs(value) < 8e15 ? new Date(value).toISOString() : String(value);
  const text = textOf(value).trim();
  if (text === "" || text.startsWith("0000")) return undefined;
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const keyOf = (value: unknown): string =>
  (typeof value === "string" || typeof value === "number" ? String(value) : "").slice(0, maxKey);
