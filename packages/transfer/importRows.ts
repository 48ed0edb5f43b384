import type pg from "pg";
import { Importer } from "./Importer.ts";
import { type ImportRow, type Input, type Refusal, readRows } from "./readRows.ts";
import { type Kind, kinds } from "./tables.ts";

/** A batch is one transaction: short enough for a service that runs at the same time. */
const batchRows = 1_000;
const batchBytes = 4_000_000;

/** After so many rows, the planner needs to know of them before autovacuum finds time for it. */
const rowsThatChangePlans = 10_000;
const analyze =
  "analyze app_public.users, app_public.posts, app_public.comments, app_public.tags, app_public.post_tags, app_private.accounts";

export interface ImportOptions {
  keepIds: boolean;
  isCheck: boolean;
  /** The author of Markdown files that name none. */
  author: string | undefined;
  /** Ends the import after the batch under way. */
  signal: AbortSignal;
}

export type Counts = Record<Kind, { imported: number; known: number }>;

/**
 * Imports users, posts and comments, batch by batch. Each batch is one transaction, so an import that ended early goes on where it was: rows
 * that are in the database already are left as they are.
 *
 * @param onRefusal is told of each row that is not imported, once its batch is committed
 * @param onBatch is told how far the import is, in bytes of the input
 */
export async function importRows(
  client: pg.ClientBase,
  input: Input,
  { keepIds, isCheck, author, signal }: ImportOptions,
  onRefusal: (refusal: Refusal) => Promise<void>,
  onBatch: (bytes: number, counts: Counts) => void,
): Promise<Counts> {
  const importer = await Importer.open(client, keepIds, isCheck);
  const counts = Object.fromEntries(kinds.map((kind) => [kind, { imported: 0, known: 0 }])) as Counts;
  let bytes = 0;
  let batch: ImportRow[] = [];
  let size = 0;
  const flush = async () => {
    const [first] = batch;
    if (first) {
      const { imported, known, refused } = await importer.importBatch(batch);
      counts[first.kind].imported += imported;
      counts[first.kind].known += known;
      for (const refusal of refused) await onRefusal(refusal);
    }
    batch = [];
    size = 0;
    onBatch(bytes, counts);
  };
  const addBytes = (read: number) => {
    bytes += read;
  };
  for await (const row of readRows(input, author, addBytes)) {
    if ("reason" in row) {
      await onRefusal(row);
      continue;
    }
    const isFull = batch.length >= batchRows || size + row.json.length > batchBytes;
    if (isFull || (batch[0] && batch[0].kind !== row.kind)) {
      await flush();
      if (signal.aborted) return counts;
    }
    batch.push(row);
    size += row.json.length;
  }
  await flush();
  if (isCheck) await client.query("rollback");
  else if (kinds.some((kind) => counts[kind].imported > rowsThatChangePlans)) await client.query(analyze);
  return counts;
}
