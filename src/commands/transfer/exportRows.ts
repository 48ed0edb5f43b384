import { createWriteStream } from "node:fs";
import { access, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import pg from "pg";
import { type CopyToStreamQuery, to as copyTo } from "pg-copy-streams";
import { fileNameFor, writeMarkdown } from "./markdown.ts";
import { readLines } from "./readLines.ts";
import { accountColumns, type Column, type Kind, kinds, readTables, sqlNameOf, type Table } from "./tables.ts";

export interface ExportOptions {
  format: "ndjson" | "markdown";
  only: readonly Kind[];
  withPasswordHashes: boolean;
}

/** Other users of the machine must not read emails and drafts. */
const privateFile = 0o600;

/**
 * Writes users, posts and comments as of one snapshot. A file or folder that is there is complete: it gets its name at the
 * end.
 *
 * @param target a file whose name ends in .ndjson, or a folder that is new or empty; for Markdown, a folder
 * @param client outside any transaction
 * @returns the number of rows
 * @throws OperatorError when the target cannot be used
 */
export async function exportRows(
  client: pg.Client,
  target: string,
  { format, only, withPasswordHashes }: ExportOptions,
): Promise<number> {
  const isFile = target.endsWith(".ndjson");
  await refuseUsedTarget(target, isFile);
  // Only its owner can enter it.
  const part = await mkdtemp(`${target.replace(/\/+$/, "")}.part-`).catch((error: Error) => {
    throw new OperatorError(`${target} cannot be written: ${error.message}`);
  });
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local timezone = 'UTC'; set local statement_timeout = 0; set local extra_float_digits = 1");
    const tables = await readTables(client);
    let written = 0;
    for (const kind of kinds.filter((each) => only.includes(each))) {
      const rows = copyLines(client, selectRows(tables, kind, withPasswordHashes));
      if (format === "markdown" && kind === "post") await writePosts(rows, part);
      else await appendLines(rows, join(part, isFile ? "rows.ndjson" : `${kind}s.ndjson`));
      written += rows.rowCount;
    }
    await client.query("commit");
    await rename(isFile ? join(part, "rows.ndjson") : part, target);
    return written;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function refuseUsedTarget(target: string, isFile: boolean): Promise<void> {
  if (isFile) {
    const exists = await access(target).then(
      () => true,
      () => false,
    );
    if (exists) throw new OperatorError(`${target} exists. Name a new file.`);
    return;
  }
  const found = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new OperatorError(`${target} cannot be used: ${error.message}`);
  });
  if (found.length > 0) throw new OperatorError(`${target} is not empty. Name a new folder.`);
}

/** The statement that selects all rows of a table, each as one line of JSON, with references that another database understands. */
function selectRows(tables: Record<Kind, Table>, kind: Kind, withPasswordHashes: boolean): string {
  const { relation, columns } = tables[kind];
  const accounts = accountColumns.filter((name) => withPasswordHashes || name !== "password_hash");
  const fields = [
    `'${kind}' as type`,
    "t.id",
    ...(kind === "user" ? accounts.map((name) => `account.${pg.escapeIdentifier(name)}`) : []),
    ...columns.map((column) => `${travellingValue(column, tables, kind)} as ${pg.escapeIdentifier(column.key)}`),
    ...(kind === "post" ? [tagsOfPost] : []),
  ];
  const accountOfUser = kind === "user" ? "left join app_private.accounts as account on account.user_id = t.id" : "";
  return `select row_to_json(line) from (select ${fields.join(", ")} from ${relation} as t ${accountOfUser} where ${isExported(tables)[kind]} order by t.id) as line`;
}

/** The trash stays behind: its posts are deleted for everybody, and an import would refuse them. */
function isExported({ post, comment }: Record<Kind, Table>): Record<Kind, string> {
  const [status, postId] = [sqlNameOf(post, "status"), sqlNameOf(comment, "post_id")];
  return {
    user: "true",
    post: `t.${status} <> 'TRASHED'`,
    comment: `exists (select from app_public.posts p where p.id = t.${postId} and p.${status} <> 'TRASHED')`,
  };
}

const tagsOfPost = `array(select tags.name from app_public.post_tags join app_public.tags on tags.id = tag_id
  where post_id = t.id order by position) as tags`;

function travellingValue({ name, type, refersTo }: Column, { user, post }: Record<Kind, Table>, kind: Kind): string {
  const column = `t.${pg.escapeIdentifier(name)}`;
  // The line breaks in a value of type json would end the line.
  if (type === "json") return `${column}::jsonb`;
  if (refersTo === "user") {
    return `coalesce((select email from app_private.accounts where user_id = ${column}), (select u.${sqlNameOf(user, "name")} from app_public.users u where u.id = ${column}))`;
  }
  return refersTo === "post" && kind !== "user"
    ? `(select p.${sqlNameOf(post, "slug")} from app_public.posts p where p.id = ${column})`
    : column;
}

/** The rows as they come from PostgreSQL, a line each. JSON has no control characters, so nothing in it is ever quoted. */
function copyLines(client: pg.Client, query: string) {
  return client.query(copyTo(`copy (${query}) to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')`));
}

async function appendLines(rows: CopyToStreamQuery, file: string): Promise<void> {
  await pipeline(rows, createWriteStream(file, { flags: "a", mode: privateFile }));
}

async function writePosts(rows: CopyToStreamQuery, folder: string): Promise<void> {
  for await (const { bytes } of readLines(rows, Number.POSITIVE_INFINITY)) {
    const post = JSON.parse((bytes as Buffer).toString("utf8")) as Record<string, unknown>;
    await writeNewFile(folder, fileNameFor(post), String(post["id"]), writeMarkdown(post));
  }
}

/** Writes a file under a name that no other file has: where two names differ for PostgreSQL only, the second has the id. */
async function writeNewFile(folder: string, name: string, id: string, text: string): Promise<void> {
  const file = await open(join(folder, `${name}.md`), "wx", privateFile).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    return open(join(folder, `${name}--${id}.md`), "wx", privateFile);
  });
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
