import { isMap, isScalar, LineCounter, parseDocument, type Scalar, stringify, visit } from "yaml";

/** Names that Windows keeps for devices. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
const maxNameBytes = 200;

/**
 * The name of a post's file, without its extension: the slug, and the id where the slug is no safe name on every file system.
 */
export function fileNameFor({ slug, id }: Record<string, unknown>): string {
  const name = String(slug);
  if (!/^[\p{L}\p{M}\p{N}-]+$/u.test(name)) return `post--${id}`;
  // Where a file system ignores letter case, this name could be that of another post.
  const hasCase = name.toUpperCase().toLowerCase() !== name;
  if (Buffer.byteLength(name) <= maxNameBytes && !hasCase && !deviceName.test(name)) return name;
  let short = "";
  for (const character of name) {
    if (Buffer.byteLength(short + character) > maxNameBytes) break;
    short += character;
  }
  return `${short}--${id}`;
}

/** Block scalars would lose a line that consists of spaces. */
const yamlOptions = { schema: "core", lineWidth: 0, blockQuote: false, aliasDuplicateObjects: false } as const;

/** A post as a file: its fields as front matter, an empty line, and the content as it is. */
export function writeMarkdown({ type: _, content, ...fields }: Record<string, unknown>): string {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return `---\n${stringify(given, yamlOptions)}---\n\n${content}`;
}

export interface MarkdownPost {
  fields: Record<string, unknown>;
  /** The line of a field in the file. */
  lineOf(field: string | undefined): number;
}

/** A file that cannot be read as a post. */
export class MarkdownError extends Error {
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}

// With the flag m, ^ would also match behind U+2028, which YAML does not count as a line break.
const frontMatter = /^---[ \t]*\r?\n(.*?)(?<=\n)---[ \t]*(?:\r?\n|$)(?:\r?\n)?/s;

/**
 * Reads a file with YAML front matter, as this export, Jekyll and Hugo write it. YAML cannot run code, and an alias bomb is refused.
 *
 * @param path relative to the folder, with slashes: it may give the slug, the date and the status
 * @throws MarkdownError
 */
export function readMarkdown(text: string, path: string): MarkdownPost {
  const match = frontMatter.exec(text);
  if (!match) {
    throw new MarkdownError(
      text.startsWith("+++")
        ? "Front matter in TOML (+++) cannot be read. Write it in YAML (---)."
        : "The file does not begin with YAML front matter (---).",
    );
  }
  const counter = new LineCounter();
  const document = parseDocument(match[1] ?? "", { schema: "core", lineCounter: counter });
  const [error] = document.errors;
  if (error) {
    throw new MarkdownError(
      `The front matter is not YAML: ${error.message.split("\n")[0]}`,
      counter.linePos(error.pos[0]).line + 1,
    );
  }
  if (!isMap(document.contents)) throw new MarkdownError("The front matter has no fields.");
  // A number of a field or of a list stays as it is written: the title 1.10 is not 1.1, and 007 not 7.
  visit(document, {
    Scalar(_, node: Scalar, ancestors) {
      if (ancestors.length <= 4 && typeof node.value === "number") node.value = node.source ?? node.value;
    },
    Alias(_, node, ancestors) {
      const target = node.resolve(document);
      if (!target || !ancestors.includes(target)) return;
      const { line } = counter.linePos(node.range?.[0] ?? 0);
      throw new MarkdownError("The front matter has an alias that contains itself.", line + 1);
    },
  });
  const lines = new Map<string, number>();
  for (const { key } of document.contents.items) {
    if (isScalar(key) && key.range) lines.set(String(key.value), counter.linePos(key.range[0]).line + 1);
  }
  let given: Record<string, unknown>;
  try {
    given = document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new MarkdownError(`The front matter is not YAML: ${(cause as Error).message}`);
  }
  const content = text.slice(match[0].length);
  const contentLine = match[0].split("\n").length;
  return {
    fields: { type: "post", ...toFields(given, path), content },
    lineOf: (field) => (field === "content" ? contentLine : lineOfField(lines, field)),
  };
}

/** Keys of Jekyll, Hugo and others, by the field that they give. The first one that a file has counts. */
const otherNames: Record<string, readonly string[]> = {
  published_at: ["date", "publishDate"],
  updated_at: ["lastmod", "updated", "last_modified_at"],
  excerpt: ["summary", "description"],
};

function lineOfField(lines: Map<string, number>, field = ""): number {
  for (const name of [field, ...(otherNames[field] ?? [])]) {
    const line = lines.get(name);
    if (line !== undefined) return line;
  }
  return 1;
}

function toFields(given: Record<string, unknown>, path: string): Record<string, unknown> {
  const fields = { ...given };
  for (const [field, names] of Object.entries(otherNames)) {
    for (const name of names) {
      if (name in fields) fields[field] ??= fields[name];
      delete fields[name];
    }
  }
  const names = path.split("/");
  const base = (names.pop() ?? "").replace(/\.\w+$/, "");
  // Hugo keeps the pictures of a post beside it: my-post/index.md. Jekyll's names begin with the date.
  const [, date, name = ""] =
    /^(?:(\d{4}-\d\d-\d\d)-)?(.*)$/s.exec(base === "index" ? (names.pop() ?? base) : base) ?? [];
  fields["slug"] ??= name;
  if (date) fields["published_at"] ??= date;
  if (fields["status"] === undefined) {
    const isDraft = fields["draft"] === true || fields["published"] === false || names.includes("_drafts");
    fields["status"] = isDraft ? "DRAFT" : "PUBLISHED";
  }
  // Drafts of other programs have the date of their first line.
  if (fields["published_at"] !== undefined) fields["created_at"] ??= fields["published_at"];
  if (fields["created_at"] !== undefined) fields["updated_at"] ??= fields["created_at"];
  if (typeof fields["tags"] === "string") fields["tags"] = fields["tags"].split(/[\s,]+/).filter(Boolean);
  for (const key of ["draft", "published"]) delete fields[key];
  return fields;
}
