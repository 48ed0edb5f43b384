import { createReadStream } from "node:fs";
import sax from "sax";
import { Chunk, confirmed, emailForm, type Post, type Reading } from "./Chunk.ts";
import { toText } from "./html.ts";
import { type File, type ImportRow, maxRowBytes, type Refusal } from "./rows.ts";

/** The comments of one post. They are needed together: a reply names a comment before or after it. */
const maxCommentsCharacters = 4 * maxRowBytes;

/** An element takes memory, also an empty one. */
const elementSize = 100;
const maxDepth = 100;
const maxUsers = 100_000;

/** An element with children that are texts. The names are those of the file, such as `wp:post_name`. */
interface Entry {
  name: string;
  line: number;
  fields: Record<string, string>;
  lines: Record<string, number>;
  size: number;
}

interface Item extends Entry {
  categories: { domain: string; nicename: string; name: string }[];
  comments: Entry[];
  commentsSize: number;
  hasPicture: boolean;
}

/** Elements with fields, by the one that they stand in. */
const entries = new Map([
  ["channel", ["item", "wp:author"]],
  ["item", ["wp:comment", "wp:postmeta"]],
]);

/**
 * Reads what WordPress exports (Tools, Export), a stream of RSS with namespaces. A document type is refused, since its entities could
 * make the file larger than it is.
 */
export async function* readWordPress(
  file: File,
  reading: Reading,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRow | Refusal> {
  const chunk = await Chunk.open(file.name, reading);
  const items = new Items(file.name, chunk, reading);
  const parser = sax.parser(true, { position: true });
  let end: Refusal | undefined;
  let isRead = false;
  /** Elements from `channel` on, as they are nested. */
  const open: (Entry | Item | string)[] = [];
  let text = "";
  let category: Record<string, string> | undefined;

  const stop = (reason: string) => {
    end ??= { file: file.name, line: parser.line + 1, reason };
  };
  const owner = () => open.findLast((entry) => typeof entry !== "string") as Entry | undefined;

  parser.ondoctype = () =>
    stop("The file has a document type (<!DOCTYPE>), which no export of WordPress has. Nothing after it is read.");
  parser.onerror = (error) => {
    const [words = ""] = error.message.split("\n");
    // Such as &nbsp; in a title: the text stays as it is.
    if (/entity/i.test(words))
      reading.notes.change(file.name, parser.line + 1, "entities that XML does not know are kept as text");
    else if (isRead) stop("The file ends in the middle of the export. What is complete before is imported.");
    else stop(`This is not XML: ${words}. Nothing after it is read.`);
    parser.error = null as never;
  };
  parser.onopentag = ({ name, attributes }) => {
    if (end) return;
    if (open.length > maxDepth) stop(`Elements are nested deeper than ${maxDepth}. Nothing after it is read.`);
    const within = owner();
    if (within) within.size += elementSize;
    const parent = open.at(-1);
    const parentName = typeof parent === "object" ? parent.name : parent;
    text = "";
    if (open.length === 0 && name !== "channel") return;
    if (entries.get(parentName ?? "")?.includes(name)) {
      const entry = { name, line: parser.line + 1, fields: {}, lines: {}, size: 0 };
      open.push(
        name === "item" ? { ...entry, categories: [], comments: [], commentsSize: 0, hasPicture: false } : entry,
      );
      return;
    }
    if (name === "category") category = attributes as Record<string, string>;
    if (typeof parent === "object" && parent.size <= maxRowBytes) parent.lines[name] ??= parser.line + 1;
    open.push(name);
  };
  const addText = (piece: string) => {
    const entry = owner();
    if (!entry || typeof open.at(-1) === "object") return;
    entry.size += piece.length;
    text = entry.size <= maxRowBytes ? text + piece : "";
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    if (end) return;
    const closed = open.pop();
    const parent = open.at(-1);
    if (typeof closed === "object") {
      if (closed.name === "wp:author") items.addAuthor(closed);
      else if (closed.name === "item") items.add(closed as Item);
      else if (typeof parent === "object") addToItem(parent as Item, closed);
    } else if (closed !== undefined && typeof parent === "object" && parent.size <= maxRowBytes) {
      if (closed === "category" && parent.name === "item") {
        const { domain = "", nicename = "" } = category ?? {};
        (parent as Item).categories.push({ domain, nicename, name: text });
      } else {
        parent.fields[closed] ??= text;
      }
    }
    text = "";
  };

  parser.onprocessinginstruction = ({ name, body }) => {
    const encoding = /encoding\s*=\s*["']([^"']+)/.exec(body)?.[1];
    if (name === "xml" && encoding && !/^utf-?8$/i.test(encoding))
      stop(`The file is in ${encoding}. Write it in UTF-8.`);
  };
  const decoder = new TextDecoder();
  for await (const bytes of createReadStream(file.path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    onBytes(bytes.length);
    parser.write(decoder.decode(bytes, { stream: true }));
    yield* items.refused();
    if (chunk.isFull) yield* chunk.flush();
    if (end) break;
  }
  isRead = true;
  if (!end) parser.close();
  yield* items.refused();
  yield* chunk.flush();
  if (end) yield end;
}

/** Types of items that are no posts, in the plural. Others are counted by their name. */
const leftOutTypes = new Map([
  ["page", "pages"],
  ["attachment", "attachments"],
  ["nav_menu_item", "menu items"],
  ["revision", "revisions"],
]);

const privateWords: Record<string, string> = {
  private: "private posts are drafts",
  protected: "posts with a password are drafts",
  unknown: "posts of an unknown status are drafts",
};

/** Makes posts and comments of items. */
class Items {
  readonly #file: string;
  readonly #chunk: Chunk;
  readonly #reading: Reading;
  readonly #emailByLogin = new Map<string, string>();
  readonly #emailById = new Map<string, string>();
  readonly #authors = new Set<string>();
  /** Milliseconds by which the clock of the site is ahead of UTC: drafts have only its time. */
  #offset = 0;
  #refusals: Refusal[] = [];

  constructor(file: string, chunk: Chunk, reading: Reading) {
    this.#file = file;
    this.#chunk = chunk;
    this.#reading = reading;
  }

  /** Entries that were refused since the last call. */
  refused(): Refusal[] {
    return this.#refusals.splice(0);
  }

  addAuthor({ fields, line }: Entry): void {
    const text = (field: string) => (fields[`wp:author_${field}`] ?? "").trim();
    const email = text("email");
    if (this.#authors.size >= maxUsers) return this.#reading.notes.leaveOut(`users after the first ${maxUsers}`);
    if (email === "") return this.#reading.notes.change(this.#file, line, "users without an email are left out");
    this.#emailByLogin.set(text("login"), email);
    this.#emailById.set(text("id"), email);
    this.#authors.add(emailForm(email));
    this.#chunk.addUser(email, toText(text("display_name")) || text("login"), line, confirmed);
  }

  add(item: Item): void {
    const { notes } = this.#reading;
    const { fields, line } = item;
    const text = (field: string) => (fields[field] ?? "").trim();
    if (item.size > maxRowBytes) {
      return void this.#refusals.push({
        file: this.#file,
        line,
        reason: `The item has more than ${maxRowBytes} characters.`,
      });
    }
    const type = text("wp:post_type") || "post";
    const status = text("wp:status") || "publish";
    if (type !== "post") return notes.leaveOut(leftOutTypes.get(type) ?? `of type ${type}`);
    if (/^(trash|auto-draft|inherit)$/.test(status)) return notes.leaveOut(`posts of status ${status}`);
    const hidden = text("wp:post_password")
      ? "protected"
      : /^(publish|future|draft|pending)$/.test(status)
        ? undefined
        : status === "private"
          ? status
          : "unknown";
    if (item.hasPicture) notes.leaveOut("featured pictures");
    if (hidden) notes.change(this.#file, item.lines["wp:status"] ?? line, privateWords[hidden] as string);
    for (const name of ["title", "content:encoded"]) {
      if (fields[name]?.includes("\uFFFD"))
        notes.change(this.#file, item.lines[name] ?? line, "bytes that are not UTF-8 are replaced");
    }
    const html = fields["content:encoded"] ?? "";
    const creator = text("dc:creator");
    const post = this.#chunk.addPost({
      id: text("wp:post_id"),
      line,
      lines: {
        content: item.lines["content:encoded"] ?? line,
        title: item.lines["title"] ?? line,
        slug: item.lines["wp:post_name"] ?? line,
      },
      author: this.#emailByLogin.get(creator) ?? (this.#reading.author || creator || undefined),
      title: toText(fields["title"] ?? ""),
      slug: decoded(text("wp:post_name")),
      html,
      // The block editor marks its paragraphs.
      form: html.includes("<!-- wp:") ? "html" : "lines",
      excerpt: toText(fields["excerpt:encoded"] ?? ""),
      status: hidden ? "DRAFT" : status === "publish" ? "PUBLISHED" : status === "future" ? "SCHEDULED" : "DRAFT",
      date: this.#time(fields, "wp:post_date", true),
      createdAt: undefined,
      updatedAt: this.#time(fields, "wp:post_modified"),
      tags: this.#tagsOf(item),
    });
    this.#addComments(item, post);
  }

  #tagsOf({ categories }: Item): string[] {
    const tags: string[] = [];
    for (const { domain, nicename, name } of categories) {
      // Version 1.0 has each of them twice, once without a domain.
      if (/^(category|post_tag|tag)$/.test(domain)) {
        if (nicename !== "uncategorized") tags.push(toText(name));
      } else if (domain) this.#reading.notes.leaveOut(`of taxonomy ${domain}`);
    }
    return tags;
  }

  /** A time of the export in UTC. WordPress writes zeros, or a year before our era, for none. */
  #time(fields: Record<string, string>, field: string, isClock = false): string | undefined {
    const read = (name: string) => {
      const text = (fields[name] ?? "").trim().replace(" ", "T");
      return text === "" || /^(-|0000)/.test(text) ? undefined : `${text}Z`;
    };
    const utc = read(`${field}_gmt`);
    const local = read(field);
    const difference = Date.parse(local ?? "") - Date.parse(utc ?? "");
    if (isClock && Math.abs(difference) <= 14 * 3_600_000) this.#offset = difference;
    if (utc || !local) return utc;
    const time = Date.parse(local);
    return Number.isNaN(time) ? local : new Date(time - this.#offset).toISOString();
  }

  #addComments({ comments, commentsSize, line }: Item, post: Post): void {
    const { notes } = this.#reading;
    if (commentsSize > maxCommentsCharacters) {
      this.#refusals.push({
        file: this.#file,
        line,
        reason: `The comments of the post have more than ${maxCommentsCharacters} characters.`,
      });
      return;
    }
    const kept = new Map<string, Entry>();
    for (const comment of comments) {
      const text = (field: string) => (comment.fields[`wp:comment_${field}`] ?? "").trim();
      const [type, approved] = [text("type"), text("approved")];
      if (type !== "" && type !== "comment")
        notes.leaveOut(/^(ping|track)back$/.test(type) ? `${type}s` : `comments of type ${type}`);
      else if (approved !== "1" && approved !== "")
        notes.leaveOut(approved === "0" ? "comments that wait for approval" : `comments of status ${approved}`);
      else if (comment.size > maxRowBytes)
        this.#refusals.push({
          file: this.#file,
          line: comment.line,
          reason: `The comment has more than ${maxRowBytes} characters.`,
        });
      else if (kept.has(text("id")) && text("id")) notes.leaveOut("repetitions of comments");
      else kept.set(text("id") || `line-${comment.line}`, comment);
    }
    const parentOf = (id: string) => (kept.get(id)?.fields["wp:comment_parent"] ?? "").trim();
    const replies: [string, Entry, string][] = [];
    for (const [id, comment] of kept) {
      const parent = parentOf(id);
      let top = id;
      for (let up = parent, steps = 0; kept.has(up) && steps <= kept.size && steps < 1_000; up = parentOf(up), steps++)
        top = up;
      if (parent && parent !== "0" && !kept.has(parent))
        notes.change(this.#file, comment.line, "replies to a comment that is left out are comments");
      if (top === id || parentOf(top) === id) this.#addComment(id, comment, post, undefined);
      else replies.push([id, comment, top]);
    }
    for (const [id, comment, top] of replies) {
      if (parentOf(id) !== top)
        notes.change(this.#file, comment.line, "replies to a reply are replies to the first comment");
      this.#addComment(id, comment, post, top);
    }
  }

  #addComment(id: string, { fields, line }: Entry, post: Post, replyTo: string | undefined): void {
    const text = (field: string) => (fields[`wp:comment_${field}`] ?? "").trim();
    const member = this.#emailById.get(text("user_id"));
    const email = text("author_email");
    const isUnproven = !member && this.#authors.has(emailForm(email));
    if (!member && email && !isUnproven) this.#chunk.addUser(email, toText(text("author")), line);
    const html = text("content");
    this.#chunk.addComment({
      id,
      line,
      post,
      author: member ?? (email || undefined),
      html,
      form: html.includes("<!-- wp:") ? "html" : "lines",
      createdAt: this.#time(fields, "wp:comment_date"),
      replyTo,
      doubt:
        !email && !member
          ? "author: The comment has no email."
          : isUnproven
            ? "author: A visitor who was not signed in gave the email of a user. Import the comment from the rejects file if it is this user's."
            : undefined,
    });
  }
}

function addToItem(item: Item, entry: Entry): void {
  // The picture is another item, before or after this one.
  if (entry.fields["wp:meta_key"] === "_thumbnail_id") item.hasPicture = true;
  if (entry.name !== "wp:comment") return;
  item.commentsSize += entry.size;
  if (item.commentsSize <= maxCommentsCharacters) item.comments.push(entry);
}

/** WordPress stores slugs of other scripts as percent-encoded UTF-8. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug);
  } catch {
    return slug;
  }
}
