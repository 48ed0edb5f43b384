import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import type { Reading } from "./Chunk.ts";
import { readGhost } from "./ghost.ts";
import { MarkdownError, readMarkdown } from "./markdown.ts";
import { readLines } from "./readLines.ts";
import { type File, type ImportRow, maxRowBytes, parseObject, type Refusal, toStorable } from "./rows.ts";
import { kinds } from "./tables.ts";
import { readWordPress } from "./wordpress.ts";

/** The form of a file. */
type Format = "ndjson" | "markdown" | "wordpress" | "ghost";

/** The arguments of `npm run import`. */
export interface Input {
  files: (File & { format: Format })[];
  bytes: number;
  /** Whether another program made it. Its ids are not those of rows. */
  isForeign: boolean;
}

/** @throws OperatorError when there is nothing to read */
export async function openInput(path: string): Promise<Input> {
  const found = await stat(path).catch((error: Error) => {
    throw new OperatorError(`${path} cannot be read: ${error.message}`);
  });
  const files: Input["files"] = [];
  if (found.isDirectory()) await addFiles(files, path, "");
  else files.push({ path, name: basename(path), bytes: found.size, format: await formatOf(path) });
  if (files.length === 0) throw new OperatorError(`${path} has no file that ends in .ndjson, .md or .markdown.`);
  files.sort((one, other) => rankOf(one) - rankOf(other));
  const isForeign = files.some(({ format }) => format === "wordpress" || format === "ghost");
  return { files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), isForeign };
}

/** Exports of WordPress and Ghost are known by their beginning. */
async function formatOf(path: string): Promise<Format> {
  if (path.endsWith(".ndjson")) return "ndjson";
  if (!/\.(xml|wxr|json)$/i.test(path)) return "markdown";
  const { buffer, bytesRead } = await withFile(path, (file) => file.read(Buffer.alloc(1 << 16), 0));
  const beginning = buffer.toString("utf8", 0, bytesRead);
  if (/^\s*\uFEFF?\s*</.test(beginning) && beginning.includes("wordpress.org/export/")) return "wordpress";
  if (/^\s*\uFEFF?\s*\{\s*"(db|data|meta)"\s*:/.test(beginning)) return "ghost";
  throw new OperatorError(
    `${path} is no export of WordPress (an RSS file with the namespace wordpress.org/export) or of Ghost (a JSON file that begins with "db").`,
  );
}

async function withFile<Result>(path: string, use: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Links are not followed: an import reads what is in the folder. */
async function addFiles(files: Input["files"], folder: string, prefix: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await addFiles(files, path, `${prefix}${entry.name}/`);
    // _index.md is the page of a section, in Hugo.
    else if (entry.isFile() && /\.(ndjson|md|markdown)$/i.test(entry.name) && entry.name !== "_index.md") {
      const format = /\.ndjson$/i.test(entry.name) ? "ndjson" : "markdown";
      files.push({ path, name: prefix + entry.name, bytes: (await stat(path)).size, format });
    }
  }
}

/** Users first and comments last, because rows refer to rows that are there. */
function rankOf({ name }: File): number {
  const place = kinds.findIndex((kind) => basename(name).startsWith(`${kind}s`) && name.endsWith(".ndjson"));
  return place < 0 ? kinds.indexOf("post") : place;
}

/**
 * Reads the rows of all files, one after the other.
 *
 * @param onBytes is told how much has been read since the last call
 */
export async function* readRows(
  { files }: Input,
  reading: Reading,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRow | Refusal> {
  for (const file of files) {
    if (file.format === "ndjson") yield* readNdjson(file, onBytes);
    else if (file.format === "wordpress") yield* readWordPress(file, reading, onBytes);
    else if (file.format === "ghost") yield* readGhost(file, reading, onBytes);
    else yield await readPost(file, reading.author, onBytes);
  }
}

async function* readNdjson(
  { path, name }: File,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportRow | Refusal> {
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  for await (const { number: line, bytes } of readLines(stream, maxRowBytes)) {
    onBytes((bytes?.length ?? maxRowBytes) + 1);
    const refuse = (reason: string, json?: string): Refusal => ({ file: name, line, reason, ...(json && { json }) });
    if (!bytes) {
      yield refuse(`The line is longer than ${maxRowBytes} bytes.`);
      continue;
    }
    const text = toText(bytes);
    if (text === undefined) {
      yield refuse("The line is not UTF-8.");
      continue;
    }
    if (text.trim() === "") continue;
    const value = parseObject(text);
    if (value === undefined) {
      yield refuse("The line is not a JSON object.");
      continue;
    }
    const kind = kinds.find((known) => known === value["type"]);
    if (!kind) {
      yield refuse(`type: This is one of ${kinds.join(", ")}.`, text);
      continue;
    }
    yield { kind, json: toStorable(text, value), file: name, lineOf: () => line };
  }
}

async function readPost(
  { path, name, bytes: size }: File,
  defaultAuthor: string | undefined,
  onBytes: (bytes: number) => void,
): Promise<ImportRow | Refusal> {
  onBytes(size);
  if (size > maxRowBytes) return { file: name, line: 1, reason: `The file is larger than ${maxRowBytes} bytes.` };
  const text = toText(await readFile(path));
  if (text === undefined) return { file: name, line: 1, reason: "The file is not UTF-8." };
  try {
    const { fields, lineOf } = readMarkdown(text, name);
    if (defaultAuthor !== undefined) fields["author"] ??= defaultAuthor;
    const json = JSON.stringify(fields);
    return { kind: "post", json: toStorable(json, fields), file: name, lineOf };
  } catch (error) {
    if (!(error instanceof MarkdownError)) throw error;
    return { file: name, line: error.line, reason: error.message };
  }
}

/** The text without a byte order mark; undefined for bytes that are not UTF-8. */
function toText(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
