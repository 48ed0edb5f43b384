import { wellFormedText } from "@content-service/support/storable.ts";
import type pg from "pg";
import { toMarkdown } from "./html.ts";
import type { Notes } from "./Notes.ts";
import { type ImportRow, type Refusal, toStorable } from "./rows.ts";
import type { Kind } from "./tables.ts";

/** A chunk fills a batch of the import or two. */
const chunkRows = 1_000;
const chunkCharacters = 4_000_000;
const maxTags = 15;
const maxTagLength = 50;
const maxExcerptLength = 200;
const maxNameLength = 100;

/** The database and the options with which an export of another program is read. */
export interface Reading {
  /** Outside any transaction, or in the one of a check. */
  client: pg.ClientBase;
  /** The author of posts that name none. */
  author: string | undefined;
  /** The address of the site that was exported, without a slash at its end. */
  site: string | undefined;
  notes: Notes;
}

/** A post as another program has it. */
export interface GivenPost {
  id: string;
  line: number;
  /** Lines of its fields, where they are known. */
  lines: Record<string, number>;
  /** An email. */
  author: string | undefined;
  title: string;
  slug: string;
  html: string;
  form: "html" | "lines";
  excerpt: string;
  status: "PUBLISHED" | "SCHEDULED" | "DRAFT";
  /** Of its publication. */
  date: string | undefined;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  tags: string[];
}

export interface GivenComment {
  id: string;
  line: number;
  post: string | Post;
  /** An email. */
  author: string | undefined;
  html: string;
  form: "html" | "lines";
  createdAt: string | undefined;
  replyTo: string | undefined;
  /** Why it needs a person's eye before it is imported. */
  doubt?: string | undefined;
}

/** A post of the chunk. Its slug is known once the chunk is flushed. */
export interface Post {
  id: string;
  line: number;
  lines: Record<string, number>;
  title: string;
  slug: string;
  fields: Record<string, unknown>;
  isRepeated?: boolean;
}

/**
 * Slugs of the export, and the ids of the posts that have them. Two posts with one slug would be one for the import. A table, because an export
 * may have more of them than memory.
 */
const createSlugs = `
  create temporary table if not exists given_slugs (slug text primary key, given_id text);
  create index if not exists given_slugs_given_id_idx on pg_temp.given_slugs (given_id);
  truncate pg_temp.given_slugs`;

const takeSlugs = `
  with given as materialized (
    select place, id, case when slug <> '' and char_length(slug) <= 200 and slug = app_hidden.slug_words(slug) then slug
                           when slug ~ '\\S' then app_hidden.slugify(slug)
                           else app_hidden.slugify(title) || '-' || app_hidden.slugify(id) end as slug
      from rows from (json_to_recordset($1) as (id text, slug text, title text)) with ordinality as g (id, slug, title, place)
  ), firsts as (
    select distinct on (slug) slug, id, place from given order by slug, place
  ), taken as (
    insert into pg_temp.given_slugs (slug, given_id) select slug, id from firsts on conflict do nothing returning slug, given_id
  )
  select given.slug, case when taken.slug is not null and given.place = firsts.place then 'own'
                          when given.id = coalesce(taken.given_id, before.given_id) then 'repeated' else 'taken' end as state
    from given join firsts using (slug) left join taken using (slug) left join pg_temp.given_slugs as before using (slug)
   order by given.place`;

/** Of users whose email the other system has confirmed: only they may reset the password of what is imported for them. */
export const confirmed = { verified_at: new Date().toISOString() };

/** As app_private.email_form(): emails are equal where their letters of ASCII are. */
export function emailForm(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Rows of an export, collected until there are enough for a batch of each kind: an export mixes what an import needs in order, users, posts and
 * comments.
 */
export class Chunk {
  readonly #file: string;
  readonly #reading: Reading;
  readonly #emails = new Set<string>();
  #users: (ImportRow | Refusal)[] = [];
  #posts: Post[] = [];
  #comments: GivenComment[] = [];
  #size = 0;

  private constructor(file: string, reading: Reading) {
    this.#file = file;
    this.#reading = reading;
  }

  static async open(file: string, reading: Reading): Promise<Chunk> {
    await reading.client.query(createSlugs);
    return new Chunk(file, reading);
  }

  get isFull(): boolean {
    return (
      this.#size > chunkCharacters ||
      Math.max(this.#users.length, this.#posts.length, this.#comments.length) >= chunkRows
    );
  }

  /** Adds a user, once. @param fields `verified_at` of one whose email the other system has confirmed */
  addUser(email: string, name: string, line: number, fields: Record<string, unknown> = {}): void {
    const key = emailForm(email);
    if (this.#emails.has(key)) return;
    // The import knows users of earlier chunks.
    if (this.#emails.size > 100 * chunkRows) this.#emails.clear();
    this.#emails.add(key);
    const words = [...(name || email.split("@")[0] || email)].slice(0, maxNameLength).join("");
    this.#users.push(this.#toRow("user", { type: "user", email, name: words, ...fields }, line));
  }

  addPost(given: GivenPost): Post {
    const { notes, author } = this.#reading;
    const { id, line, lines } = given;
    const change = (field: string, kind: string, details?: string, offset = 0) =>
      notes.change(this.#file, (lines[field] ?? line) + offset, kind, details);
    const { markdown, losses } = toMarkdown(given.html, { form: given.form });
    const isText = lines["content"] !== undefined;
    for (const loss of losses) {
      const details = isText ? loss.words : `${given.slug}: ${loss.words}`;
      change("content", "HTML that Markdown has no form for", details, isText ? loss.line : 0);
    }
    let title = given.title.replace(/\s+/g, " ").trim();
    if (title === "") {
      title = "Untitled";
      change("title", "posts without a title are called Untitled");
    }
    let excerpt = given.excerpt.trim();
    if ([...excerpt].length > maxExcerptLength) {
      excerpt = `${[...excerpt]
        .slice(0, maxExcerptLength - 1)
        .join("")
        .trimEnd()}…`;
      change("excerpt", `excerpts of more than ${maxExcerptLength} characters are cut`);
    }
    const isPast = given.date !== undefined && Date.parse(given.date) <= Date.now();
    // Since the export was made, such a post became due.
    const isPublished = given.status === "PUBLISHED" || (given.status === "SCHEDULED" && isPast);
    const createdAt = given.createdAt ?? (isPast ? given.date : undefined);
    const fields = {
      type: "post",
      author: given.author ?? author,
      title,
      slug: "",
      content: markdown,
      ...(excerpt && { excerpt }),
      status: isPublished ? "PUBLISHED" : "DRAFT",
      ...(isPublished && given.date && { published_at: given.date }),
      ...(!isPublished && given.status === "SCHEDULED" && given.date && { publish_at: given.date }),
      ...(createdAt && { created_at: createdAt, updated_at: given.updatedAt ?? createdAt }),
      tags: this.#tagsOf(given),
    };
    const post = { id: id.slice(0, 100), line, lines, title, slug: given.slug, fields };
    this.#posts.push(post);
    this.#size += markdown.length;
    return post;
  }

  #tagsOf({ tags, line }: GivenPost): string[] {
    const { notes } = this.#reading;
    const names = [...new Map(tags.map((tag) => [tag.toLowerCase(), tag])).values()].filter(Boolean);
    const short = names.filter((name) => [...name].length <= maxTagLength);
    if (short.length < names.length) {
      notes.change(this.#file, line, `tags of more than ${maxTagLength} characters are left out`);
    }
    if (short.length > maxTags) notes.change(this.#file, line, `a post keeps its first ${maxTags} tags`);
    return short.slice(0, maxTags);
  }

  addComment(comment: GivenComment): void {
    this.#comments.push(comment);
    this.#size += comment.html.length;
  }

  async *flush(): AsyncGenerator<ImportRow | Refusal> {
    const [users, posts, comments] = [this.#users, this.#posts, this.#comments];
    this.#users = [];
    this.#posts = [];
    this.#comments = [];
    this.#size = 0;
    yield* users;
    const refused = await this.#nameAll(posts);
    for (const post of posts) {
      if (refused.has(post)) yield refused.get(post) as Refusal;
      else if (!post.isRepeated) yield this.#toRow("post", { ...post.fields, slug: post.slug }, post.line, post.lines);
    }
    for (const comment of comments) yield this.#toComment(comment);
  }

  /** Gives each post its slug. */
  async #nameAll(posts: readonly Post[]): Promise<Map<Post, Refusal>> {
    const taken = await this.#name(posts);
    const still = await this.#name(taken.map((post) => Object.assign(post, { slug: `${post.slug}-${post.id}` })));
    for (const { line } of taken) {
      this.#reading.notes.change(this.#file, line, "slugs that an earlier post of the file has get the id of the post");
    }
    return new Map(
      still.map((post) => [
        post,
        {
          file: this.#file,
          line: post.line,
          reason: "slug: Two earlier posts of the file have it.",
          json: JSON.stringify(post.fields),
        },
      ]),
    );
  }

  /** @returns posts whose slug another one has */
  async #name(posts: readonly Post[]): Promise<Post[]> {
    if (posts.length === 0) return [];
    const given = posts.map(({ id, slug, title }) =>
      wellFormedText({ id, slug: slug.slice(0, 1_000), title: title.slice(0, 1_000) }),
    );
    const { rows } = await this.#reading.client.query<{ slug: string; state: string }>(takeSlugs, [
      JSON.stringify(given),
    ]);
    return posts.filter((post, place) => {
      const { slug, state } = rows[place] as { slug: string; state: string };
      post.slug = slug;
      if (state === "repeated") {
        this.#reading.notes.leaveOut("repetitions of posts");
        post.isRepeated = true;
      }
      return state === "taken";
    });
  }

  #toComment({ id, line, post, author, html, form, createdAt, replyTo, doubt }: GivenComment): ImportRow | Refusal {
    const row = this.#toRow(
      "comment",
      {
        type: "comment",
        id,
        post: typeof post === "string" ? post : post.slug,
        author,
        text: toMarkdown(html, { form, isPlain: true }).markdown,
        created_at: createdAt,
        reply_to: replyTo,
      },
      line,
    );
    return doubt ? { file: this.#file, line, reason: doubt, json: row.json } : row;
  }

  #toRow(kind: Kind, fields: Record<string, unknown>, line: number, lines: Record<string, number> = {}): ImportRow {
    const json = toStorable(JSON.stringify(fields), fields);
    return { kind, json, file: this.#file, lineOf: (field = "") => lines[field] ?? line };
  }
}
